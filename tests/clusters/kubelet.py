"""A stand-in for the kubelets of all nodes, and the referee of the tests. It runs nothing.

It admits a pod as a kubelet does, or sets it Failed with the reason (OutOfcpu, NodeAffinity, NodePorts, …) and counts
that. A pod is Running after 50 ms, and Succeeded after the seconds that its annotation test/run-seconds names. A deleted
pod is gone after its grace. The status of each node is renewed.

Its reading of quantities, selectors and taints is its own, on purpose: it must not share an error with a scheduler.
What it knows of the rules is from the documentation of Kubernetes 1.20.
"""

import collections
import fractions
import heapq
import http.client
import itertools
import queue
import threading
import time

from kubernetes import Follower, Refused

RUNNING_AFTER_S = 0.05
RUN_SECONDS = "test/run-seconds"
CHANGE_SEEN_WITHIN_S = 1.0  # a scheduler may decide so long by what a node was before
WORKERS = 4

SUFFIXES = {"": 1, "n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000),
            "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}


def amount(text):
    """An exact number of a quantity: 100m, 1.5Gi, 2e3."""
    text = str(text)
    digits = len(text)
    while digits and not text[digits - 1].isdigit() and text[digits - 1] != ".":
        digits -= 1
    return fractions.Fraction(text[:digits]) * SUFFIXES[text[digits:]]


def amounts(texts):
    return collections.Counter({name: amount(text) for name, text in (texts or {}).items()})


def requests_of(spec):
    """What a pod takes: the larger of all its containers together and of each init container, its overhead, and a pod."""
    together = collections.Counter()
    for container in spec["containers"]:
        together.update(amounts(container.get("resources", {}).get("requests")))
    for container in spec.get("initContainers", []):
        for name, value in amounts(container.get("resources", {}).get("requests")).items():
            together[name] = max(together[name], value)
    together.update(amounts(spec.get("overhead")))
    together["pods"] = fractions.Fraction(1)
    return together


def is_finished(pod):
    return pod["status"].get("phase") in ("Succeeded", "Failed")


def requirement_holds(requirement, labels):
    value, operator = labels.get(requirement["key"]), requirement["operator"]
    values = requirement.get("values") or []
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if value is None or not value.lstrip("-").isdigit():
        return False
    return int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0])


def selects(spec, node):
    """Do nodeSelector and required node affinity of the pod allow the node?"""
    labels, fields = node["metadata"].get("labels") or {}, {"metadata.name": node["metadata"]["name"]}
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    if affinity is None:
        return True
    for term in affinity["nodeSelectorTerms"]:
        expressions, of_fields = term.get("matchExpressions") or [], term.get("matchFields") or []
        if (expressions or of_fields) and all(requirement_holds(each, labels) for each in expressions) and all(
                requirement_holds(each, fields) for each in of_fields):
            return True
    return False


def tolerates(spec, taint):
    for toleration in spec.get("tolerations") or []:
        if toleration.get("effect") not in (None, "", taint["effect"]):
            continue
        if not toleration.get("key"):
            if toleration.get("operator") == "Exists":
                return True
            continue
        if toleration["key"] != taint["key"]:
            continue
        if toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", ""):
            return True
    return False


def ports_of(spec):
    """(protocol, address, port) of each port that is open on the node itself."""
    return {(port.get("protocol", "TCP"), port.get("hostIP") or "0.0.0.0", port["hostPort"])
            for container in spec["containers"] for port in container.get("ports") or [] if port.get("hostPort")}


def ports_clash(some, others):
    return any(p == q and n == m and (a == b or "0.0.0.0" in (a, b)) for p, a, n in some for q, b, m in others)


def is_ready(node):
    return any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"].get("conditions", []))


def misfit(spec, node, used=None, ports=frozenset()):
    """Why a scheduler may not put the pod on this node beside what is used there, or None."""
    if used is not None:
        free = amounts(node["status"].get("allocatable"))
        for name, wanted in requests_of(spec).items():
            if wanted > 0 and wanted > free[name] - used[name]:
                return "OutOf" + name
    if ports_clash(ports_of(spec), ports):
        return "NodePorts"
    if not selects(spec, node):
        return "NodeAffinity"
    taints = list(node["spec"].get("taints") or [])
    if node["spec"].get("unschedulable"):
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    if any(taint["effect"] in ("NoSchedule", "NoExecute") and not tolerates(spec, taint) for taint in taints):
        return "Taint"
    return None if is_ready(node) else "NotReady"


class Standing:
    """What stands on one node: the admitted pods that have not finished."""

    def __init__(self):
        self.used, self.ports, self.pods = collections.Counter(), collections.Counter(), {}

    def add(self, uid, spec):
        self.pods[uid] = (requests_of(spec), ports_of(spec))
        self.used.update(self.pods[uid][0])
        self.ports.update(self.pods[uid][1])

    def remove(self, uid):
        taken, ports = self.pods.pop(uid, ({}, ()))
        self.used.subtract(taken)
        self.ports.subtract(ports)


