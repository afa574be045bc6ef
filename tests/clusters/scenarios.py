"""Scenarios that a scheduler must survive on a real API server. Each is a function of the choices on the command line; it
gives its figures, and fails with a sentence.

    scenarios.py --binaries FOLDER --program build/dev/mirab K1 K10          Mirab
    scenarios.py --binaries FOLDER --scheduler kube-scheduler K1             upstream's, to try the bed itself
"""

import argparse
import pathlib
import signal
import sys
import threading
import time

from access import certificates, manifest, rotation
from controllers import gangs, preemption, preemption_cases, replaced
from fairness import complementary, shares
from kubelet import amounts, is_finished, misfit
from kubernetes import Follower, node, pod
from refusals import bind_refuser, refused_fields
from trial import USERS, Failure, Load, Trial, Wire, demand, quantile


def random_pods(choice):
    """K1: 100 nodes, 5 users, 2,000 random pods that finish and come."""
    with Trial(choice) as trial:
        trial.some_nodes(100)
        scheduler = trial.start_scheduler()
        started = time.monotonic()
        load = Load(trial, rate=200, count=2000)
        load.wait_finished(60)
        seconds = time.monotonic() - started
        trial.check_referee()
        return {"pods": len(load.made), "seconds": seconds, "processor_seconds": scheduler.processor_seconds(),
                "rejected": 0, "resident_MiB": scheduler.resident_mebibytes()}


def kills(choice):
    """K2: kill -9 of the scheduler at random instants under load."""
    with Trial(choice) as trial:
        trial.some_nodes(60)
        scheduler = trial.start_scheduler()
        load, idle = Load(trial, rate=100, seconds=(0.2, 1.5)), []
        trial.wait(lambda: trial.count_bound() > 0, 30, "no pod was bound")
        for _ in range(choice.kills):
            time.sleep(trial.random.uniform(0.02, 0.6))
            scheduler.kill()
            time.sleep(0.1)  # binds that it still made are seen by now
            before = len(trial.kubelet.bound)
            started = time.monotonic()
            scheduler.start()
            trial.wait(lambda: len(trial.kubelet.bound) > before, 60,  # pylint: disable=cell-var-from-loop
                       lambda: f"no pod was bound after a restart\n{scheduler.tail()}")
            idle.append(time.monotonic() - started)
        load.stop()
        load.wait_finished(60)
        trial.check_referee()
        demand(not trial.kubelet.over_full(), f"nodes are over-full: {trial.kubelet.over_full()[:3]}")
        return {"kills": choice.kills, "pods": len(load.made), "start_to_first_bind_p50": quantile(idle, 0.5),
                "start_to_first_bind_max": max(idle)}


def outages(choice):
    """K3: kill -9 of kube-apiserver and of etcd, and a pause of each."""
    with Trial(choice) as trial:
        trial.some_nodes(60)
        trial.start_scheduler()
        load, back = Load(trial, rate=60), {}

        def until_bound(name):
            before = len(trial.kubelet.bound)
            back[name] = trial.wait(lambda: len(trial.kubelet.bound) > before, 120, f"no pod was bound after: {name}")

        until_bound("start")
        for process, name in ((trial.cluster.apiserver, "apiserver"), (trial.cluster.etcd, "etcd")):
            trial.cluster.restart(process)
            until_bound(f"kill {name}")
            for seconds in choice.pauses:
                process.pause()
                time.sleep(seconds)
                process.resume()
                until_bound(f"pause {name} {seconds} s")
                time.sleep(2)
        load.stop()
        load.wait_finished(60)
        trial.check_referee()
        demand(not trial.kubelet.over_full(), f"nodes are over-full: {trial.kubelet.over_full()[:3]}")
        return {"pods": len(load.made), **{f"bound again after {name}": seconds for name, seconds in back.items()}}


