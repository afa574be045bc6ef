"""`mirab kube` binds each pod once, says so, and asks for nothing that it may not."""

import http.client
import json
import os
import shutil
import subprocess
import time
import unittest

from kube_case import PROGRAM, KubeCase, free_port, get
from scripted_api import refusal
from scripted_cluster import LOST_AFTER, LOST_BEFORE, REVIEWS, node, pod


class Bind(KubeCase):
    def test_a_bind_names_the_pod_by_its_uid_and_who_decided(self):
        cluster = self.cluster()
        cluster.add(pod("p", uid="the-uid"))
        self.start(cluster)
        [bind] = cluster.bound("p")
        self.assertEqual((bind.meant, bind.space, bind.node), ("the-uid", "a", "n0"))
        self.assertRegex(bind.decision, r"^.+_[0-9a-f]{16}/1$")

    def test_an_event_follows_a_bind(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        self.start(cluster)
        [event] = cluster.until(lambda: cluster.events)
        self.assertEqual((event["reason"], event["type"], event["regarding"]["uid"], event["note"]),
                         ("Scheduled", "Normal", "uid-a-p", "Successfully assigned a/p to n0"))
        order = [call.path for call in cluster.asked_for("POST") if call.path != REVIEWS]
        self.assertEqual([path.rsplit("/", 1)[1] for path in order], ["binding", "events"])

    def test_a_server_before_1_23_is_asked_for_each_pod_before_it_is_bound(self):
        cluster = self.cluster(minor="20+")
        cluster.add(pod("p"), pod("q"))
        self.start(cluster)
        cluster.bound("p", "q")
        for name in ("p", "q"):
            of_it = [call.method for call in cluster.calls if call.path.startswith(f"/api/v1/namespaces/a/pods/{name}")]
            self.assertEqual(of_it, ["GET", "POST"])

    def test_a_server_from_1_23_on_compares_the_uid_itself(self):
        cluster = self.cluster(minor="23")
        cluster.add(pod("p"))
        self.start(cluster)
        cluster.bound("p")
        self.assertEqual(cluster.asked_for("GET", "/pods/p"), [])

    def test_a_pod_that_is_made_again_under_its_name_is_not_bound_as_the_old_one(self):
        for minor, last_moment in (("20", "/pods/p"), ("23", "/pods/p/binding")):
            with self.subTest(minor=minor):
                cluster = self.cluster(minor=minor)

                def replace(call, cluster=cluster, last_moment=last_moment):
                    if call.path.endswith(last_moment) and cluster.find("a", "p")["metadata"]["uid"] == "old":
                        cluster.remove("a", "p")
                        cluster.add(pod("p", uid="new", cpu="5"))

                cluster.fault = replace
                cluster.add(pod("p", uid="old"))
                self.start(cluster)
                [patch] = cluster.until(lambda cluster=cluster: cluster.conditions)
                self.assertEqual(patch["metadata"]["uid"], "new")
                self.assertIn("Insufficient cpu", patch["status"]["conditions"][0]["message"])
                self.assertEqual(cluster.binds, [])

    def test_a_pod_that_does_not_fit_waits_and_says_why(self):
        cluster = self.cluster()
        cluster.add(pod("large", cpu="5"), pod("p"))
        self.start(cluster)
        [patch] = cluster.until(lambda: cluster.conditions)
        [condition] = patch["status"]["conditions"]
        self.assertEqual(patch["metadata"]["uid"], "uid-a-large")
        self.assertEqual((condition["type"], condition["status"], condition["reason"]),
                         ("PodScheduled", "False", "Unschedulable"))
        self.assertIn("0/1 nodes are available: 1 Insufficient cpu", condition["message"])
        self.assert_bound_once(cluster, "p")

    def test_a_dry_run_writes_nothing_and_says_what_it_would_bind(self):
        cluster = self.cluster()
        cluster.add(pod("p"), pod("large", cpu="5"))
        scheduler = self.start(cluster, "--dry-run")
        scheduler.says("would-bind", pod="a/p", node="n0")
        cluster.add(pod("q"))
        scheduler.says("would-bind", pod="a/q", node="n0")
        self.assertEqual(scheduler.stop(), 0)
        self.assertEqual({call.path for call in cluster.calls if call.method != "GET"}, {REVIEWS})
        wishes = [call.body["spec"]["resourceAttributes"]["verb"] for call in cluster.asked_for("POST")]
        self.assertEqual(set(wishes), {"list", "watch", "get"}, "no right that it does not need")

    def test_the_event_logs_of_its_engines_replay_to_the_same_decisions(self):
        cluster = self.cluster()
        cluster.add(pod("p"), pod("q"))
        folder = os.path.join(self.folder.name, "logs")
        scheduler = self.start(cluster, f"--event-logs={folder}")
        cluster.bound("p", "q")
        cluster.add(node("with-gpu", **{"example.com/gpu": "1"}))  # another resource: the engine is made again
        cluster.add(pod("r", **{"example.com/gpu": "1"}))
        cluster.bound("p", "q", "r")
        self.assertEqual(scheduler.stop(), 0)
        logs = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        self.assertGreaterEqual(len(logs), 2)
        checked = subprocess.run([PROGRAM, "validate", *logs], capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertRegex(checked.stdout.splitlines()[-1], r"ok, event log, \d+ lines, every decision as logged; in the end "
                                                          r"2 servers, 1 user, 3 running tasks$")
        with open(logs[-1], encoding="utf-8") as file:
            lines = file.readlines()
        at = next(number for number, line in enumerate(lines) if '"step"' in line and '"server"' in line)
        lines[at] = lines[at].replace('"server":0', '"server":1') if '"server":0' in lines[at] else lines[at].replace(
            '"server":1', '"server":0')
        other = self.write("other.jsonl", "".join(lines))
        checked = subprocess.run([PROGRAM, "validate", other], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 2)
        self.assertIn(f"other.jsonl:{at + 1}: event: replaying the event gives another result", checked.stderr)

    def test_a_log_that_cannot_be_begun_is_said_and_pods_are_bound_without_it(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        folder = os.path.join(self.folder.name, "logs")
        scheduler = self.start(cluster, f"--event-logs={folder}")
        cluster.bound("p")
        shutil.rmtree(folder)
        cluster.add(node("with-gpu", **{"example.com/gpu": "1"}))  # another resource: a new engine, a new log
        cluster.add(pod("r", **{"example.com/gpu": "1"}))
        cluster.bound("r")
        self.assertEqual(scheduler.says("event-log")["level"], "error")
        self.assertEqual(len([line for line in scheduler.lines if line["what"] == "event-log"]), 1)
        self.assertEqual(scheduler.stop(), 0)

    def test_a_folder_that_cannot_be_written_is_an_error_before_anything_is_bound(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        file = self.write("file", "")
        scheduler = self.start(cluster, f"--event-logs={file}/logs")
        self.assertNotEqual(scheduler.ends(), 0)
        self.assertIn("Not a directory", "".join(scheduler.errors))
        self.assertEqual(cluster.binds, [])

    def test_all_missing_permissions_are_in_one_error(self):
        missing = {("watch", "nodes"), ("create", "pods/binding"), ("update", "leases")}
        cluster = self.cluster(rights=lambda asked: (asked.verb, asked.resource) not in missing)
        scheduler = self.start(cluster, "--leader-elect")
        self.assertEqual(scheduler.ends(), 1)
        [error] = scheduler.errors
        self.assertIn("may not: watch nodes, create pods/binding, "
                      "update leases.coordination.k8s.io in kube-system; `mirab kube manifest`", error)
        self.assertEqual(cluster.leases, {})

    def test_a_server_that_refuses_the_credentials_or_is_none_of_kubernetes_is_an_error_at_once(self):
        login = (200, "<html>Log in</html>", {"Content-Type": "text/html"})
        for answer, text in (((401, refusal(401, "Unauthorized"), {}), "answered 401: Unauthorized"),
                             ((403, refusal(403, "not you"), {}), "answered 403: not you"),
                             (login, "not that of a Kubernetes API server")):
            with self.subTest(text):
                cluster = self.cluster()
                cluster.fault = lambda call, answer=answer: answer
                scheduler = self.start(cluster)
                self.assertEqual(scheduler.ends(), 1)
                self.assertIn(text, "".join(scheduler.errors))
                self.assertEqual(scheduler.lines, [])

    def test_its_own_answers_are_read_and_may_have_a_query(self):
        port = free_port()
        cluster = self.cluster()
        self.start(cluster, "--listen", f"127.0.0.1:{port}").says("ready")
        for path in ("/metrics?x=1", "/metrics?"):
            status, body = get(port, path)
            self.assertEqual((status, "mirab_kube_leader" in body), (200, True), body)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.addCleanup(connection.close)
        connection.request("POST", "/metrics", body="{}")
        self.assertGreaterEqual(connection.getresponse().status, 404)

    def test_a_list_that_is_refused_later_is_in_the_log(self):
        cluster = self.cluster()
        cluster.fault = lambda call: (403, refusal(403, "no pods for you"), {}) if call.path == "/api/v1/pods" else None
        line = self.start(cluster).says("trouble")
        self.assertEqual(line["level"], "warning")
        self.assertIn("answered 403: no pods for you", line["why"])
        self.assertIn("list pods", line["why"])

    def test_a_server_that_cannot_be_reached_is_an_error_after_ten_seconds(self):
        cluster = self.cluster()
        cluster.close()
        begin = time.monotonic()
        scheduler = self.start(cluster)
        self.assertEqual(scheduler.ends(60), 1)
        self.assertGreater(time.monotonic() - begin, 9)
        [error] = scheduler.errors
        self.assertIn(cluster.url, error)
        self.assertIn("connect", error)

    def test_a_client_certificate_opens_a_server_that_asks_for_one(self):
        cluster, _ = self.certified_cluster()
        cluster.add(pod("p"))
        self.start_certified(cluster)
        cluster.bound("p")
        self.assertEqual({call.certificate["subject"] for call in cluster.calls}, {((("commonName", "me"),),)})

    def test_sigterm_ends_it_with_status_0(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        scheduler = self.start(cluster)
        cluster.bound("p")
        self.assertEqual(scheduler.stop(), 0)
        scheduler.says("stopping", within=0)

    def test_it_counts_for_a_monitor(self):
        cluster = self.cluster(nodes=2)
        cluster.add(pod("p"), pod("large", cpu="5"))
        port = free_port()
        scheduler = self.start(cluster, "--listen", f"127.0.0.1:{port}")
        cluster.bound("p")
        scheduler.says("ready", nodes=2)
        self.assertEqual(get(port, "/healthz"), (200, "ok\n"))
        self.assertEqual(json.loads(get(port, "/readyz")[1]), {"status": "ready", "offers": "reads"})
        counted = {"leader": 1, "nodes": 2, "pods": 2, "pods_waiting": 1, "binds_total": 1, "decisions_total": 1,
                   "binds_in_doubt": 0, "binds_refused_total": 0}
        cluster.until(lambda: counted.items() <= figures(get(port, "/metrics")[1]).items())
        self.assertEqual(get(port, "/other")[0], 404)

    def test_it_is_not_ready_before_it_has_read_nodes_and_pods(self):
        cluster = self.cluster()
        cluster.fault = lambda call: call.path.endswith("/pods") and (500, refusal(500, "etcd is away"), {}) or None
        port = free_port()
        scheduler = self.start(cluster, "--listen", f"127.0.0.1:{port}")
        cluster.until(lambda: "etcd is away" in get(port, "/readyz")[1])
        self.assertEqual(get(port, "/readyz")[0], 503)
        self.assertEqual(get(port, "/healthz")[0], 200)
        cluster.fault = lambda call: None
        scheduler.says("ready")
        self.assertEqual(get(port, "/readyz")[0], 200)


class Doubt(KubeCase):
    """What becomes of a bind is asked for, not guessed."""

    def bind_with(self, fault):
        cluster = self.cluster()
        cluster.add(pod("p"))
        faults = [fault]
        cluster.fault = lambda call: faults.pop() if call.path.endswith("/p/binding") and faults else None
        self.start(cluster)
        cluster.until(lambda: cluster.events)
        self.assertEqual(faults, [])
        cluster.add(pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        return cluster

    def test_a_bind_that_is_lost_on_its_way_is_made_again(self):
        cluster = self.bind_with(LOST_BEFORE)
        of_it = [call.method for call in cluster.calls if call.path.startswith("/api/v1/namespaces/a/pods/p")]
        self.assertEqual(of_it, ["POST", "GET", "POST"])

    def test_a_bind_whose_answer_is_lost_is_not_made_again(self):
        cluster = self.bind_with(LOST_AFTER)
        self.assertEqual(len(cluster.asked_for("POST", "/p/binding")), 1)

    def test_a_bind_whose_answer_is_lost_on_a_used_connection_is_done_once(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        self.start(cluster, "--connections", "1")
        cluster.until(lambda: cluster.events)
        faults = [LOST_AFTER]
        cluster.fault = lambda call: faults.pop() if call.path.endswith("/q/binding") and faults else None
        cluster.add(pod("q"))
        cluster.until(lambda: len(cluster.events) == 2)
        # libcurl itself sends once more what a used connection took without a word; the server refuses that.
        self.assertEqual([bind.name for bind in cluster.binds], ["p", "q"])
        self.assertEqual([event["reason"] for event in cluster.events], ["Scheduled", "Scheduled"])

    def test_a_bind_is_made_again_after_an_error_of_the_server(self):
        self.bind_with((500, refusal(500, "etcdserver: request timed out"), {}))

    def test_nothing_is_decided_while_a_bind_is_in_doubt(self):
        cluster = self.cluster()
        cluster.add(pod("p"))
        cluster.fault = lambda call: LOST_BEFORE if "/pods/p" in call.path else None
        self.start(cluster)
        cluster.until(lambda: len(cluster.asked_for("GET", "/pods/p")) > 1)
        cluster.add(pod("q"))
        asked = len(cluster.asked_for("GET", "/pods/p"))
        cluster.until(lambda: len(cluster.asked_for("GET", "/pods/p")) > asked)
        self.assertEqual(cluster.binds, [])
        cluster.fault = lambda call: None
        self.assert_bound_once(cluster, "p", "q")

    def test_credentials_that_are_refused_are_no_fault_of_the_pod(self):
        token, port = self.write("token", "old"), free_port()
        cluster = self.cluster(token="old")
        cluster.add(pod("p"))
        self.start(cluster, "--listen", f"127.0.0.1:{port}", user={"tokenFile": token})
        cluster.bound("p")
        cluster.watched()  # a watch that begins with the old token would be refused, and pod q never seen
        with cluster.changed:
            cluster.token = "new"
        cluster.add(pod("q"))
        cluster.until(lambda: len(cluster.asked_for("POST", "/q/binding")) > 2)
        status, body = get(port, "/readyz")
        self.assertEqual((status, "401: the credentials are refused" in body), (503, True), body)
        self.write("token", "new")
        self.assert_bound_once(cluster, "p", "q")
        self.assertNotIn("FailedBinding", {event["reason"] for event in cluster.events})
        cluster.until(lambda: get(port, "/readyz")[0] == 200)

    def test_a_command_gives_one_token_after_another_to_all_connections(self):
        token, runs = self.write("token", "old"), self.write("runs", "")
        begin = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"'
        plugin = self.write("plugin", f"#!/bin/sh\necho x >> {runs}\necho '{begin}'$(cat {token})'\"}}}}'\n")
        os.chmod(plugin, 0o700)
        cluster = self.cluster(token="old")
        cluster.add(pod("p"))
        scheduler = self.start(cluster, user={"exec": {"apiVersion": "client.authentication.k8s.io/v1beta1",
                                                       "command": "./plugin"}})
        cluster.bound("p")
        cluster.watched()
        self.write("token", "new-sEcReT")
        with cluster.changed:
            cluster.token = "new-sEcReT"
        cluster.add(pod("q"))
        self.assert_bound_once(cluster, "p", "q")
        with open(runs, encoding="utf-8") as file:
            self.assertEqual(file.read(), "x\nx\n", "once at the start, and once after a 401")
        self.assertNotIn("sEcReT", str(scheduler.lines) + str(scheduler.errors))

    def test_a_webhook_that_refuses_one_namespace_does_not_stop_others(self):
        cluster = self.cluster(nodes=3)
        cluster.fault = lambda call: ("/namespaces/no/" in call.path and call.path.endswith("/binding")
                                      and (403, refusal(403, "admission webhook denied it", "Forbidden"), {}) or None)
        cluster.add(*[pod(f"no{i}", "no") for i in range(8)], *[pod(f"yes{i}", "yes") for i in range(20)])
        scheduler = self.start(cluster)
        cluster.bound(*[f"yes{i}" for i in range(20)])
        self.assertEqual({bind.space for bind in cluster.binds}, {"yes"})
        refused = cluster.until(lambda: [event for event in cluster.events if event["reason"] == "FailedBinding"])
        self.assertIn("admission webhook denied it", refused[0]["note"])
        self.assertEqual(refused[0]["regarding"]["namespace"], "no")
        scheduler.says("bind-refused", why="403: admission webhook denied it")
        cluster.fault = lambda call: None
        cluster.bound(*[f"no{i}" for i in range(8)])


def figures(text):
    """The lines of /metrics, without the prefix of their names."""
    lines = [line.split(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name.removeprefix("mirab_kube_"): float(value) for name, value in lines}


if __name__ == "__main__":
    unittest.main()
