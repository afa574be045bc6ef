"""How fast a scheduler is, and what it costs: SchedulingBasic of upstream's scheduler_perf, 500 and 5,000 nodes of 4 CPUs
and 32 GiB, some pods that stand already, and 1,000 pods of 100m and 500 MiB, whose names the API server makes.

    start:   the lists are read, and one pod is bound: time and processor time
    backlog: the 1,000 pods are there before the scheduler goes on: pods/s until the last bind, and processor time
    idle:    one pod after the other, created when the one before is bound: create answered → bind seen
    paced:   100 pods/s for 10 s: the same

The control plane, the scheduler and this client share the machine. Times of binds are those at which a watch shows them.
With `--scheduler both` the two run at the same time on one control plane, each with its own pods, so that whatever else
the machine does meets both.

    performance.py --binaries FOLDER --scheduler kube-scheduler
    performance.py --binaries FOLDER --scheduler both --nodes 500
    performance.py --binaries FOLDER --program build/release/mirab --options "…"
"""

import argparse
import json
import pathlib
import signal
import sys
import threading
import time

from kubernetes import Cluster, Follower, in_parallel, node, pod
from trial import Failure, demand, quantile

PODS = 1000
IDLE_PODS = 100


class Binds:
    """When each pod was seen bound."""

    def __init__(self, api):
        self.at, self.change = {}, threading.Condition()
        self.follower = Follower(api, "/api/v1/pods?fieldSelector=spec.nodeName!=", self._see)

    def _see(self, kind, thing):
        now, name = time.monotonic(), thing["metadata"]["name"]
        if kind != "DELETED" and name not in self.at:
            with self.change:
                self.at[name] = now
                self.change.notify_all()

    def wait(self, names, seconds=180):
        with self.change:
            done = self.change.wait_for(lambda: all(name in self.at for name in names), seconds)
        missing = [name for name in names if name not in self.at]
        demand(done, f"{len(missing)} of {len(names)} pods were not bound within {seconds} s")


def create(api, base, scheduler, **spec):
    """Creates a pod, to whose name the API server adds random characters: that name. A base of its own for each pod, since
    the API server refuses a name that it has made already."""
    thing = pod(base, "default", scheduler, requests={"cpu": "100m", "memory": "500Mi"}, **spec)
    thing["metadata"]["generateName"] = thing["metadata"].pop("name") + "-"
    return api.create("pods", thing)["metadata"]["name"]


class Trial:
    """A control plane, and the schedulers that are measured at the same time: name → process."""

    def __init__(self, cluster, choice, nodes):
        self.api = cluster.admin
        in_parallel(self.api, lambda own, number: own.create("nodes", node(f"n{number}", cpu="4", memory="32Gi")), range(nodes))
        in_parallel(self.api, lambda own, number: create(own, f"standing{number}", "mirab", nodeName=f"n{number % nodes}"),
                    range(choice.standing))
        self.binds = Binds(self.api)
        names = ("mirab", "kube-scheduler") if choice.scheduler == "both" else (choice.scheduler,)
        self.schedulers = {name: cluster.mirab(choice.program, choice.options) if name == "mirab" else cluster.kube_scheduler(name)
                           for name in names}
        self.figures = {name: {"scheduler": name, "nodes": nodes} for name in names}

    def spent(self, key, before=None):
        """Processor time of each scheduler; with what it was `before`, writes the difference down as `key`."""
        now = {name: process.processor_seconds() for name, process in self.schedulers.items()}
        for name, seconds in now.items():
            self.figures[name][key] = seconds - (before or {}).get(name, 0)
        return now

    def start(self):
        started = time.monotonic()
        first = {name: create(self.api, "first", name) for name in self.schedulers}
        self.binds.wait(first.values())
        for name, pod_name in first.items():
            self.figures[name]["start_to_first_bind_s"] = self.binds.at[pod_name] - started
        self.spent("start_processor_s")

    def backlog(self):
        pods = {name: [] for name in self.schedulers}
        for process in self.schedulers.values():
            process.pause()
        in_parallel(self.api, lambda own, each: pods[each[1]].append(create(own, f"backlog{each[0]}", each[1])),
                    [(number, name) for number in range(PODS) for name in pods])
        time.sleep(1)
        before, started = self.spent("backlog_processor_s"), time.monotonic()
        for process in self.schedulers.values():
            process.resume()
        self.binds.wait([pod_name for names in pods.values() for pod_name in names])
        for name, names in pods.items():
            self.figures[name]["backlog_pods_per_s"] = PODS / (max(self.binds.at[pod_name] for pod_name in names) - started)
        time.sleep(1)  # what it still has to say of its binds
        self.spent("backlog_processor_s", before)

    def idle(self):
        before, created = self.spent("idle_processor_s"), {name: {} for name in self.schedulers}
        for number in range(IDLE_PODS):
            for name in self.schedulers:
                pod_name = create(self.api, f"idle{number}", name)
                created[name][pod_name] = time.monotonic()
                self.binds.wait([pod_name])
                time.sleep(0.02)
        self._quantiles("idle", created)
        self.spent("idle_processor_s", before)

    def paced(self):
        before, created = self.spent("paced_processor_s"), {name: {} for name in self.schedulers}
        start = time.monotonic()
        for number in range(PODS):
            time.sleep(max(0.0, start + number / 100 - time.monotonic()))
            for name in self.schedulers:
                pod_name = create(self.api, f"paced{number}", name)
                created[name][pod_name] = time.monotonic()
        self.binds.wait([pod_name for names in created.values() for pod_name in names])
        self._quantiles("paced", created)
        self.spent("paced_processor_s", before)

    def memory(self):
        for name, process in self.schedulers.items():
            self.figures[name] |= {"resident_MiB": process.resident_mebibytes(), "peak_MiB": process.resident_mebibytes("VmHWM")}

    def _quantiles(self, what, created):
        for name, own in created.items():
            late = [max(0.0, self.binds.at[pod_name] - at) * 1000 for pod_name, at in own.items()]
            self.figures[name] |= {f"{what}_p50_ms": quantile(late, 0.5), f"{what}_p99_ms": quantile(late, 0.99)}


def measure(choice, nodes):
    with Cluster(choice.binaries) as cluster:
        trial = Trial(cluster, choice, nodes)
        for part in (trial.start, trial.backlog, trial.idle, trial.paced, trial.memory):
            part()
        return list(trial.figures.values())


def rounded(figures):
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in figures.items()}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True, type=pathlib.Path, help="folder with kube-apiserver and kube-scheduler")
    parser.add_argument("--scheduler", choices=("mirab", "kube-scheduler", "both"), default="mirab")
    parser.add_argument("--program", default="build/release/mirab", help="Mirab's program")
    parser.add_argument("--options", default="", help="further words for `mirab kube`, such as its limits")
    parser.add_argument("--nodes", default="500,5000")
    parser.add_argument("--standing", type=int, default=500, help="pods that stand already")
    choice = parser.parse_args()
    choice.options = choice.options.split()
    for nodes in choice.nodes.split(","):
        try:
            for figures in measure(choice, int(nodes)):
                print(json.dumps(rounded(figures)), flush=True)
        except Failure as failure:
            sys.exit(f"{choice.scheduler}, {nodes} nodes: {failure}")


if __name__ == "__main__":
    main()