def quiet(choice):
    """For minutes there is no news of nodes and pods: what is known is not taken for old."""
    with Trial(choice) as trial:
        trial.some_nodes(30)
        trial.start_scheduler()
        waits = []
        for number in range(3):
            trial.make_pods([pod(f"p{number}", "u1", requests={"cpu": "10m"})])
            waits.append(trial.wait(lambda: trial.count_bound() == number + 1, 20,  # pylint: disable=cell-var-from-loop
                                    f"a pod was not bound after {choice.silence * number} s without news"))
            if number < 2:
                time.sleep(choice.silence)
        trial.check_referee()
        return {"silence_s": choice.silence, "bound_after_s": max(waits)}


def compaction(choice):
    """K4: what the scheduler has seen is compacted away while it is stopped, and while it lists."""
    with Trial(choice) as trial:
        trial.make_nodes(node(f"n{number}", cpu="4") for number in range(20))
        trial.make_pods(pod(f"old{number}", "u1", requests={"cpu": "1"}) for number in range(80))
        scheduler = trial.start_scheduler()
        trial.wait(lambda: trial.count_bound() == 80, 30, "the nodes were not filled")
        scheduler.pause()
        for number in range(80):
            trial.api.delete("pods", "u1", f"old{number}", grace=0)
        for number in range(10):
            trial.api.delete("nodes", None, f"n{number}")
        trial.make_nodes(node(f"m{number}", cpu="4") for number in range(10))
        trial.make_pods(pod(f"new{number}", "u2", requests={"cpu": "1"}) for number in range(80))
        trial.cluster.compact_etcd()
        trial.cluster.restart(trial.cluster.apiserver)  # its cache of past versions is empty now: 410
        trial.cluster.wait_ready()
        scheduler.resume()
        after_410 = trial.wait(lambda: trial.count_bound() == 80, 60,
                               lambda: f"{trial.count_bound()} of 80 pods are bound; pods that are gone seem to hold room")
        scheduler.kill()
        trial.make_pods(pod(f"many{number}", "u3", requests={"cpu": "100m"}) for number in range(2500))
        stopped = threading.Event()

        def compact():  # each write makes a version, which the next compaction takes from the lists that page through it
            api = trial.api.copy()
            while not stopped.is_set():
                api.patch("nodes", None, "n19", {"metadata": {"annotations": {"test/at": str(time.monotonic())}}})
                trial.cluster.compact_etcd()

        compacting = threading.Thread(target=compact)
        compacting.start()
        scheduler.start()
        try:
            trial.api.delete("pods", "u2", "new0", grace=0)
            trial.wait(lambda: trial.count_bound() == 79 + 10, 60, lambda: f"{trial.count_bound()} pods are bound, not 89")
        finally:
            stopped.set()
            compacting.join()
        trial.check_referee()
        return {"bound_after_410_s": after_410}


