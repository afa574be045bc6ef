"""What the scenarios share: a cluster with its kubelets and the scheduler under test, load, and waiting."""

import contextlib
import http.client
import random
import socket
import subprocess
import threading
import time

from kubelet import RUN_SECONDS, Kubelet, is_finished
from kubernetes import Cluster, Refused, free_port, in_parallel, node, pod

USERS = ("u1", "u2", "u3", "u4", "u5")


class Failure(AssertionError):
    """A scenario failed; the text is a sentence that says what did not hold."""


def demand(holds, sentence):
    if not holds:
        raise Failure(sentence)


def quantile(numbers, part):
    numbers = sorted(numbers)
    return numbers[min(len(numbers) - 1, int(part * len(numbers)))] if numbers else float("nan")


class Trial:
    """A fresh cluster, and the scheduler under test, which the scenario starts. Its pods name the scheduler `mirab`,
    whichever program answers to that name."""

    def __init__(self, choice):
        self.choice = choice
        self.random = random.Random(choice.seed)
        self.cluster = Cluster(choice.binaries, keep=choice.keep)
        self.kubelet = Kubelet(self.cluster.admin)
        self.api = self.cluster.admin
        for name in USERS:
            self.api.create("namespaces", {"metadata": {"name": name}})

    def __enter__(self):
        return self

    def __exit__(self, kind, failure, _):
        if isinstance(failure, AssertionError):
            for process in self.cluster.processes[2:]:
                print(f"  the end of {process.log.name}:\n{process.tail(8)}")
        try:
            if kind is None and self.is_mirab:
                self.check_event_logs()
        finally:
            self.kubelet.stop()
            self.cluster.close()

    @property
    def is_mirab(self):
        return self.choice.scheduler == "mirab"

    def start_scheduler(self, elect=False, port=None, words=()):
        """`words`: further options, which only Mirab has."""
        if self.is_mirab:
            options = [f"--event-logs={self.event_logs}", *self.choice.options, *words]
            return self.cluster.mirab(self.choice.program, options, elect, port)
        return self.cluster.kube_scheduler("mirab", elect, port)

    def run_mirab(self, config, words):
        """Mirab with a kubeconfig of the scenario's own."""
        command = [self.choice.program, *words, "--kubeconfig", config, f"--event-logs={self.event_logs}"]
        return self.cluster.run("mirab", command)

    def make_nodes(self, nodes):
        in_parallel(self.api, lambda api, each: api.create("nodes", each), nodes)

    def make_pods(self, pods):
        in_parallel(self.api, lambda api, each: api.create("pods", each), pods)

    def some_nodes(self, count):
        """Three kinds of nodes, mixed."""
        kinds = ({"cpu": "8", "memory": "32Gi"}, {"cpu": "16", "memory": "32Gi"},
                 {"cpu": "4", "memory": "16Gi", "nvidia.com__gpu": "2"})
        self.make_nodes(node(f"n{number}", {"zone": f"z{number % 3}"}, **kinds[number % 3]) for number in range(count))

    def plain_pod(self, name, seconds=(0.3, 3.0), **spec):
        """A random pod of a random user, which runs for so long."""
        draw = self.random
        requests = {"cpu": draw.choice(("100m", "250m", "0.5", "1", "2", "3500m")),
                    "memory": draw.choice(("64Mi", "500M", "1Gi", "3Gi", "7.5Gi"))}
        return pod(name, draw.choice(USERS), requests={**requests, **spec.pop("requests", {})},
                   annotations={RUN_SECONDS: f"{draw.uniform(*seconds):.2f}"}, **spec)

    def some_pod(self, name, seconds=(0.3, 3.0)):
        """The same, and one in ten wants a GPU, two in ten a zone."""
        luck = self.random.random()
        if luck < 0.1:
            return self.plain_pod(name, seconds, requests={"nvidia.com/gpu": "1"})
        if luck < 0.3:
            return self.plain_pod(name, seconds, nodeSelector={"zone": self.random.choice(("z0", "z1", "z2"))})
        return self.plain_pod(name, seconds)

    def pods(self):
        """All pods as they were last seen."""
        with self.kubelet.lock:
            return list(self.kubelet.of_pods.known.values())

    def count_bound(self):
        return sum(1 for each in self.pods() if each["spec"].get("nodeName"))

    def wait(self, holds, seconds, sentence):
        """Until holds() is true; its sentence is the failure. The seconds that it took."""
        started = time.monotonic()
        while not holds():
            if time.monotonic() - started > seconds:
                raise Failure(f"not within {seconds} s: {sentence() if callable(sentence) else sentence}")
            time.sleep(0.02)
        return time.monotonic() - started

    @property
    def event_logs(self):
        return self.cluster.folder / "event-logs"

    def check_event_logs(self):
        """All that the engines were told, told once more, brings the same decisions."""
        for process in self.cluster.processes[2:]:
            process.stop()
        logs = sorted(self.event_logs.glob("*.jsonl"))
        demand(logs, "no engine wrote an event log")
        decided = subprocess.run([self.choice.program, "validate", *logs], capture_output=True, text=True, check=False)
        demand(decided.returncode == 0, f"an event log brings other decisions: {decided.stderr}")

    def check_referee(self):
        """What must hold in every scenario with one scheduler."""
        demand(not self.kubelet.rejections, f"kubelets rejected {len(self.kubelet.rejections)} pods, the first: "
               f"{self.kubelet.rejections[:1]}")
        demand(not self.kubelet.lapses, f"{len(self.kubelet.lapses)} pods are where they may not be, the first: "
               f"{self.kubelet.lapses[:1]}")
        twice = [uid for uid, names in self.kubelet.bound.items() if len(names) > 1]
        demand(not twice, f"{len(twice)} pods were bound twice")


