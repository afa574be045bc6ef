"""Kubernetes' own end-to-end cases of scheduling, run by its own e2e.test against the scheduler under test, which is the
default one. Those are here that ask for what Mirab honours; tests/kube/upstream_test.py has them as cases of Mirab's own.

    upstream.py --binaries FOLDER --program build/dev/mirab                  all of them
    upstream.py --binaries FOLDER --scheduler kube-scheduler selector        upstream's, to try the bed itself

What no kubelet and no controller does here is stood in for: kubelet.py, and an account in each namespace. The case of pod
overhead is not here: it does not pass with kube-scheduler either.
"""

import argparse
import pathlib
import subprocess
import sys
import threading
import time

from kubelet import Kubelet
from kubernetes import Cluster, Refused, in_parallel, node

CASES = {
    "ephemeral-storage": "validates local ephemeral storage resource limits of pods that are allowed to run",
    "resources": "validates resource limits of pods that are allowed to run",
    "selector-without": "validates that NodeSelector is respected if not matching",
    "selector": "validates that NodeSelector is respected if matching",
    "affinity-without": "validates that NodeAffinity is respected if not matching",
    "affinity": "validates that required NodeAffinity setting is respected if matching",
    "tolerations": "validates that taints-tolerations is respected if matching",
    "tolerations-without": "validates that taints-tolerations is respected if not matching",
}


class Accounts:
    """Gives each namespace its account `default`, with a secret, which e2e.test waits for."""

    def __init__(self, api):
        self.api, self.stopped = api.copy(), threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        known = set()
        while not self.stopped.wait(0.1):
            for name in {each["metadata"]["name"] for each in self.api.get("namespaces")["items"]} - known:
                try:
                    self.api.create("serviceaccounts", {"metadata": {"name": "default", "namespace": name},
                                                        "secrets": [{"name": "default-token"}]})
                except Refused as refused:
                    if refused.status != 409:
                        raise
                known.add(name)

    def stop(self):
        self.stopped.set()
        self.thread.join()


def run_case(choice, sentence):
    """What e2e.test says of the case, and whether it passed. Each has a cluster of its own, since nothing removes its
    namespaces here."""
    with Cluster(choice.binaries, keep=choice.keep) as cluster:
        in_parallel(cluster.admin, lambda api, each: api.create("nodes", each),
                    [node(f"n{number}", {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}, cpu="4", memory="16Gi",
                          **{"ephemeral-storage": "40Gi"}) for number in range(3)])
        kubelet, accounts = Kubelet(cluster.admin), Accounts(cluster.admin)
        if choice.scheduler == "mirab":
            cluster.mirab(choice.program, ["--scheduler-name=default-scheduler"])
        else:
            cluster.kube_scheduler()
        try:
            ran = subprocess.run(
                [choice.binaries / "e2e.test", f"--kubeconfig={cluster.kubeconfig('admin')}", "--provider=skeleton",
                 f"--ginkgo.focus=\\[sig-scheduling\\].*{sentence}", "--ginkgo.noColor", "--delete-namespace=false",
                 f"--host=https://127.0.0.1:{cluster.port}"], cwd=cluster.folder, capture_output=True, text=True,
                timeout=choice.seconds, check=False)
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"").decode(), False
        finally:
            accounts.stop()
            kubelet.stop()
        return ran.stdout + ran.stderr, ran.returncode == 0 and "1 Passed" in ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CASE", help=f"which; default all: {' '.join(CASES)}")
    parser.add_argument("--binaries", required=True, type=pathlib.Path, help="folder with kube-apiserver and e2e.test")
    parser.add_argument("--scheduler", choices=("mirab", "kube-scheduler"), default="mirab")
    parser.add_argument("--program", default="build/dev/mirab", help="Mirab's program")
    parser.add_argument("--seconds", type=float, default=900, help="how long a case may take")
    parser.add_argument("--keep", action="store_true", help="keep the folders with the logs")
    choice = parser.parse_args()
    for name in choice.names:
        if name not in CASES:
            parser.error(f"there is no case {name}; there are {' '.join(CASES)}")
    failed = 0
    for name in choice.names or CASES:
        started = time.monotonic()
        said, passed = run_case(choice, CASES[name])
        print(f"{name} {'ok' if passed else 'FAILED'}: {CASES[name]}, {time.monotonic() - started:.0f} s", flush=True)
        if not passed:
            failed += 1
            print("\n".join("  " + line for line in said.splitlines()[-60:]), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