def two_replicas(choice):
    """K7: two replicas, of which the leader is killed, stopped for 30 s, and cut off."""
    with Trial(choice) as trial:
        trial.some_nodes(60)
        leases, terms = "coordination.k8s.io/v1/leases", []

        def see_lease(_, lease):
            holder = lease["spec"].get("holderIdentity")
            if holder and terms[-1:] != [holder]:
                terms.append(holder)

        binds = []  # decisions in the order of the binds

        def see_pod(_, thing):
            if thing["spec"].get("nodeName") and thing["metadata"]["uid"] not in seen:
                seen.add(thing["metadata"]["uid"])
                binds.append((thing["metadata"].get("annotations") or {}).get("mirab.io/decision", ""))

        seen = set()
        Follower(trial.api, f"/apis/{leases.rsplit('/', 1)[0]}/leases", see_lease)
        Follower(trial.api, "/api/v1/pods", see_pod)
        wires = {}

        def add_replica():
            wire = Wire(trial.cluster.port)
            process = trial.start_scheduler(elect=True, port=wire.port)
            wires[process] = wire
            return process

        first = add_replica()
        load = Load(trial, rate=40)
        trial.wait(lambda: terms and binds, 60, "no leader was elected, or it binds nothing")
        second, gaps = add_replica(), {}
        time.sleep(3)
        leader, standby = first, second
        for name in ("kill", "stop", "cut"):
            before = len(terms)
            {"kill": leader.kill, "stop": leader.pause, "cut": wires[leader].cut}[name]()
            started = time.monotonic()
            trial.wait(lambda: len(terms) > before, 90,  # pylint: disable=cell-var-from-loop
                       f"nobody took over after: {name}")
            count = len(binds)
            trial.wait(lambda: len(binds) > count + 5, 60,  # pylint: disable=cell-var-from-loop
                       f"the new leader binds nothing after: {name}")
            gaps[f"{name} to bind"] = time.monotonic() - started
            time.sleep(max(0, 30 - gaps[f"{name} to bind"]) if name == "stop" else 2)
            if name == "stop":
                leader.resume()
            wires[leader].mend()
            time.sleep(12)  # it sees by now that it leads no more; some schedulers end then
            if not leader.is_running():
                leader.start()
                time.sleep(3)
            leader, standby = standby, leader
        load.stop()
        load.wait_finished(60)
        trial.check_referee()
        if trial.is_mirab:
            who = [next((term for term in terms if term in decision), None) for decision in binds]
            demand(None not in who, "a bind's mirab.io/decision names no holder of the Lease: "
                   f"{[each for each, name in zip(binds, who) if name is None][:1]}, holders {terms}")
            order = [name for number, name in enumerate(who) if number == 0 or who[number - 1] != name]
            left = iter(terms)  # each leader of the binds is a later holder of the Lease; a holder may bind nothing
            demand(all(name in left for name in order), f"two were acting: binds by {order}, holders of the Lease {terms}")
        for wire in wires.values():
            wire.close()
        return {"pods": len(load.made), "terms": len(terms), **gaps}


def beside_another(choice):
    """K9: kube-scheduler and the scheduler under test on the same full nodes. They race; nothing is lost by it."""
    with Trial(choice) as trial:
        trial.make_nodes(node(f"n{number}", cpu="4", memory="16Gi") for number in range(20))
        trial.start_scheduler()
        trial.cluster.kube_scheduler("default-scheduler")
        names, again = {}, 0

        def make(name):
            thing = trial.plain_pod(name, (0.2, 0.8), scheduler=("mirab", "default-scheduler")[len(names) % 2])
            trial.api.create("pods", thing)
            names[thing["metadata"]["namespace"], name] = thing

        for number in range(800):
            make(f"p{number}")
        deadline = time.monotonic() + 150
        while True:  # as a controller: a pod that was rejected comes again
            phases = {(each["metadata"]["namespace"], each["metadata"]["name"]): each["status"].get("phase")
                      for each in trial.pods()}
            failed = [each for each in names if phases.get(each) == "Failed"]
            for each in failed:
                thing = names.pop(each)
                again += 1
                thing["metadata"]["name"] = f"again{again}"
                trial.api.delete("pods", *each, grace=0)
                trial.api.create("pods", thing)
                names[each[0], thing["metadata"]["name"]] = thing
            if all(phases.get(each) == "Succeeded" for each in names):
                break
            if time.monotonic() > deadline:
                behind = [(each, phases.get(each), names[each]["spec"]["schedulerName"]) for each in names
                          if phases.get(each) != "Succeeded"]
                raise Failure(f"{len(behind)} pods have not run after 150 s, such as {behind[:3]}; "
                              f"{sum(trial.kubelet.rejected.values())} were rejected")
            time.sleep(0.1)
        demand(not trial.kubelet.lapses, f"pods are where they may not be: {trial.kubelet.lapses[:1]}")
        trial.make_pods(pod(f"exact{number}", "u1", requests={"cpu": "4"}) for number in range(20))
        settled = trial.wait(lambda: sum(1 for each in trial.pods() if each["metadata"]["name"].startswith("exact")
                                         and each["spec"].get("nodeName")) == 20, 40,
                             "20 pods that take all of 20 empty nodes were not bound: room was lost")
        return {"pods": 800, "rejected": sum(trial.kubelet.rejected.values()), "all_room_found_again_s": settled}