class Load:
    """Random pods come at a rate, through outages of the API server, until there are enough or `stop`."""

    def __init__(self, trial, rate, count=None, seconds=(0.3, 3.0)):
        self.trial, self.rate, self.count, self.seconds = trial, rate, count, seconds
        self.made = []  # (namespace, name), each exactly once
        self.failure = None
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        api, next_at = self.trial.api.copy(), time.monotonic()
        while not self.stopped.is_set() and len(self.made) != self.count:
            thing = self.trial.some_pod(f"p{len(self.made)}", self.seconds)
            while not self.stopped.is_set():
                try:
                    api.create("pods", thing)
                    break
                except Refused as refused:
                    if refused.status == 409:  # an earlier try did it after all
                        break
                    if not refused.may_pass:
                        self.failure = refused
                        return
                    self.stopped.wait(0.2)
                except (OSError, http.client.HTTPException):
                    self.stopped.wait(0.2)
            else:
                break
            self.made.append((thing["metadata"]["namespace"], thing["metadata"]["name"]))
            next_at = max(next_at + 1 / self.rate, time.monotonic() - 1)
            self.stopped.wait(max(0, next_at - time.monotonic()))
        api.close()

    def stop(self):
        self.stopped.set()
        self.thread.join()

    def unfinished(self):
        """(namespace, name, what is known of it: its phase and node)"""
        known = {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in self.trial.pods()}
        return [(*name, known[name]["status"].get("phase"), known[name]["spec"].get("nodeName")) if name in known
                else (*name, "gone", None)
                for name in self.made if name not in known or not is_finished(known[name])]

    def wait_finished(self, seconds):
        """Every pod that was made has run to its end: none is lost. A slow machine takes its time, but for so long it is never
        without one more pod that ends."""
        self.thread.join()
        demand(self.failure is None, f"the bed's own pods are wrong: {self.failure}")
        started = last = time.monotonic()
        left = self.unfinished()
        while left:
            time.sleep(0.5)  # to count takes time from the kubelets, which are threads of this process
            before, left = len(left), self.unfinished()
            if len(left) < before:
                last = time.monotonic()
            demand(time.monotonic() - last < seconds, f"for {seconds} s no pod has ended, and {len(left)} of {len(self.made)} "
                   f"have not, such as {left[:3]}")
        return time.monotonic() - started


class Wire:
    """Carries bytes between a scheduler and the API server, and can be cut: then nothing passes, and nothing is closed
    before it is mended. What was under way at the cut is lost."""

    def __init__(self, target):
        self.target, self.port = target, free_port()
        self.whole = threading.Event()
        self.whole.set()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        self.whole.clear()

    def mend(self):
        self.whole.set()

    def close(self):
        self.listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.target))
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if not self.whole.is_set():
                    self.whole.wait()
                    break
                sink.sendall(data)
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
