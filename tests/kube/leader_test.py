"""Of several `mirab kube` one acts, and another only when that one can act no more."""

import os
import signal
import struct
import sys
import unittest

from kube_case import KubeCase, free_port, get
from scripted_api import refusal
from scripted_cluster import LEASES, pod

CLOCK_SHIM = sys.argv.pop(1)
LEASE = LEASES + "/namespaces/kube-system/leases/mirab"
SECONDS = 6  # of the lease: short, and long enough for a busy machine
SHORT = ("--lease-duration", str(SECONDS))


class Leader(KubeCase):
    def start_two(self, cluster, *words):
        """The one that leads, and the one that waits."""
        first = self.start(cluster, "--leader-elect", *SHORT)
        first.says("leading")
        second = self.start(cluster, "--leader-elect", *SHORT, *words)
        second.says("standby")
        return first, second

    def holder(self, cluster):
        return cluster.leases[LEASE]["spec"]["holderIdentity"]

    def test_one_of_two_acts(self):
        cluster = self.cluster()
        port = free_port()
        _, second = self.start_two(cluster, "--listen", f"127.0.0.1:{port}")
        looks = len(cluster.asked_for("GET", LEASE))
        cluster.add(pod("p"), pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        cluster.until(lambda: len(cluster.asked_for("GET", LEASE)) > looks + 1)
        self.assertEqual({bind.decision.split("@")[0] for bind in cluster.binds}, {self.holder(cluster)})
        self.assertEqual([line["what"] for line in second.lines], ["connected", "standby"])
        self.assertEqual(get(port, "/readyz")[0], 200)
        self.assertIn("\nmirab_kube_leader 0\n", get(port, "/metrics")[1])
        self.assertEqual(second.stop(), 0)

    def test_a_lease_that_is_given_back_is_taken_at_once(self):
        cluster = self.cluster()
        first, second = self.start_two(cluster)
        cluster.add(pod("p"))
        cluster.bound("p")
        before = self.holder(cluster)
        self.assertEqual(first.stop(), 0)
        given = [call for call in cluster.asked_for("PUT", LEASE) if not call.body["spec"]["holderIdentity"]]
        self.assertEqual(len(given), 1)
        given_at = given[0].at
        second.says("leading")
        taken = min(call.at for call in cluster.asked_for("PUT", LEASE)
                    if call.body["spec"]["holderIdentity"] and call.at > given_at)
        self.assertLess(taken - given_at, SECONDS / 2, "and not as late as a lease that is left behind")
        self.assertNotIn(self.holder(cluster), ("", before))
        cluster.add(pod("q"))
        self.assert_bound_once(cluster, "p", "q")

    def test_after_a_kill_the_other_takes_over_and_binds_no_pod_again(self):
        cluster = self.cluster()
        first, second = self.start_two(cluster)
        names = [f"p{i}" for i in range(10)]
        cluster.add(*[pod(name) for name in names])
        cluster.until(lambda: len(cluster.binds) > 3)
        first.kill()
        renewed = max(call.at for call in cluster.asked_for("PUT", LEASE) + cluster.asked_for("POST", "/leases"))
        cluster.add(pod("q"))
        second.says("leading", within=60)
        taken = min(call.at for call in cluster.asked_for("PUT", LEASE) if call.at > renewed)
        self.assertGreater(taken - renewed, SECONDS - 0.1, "not before the lease has run out")
        self.assert_bound_once(cluster, "q", *names)
        terms = {bind.decision.split("/")[0] for bind in cluster.binds}
        self.assertEqual(len(terms), 2)
        self.assertEqual(len({term.split("@")[1] for term in terms}), 2)

    def test_who_cannot_renew_the_lease_ends_and_binds_nothing_more(self):
        cluster = self.cluster()
        first = self.start(cluster, "--leader-elect", *SHORT)
        cluster.add(pod("p"))
        cluster.bound("p")
        with cluster.changed:
            renewed = [call for call in cluster.calls if LEASES in call.path and call.method != "GET"][-1].at
            cluster.fault = lambda call: (500, refusal(500, "etcd is away"), {}) if LEASES in call.path else None
        self.assertEqual(first.ends(60), 1)
        first.says("lease-lost", within=0)
        cluster.add(pod("q"))
        late = [f"{call.method} {call.path}" for call in cluster.calls if call.at > renewed + SECONDS * 2 / 3 + 0.5]
        self.assertEqual([call for call in late if not call.endswith(LEASE)], [])
        self.assert_bound_once(cluster, "p")

    def test_a_leader_on_a_machine_that_slept_longer_than_its_lease_ends(self):
        cluster = self.cluster()

        def set_speed(thousandths):
            with open(clock, "r+b") as file:
                file.write(struct.pack("=qq", 0, thousandths))

        clock = self.write("clock", "\0" * 16)
        set_speed(1000)
        os.environ.update(LD_PRELOAD=CLOCK_SHIM, MIRAB_CLOCK=clock)
        try:
            first = self.start(cluster, "--leader-elect", *SHORT)
        finally:
            del os.environ["LD_PRELOAD"], os.environ["MIRAB_CLOCK"]
        cluster.add(pod("p"))
        cluster.bound("p")
        set_speed(1_000_000)  # boot clock and wall clock leap; the one that stands still in sleep does not
        self.assertEqual(first.ends(30), 1)
        first.says("lease-lost", within=0)
        self.assert_bound_once(cluster, "p")

    def test_a_leader_whose_token_is_refused_ends_and_binds_nothing_more(self):
        cluster = self.cluster(token="old")
        first = self.start(cluster, "--leader-elect", *SHORT, user={"tokenFile": self.write("token", "old")})
        cluster.add(pod("p"))
        cluster.bound("p")
        with cluster.changed:
            cluster.token = "new"
        cluster.add(pod("q"))
        self.assertEqual(first.ends(60), 1)
        first.says("lease-lost", within=0)
        self.assertIn(401, {call.status for call in cluster.asked_for("PUT", LEASE)})
        self.assert_bound_once(cluster, "p")
        self.write("token", "new")  # what runs it starts it again
        self.start(cluster, "--leader-elect", *SHORT, user={"tokenFile": "token"})
        self.assert_bound_once(cluster, "p", "q")

    def test_a_leader_whose_token_is_replaced_in_time_goes_on(self):
        token = self.write("token", "old")
        cluster = self.cluster(token="old")
        first = self.start(cluster, "--leader-elect", *SHORT, user={"tokenFile": token})
        cluster.add(pod("p"))
        cluster.bound("p")
        with cluster.changed:
            cluster.token = "new"
        cluster.until(lambda: any(call.status == 401 for call in cluster.asked_for("PUT", LEASE)))
        self.write("token", "new")
        cluster.add(pod("q"))
        cluster.bound("q")
        renewed = len(cluster.asked_for("PUT", LEASE))
        cluster.until(lambda: len(cluster.asked_for("PUT", LEASE)) > renewed + 4)
        self.assertIsNone(first.process.poll())
        self.assert_bound_once(cluster, "p", "q")
        self.assertEqual(len({bind.decision.split("/")[0] for bind in cluster.binds}), 1)

    def test_who_was_stopped_for_long_binds_nothing_when_it_goes_on(self):
        cluster = self.cluster()
        first, second = self.start_two(cluster)
        cluster.add(pod("p"))
        cluster.bound("p")
        first.process.send_signal(signal.SIGSTOP)
        cluster.add(pod("q"))
        second.says("leading", within=60)
        cluster.bound("q")
        first.process.send_signal(signal.SIGCONT)
        cluster.add(*[pod(f"r{i}") for i in range(5)])
        self.assertEqual(first.ends(), 1)
        self.assert_bound_once(cluster, "p", "q", *[f"r{i}" for i in range(5)])
        late = {bind.decision.split("@")[0] for bind in cluster.binds if bind.name != "p"}
        self.assertEqual(late, {self.holder(cluster)})


if __name__ == "__main__":
    unittest.main()
