"""`mirab kube` with teams, gangs and preemption: what it watches, asks for and says."""

import subprocess
import unittest

from kube_case import PROGRAM, KubeCase, free_port, get
from scripted_cluster import node, pod


def owned(name, space, cpu="1"):
    """A pod that a controller would make again."""
    made = pod(name, space, cpu)
    made["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}]
    return made


def member(name, gang, size):
    made = pod(name, "a", "1")
    made["metadata"]["labels"] = {"mirab.io/gang": gang, "mirab.io/gang-size": str(size)}
    return made


def space(name, **labels):
    return {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name, "uid": "space-" + name, "labels": labels}}


class Teams(KubeCase):
    def test_a_file_puts_namespaces_into_groups(self):
        cluster = self.cluster()
        file = self.write("teams.yaml", "groups: [{name: both, namespaces: [a, b]}]\n")
        for name in ("a", "b", "alone"):
            cluster.add(*[pod(f"{name}{i}", name, "1") for i in range(4)])
        scheduler = self.start(cluster, "--teams", file)
        cluster.until(lambda: len(cluster.binds) == 4)
        self.assertEqual(sum(bind.space == "alone" for bind in cluster.binds), 2)
        self.assertEqual(cluster.asked_for("GET", "/namespaces"), [])
        self.assertEqual(scheduler.stop(), 0)

    def test_a_label_of_namespaces_is_watched(self):
        cluster = self.cluster()
        for name in ("a", "b"):
            cluster.put(space(name, team="both"))
        for name in ("a", "b", "alone"):
            cluster.add(*[pod(f"{name}{i}", name, "1") for i in range(6)])
        self.start(cluster, "--team", "label=team")
        cluster.until(lambda: len(cluster.binds) == 4)
        self.assertEqual(sum(bind.space == "alone" for bind in cluster.binds), 2)
        cluster.put(space("b"))
        cluster.until(lambda: any("watch" in call.query for call in cluster.asked_for("GET", "/namespaces")))

    def test_what_is_wrong_is_an_error_before_anything_is_asked(self):
        twice = self.write("twice.yaml", "groups:\n  - {name: x, namespaces: [a]}\n  - {name: y, namespaces: [a]}\n")
        good = self.write("good.yaml", "groups: [{name: x, namespaces: [a]}]\n")
        for words, said in ((["--teams", twice], f"{twice}:3: groups[1].namespaces[0]: the namespace 'a' is already in"),
                            (["--team", "label="], "--team: must be namespace, or label=KEY"),
                            (["--teams", good, "--discipline", "fifo"], "--discipline"),
                            (["--preempt", "--discipline", "fifo"], "fifo")):
            ran = subprocess.run([PROGRAM, "kube", *words], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), words)
            self.assertIn(said, ran.stderr)


class Gangs(KubeCase):
    def test_a_gang_starts_whole_and_the_reason_says_what_is_missing(self):
        cluster = self.cluster()
        cluster.add(*[member(f"g{i}", "g", 3) for i in range(2)])
        self.start(cluster)
        [patch, *_] = cluster.until(lambda: cluster.conditions)
        [condition] = patch["status"]["conditions"]
        self.assertEqual((condition["reason"], condition["message"]), ("WaitingForGang", "The gang g has 2 of its 3 pods."))
        cluster.add(member("g2", "g", 3))
        self.assert_bound_once(cluster, "g0", "g1", "g2")


