"""Scenarios in which the test acts as a controller: it makes pods again that ended, were replaced, or belong together."""

import json
import random
import time

from kubernetes import Refused, in_parallel, node, pod
from refusals import bind_refuser
from trial import USERS, Trial, demand

OWNER = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}]
FAKE = "example.com/fakecpu"


def replaced(choice):
    """K8: a pod is replaced by a larger one of the same name, 1,000 times during binds, as by a StatefulSet. A server before
    1.23 may bind the new one by the decision about the old one: each that does not fit there is noticed."""
    with Trial(choice) as trial:
        trial.make_nodes(node(f"small{number}", cpu="1", memory="32Gi") for number in range(40))
        trial.make_nodes(node(f"large{number}", cpu="16", memory="32Gi") for number in range(4))
        scheduler = trial.start_scheduler()
        names = [f"s-{number}" for number in range(8)]
        rounds = choice.replacements // len(names)

        def state_of(uid):
            with trial.kubelet.lock:
                seen = trial.kubelet.of_pods.known.get(uid)
                return seen and (seen["spec"].get("nodeName"), seen["status"].get("phase"))

        def make(api, name, cpu):
            return api.create("pods", pod(name, "u1", requests={"cpu": cpu}))["metadata"]["uid"]

        def settle(api, name, uid):
            """Its phase, once it runs or was refused; nothing where it is gone. A server of 1.20 deletes a new pod in place of
            the old one when the status of that is written at the moment of its deletion."""
            started, gone = time.monotonic(), False
            while not gone:
                _, phase = state_of(uid) or (None, None)
                if phase in ("Running", "Failed"):
                    return phase
                passed = time.monotonic() - started
                demand(passed < 60, f"{name} neither runs nor was refused: {state_of(uid)}")
                time.sleep(0.02)
                if phase is None and passed > 1:
                    try:
                        gone = api.get("pods", "u1", name)["metadata"]["uid"] != uid
                    except Refused as refused:
                        gone = refused.status == 404
            return None

        def replace(api, name):
            draw = random.Random(f"{choice.seed} {name}")
            for _ in range(rounds):
                make(api, name, "100m")
                time.sleep(draw.uniform(0, 0.03))
                api.delete("pods", "u1", name, grace=0)
                uid = make(api, name, "2")
                while settle(api, name, uid) != "Running":
                    api.delete("pods", "u1", name, grace=0)
                    uid = make(api, name, "2")
                api.delete("pods", "u1", name, grace=0)

        in_parallel(trial.api, replace, names, connections=len(names))
        demand(not trial.kubelet.lapses, f"pods are where they may not be: {trial.kubelet.lapses[:1]}")
        refused = sum(trial.kubelet.rejected.values())
        figures = {"replaced": rounds * len(names), "bound_where_it_does_not_fit": refused}
        if trial.is_mirab:
            time.sleep(1)
            lines = [json.loads(line) for line in scheduler.log.read_text(encoding="utf-8").splitlines()]
            noticed = sum(1 for line in lines if line["what"] == "notice" and "the kubelet refused it" in line["why"])
            figures["noticed"] = noticed
            demand(noticed == refused, f"kubelets refused {refused} pods, and Mirab noticed {noticed} of them")
        return figures


def gangs(choice):
    """K11: gangs of 2 to 64 against single pods, while half of the binds fail. No gang runs in part, and none waits without end."""
    with Trial(choice) as trial, bind_refuser(trial, *USERS, refuses=lambda: coin.random() < 0.5) as tries:
        draw, coin = trial.random, random.Random(choice.seed + 1)
        trial.make_nodes(node(f"n{number}", cpu="8", memory="32Gi") for number in range(16))
        trial.start_scheduler()
        sizes = {}
        for number in range(40):
            size = draw.choice((2, 3, 4, 8, 16, 32, 64))
            sizes[f"g{number}"] = size
            user = draw.choice(USERS)
            trial.make_pods(pod(f"g{number}-{member}", user, requests={"cpu": "1", "memory": "1Gi"},
                                labels={"mirab.io/gang": f"g{number}", "mirab.io/gang-size": str(size)})
                            for member in range(size))
            trial.make_pods(trial.plain_pod(f"s{number}-{single}", (0.2, 1.0)) for single in range(5))
        ended, deadline = set(), time.monotonic() + 420
        while len(ended) < len(sizes):
            there = {}
            for each in trial.pods():
                name = (each["metadata"].get("labels") or {}).get("mirab.io/gang")
                if name:
                    there.setdefault(name, []).append(each)
            for name, members in there.items():
                if name not in ended and all(each["spec"].get("nodeName") for each in members) \
                        and len(members) == sizes[name]:
                    ended.add(name)  # a gang runs as long as it is not whole, and then ends
                    for each in members:
                        trial.api.delete("pods", each["metadata"]["namespace"], each["metadata"]["name"], grace=0)
            demand(time.monotonic() < deadline, f"{len(sizes) - len(ended)} gangs never ran whole: " + ", ".join(
                f"{name} has {sum(1 for each in there.get(name, []) if each['spec'].get('nodeName'))} of {size}"
                for name, size in sizes.items() if name not in ended))
            time.sleep(0.2)
        trial.check_referee()
        return {"gangs": len(sizes), "tries": sum(tries.values())}