def changing_nodes(choice):
    """K10: nodes come, go, shrink, and change labels, taints and readiness, with pods on them. In the end a pod waits only
    if the referee finds no node for it either."""
    with Trial(choice) as trial:
        draw, changes, count = trial.random, 0, 30
        kinds = ["add", "delete", "label", "taint", "cordon", "shrink", "grow"]
        if trial.is_mirab:  # kube-scheduler relies on a controller that makes this a taint
            kinds.append("unready")
        trial.some_nodes(count)
        trial.start_scheduler()
        load, deadline = Load(trial, rate=60, seconds=(0.5, 8)), time.monotonic() + choice.seconds
        while time.monotonic() < deadline:
            time.sleep(draw.uniform(0.02, 0.3))
            changes += 1
            with trial.kubelet.lock:
                name = draw.choice(sorted(trial.kubelet.nodes))
            what = draw.choice(kinds)
            if what == "add" or len(trial.kubelet.nodes) < 15:
                trial.make_nodes([node(f"n{count}", {"zone": draw.choice(("z0", "z1", "z2"))}, cpu="8", memory="16Gi")])
                count += 1
            elif what == "delete":
                trial.api.delete("nodes", None, name)
                time.sleep(0.3)  # then, as the collector of garbage: pods of a node that is gone
                for each in trial.pods():
                    if each["spec"].get("nodeName") == name and not is_finished(each):
                        load.made.remove((each["metadata"]["namespace"], each["metadata"]["name"]))
                        trial.api.delete("pods", each["metadata"]["namespace"], each["metadata"]["name"], grace=0)
            elif what == "label":
                trial.api.patch("nodes", None, name, {"metadata": {"labels": {"zone": draw.choice(("z0", "z1", "z2", None))}}})
            elif what in ("taint", "cordon"):
                taint = [{"key": "test", "effect": draw.choice(("NoSchedule", "NoExecute"))}] if draw.random() < 0.5 else None
                trial.api.patch("nodes", None, name, {"spec": {"taints": taint, "unschedulable": None} if what == "taint"
                                                      else {"unschedulable": draw.random() < 0.5 or None}})
            elif what in ("shrink", "grow"):
                cpu = draw.choice(("1", "2500m")) if what == "shrink" else "12"
                trial.api.patch("nodes", None, name, {"status": {"allocatable": {"cpu": cpu}}}, "status")
            else:
                ready = draw.choice(("True", "False", "Unknown"))
                trial.api.patch("nodes", None, name, {"status": {"conditions": [{"type": "Ready", "status": ready}]}}, "status")
        load.stop()
        trial.make_pods([trial.some_pod(f"last{number}", (3600, 3600)) for number in range(300)])  # more than there is room for
        bound = -1
        while trial.count_bound() != bound:
            bound = trial.count_bound()
            time.sleep(12)  # longer than the longest pod, and than kube-scheduler's back-off
        trial.check_referee()
        with trial.kubelet.lock:
            wrong = [f"{each['metadata']['name']} waits, and {name} has room" for each in trial.pods()
                     if not each["spec"].get("nodeName") for name, thing in trial.kubelet.nodes.items()
                     if misfit(each["spec"], thing, trial.kubelet.standing[name].used) is None]
        demand(not wrong, f"{len(wrong)} times a pod waits for nothing: {wrong[:2]}")
        waiting = sum(1 for each in trial.pods() if not each["spec"].get("nodeName"))
        return {"changes": changes, "pods": len(load.made) + 300, "waiting_in_the_end": waiting}