class Preemption(KubeCase):
    def filled(self, *words, minor="23"):
        cluster = self.cluster(minor=minor)
        cluster.add(*[owned(f"rich{i}", "rich") for i in range(4)])
        scheduler = self.start(cluster, "--preempt", *words)
        cluster.bound(*[f"rich{i}" for i in range(4)])
        return cluster, scheduler

    def test_victims_are_asked_with_a_dry_run_evicted_and_waited_for(self):
        cluster, scheduler = self.filled()
        cluster.add(owned("poor", "poor"))
        line = scheduler.says("evicted")
        self.assertEqual(line["for"], "poor/poor")
        [(victim, first), (same, second)] = cluster.evictions
        self.assertEqual((victim, first, second), (same, True, False))
        nominations = cluster.until(
            lambda: [patch for patch in cluster.conditions if "nominatedNodeName" in patch["status"]])
        self.assertEqual([patch["metadata"]["uid"] for patch in nominations], ["uid-poor-poor"])
        self.assertNotIn("poor", [bind.name for bind in cluster.binds])
        cluster.add(owned("again", "rich"))
        cluster.remove("rich", victim)
        cluster.bound("poor")
        self.assertNotIn("again", [bind.name for bind in cluster.binds])

    def test_a_budget_that_allows_none_is_kept(self):
        for minor, version in (("20+", "v1beta1"), ("23", "v1")):
            with self.subTest(minor=minor):
                cluster = self.cluster(minor=minor)
                cluster.put({"kind": "PodDisruptionBudget", "apiVersion": "policy/" + version,
                             "metadata": {"name": "b", "namespace": "rich", "uid": "b"},
                             "spec": {"selector": {"matchExpressions": [{"key": "no", "operator": "DoesNotExist"}]}},
                             "status": {"disruptionsAllowed": 0}})
                cluster.add(*[owned(f"rich{i}", "rich") for i in range(4)])
                self.start(cluster, "--preempt")
                cluster.bound(*[f"rich{i}" for i in range(4)])
                cluster.add(owned("poor", "poor"))
                cluster.until(lambda cluster=cluster: cluster.conditions)
                self.assertEqual(cluster.evictions, [])
                self.assertNotEqual(cluster.asked_for("GET", f"/policy/{version}/poddisruptionbudgets"), [])

    def test_without_the_option_nothing_is_evicted_or_asked(self):
        cluster = self.cluster()
        cluster.add(*[owned(f"rich{i}", "rich") for i in range(4)])
        self.start(cluster)
        cluster.bound(*[f"rich{i}" for i in range(4)])
        cluster.add(owned("poor", "poor"))
        cluster.until(lambda: cluster.conditions)
        self.assertEqual((cluster.evictions, cluster.asked_for("GET", "/poddisruptionbudgets")), ([], []))


class Faults(KubeCase):
    def test_retry_after_of_a_bind_is_obeyed(self):
        cluster = self.cluster()
        faults = [(429, {"kind": "Status", "message": "busy"}, {"Retry-After": "2"})]
        cluster.fault = lambda call: faults.pop() if call.path.endswith("/binding") and faults else None
        cluster.add(pod("p"))
        self.start(cluster)
        cluster.bound("p")
        [first, second] = cluster.asked_for("POST", "/binding")
        self.assertGreaterEqual(second.at - first.at, 2)

    def test_a_node_whose_kubelet_refuses_a_pod_rests(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        port = free_port()
        self.start(cluster, "--listen", f"127.0.0.1:{port}")
        cluster.bound("p")
        with cluster.changed:
            found = cluster.find("a", "p")
            found["status"] = {"phase": "Failed", "reason": "OutOfcpu"}
            cluster.remove("a", "p")
        cluster.until(lambda: "rejected_by_kubelet_total 1" in get(port, "/metrics")[1])
        cluster.add(pod("q"))
        cluster.until(lambda: any("rest" in patch["status"]["conditions"][0]["message"] for patch in cluster.conditions))
        cluster.put(node("n1"))
        cluster.bound("q")

    def test_the_time_of_a_condition_stays_as_long_as_its_status(self):
        cluster = self.cluster()
        waiting = pod("large", cpu="5")
        waiting["status"]["conditions"] = [{"type": "PodScheduled", "status": "False",
                                            "lastTransitionTime": "2026-11-25T12:00:05Z"}]
        cluster.add(waiting)
        self.start(cluster)
        [patch] = cluster.until(lambda: cluster.conditions)
        self.assertEqual(patch["status"]["conditions"][0]["lastTransitionTime"], "2026-11-25T12:00:05Z")


if __name__ == "__main__":
    unittest.main()