def preemption(choice):
    """K12: a monopolist, a newcomer, a grace, a disruption budget, a finalizer, and a controller that makes again at once."""
    with Trial(choice) as trial:
        trial.make_nodes(node(f"n{number}", cpu="4", memory="16Gi") for number in range(4))
        trial.start_scheduler(words=["--preempt"])
        made = [0]

        def rich(finalizers=()):
            made[0] += 1
            thing = pod(f"p{made[0]}", "u1", requests={"cpu": "1"}, labels={"app": "rich"},
                        terminationGracePeriodSeconds=choice.grace)
            thing["metadata"].update(ownerReferences=OWNER, finalizers=list(finalizers))
            return thing

        trial.make_pods([rich(["test/stuck"] if number == 0 else []) for number in range(16)])
        trial.wait(lambda: trial.count_bound() == 16, 30, "the nodes were not filled")
        trial.api.create("policy/v1beta1/poddisruptionbudgets", {
            "metadata": {"name": "b", "namespace": "u1"},
            "spec": {"maxUnavailable": 8, "selector": {"matchLabels": {"app": "rich"}}}})
        # No controller runs here: its status says that eight may go.
        trial.api.patch("policy/v1beta1/poddisruptionbudgets", "u1", "b", {"status": {
            "disruptionsAllowed": 8, "currentHealthy": 16, "desiredHealthy": 8, "expectedPods": 16,
            "observedGeneration": 1}}, part="status")
        for number in range(6):
            thing = pod(f"new{number}", "u2", requests={"cpu": "1"})
            thing["metadata"]["ownerReferences"] = OWNER
            trial.api.create("pods", thing)
        evicted, seen, deadline = 0, set(), time.monotonic() + choice.seconds + 4 * choice.grace
        while time.monotonic() < deadline:  # as a controller: for each that ends there is a new one at once
            ending = [each for each in trial.pods() if each["metadata"]["namespace"] == "u1"
                      and each["metadata"].get("deletionTimestamp") and each["metadata"]["uid"] not in seen]
            for each in ending:
                seen.add(each["metadata"]["uid"])
                evicted += 1
                trial.api.create("pods", rich())
            time.sleep(0.05)
        running = sum(1 for each in trial.pods() if each["metadata"]["namespace"] == "u2" and each["spec"].get("nodeName"))
        demand(running >= 5, f"{running} of 6 newcomers run; one victim may be stuck")
        demand(evicted <= 8, f"{evicted} pods were evicted for 6 newcomers, and the budget allowed 8")
        trial.check_referee()
        return {"evicted": evicted, "newcomers": running}


def preemption_cases(choice):
    """K12-cases: upstream's cases of preemption, by their names, with pods that have a controller; and across namespaces."""
    with Trial(choice) as trial:
        priorities = {"low": 1, "medium": 100, "high": 1000}
        for name, value in priorities.items():
            trial.api.create("scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})
        trial.start_scheduler(words=["--preempt"])

        def make(name, space, priority, amount, where, **spec):
            thing = pod(name, space, requests={FAKE: str(amount)}, nodeSelector={"case": where},
                        priorityClassName=priority, terminationGracePeriodSeconds=1, **spec)
            thing["metadata"]["ownerReferences"] = OWNER
            trial.api.create("pods", thing)

        def make_nodes(where, count, amount):
            trial.make_nodes(node(f"{where}-{number}", {"case": where}, cpu="4", memory="16Gi", **{FAKE.replace("/", "__"): amount})
                             for number in range(count))

        def nodes_of(where):
            return {each["metadata"]["name"]: each["spec"].get("nodeName") for each in trial.pods()
                    if each["spec"]["nodeSelector"]["case"] == where and not each["metadata"].get("deletionTimestamp")}

        def case(where, fill, newcomers, victims, again=None):
            """`fill` and `newcomers`: (name, namespace, priority, amount). In the end the newcomers run, and of those that
            were there all but the victims."""
            for each in fill:
                make(*each, where)
                trial.wait(lambda: nodes_of(where).get(each[0]), 20,  # pylint: disable=cell-var-from-loop
                           f"{where}: {each[0]} was not bound")  # pylint: disable=cell-var-from-loop
            for each in newcomers:
                make(*each, where)
            trial.wait(lambda: all(nodes_of(where).get(name) for name, *_ in newcomers), 30,
                       lambda: f"{where}: a newcomer does not run; there are {nodes_of(where)}")
            time.sleep(2)
            gone = sorted(name for name, *_ in fill if name not in nodes_of(where))
            demand(gone == sorted(victims), f"{where}: {gone} were evicted and not {sorted(victims)}")
            figures[where] = gone

        figures = {}
        make_nodes("basic", 3, "3")
        case("basic", [("basic0", "u1", "low", 2), ("basic1", "u1", "medium", 2), ("basic2", "u1", "medium", 2)],
             [("preemptor-pod", "u1", "high", 2)], ["basic0"])
        make_nodes("critical", 3, "3")
        case("critical", [("pod0", "u1", "low", 2), ("pod1", "u1", "medium", 2), ("pod2", "u1", "medium", 2)],
             [("critical-pod", "kube-system", "system-cluster-critical", 2)], ["pod0"])
        make_nodes("path", 1, "1000")
        case("path", [("rs-pod1", "u1", "low", 200), ("rs-pod2", "u1", "low", 300), ("rs-pod3", "u1", "medium", 450)],
             [("rs-pod4", "u1", "high", 500)], ["rs-pod1", "rs-pod2"])
        make_nodes("across", 2, "4")
        case("across", [(f"rich{number}", "u4", ("high", "medium", "low", "medium")[number % 4], 1) for number in range(8)],
             [("new0", "u5", "low", 1), ("new1", "u5", "low", 1)], ["rich2", "rich6"])
        trial.check_referee()
        return figures