def refused_binds(choice):
    """K13: a webhook refuses all binds of one user. The others do not notice; the refused are tried five times, then
    parked."""
    with Trial(choice) as trial, bind_refuser(trial, "u1") as tries:
        trial.some_nodes(30)
        trial.start_scheduler()
        trial.make_pods(pod(f"refused{number}", "u1", requests={"cpu": "100m"}) for number in range(50))
        others = USERS[1:]
        started = time.monotonic()
        trial.make_pods(pod(f"fine{number}", others[number % 4], requests={"cpu": "100m"}) for number in range(400))
        trial.wait(lambda: trial.count_bound() == 400, 20, lambda: f"{trial.count_bound()} of 400 pods of others are bound")
        seconds = time.monotonic() - started
        trial.wait(lambda: len(tries) == 50, 20, lambda: f"binds of {len(tries)} of 50 pods were tried at the webhook")
        time.sleep(choice.seconds)
        most = max(tries.values())
        bound = [each["metadata"]["name"] for each in trial.pods() if each["metadata"]["namespace"] == "u1"
                 and each["spec"].get("nodeName")]
        demand(not bound, f"pods that the webhook refuses were bound: {bound[:3]}")
        if trial.is_mirab:
            demand(most <= 5, f"a bind that is always refused was tried {most} times in {choice.seconds} s")
        return {"others_bound_s": seconds, "most_tries_of_a_refused_pod": most}


def never_fit(choice):
    """K14: 10,000 pods that never fit. They cost next to nothing, and what fits is placed at once."""
    with Trial(choice) as trial:
        trial.some_nodes(50)
        scheduler = trial.start_scheduler()
        trial.make_pods(pod(f"huge{number}", USERS[number % 5], requests={"cpu": "1000"}) for number in range(10_000))
        time.sleep(30)
        writes = [0]

        def count(*_):
            writes[0] += 1

        Follower(trial.api, "/api/v1/pods", count)
        Follower(trial.api, "/apis/events.k8s.io/v1/events", count)
        time.sleep(2)
        writes[0], memory, processor = 0, scheduler.resident_mebibytes(), scheduler.processor_seconds()
        time.sleep(choice.seconds)
        processor, seen = scheduler.processor_seconds() - processor, writes[0]
        started = time.monotonic()
        trial.api.create("pods", pod("small", "u1", requests={"cpu": "100m"}))
        trial.wait(lambda: trial.count_bound() == 1, 30, "a pod that fits waits behind pods that never fit")
        figures = {"writes_per_s": seen / choice.seconds, "processor_share": processor / choice.seconds,
                   "grew_MiB": scheduler.resident_mebibytes() - memory, "resident_MiB": scheduler.resident_mebibytes(),
                   "fitting_pod_bound_s": time.monotonic() - started}
        if trial.is_mirab:
            demand(figures["writes_per_s"] <= 22, f"{figures['writes_per_s']:.0f} writes a second for pods that wait")
            demand(figures["processor_share"] <= 0.05, f"{figures['processor_share']:.1%} of a core for pods that wait")
            demand(figures["grew_MiB"] <= 20, f"memory grew by {figures['grew_MiB']:.0f} MiB")
        trial.check_referee()
        return figures


def refused_pods(choice):
    """K15: what Mirab cannot honour stays pending with an Event that names the field, and is placed without the field."""
    with Trial(choice) as trial:
        trial.make_nodes(node(f"n{number}", {"zone": "z", "topology.kubernetes.io/zone": "z"}, cpu="8", memory="32Gi")
                         for number in range(3))
        trial.start_scheduler()
        wanted = refused_fields(trial)
        for name, (_, spec) in wanted.items():
            thing = pod(name, "u1", requests={"cpu": "100m"}, labels={"app": name})
            for key, value in spec.items():
                if key == "ports":
                    thing["spec"]["containers"][0]["ports"] = value
                else:
                    thing["spec"][key] = value
            trial.api.create("pods", thing)
        time.sleep(5)
        bound = {each["metadata"]["name"]: each["spec"].get("nodeName") for each in trial.pods()}
        notes = {}
        for event in trial.api.get("events.k8s.io/v1/events", "u1")["items"]:
            notes.setdefault(event["regarding"]["name"], []).append((event["reason"], event.get("note", "")))
        if trial.is_mirab:
            for name, (field, _) in wanted.items():
                demand(not bound[name], f"{name}: it was bound to {bound[name]}, although {field} is not honoured")
                demand(any(reason == "NotSupported" and field in note for reason, note in notes.get(name, [])),
                       f"{name}: no Event NotSupported names {field}; there is {notes.get(name)}")
        for name in wanted:
            trial.api.delete("pods", "u1", name, grace=0)
            trial.api.create("pods", pod(name, "u1", requests={"cpu": "100m"}))
        trial.wait(lambda: trial.count_bound() == len(wanted), 20, "pods without these fields were not all bound")
        trial.check_referee()
        return {"fields": len(wanted), "pending": [name for name in wanted if not bound[name]]}


