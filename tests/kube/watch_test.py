"""However lists and watches break, `mirab kube` reads on: a new pod is bound, and none twice."""

import os
import unittest

from kube_case import KubeCase
from scripted_api import Certificates, refusal
from scripted_cluster import GONE, NO_JSON, REGULARLY, WITHIN_A_LINE, pod


class Watch(KubeCase):
    def lists(self, cluster, kind="pods"):
        return [call for call in cluster.asked_for("GET", "/v1/" + kind) if "watch" not in call.query]

    def watches(self, cluster, kind="pods"):
        return [call for call in cluster.asked_for("GET", "/v1/" + kind) if "watch" in call.query]

    def run_and_break(self, how, tls=None, **of_config):
        """Binds a pod, breaks both watches, and binds another that came after that."""
        cluster = self.cluster(tls=tls)
        cluster.add(pod("p"))
        scheduler = self.start(cluster, **of_config)
        cluster.bound("p")
        cluster.watched()
        cluster.break_watches(how)
        cluster.add(pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        self.assertEqual(scheduler.stop(), 0)
        return cluster

    def test_a_watch_that_is_cut_within_a_line(self):
        cluster = self.run_and_break(WITHIN_A_LINE)
        self.assertEqual(len(self.lists(cluster)), 1, "it watches on from where it was")
        self.assertGreater(len(self.watches(cluster)), 1)

    def test_a_watch_over_tls_that_is_cut_within_a_line(self):
        pki = Certificates(self.folder.name)
        pki.sign("server")
        cluster = self.run_and_break(WITHIN_A_LINE, tls=pki.server("server", False),
                                     cluster={"certificate-authority": "ca.pem"})
        self.assertEqual(len(self.lists(cluster)), 1)

    def test_a_watch_whose_bytes_come_slowly_one_by_one(self):
        cluster = self.cluster()
        cluster.piece = 1
        self.start(cluster)
        cluster.watched()
        cluster.add(pod("p"), pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        self.assertEqual((len(self.lists(cluster)), len(self.watches(cluster))), (1, 1))

    def with_a_note(self, length):
        """A pod whose event is a line of this many bytes and somewhat more."""
        large = pod("large")
        large["metadata"]["annotations"] = {"note": "x" * length}
        return large

    def test_a_line_of_nearly_8_mib_is_read(self):
        cluster = self.cluster()
        self.start(cluster)
        cluster.watched()
        cluster.add(self.with_a_note(8 * 1024 * 1024 - 1024))
        self.assert_bound_once(cluster, "large")
        self.assertEqual(len(self.lists(cluster)), 1)

    def test_a_line_of_more_than_8_mib_is_not_kept_and_the_list_has_the_pod(self):
        cluster = self.cluster()
        self.start(cluster)
        cluster.watched()
        cluster.add(self.with_a_note(8 * 1024 * 1024), pod("q"))
        self.assert_bound_once(cluster, "large", "q")
        self.assertEqual(len(self.lists(cluster)), 2)

    def test_a_watch_that_the_server_ends(self):
        cluster = self.run_and_break(REGULARLY)
        self.assertEqual(len(self.lists(cluster)), 1)
        first, second = self.watches(cluster)[:2]
        self.assertGreater(int(second.query["resourceVersion"]), int(first.query["resourceVersion"]))

    def test_a_bookmark_is_where_the_next_watch_begins(self):
        cluster = self.cluster()
        self.start(cluster)
        cluster.watched()
        latest = cluster.bookmark()
        cluster.break_watches(REGULARLY)
        cluster.watched()
        watches = self.watches(cluster) + self.watches(cluster, "nodes")
        begun = {int(watch.query["resourceVersion"]) for watch in watches}
        self.assertTrue({latest - 1, latest} <= begun, begun)

    def test_a_watch_whose_version_is_gone(self):
        self.assertEqual(len(self.lists(self.run_and_break(GONE))), 2)

    def test_a_line_that_is_no_json(self):
        self.assertEqual(len(self.lists(self.run_and_break(NO_JSON))), 2)

    def answered_once(self, of, *answers):
        """The first calls that `of` chooses get these answers."""
        cluster = self.cluster(nodes=2)
        cluster.page = 1
        left = list(answers)
        cluster.fault = lambda call: left.pop(0) if left and of(call) else None
        cluster.add(pod("p"), pod("q"))
        self.start(cluster)
        cluster.bound("p", "q")
        cluster.add(pod("r"))
        self.assert_bound_once(cluster, "p", "q", "r")
        self.assertEqual(left, [])
        return cluster

    def test_a_list_whose_next_page_is_gone_begins_again(self):
        cluster = self.answered_once(lambda call: call.path.endswith("/pods") and "continue" in call.query,
                                     (410, refusal(410, "the continue token is too old", "Expired"), {}))
        first, gone, whole = self.lists(cluster)[:3]
        self.assertEqual((first.query.get("limit"), "continue" in gone.query), ("500", True))
        self.assertEqual(("limit" in whole.query, "continue" in whole.query), (False, False))

    def test_a_list_that_is_too_much_for_now_waits_as_long_as_it_is_told(self):
        cluster = self.answered_once(lambda call: call.path.endswith("/pods"),
                                     (429, refusal(429, "slow down", "TooManyRequests"), {"Retry-After": "2"}))
        first, second = self.lists(cluster)[:2]
        self.assertGreaterEqual(second.at - first.at, 2)

    def test_lists_and_watches_that_are_answered_500(self):
        self.answered_once(lambda call: call.path.endswith("/nodes"), (500, "etcd is away", {}), None, None,
                           (500, "etcd is away", {}))

    def test_a_watch_that_is_too_much_for_now(self):
        cluster = self.answered_once(lambda call: "watch" in call.query and call.path.endswith("/pods"),
                                     (429, refusal(429, "slow down"), {"Retry-After": "1"}))
        self.assertEqual(len([call for call in self.lists(cluster) if "continue" not in call.query]), 1)

    def test_a_pod_that_came_and_one_that_went_while_nobody_watched(self):
        cluster = self.cluster()
        cluster.add(pod("large", cpu="4"), pod("waits", cpu="3"))
        self.start(cluster)
        cluster.bound("large")
        cluster.until(lambda: cluster.conditions)
        with cluster.changed:
            cluster.objects["Pod"].remove(cluster.find("a", "large"))
            cluster.break_watches(GONE)
        self.assert_bound_once(cluster, "large", "waits")

    def test_a_pod_that_another_bound_is_not_bound_again(self):
        cluster = self.cluster()
        cluster.fault = lambda call: (403, refusal(403, "not now"), {}) if call.path.endswith("/p/binding") else None
        cluster.add(pod("p"))
        scheduler = self.start(cluster)
        scheduler.says("bind-refused")
        with cluster.changed:
            tried = len(cluster.asked_for("POST", "/p/binding"))
            cluster.find("a", "p")["spec"]["nodeName"] = "n0"
            cluster.tell("MODIFIED", cluster.find("a", "p"))
        cluster.add(pod("q", cpu="3900m"), pod("r", cpu="4"))
        cluster.bound("q")
        cluster.until(lambda: cluster.conditions)
        self.assertEqual(len(cluster.asked_for("POST", "/p/binding")), tried)

    def test_a_token_that_is_refused_is_read_again(self):
        token = self.write("token", "old")
        cluster = self.cluster(token="old")
        cluster.add(pod("p"))
        self.start(cluster, user={"tokenFile": token})
        cluster.bound("p")
        cluster.watched()
        with cluster.changed:
            cluster.token = "new"
            self.write("token", "new")
            cluster.break_watches(REGULARLY)
        cluster.add(pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        self.assertIn(401, {call.status for call in cluster.calls})

    @staticmethod
    def replace_certificate(pki):
        for end in (".key", ".pem"):
            os.replace(pki.path("me-again" + end), pki.path("me" + end))

    def test_a_client_certificate_that_is_replaced_is_used_and_nothing_is_missed(self):
        cluster, pki = self.certified_cluster("me-again")
        cluster.add(pod("p"))
        self.start_certified(cluster)
        cluster.bound("p")
        self.replace_certificate(pki)
        cluster.watched()
        cluster.break_watches(WITHIN_A_LINE)
        cluster.add(pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        names = [call.certificate["subject"][0][0][1] for call in cluster.calls]
        self.assertEqual((names[0], names[-1]), ("me", "me-again"))

    def test_a_client_certificate_that_is_refused_is_read_again_for_a_new_connection(self):
        cluster, pki = self.certified_cluster("me-again")
        is_over = []

        def fault(call):  # a server looks at the end of a certificate for each request, and closes nothing
            is_old = call.certificate["subject"][0][0][1] == "me"
            return (401, refusal(401, "Unauthorized"), {}) if is_over and is_old else None

        cluster.fault = fault
        cluster.add(pod("p"))
        self.start_certified(cluster, "--connections", "1")
        cluster.bound("p")
        cluster.until(lambda: cluster.events)
        is_over.append(True)
        cluster.add(pod("q"))
        cluster.until(lambda: 401 in {call.status for call in cluster.asked_for("POST", "/q/binding")})
        self.replace_certificate(pki)
        self.assert_bound_once(cluster, "p", "q")


if __name__ == "__main__":
    unittest.main()
