"""The end-to-end cases `[sig-scheduling]` of Kubernetes 1.20.2 for what `mirab kube` supports, with Mirab as
default-scheduler and the scripted cluster in place of a real one. Each test has the name and the steps of its original
(test/e2e/scheduling/predicates.go and preemption.go). In the cases of preemption pods have a controller, since Mirab
evicts no others."""

import unittest

from kube_case import KubeCase
from scripted_cluster import node, pod

FAKE = "example.com/fakecpu"
CRITICAL = 2_000_000_000  # of system-cluster-critical


def wanting(name, space="a", priority=0, **requests):
    made = pod(name, space)
    made["spec"].update(schedulerName="default-scheduler", priority=priority)
    made["spec"]["containers"][0]["resources"] = {"requests": {key.replace("fake", FAKE): value
                                                               for key, value in requests.items()}}
    made["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}]
    return made


def requiring(made, *terms):
    """Node affinity: one term each, `("expressions" or "fields", key, values)`."""
    parts = {"expressions": "matchExpressions", "fields": "matchFields"}
    made["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{parts[kind]: [{"key": key, "operator": "In", "values": list(values)}]}
                              for kind, key, values in terms]}}}
    return made


class Case(KubeCase):
    def of_nodes(self, *nodes, words=()):
        cluster = self.cluster(nodes=0)
        for each in nodes:
            cluster.put(each)
        self.start(cluster, "--scheduler-name", "default-scheduler", *words)
        return cluster

    def assert_waits(self, cluster, name, why):
        def said():
            return [patch["status"]["conditions"][0]["message"] for patch in cluster.conditions
                    if patch["metadata"]["uid"] == f"uid-a-{name}" and "conditions" in patch["status"]]

        self.assertIn(why, cluster.until(said)[0])
        self.assertNotIn(name, [bind.name for bind in cluster.binds])

    def node_of(self, cluster, name):
        [bind] = cluster.bound(name)
        return bind.node


def labelled(name, **labels):
    made = node(name)
    made["metadata"]["labels"] = labels
    return made


def tainted(name, **labels):
    made = labelled(name, **labels)
    made["spec"]["taints"] = [{"key": "kubernetes.io/e2e-taint-key", "value": "testing-taint-value", "effect": "NoSchedule"}]
    return made


class SchedulerPredicates(Case):
    def test_validates_local_ephemeral_storage_resource_limits_of_pods_that_are_allowed_to_run(self):
        nodes = [node(f"n{number}") for number in range(2)]
        for each in nodes:
            each["status"]["allocatable"]["ephemeral-storage"] = "10Gi"
        cluster = self.of_nodes(*nodes)
        names = [f"overcommit-{number}" for number in range(20)]
        cluster.add(*[wanting(name, **{"ephemeral-storage": "1Gi"}) for name in names])
        cluster.bound(*names)
        cluster.add(wanting("additional-pod", **{"ephemeral-storage": "1Gi"}))
        self.assert_waits(cluster, "additional-pod", "2 Insufficient ephemeral-storage")

    def test_verify_pod_overhead_is_accounted_for(self):
        one = node("n0")
        one["status"]["allocatable"]["example.com/beardsecond"] = "1000"
        cluster = self.of_nodes(one)
        cluster.add(wanting("filler-pod", **{"example.com/beardsecond": "700"}))
        cluster.bound("filler-pod")
        additional = wanting("additional-pod", **{"example.com/beardsecond": "200"})
        additional["spec"].update(runtimeClassName="handler", overhead={"example.com/beardsecond": "250"})
        cluster.add(additional)
        self.assert_waits(cluster, "additional-pod", "1 Insufficient example.com/beardsecond")

    def test_validates_resource_limits_of_pods_that_are_allowed_to_run(self):
        cluster = self.of_nodes(*[labelled(f"n{number}", node=f"n{number}") for number in range(3)])
        cluster.add(*[requiring(wanting(f"filler-pod-{number}", cpu="2800m"), ("expressions", "node", [f"n{number}"]))
                      for number in range(3)])
        self.assertEqual([self.node_of(cluster, f"filler-pod-{number}") for number in range(3)], ["n0", "n1", "n2"])
        cluster.add(wanting("additional-pod", cpu="2"))
        self.assert_waits(cluster, "additional-pod", "3 Insufficient cpu")

    def test_validates_that_node_selector_is_respected_if_not_matching(self):
        cluster = self.of_nodes(node("n0"), node("n1"))
        restricted = wanting("restricted-pod")
        restricted["spec"]["nodeSelector"] = {"label": "nonempty"}
        cluster.add(restricted)
        self.assert_waits(cluster, "restricted-pod", "0/2 nodes are available")

    def test_validates_that_node_selector_is_respected_if_matching(self):
        cluster = self.of_nodes(node("n0"), labelled("n1", **{"kubernetes.io/e2e-label": "42"}), node("n2"))
        chosen = wanting("with-labels")
        chosen["spec"]["nodeSelector"] = {"kubernetes.io/e2e-label": "42"}
        cluster.add(chosen)
        self.assertEqual(self.node_of(cluster, "with-labels"), "n1")

    def test_validates_that_node_affinity_is_respected_if_not_matching(self):
        cluster = self.of_nodes(labelled("n0", foo="other"), labelled("n1", diffkey="other"))
        cluster.add(requiring(wanting("restricted-pod"), ("expressions", "foo", ["bar", "value2"]),
                              ("expressions", "diffkey", ["wrong", "value2"])))
        self.assert_waits(cluster, "restricted-pod", "0/2 nodes are available")

    def test_validates_that_required_node_affinity_setting_is_respected_if_matching(self):
        cluster = self.of_nodes(node("n0"), labelled("n1", **{"kubernetes.io/e2e-label": "42"}))
        cluster.add(requiring(wanting("with-labels"), ("expressions", "kubernetes.io/e2e-label", ["42"])))
        self.assertEqual(self.node_of(cluster, "with-labels"), "n1")

    def test_validates_that_taints_tolerations_is_respected_if_matching(self):
        cluster = self.of_nodes(tainted("n0", here="yes"), node("n1"))
        tolerant = wanting("with-tolerations")
        tolerant["spec"].update(nodeSelector={"here": "yes"}, tolerations=[
            {"key": "kubernetes.io/e2e-taint-key", "value": "testing-taint-value", "effect": "NoSchedule"}])
        cluster.add(tolerant)
        self.assertEqual(self.node_of(cluster, "with-tolerations"), "n0")

    def test_validates_that_taints_tolerations_is_respected_if_not_matching(self):
        cluster = self.of_nodes(tainted("n0", here="yes"), node("n1"))
        plain = wanting("still-no-tolerations")
        plain["spec"]["nodeSelector"] = {"here": "yes"}
        cluster.add(plain)
        self.assert_waits(cluster, "still-no-tolerations", "0/2 nodes are available")
        cluster.put(labelled("n0", here="yes"))  # the taint is removed
        self.assertEqual(self.node_of(cluster, "still-no-tolerations"), "n0")


