"""How fast a scheduler is, and what it costs: SchedulingBasic of upstream's scheduler_perf, 500 and 5,000 nodes of 4 CPUs
and 32 GiB, some pods that stand already, and 1,000 pods of 100m and 500 MiB.

    start:   the lists are read, and one pod is bound: time and processor time
    backlog: the 1,000 pods are there before the scheduler goes on: pods/s until the last bind, and processor time
    idle:    one pod after the other, created when the one before is bound: create answered → bind seen
    paced:   100 pods/s for 10 s: the same

The control plane, the scheduler and this client share the machine. Times of binds are those at which a watch shows them.

    performance.py --binaries FOLDER --scheduler kube-scheduler
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


def basic_pod(name, **spec):
    return pod(name, "default", requests={"cpu": "100m", "memory": "500Mi"}, **spec)


def measure(choice, nodes):
    with Cluster(choice.binaries) as cluster:
        api = cluster.admin
        in_parallel(api, lambda own, number: own.create("nodes", node(f"n{number}", cpu="4", memory="32Gi")), range(nodes))
        in_parallel(api, lambda own, number: own.create("pods", basic_pod(f"standing{number}", nodeName=f"n{number % nodes}")),
                    range(choice.standing))
        binds = Binds(api)
        if choice.scheduler == "mirab":
            scheduler = cluster.mirab(choice.program, choice.options)
        else:
            scheduler = cluster.kube_scheduler("mirab")
        started = time.monotonic()
        api.create("pods", basic_pod("first"))
        binds.wait(["first"])
        figures = {"nodes": nodes, "start_to_first_bind_s": binds.at["first"] - started,
                   "start_processor_s": scheduler.processor_seconds()}

        names = [f"backlog{number}" for number in range(PODS)]
        scheduler.pause()
        in_parallel(api, lambda own, thing: own.create("pods", thing), [basic_pod(name) for name in names])
        time.sleep(1)
        processor, started = scheduler.processor_seconds(), time.monotonic()
        scheduler.resume()
        binds.wait(names)
        seconds = max(binds.at[name] for name in names) - started
        figures |= {"backlog_pods_per_s": PODS / seconds, "backlog_processor_s": scheduler.processor_seconds() - processor}

        processor, late = scheduler.processor_seconds(), []
        for number in range(IDLE_PODS):
            name = f"idle{number}"
            api.create("pods", basic_pod(name))
            created = time.monotonic()
            binds.wait([name])
            late.append(max(0.0, binds.at[name] - created) * 1000)
            time.sleep(0.02)
        figures |= {"idle_p50_ms": quantile(late, 0.5), "idle_p99_ms": quantile(late, 0.99),
                    "idle_processor_s": scheduler.processor_seconds() - processor}

        processor, created = scheduler.processor_seconds(), {}
        start = time.monotonic()
        for number in range(PODS):
            time.sleep(max(0.0, start + number / 100 - time.monotonic()))
            name = f"paced{number}"
            api.create("pods", basic_pod(name))
            created[name] = time.monotonic()
        binds.wait(list(created))
        late = [max(0.0, binds.at[name] - created[name]) * 1000 for name in created]
        figures |= {"paced_p50_ms": quantile(late, 0.5), "paced_p99_ms": quantile(late, 0.99),
                    "paced_processor_s": scheduler.processor_seconds() - processor,
                    "resident_MiB": scheduler.resident_mebibytes(), "peak_MiB": scheduler.resident_mebibytes("VmHWM")}
        return figures


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True, type=pathlib.Path, help="folder with kube-apiserver and kube-scheduler")
    parser.add_argument("--scheduler", choices=("mirab", "kube-scheduler"), default="mirab")
    parser.add_argument("--program", default="build/release/mirab", help="Mirab's program")
    parser.add_argument("--options", default="", help="further words for `mirab kube`, such as its limits")
    parser.add_argument("--nodes", default="500,5000")
    parser.add_argument("--standing", type=int, default=500, help="pods that stand already")
    choice = parser.parse_args()
    choice.options = choice.options.split()
    for nodes in choice.nodes.split(","):
        try:
            print(json.dumps({"scheduler": choice.scheduler, **{
                key: round(value, 3) for key, value in measure(choice, int(nodes)).items()}}), flush=True)
        except Failure as failure:
            sys.exit(f"{choice.scheduler}, {nodes} nodes: {failure}")


if __name__ == "__main__":
    main()
