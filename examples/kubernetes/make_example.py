#!/usr/bin/env python3
"""Writes nodes.json and pods.json: a made-up cluster of 40 nodes, 12 teams and 340 pods, as `kubectl get -o json`
prints them, with the keys that decide where pods run. Nothing in it is random.

Usage: examples/kubernetes/make_example.py [FOLDER]
"""
import json
import sys
from pathlib import Path


# name, how many, instance type, CPUs that pods may use (thousandths), memory (Mi), GPUs, taint
POOLS = [
    ("general", 24, "m6i.4xlarge", 15890, 58912, 0, None),
    ("highmem", 12, "r6i.8xlarge", 31850, 248320, 0, None),
    ("gpu", 4, "g5.12xlarge", 47810, 185344, 4, "nvidia.com/gpu"),
]

GPU_TOLERATION = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
ON_HIGHMEM = {"nodeSelector": {"eks.amazonaws.com/nodegroup": "highmem"}}
NOT_ON_GPU = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "eks.amazonaws.com/nodegroup", "operator": "NotIn", "values": ["gpu"]}]}]}}}}
SPREAD = {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                                         "whenUnsatisfiable": "ScheduleAnyway"}]}
APART = {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
    {"weight": 100, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname"}}]}}}

# namespace, object, kind, pods, requests of each container (the first may be an init container), GPUs, the rest
WORK = [
    ("payments", "api", "Deployment", 16, ["1 2Gi", "sidecar 100m 128Mi"], 0, APART),
    ("payments", "ledger", "StatefulSet", 3, ["4 32Gi", "sidecar 100m 128Mi"], 0, ON_HIGHMEM),
    ("checkout", "web", "Deployment", 24, ["500m 1Gi", "sidecar 100m 128Mi"], 0, SPREAD),
    ("checkout", "worker", "Deployment", 10, ["2 4Gi"], 0, {}),
    ("checkout", "cache", "StatefulSet", 6, ["500m 8Gi"], 0, {}),
    ("search", "query", "Deployment", 20, ["2 8Gi"], 0, {}),
    ("search", "indexer", "Deployment", 4, ["init 4 8Gi", "3 24Gi"], 0, ON_HIGHMEM),
    ("catalog", "app", "Deployment", 40, ["250m 512Mi"], 0, {}),
    ("catalog", "images", "Deployment", 20, ["250m 512Mi"], 0, {}),
    ("ci", "runner", "Job", 36, ["2 4Gi"], 0, {}),
    ("staging", "everything", "Deployment", 30, ["1 4Gi"], 0, {}),
    ("analytics", "spark", "StatefulSet", 18, ["4 28Gi"], 0, ON_HIGHMEM),
    ("data-platform", "kafka", "StatefulSet", 6, ["4 48Gi"], 0, ON_HIGHMEM),
    ("data-platform", "connect", "Deployment", 10, ["1 3Gi"], 0, NOT_ON_GPU),
    ("ml-training", "train", "Job", 14, ["8 32Gi"], 1, {"tolerations": GPU_TOLERATION}),
    ("ml-inference", "serve", "Deployment", 8, ["2 12Gi"], 1, {"tolerations": GPU_TOLERATION}),
    ("ml-inference", "gateway", "Deployment", 4, ["500m 1Gi"], 0, {}),
    ("observability", "prometheus", "StatefulSet", 2, ["4 40Gi"], 0, ON_HIGHMEM),
    ("observability", "agent", "Deployment", 9, ["200m 256Mi"], 0, {}),
    ("platform", "ingress", "Deployment", 12, ["1 1Gi"], 0, {"priorityClassName": "ingress"}),
    ("platform", "operator", "Deployment", 4, ["100m 200Mi"], 0, {}),
    ("kube-system", "coredns", "Deployment", 4, ["100m 70Mi"], 0, {"priorityClassName": "system-cluster-critical"}),
]
DAEMON = ("kube-system", "node-agent", "DaemonSet", ["150m 256Mi"])


def units(text):
    """`500m` in thousandths, `2Gi` in Mi."""
    if text.endswith("Gi"):
        return int(text[:-2]) * 1024
    if text.endswith("Mi"):
        return int(text[:-2])
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def containers(specs, gpus):
    lists = {"containers": []}
    for number, spec in enumerate(specs):
        *role, cpu, memory = spec.split()
        requests = {"cpu": cpu, "memory": memory}
        resources = {"requests": requests}
        name = "app" if not role else "proxy" if role == ["sidecar"] else "prepare"
        if gpus and not role:
            resources["limits"] = {"nvidia.com/gpu": str(gpus)}
            requests["nvidia.com/gpu"] = str(gpus)
        entry = {"name": name, "resources": resources}
        if role == ["sidecar"]:
            entry["restartPolicy"] = "Always"
        lists.setdefault("containers" if not role else "initContainers", []).append(entry)
    return lists


def takes(specs):
    """CPU and memory of a pod: main containers and sidecars together, or its init container."""
    main, init = [0, 0], [0, 0]
    for spec in specs:
        *role, cpu, memory = spec.split()
        into = init if role == ["init"] else main
        into[0] += units(cpu)
        into[1] += units(memory)
    return [max(main[0], init[0]), max(main[1], init[1])]


class Cluster:
    def __init__(self):
        self.nodes, self.pods = [], []

    def add_nodes(self):
        for pool, count, kind, cpu, memory, gpus, taint in POOLS:
            for i in range(count):
                name = f"ip-10-0-{POOLS.index((pool, count, kind, cpu, memory, gpus, taint)) + 1}-{10 + i}"
                self.nodes.append({"name": name, "pool": pool, "free": [cpu, memory, gpus]})
                labels = {"kubernetes.io/hostname": name, "node.kubernetes.io/instance-type": kind,
                          "eks.amazonaws.com/nodegroup": pool, "topology.kubernetes.io/zone": f"eu-west-1{'abc'[i % 3]}"}
                allocatable = {"cpu": f"{cpu}m", "memory": f"{memory * 1024}Ki", "pods": "110"}
                if gpus:
                    allocatable["nvidia.com/gpu"] = str(gpus)
                spec = {"taints": [{"key": taint, "value": "true", "effect": "NoSchedule"}]} if taint else {}
                self.nodes[-1]["object"] = {
                    "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": spec,
                    "status": {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}}

    def allowed(self, node, gpus, rest):
        if node["pool"] == "gpu":
            return bool(gpus)
        return "nodeSelector" not in rest or node["pool"] == rest["nodeSelector"]["eks.amazonaws.com/nodegroup"]

    def place(self, amounts, gpus, rest, first):
        """The first node with room, from one that moves on: so that a deployment is spread."""
        wanted = amounts + [gpus]
        for step in range(len(self.nodes)):
            node = self.nodes[(first + step) % len(self.nodes)]
            if self.allowed(node, gpus, rest) and all(f >= w for f, w in zip(node["free"], wanted)):
                node["free"] = [f - w for f, w in zip(node["free"], wanted)]
                return node["name"]
        return None

    def add_pod(self, work, number, node):
        namespace, name, kind, _, specs, gpus, rest = work
        digest = f"{sum(map(ord, namespace + name)) * 7919 % 0xFFFFFF:06x}"
        owner, labels = {"kind": kind, "name": name}, {"app": name}
        if kind == "Deployment":
            owner = {"kind": "ReplicaSet", "name": f"{name}-{digest}"}
            labels["pod-template-hash"] = digest
        numbered = kind in ("StatefulSet", "Job")
        pod_name = f"{name}-{number}" if numbered else f"{owner['name']}-{number:05x}"
        owner["controller"] = True
        spec = {**({"nodeName": node} if node else {}), **rest, **containers(specs, gpus)}
        self.pods.append({"apiVersion": "v1", "kind": "Pod",
                          "metadata": {"name": pod_name, "namespace": namespace, "labels": labels,
                                       "ownerReferences": [owner]},
                          "spec": spec, "status": {"phase": "Running" if node else "Pending"}})

    def add_pods(self):
        namespace, name, kind, specs = DAEMON
        for number, node in enumerate(self.nodes):
            cpu, memory = takes(specs)
            node["free"][0] -= cpu
            node["free"][1] -= memory
            rest = {"tolerations": [{"operator": "Exists"}]}
            self.add_pod((namespace, name, kind, 0, specs, 0, rest), number, node["name"])
        first = 0
        for work in WORK:
            for number in range(work[3]):
                self.add_pod(work, number, self.place(takes(work[4]), work[5], work[6], first))
                first += 7
        done = ("ci", "nightly", "Job", 1, ["2 4Gi"], 0, {})
        self.add_pod(done, 0, self.nodes[0]["name"])
        self.pods[-1]["status"]["phase"] = "Succeeded"


def text(objects):
    items = ",\n".join(json.dumps(each, separators=(",", ":")) for each in objects)
    return '{"apiVersion":"v1","kind":"List","items":[\n' + items + "\n]}\n"


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    cluster = Cluster()
    cluster.add_nodes()
    cluster.add_pods()
    (folder / "nodes.json").write_text(text([node["object"] for node in cluster.nodes]))
    (folder / "pods.json").write_text(text(cluster.pods))


if __name__ == "__main__":
    main()