def with_fake(name, amount):
    made = labelled(name, **{"kubernetes.io/hostname": name})
    made["status"]["allocatable"][FAKE] = amount
    return made


class SchedulerPreemption(Case):
    def filled(self):
        """A pod on each node that takes two thirds of it: the first of a low priority, the others of a medium one."""
        cluster = self.of_nodes(*[with_fake(f"n{number}", "3") for number in range(3)], words=("--preempt",))
        cluster.add(*[requiring(wanting(f"pod{number}", priority=1 if number == 0 else 100, fake="2"),
                                ("fields", "metadata.name", [f"n{number}"])) for number in range(3)])
        cluster.bound("pod0", "pod1", "pod2")
        return cluster

    def evicted(self, cluster):
        """Those that the dry runs asked for, once all of them are evicted."""
        def names(of_dry_runs):
            return {name for name, is_dry in cluster.evictions if is_dry == of_dry_runs}

        return cluster.until(lambda: names(False) == names(True) and names(False))

    def test_validates_basic_preemption_works(self):
        cluster = self.filled()
        cluster.add(wanting("preemptor-pod", priority=1000, fake="2"))
        self.assertEqual(self.evicted(cluster), {"pod0"}, "the lowest priority")
        cluster.remove("a", "pod0")
        self.assertEqual(self.node_of(cluster, "preemptor-pod"), "n0")

    def test_validates_lower_priority_pod_preemption_by_critical_pod(self):
        cluster = self.filled()
        cluster.add(wanting("critical-pod", "kube-system", CRITICAL, fake="2"))
        self.assertEqual(self.evicted(cluster), {"pod0"}, "the lowest priority")
        cluster.remove("a", "pod0")
        self.assertEqual(self.node_of(cluster, "critical-pod"), "n0")

    def test_runs_replica_sets_to_verify_preemption_running_path(self):
        cluster = self.of_nodes(with_fake("n0", "1000"), words=("--preempt",))
        sizes = {"pod1": ("200", 1), "pod2": ("300", 2), "pod3": ("450", 3)}
        cluster.add(*[wanting(f"rs-{name}", priority=priority, fake=size) for name, (size, priority) in sizes.items()])
        cluster.bound(*[f"rs-{name}" for name in sizes])
        cluster.add(wanting("pod4", priority=4, fake="500"))
        victims = self.evicted(cluster)
        self.assertEqual(victims, {"rs-pod1", "rs-pod2"}, "the lowest priorities")
        for victim in victims:  # as their controllers
            size, priority = sizes[victim.removeprefix("rs-")]
            cluster.add(wanting(victim + "-again", priority=priority, fake=size))
            cluster.remove("a", victim)
        self.assertEqual(self.node_of(cluster, "pod4"), "n0")
        for victim in victims:
            self.assert_waits(cluster, victim + "-again", "1 Insufficient " + FAKE)
        evicted = sorted(name for name, is_dry in cluster.evictions if not is_dry)
        self.assertEqual(evicted, sorted(victims), "each is preempted once, and no other")


if __name__ == "__main__":
    unittest.main()