SCENARIOS = {"K1": random_pods, "K1-shares": shares, "K1-greedy": complementary, "K2": kills, "K3": outages, "K3-quiet": quiet,
             "K4": compaction, "K6": rotation, "K6-certificates": certificates, "K7": two_replicas, "K8": replaced,
             "K9": beside_another, "K10": changing_nodes, "K11": gangs, "K12": preemption, "K12-cases": preemption_cases,
             "K13": refused_binds, "K14": never_fit, "K15": refused_pods, "manifest": manifest}


def chosen(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SCENARIO", help=f"which; default all: {' '.join(SCENARIOS)}")
    parser.add_argument("--binaries", required=True, type=pathlib.Path, help="folder with kube-apiserver and kube-scheduler")
    parser.add_argument("--scheduler", choices=("mirab", "kube-scheduler"), default="mirab")
    parser.add_argument("--program", default="build/dev/mirab", help="Mirab's program")
    parser.add_argument("--options", default="", help="further words for `mirab kube`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=50, help="K2: how many times")
    parser.add_argument("--pauses", default="5,20,60", help="K3: seconds of each pause")
    parser.add_argument("--silence", type=float, default=180, help="K3-quiet: seconds without news, twice")
    parser.add_argument("--replacements", type=int, default=1000, help="K8: how many times")
    parser.add_argument("--picture", help="K1-greedy: write the shares to this SVG file")
    parser.add_argument("--grace", type=int, default=5, help="K12: seconds between the deletion of a pod and its end")
    parser.add_argument("--seconds", type=float, default=60, help="K10, K13, K14: for how long")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS",
                        help="begin no scenario later than this; those that are left out are named")
    parser.add_argument("--cut", type=float, default=0, metavar="SECONDS",
                        help="end the scenario that runs then, and say so; it has not failed")
    parser.add_argument("--keep", action="store_true", help="keep the folders with the logs")
    choice = parser.parse_args(words)
    choice.options = choice.options.split()
    choice.pauses = [float(seconds) for seconds in choice.pauses.split(",")]
    for name in choice.names:
        if name not in SCENARIOS:
            parser.error(f"there is no scenario {name}; there are {' '.join(SCENARIOS)}")
    return choice


class TimeIsUp(BaseException):
    """What --cut raises in the midst of a scenario; no scenario catches it."""


def cut(*_):
    raise TimeIsUp


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that what was started ends too
    signal.signal(signal.SIGALRM, cut)
    choice, failed, done, started = chosen(sys.argv[1:]), [], 0, time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, choice.cut)
    for name in choice.names or SCENARIOS:
        begun = time.monotonic() - started
        if begun > choice.within:
            print(f"{name} SKIPPED: {choice.within:.0f} s are over", flush=True)
            continue
        try:
            figures = SCENARIOS[name](choice)
            print(f"{name} ok: " + ", ".join(f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
                                             for key, value in figures.items()), flush=True)
            done += 1
        except AssertionError as failure:  # a Failure, or a control plane that did not start
            failed.append(name)
            print(f"{name} FAILED (--seed {choice.seed}): {failure}", flush=True)
        except TimeIsUp:
            print(f"{name} CUT after {choice.cut - begun:.0f} s: {choice.cut:.0f} s are over", flush=True)
            choice.within = min(choice.within, choice.cut)
    if failed:
        sys.exit(f"failed: {' '.join(failed)}")
    if not done:
        sys.exit("no scenario was done in time")


if __name__ == "__main__":
    main()
