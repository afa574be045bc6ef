"""kube-scheduler 1.20.2 as the oracle: may this pod run on this node?

Random nodes stand with pods on them. For each question, a random pod and a node, a copy of the pod that only that node may
take (required affinity, matchFields metadata.name) is given to kube-scheduler, and another to Mirab, one after the other.
A copy is bound, or it is not. A batch has one question a node; each node has a namespace of its own for the copies, so that
no copy looks at another. Where the two differ they are asked again, alone.

    placed by Mirab only     must be 0
    refused by Mirab only    by the first field of the pod that Mirab does not honour yet; others must be 0

The referee of kubelet.py judges too, wherever no rule about other pods decides: it must agree with kube-scheduler.

    oracle.py --binaries FOLDER --program build/dev/mirab --verdicts 10000
    oracle.py --binaries FOLDER --scheduler kube-scheduler          only the referee is held against kube-scheduler
"""

import argparse
import collections
import copy
import pathlib
import random
import signal
import sys
import threading
import time

from kubelet import Standing, misfit
from kubernetes import Cluster, Follower, in_parallel, node, pod

NODES = 100
POOL = 40  # pods of a round, each asked about several nodes
ZONES, DISKS, TAINTS = ("z0", "z1", "z2"), ("ssd", "hdd"), ("red", "blue")
APPS = ("a", "b", "c")


def space(number):
    return f"s{number}"


