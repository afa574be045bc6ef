"""How many pods Mirab binds in a second of its own processor time: against the scripted API server of tests/kube, which
answers at once. The scripted server is the slower of the two, so that binds a second of the clock say nothing here.

    binds.py --program build/release/mirab
"""

import argparse
import json
import pathlib
import sys
import tempfile

from kubernetes import Process

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kube"))
from scripted_cluster import ScriptedCluster, node, pod  # noqa: E402  # pylint: disable=wrong-import-position


def measure(choice, minor):
    cluster = ScriptedCluster(minor=minor, nodes=0)
    cluster.objects["Node"] = [node(f"n{number}", cpu="64", pods="5000") for number in range(choice.nodes)]
    cluster.objects["Pod"] = [pod(f"p{number}", space=f"s{number % 5}", cpu="10m") for number in range(choice.pods)]
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "kubeconfig"
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": cluster.url}}], "users": [{"name": "u", "user": {}}]}),
            encoding="ascii")
        scheduler = Process([choice.program, "kube", "--no-leader-elect", "--kubeconfig", config], config.with_name("log"))
        try:
            cluster.until(lambda: len(cluster.binds) >= 100)
            begun, before = len(cluster.binds), scheduler.processor_seconds()
            cluster.until(lambda: len(cluster.binds) == choice.pods, 300)
            return (choice.pods - begun) / (scheduler.processor_seconds() - before)
        finally:
            scheduler.kill()
            cluster.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", help="taken and not used: no control plane runs")
    parser.add_argument("--program", default="build/release/mirab", help="Mirab's program")
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--pods", type=int, default=3000)
    choice = parser.parse_args()
    for minor, name in (("23", "compares uids"), ("20", "is asked for each pod before its bind")):
        print(json.dumps({"server": f"1.{minor}, which {name}", "nodes": choice.nodes, "pods": choice.pods,
                          "binds_per_processor_s": round(measure(choice, minor))}), flush=True)


if __name__ == "__main__":
    main()