class Kubelet:
    """For all nodes at once. Its counts may be read at any time."""

    def __init__(self, api, heartbeat_s=10):
        self.api, self.heartbeat_s = api.copy(), heartbeat_s
        self.lock = threading.RLock()
        self.nodes = {}                                       # name → object
        self.versions = collections.defaultdict(list)         # name → [(until when, an object that it was)]
        self.standing = collections.defaultdict(Standing)     # name → what stands there
        self.admitted = {}                                    # uid → the time
        self.bound = {}                                       # uid → [node names, as they were seen]
        self.rejected = collections.Counter()                 # reason → pods, as real kubelets reject them
        self.rejections = []                                  # sentences
        self.lapses = []                                      # what no kubelet rejects, yet no scheduler may do
        self.finished = collections.Counter()                 # phase → pods
        self.ending = set()
        self.due, self.order, self.awake = [], itertools.count(), threading.Condition()
        self.work = queue.SimpleQueue()
        self.stopped = threading.Event()
        for run in [self._clock] + [self._serve] * WORKERS:
            threading.Thread(target=run, daemon=True).start()
        self.of_nodes = Follower(api, "/api/v1/nodes", self._see_node)
        self.of_pods = Follower(api, "/api/v1/pods", self._see_pod)
        self._after(heartbeat_s, self._renew)

    def stop(self):
        self.stopped.set()
        self.of_pods.stop()
        self.of_nodes.stop()
        with self.awake:
            self.awake.notify()
        for _ in range(WORKERS):
            self.work.put(None)

    # Work in its time.

    def _after(self, seconds, action):
        with self.awake:
            heapq.heappush(self.due, (time.monotonic() + seconds, next(self.order), action))
            self.awake.notify()

    def _clock(self):
        while not self.stopped.is_set():
            with self.awake:
                wait = self.due[0][0] - time.monotonic() if self.due else None
                if wait is None or wait > 0:
                    self.awake.wait(wait)
                    continue
                action = heapq.heappop(self.due)[2]
            self.work.put(action)

    def _serve(self):
        api = self.api.copy()
        while (action := self.work.get()) is not None:
            try:
                action(api)
            except Refused as refused:
                if refused.may_pass or "has been modified" in str(refused):
                    self._after(0.5, action)
                elif refused.status not in (404, 409) and "metadata.uid" not in str(refused):  # gone, or another of its name
                    raise
            except (OSError, http.client.HTTPException):  # the server is away: a kubelet tries again
                if not self.stopped.is_set():
                    self._after(0.5, action)
        api.close()

    def _set_phase(self, api, pod, phase, reason=None):
        status = {"phase": phase, **({"reason": reason, "message": "the pod did not fit: " + reason} if reason else {})}
        meta = pod["metadata"]
        api.patch("pods", meta["namespace"], meta["name"], {"metadata": {"uid": meta["uid"]}, "status": status}, "status")

    def _run(self, api, pod):
        """Running, and Succeeded in its time, never the other way round."""
        if pod["status"].get("phase") == "Pending":
            self._set_phase(api, pod, "Running")
        seconds = pod["metadata"].get("annotations", {}).get(RUN_SECONDS)
        if seconds is not None:
            self._after(float(seconds), lambda later: self._set_phase(later, pod, "Succeeded"))

    def _renew(self, api):
        """One heartbeat of every node, spread over the time to the next."""
        self._after(self.heartbeat_s, self._renew)
        with self.lock:
            names = list(self.nodes)
        for number, name in enumerate(names):
            self._after(self.heartbeat_s * number / len(names), lambda api, name=name: self._beat(api, name))

    def _beat(self, api, name):
        with self.lock:
            if name not in self.nodes:
                return
            conditions = [dict(each) for each in self.nodes[name]["status"].get("conditions", [])]
        for condition in conditions:
            condition["lastHeartbeatTime"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        api.patch("nodes", None, name, {"status": {"conditions": conditions}}, "status", how="strategic-merge")

    # What is seen.

    def _see_node(self, kind, node):
        name, now = node["metadata"]["name"], time.monotonic()
        with self.lock:
            before = self.nodes.get(name)
            if before is not None:
                self.versions[name] = [each for each in self.versions[name] if each[0] > now] + [
                    (now + CHANGE_SEEN_WITHIN_S, before)]
            if kind == "DELETED":
                self.nodes.pop(name, None)
            else:
                self.nodes[name] = node

    def _see_pod(self, kind, pod):
        uid, name = pod["metadata"]["uid"], pod["spec"].get("nodeName")
        if not name:
            return
        with self.lock:
            names = self.bound.setdefault(uid, [])
            if name not in names:
                names.append(name)
            standing = self.standing[name]
            if kind == "DELETED" or is_finished(pod):
                if uid in standing.pods:
                    standing.remove(uid)
                    self.finished["Deleted" if kind == "DELETED" else pod["status"]["phase"]] += 1
                return
            if uid not in self.admitted:
                self.admitted[uid] = time.monotonic()
                self._admit(pod, standing)
        if pod["metadata"].get("deletionTimestamp") and uid not in self.ending:
            self.ending.add(uid)
            self._after(pod["metadata"].get("deletionGracePeriodSeconds", 0), lambda api: api.delete(
                "pods", pod["metadata"]["namespace"], pod["metadata"]["name"], grace=0, uid=uid))

    def _was_there(self, name):
        return any(until > time.monotonic() for until, _ in self.versions[name])

    def _admit(self, pod, standing, asked=None):
        """As a kubelet; what stands there before it counts, what comes later does not. `asked`: its node, as the API server
        has it."""
        meta, spec, name = pod["metadata"], pod["spec"], pod["spec"]["nodeName"]
        now = time.monotonic()
        present = asked or self.nodes.get(name)
        if present is None:
            if not self._was_there(name):
                self.work.put(lambda api: self._admit_later(api, pod))
            return
        ports = frozenset(port for port, count in standing.ports.items() if count > 0)
        reason = misfit(spec, present, standing.used, ports)
        if reason and any(misfit(spec, before, standing.used, ports) is None
                          for until, before in self.versions[name] if until > now):
            reason = None  # it was right when it was decided; a node that shrank keeps the pod here
        text = f"{meta['namespace']}/{meta['name']} on {name}: {reason}"
        if reason in ("Taint", "NotReady"):
            self.lapses.append(text)
            reason = None
        if reason and pod["status"].get("phase") == "Pending":
            used = collections.Counter(standing.used)
            self.work.put(lambda api: self._reject(api, pod, reason, used, ports))
            return
        standing.add(meta["uid"], spec)
        self._after(RUNNING_AFTER_S, lambda api: self._run(api, pod))

    def _node_now(self, api, name):
        """As the API server has it, whatever the watch of nodes has brought; None: it is not there."""
        try:
            return api.get("nodes", None, name)
        except Refused as refused:
            if refused.status != 404:
                raise
            return None

    def _admit_later(self, api, pod):
        """On a node that the watch of nodes has not brought here: a scheduler may have seen it before."""
        meta, name = pod["metadata"], pod["spec"]["nodeName"]
        node = self._node_now(api, name)
        with self.lock:
            latest = self.of_pods.known.get(meta["uid"])
            if node is not None and latest is not None and not is_finished(latest):
                self._admit(pod, self.standing[name], node)
            elif node is None and not self._was_there(name):
                self.lapses.append(f"{meta['namespace']}/{meta['name']} was bound to {name}, which is not there")

    def _reject(self, api, pod, reason, used, ports):
        """Unless the node has grown since: a scheduler may have seen that before the watch of nodes brought it here. `used`
        and `ports` are what stood there before it."""
        meta, spec = pod["metadata"], pod["spec"]
        present = self._node_now(api, spec["nodeName"])
        with self.lock:
            latest = self.of_pods.known.get(meta["uid"])
            if latest is None or is_finished(latest):
                return
            if present is not None and misfit(spec, present, used, ports) is None:
                self.standing[spec["nodeName"]].add(meta["uid"], spec)
                self._after(RUNNING_AFTER_S, lambda api: self._run(api, pod))
                return
            self.rejected[reason] += 1
            self.rejections.append(f"{meta['namespace']}/{meta['name']} on {spec['nodeName']}: {reason}")
        self.work.put(lambda api: self._set_phase(api, pod, "Failed", reason))

    # What the referee says.

    def over_full(self):
        """A sentence for each node that holds more than it has, counted from the pods themselves. A node that shrank under
        its pods is over-full without a fault, so ask where none did."""
        with self.lock:
            pods = [pod for pod in self.of_pods.known.values() if pod["spec"].get("nodeName") and not is_finished(pod)]
            used = collections.defaultdict(collections.Counter)
            for pod in pods:
                if pod["metadata"]["uid"] in self.admitted:
                    used[pod["spec"]["nodeName"]].update(requests_of(pod["spec"]))
            return [f"{name} holds {float(value)} {resource} of {float(amounts(self.nodes[name]['status']['allocatable'])[resource])}"
                    for name, taken in used.items() if name in self.nodes for resource, value in taken.items()
                    if value > amounts(self.nodes[name]["status"]["allocatable"])[resource]]