class Draw:
    """Random nodes and pods, of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, part):
        return self.random.random() < part

    def some(self, values, part):
        return self.random.choice(values) if self.chance(part) else None

    def labels(self):
        found = {"zone": self.some(ZONES, 0.9), "disk": self.some(DISKS, 0.7),
                 "gen": self.some(("1", "3", "7", "12", "new"), 0.7)}
        return {key: value for key, value in found.items() if value is not None}

    def node(self, number):
        draw = self.random
        taints = [{"key": key, "value": draw.choice(("", "x", "y")),
                   "effect": draw.choice(("NoSchedule", "NoExecute", "PreferNoSchedule"))} for key in TAINTS if self.chance(0.2)]
        amounts = {"cpu": draw.choice(("2", "3900m", "8")), "memory": draw.choice(("4Gi", "7G", "16384Mi")),
                   "pods": draw.choice(("3", "110")), **({"ephemeral_storage": "10Gi"} if self.chance(0.7) else {}),
                   **({"nvidia.com__gpu": draw.choice(("1", "4"))} if self.chance(0.3) else {})}
        return node(f"n{number}", self.labels(), taints or None, self.chance(0.07), **amounts)

    def standing_pod(self, number, where):
        """A pod that stands on a node already; one in three wants no pod of some app near it."""
        draw = self.random
        spec = {}
        if self.chance(0.33):
            spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
                "topologyKey": draw.choice(("zone", "kubernetes.io/hostname", "kubernetes.io/hostname", "disk")),
                "namespaces": draw.sample([space(each) for each in range(NODES)], NODES // 4),
                "labelSelector": {"matchLabels": {"app": draw.choice(APPS)}}}]}}
        requests = {"cpu": draw.choice(("100m", "1", "1500m")), "memory": draw.choice(("100Mi", "2Gi"))}
        return pod(f"standing{number}", "default", "nobody", requests, {"app": draw.choice(APPS)}, nodeName=where, **spec)

    def requirement(self):
        draw = self.random
        key, operator = draw.choice(("zone", "disk", "gen")), draw.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
        values = {"zone": ZONES, "disk": DISKS, "gen": ("1", "3", "7", "12", "new")}[key]
        if operator in ("Gt", "Lt"):
            return {"key": "gen", "operator": operator, "values": [draw.choice(("0", "2", "7", "20"))]}
        return {"key": key, "operator": operator,
                **({"values": draw.sample(values, draw.randint(1, len(values) - 1))} if operator in ("In", "NotIn") else {})}

    def pod(self):
        """A random pod, and what of it Mirab does not honour yet: the name of the field, or None."""
        draw = self.random
        requests = {"cpu": self.some(("1m", "250m", "0.5", "1500m", "1e0", "2", "3900m"), 0.85),
                    "memory": self.some(("1", "64Mi", "128e6", "1.5Gi", "4Gi", "7000000k"), 0.8),
                    "ephemeral-storage": self.some(("1Gi", "10Gi", "11Gi"), 0.15), "nvidia.com/gpu": self.some(("1", "2"), 0.12)}
        thing = pod("", "", "", {key: value for key, value in requests.items() if value is not None}, {"app": draw.choice(APPS)})
        spec = thing["spec"]
        if self.chance(0.2):
            spec["containers"].append({"name": "d", "image": "none", "resources": {"requests": {"cpu": "333m"}}})
        if self.chance(0.2):
            spec["initContainers"] = [{"name": "i", "image": "none", "resources": {"requests": {
                "cpu": draw.choice(("100m", "3")), "memory": draw.choice(("1Gi", "6Gi"))}}}]
        if self.chance(0.2):
            spec["nodeSelector"] = {"disk": draw.choice(DISKS)}
        if self.chance(0.4):
            terms = []
            for _ in range(draw.randint(1, 3)):
                term = {"matchExpressions": [self.requirement() for _ in range(draw.randint(1, 2))]}
                if self.chance(0.15):
                    term["matchFields"] = [{"key": "metadata.name", "operator": "NotIn", "values": [f"n{draw.randrange(NODES)}"]}]
                terms.append(term)
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
        if self.chance(0.4):
            spec["tolerations"] = [self.toleration() for _ in range(draw.randint(1, 2))]
        return thing, self.unsupported(spec) if self.chance(0.15) else None

    def toleration(self):
        draw = self.random
        effect = self.some(("NoSchedule", "NoExecute"), 0.4)
        toleration = {"effect": effect} if effect else {}
        if self.chance(0.15):
            return {**toleration, "operator": "Exists"}
        toleration["key"] = draw.choice((*TAINTS, "node.kubernetes.io/unschedulable"))
        return {**toleration, **({"operator": "Exists"} if self.chance(0.5) else {"value": draw.choice(("", "x"))})}

    def unsupported(self, spec):
        draw = self.random
        selector = {"matchLabels": {"app": draw.choice(APPS)}}
        term = {"topologyKey": draw.choice(("zone", "kubernetes.io/hostname")), "namespaces": ["default"], "labelSelector": selector}
        field = draw.choice(("podAffinity", "podAntiAffinity", "hostPort", "topologySpreadConstraints"))
        if field == "hostPort":
            spec["containers"][0]["ports"] = [{"containerPort": 1, "hostPort": 8080}]
        elif field == "topologySpreadConstraints":
            spec[field] = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]
        else:
            spec.setdefault("affinity", {})[field] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
        return field


def copy_for(thing, number, name, scheduler):
    """The pod, for node `number` alone."""
    thing = copy.deepcopy(thing)
    thing["metadata"] |= {"name": name, "namespace": space(number)}
    thing["spec"]["schedulerName"] = scheduler
    affinity = thing["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {}).setdefault(
        "requiredDuringSchedulingIgnoredDuringExecution", {"nodeSelectorTerms": [{}]})
    for term in affinity["nodeSelectorTerms"]:
        term.setdefault("matchFields", []).append({"key": "metadata.name", "operator": "In", "values": [f"n{number}"]})
    return thing


class Court:
    """Asks the schedulers."""

    def __init__(self, api):
        self.api, self.count = api, 0
        self.changed, self.present, self.verdicts = threading.Condition(), set(), {}
        self.last = 0.0  # of the latest bind
        Follower(api, "/api/v1/pods?fieldSelector=spec.schedulerName!=nobody", self._see)

    def _see(self, kind, thing):
        name = thing["metadata"]["name"]
        with self.changed:
            if kind == "DELETED":
                self.present.discard(name)
            else:
                self.present.add(name)
                if thing["spec"].get("nodeName"):
                    self.verdicts[name], self.last = (True, ""), time.monotonic()
                else:
                    for condition in thing["status"].get("conditions", []):
                        if condition["type"] == "PodScheduled" and condition["status"] == "False":
                            self.verdicts[name] = (False, condition.get("message", ""))
            self.changed.notify_all()

    def ask(self, scheduler, questions, patience):
        """[(placed, why not)] for [(pod, node number)], at most one a node. Who has not
        bound a pod when this many seconds have passed since its last bind has refused it; conditions may come later."""
        self.count += 1
        names = [f"q{self.count}-{number}" for _, number in questions]
        copies = [copy_for(thing, number, name, scheduler) for (thing, number), name in zip(questions, names)]
        in_parallel(self.api, lambda api, thing: api.create("pods", thing), copies, 4)
        with self.changed:
            self.last = time.monotonic()
            while not all(name in self.verdicts for name in names) and time.monotonic() - self.last < patience:
                self.changed.wait(0.05)
            answers = [self.verdicts.get(name, (False, "no answer")) for name in names]
        in_parallel(self.api, lambda api, thing: api.delete("pods", thing["metadata"]["namespace"], thing["metadata"]["name"],
                                                            grace=0), copies, 4)
        with self.changed:
            if not self.changed.wait_for(lambda: not self.present.intersection(names), 30):
                raise AssertionError("deleted pods did not go")
            bound_late = [name for name, answer in zip(names, answers) if self.verdicts.pop(name, answer)[0] and not answer[0]]
        if bound_late:
            raise AssertionError(f"{bound_late[0]} was bound after {patience} s; --patience must be longer")
        return answers


def judge(choice):
    draw = Draw(choice.seed)
    counts, by_field, wrong = collections.Counter(), collections.Counter(), []
    with Cluster(choice.binaries, keep=choice.keep) as cluster:
        api = cluster.admin
        nodes = [draw.node(number) for number in range(NODES)]
        standing, stands = [], collections.defaultdict(Standing)
        for number in range(NODES):
            # No node is over-full: there kube-scheduler 1.20 refuses a pod for a resource of which the pod wants nothing.
            on = draw.random.choice(nodes)
            each, stand = draw.standing_pod(number, on["metadata"]["name"]), stands[on["metadata"]["name"]]
            if not misfit({"containers": each["spec"]["containers"], "tolerations": [{"operator": "Exists"}]}, on, stand.used):
                stand.add(number, each["spec"])
                standing.append(each)
        in_parallel(api, lambda own, number: own.create("namespaces", {"metadata": {"name": space(number)}}), range(NODES))
        in_parallel(api, lambda own, each: own.create("nodes", each), nodes)
        in_parallel(api, lambda own, each: own.create("pods", each), standing)
        cluster.kube_scheduler("oracle")
        if choice.scheduler == "mirab":
            cluster.mirab(choice.program, choice.options)
        time.sleep(5)
        court, started = Court(api), time.monotonic()

        def both(questions, patience):
            theirs = court.ask("oracle", questions, 10)
            return list(zip(theirs, court.ask("mirab", questions, patience) if choice.scheduler == "mirab" else theirs))

        while counts["verdicts"] < choice.verdicts:
            pods = [draw.pod() for _ in range(POOL)]
            asked = [(draw.random.choice(pods), number) for number in range(NODES)]
            for ((thing, field), number), (theirs, ours) in zip(
                    asked, both([(thing, number) for (thing, _), number in asked], choice.patience)):
                if theirs[0] != ours[0] and not field:
                    theirs, ours = both([(thing, number)], 10)[0]
                    counts["asked again"] += 1
                counts["verdicts"] += 1
                counts["placed by kube-scheduler"] += theirs[0]
                name = nodes[number]["metadata"]["name"]
                if theirs[0] == ours[0]:
                    counts["agreements"] += 1
                elif ours[0]:
                    counts["placed by Mirab only"] += 1
                    wrong.append(f"placed by Mirab only: {thing['spec']} on {nodes[number]}: {theirs[1]}")
                else:
                    counts["refused by Mirab only"] += 1
                    by_field[field or "none"] += 1
                    if not field:
                        wrong.append(f"refused by Mirab only: {thing['spec']} on {nodes[number]}: {ours[1]}")
                if not field and "affinity rules" not in theirs[1]:
                    counts["judged by the referee"] += 1
                    reason = misfit(thing["spec"], nodes[number], stands[name].used)
                    if (reason is None) != theirs[0]:
                        wrong.append(f"the referee says {reason}, kube-scheduler {theirs}: {thing['spec']} on {nodes[number]}")
        counts["verdicts/s"] = round(counts["verdicts"] / (time.monotonic() - started))
    for key, value in counts.items():
        print(f"{key}: {value}")
    for field, value in by_field.most_common():
        print(f"refused by Mirab only, {field}: {value}")
    for sentence in wrong[:5]:
        print(sentence)
    return not wrong


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True, type=pathlib.Path, help="folder with kube-apiserver and kube-scheduler")
    parser.add_argument("--scheduler", choices=("mirab", "kube-scheduler"), default="mirab")
    parser.add_argument("--program", default="build/dev/mirab", help="Mirab's program")
    parser.add_argument("--options", default="", help="further words for `mirab kube`")
    parser.add_argument("--verdicts", type=int, default=2000)
    parser.add_argument("--patience", type=float, default=1.0, help="seconds after which silence of Mirab is a refusal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the folder with the logs")
    choice = parser.parse_args()
    choice.options = choice.options.split()
    if not judge(choice):
        sys.exit(f"oracle FAILED (--seed {choice.seed})")


if __name__ == "__main__":
    main()
