"""The read API of `mirab kube`: the routes of the service that change nothing, in the same form, and its clients."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
import kube_case  # noqa: E402
from kube_case import PROGRAM, KubeCase, free_port  # noqa: E402
from read_case import ReadCase  # noqa: E402
from running import Service, make_file  # noqa: E402
from scripted_api import refusal  # noqa: E402
from scripted_cluster import node, pod  # noqa: E402


def ask(port, method, path, body=None, **headers):
    """Status, body and headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        content = answer.read().decode()
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(content) if is_json else content, dict(answer.getheaders())
    finally:
        connection.close()


class Read(ReadCase):
    def get(self, path, status=200):
        answer = ask(self.port, "GET", path)
        self.assertEqual(answer[0], status, (path, answer))
        return answer[1]

    def client(self, *words, noted=""):
        """What a command prints that asks this process, and that it notes nothing but `noted`."""
        done = subprocess.run([PROGRAM, *words, "--server", f"http://127.0.0.1:{self.port}"], capture_output=True,
                              text=True, encoding="utf-8", timeout=60, check=False,
                              env={**os.environ, "MIRAB_TOKEN_FILE": "", "HOME": self.folder.name})
        self.assertEqual((done.returncode, done.stderr), (0, noted), words)
        return done.stdout

    def service_client(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        service = Service(PROGRAM, make_file(PROGRAM, folder.name))
        self.addCleanup(service.end)
        client = service.client()
        self.addCleanup(client.connection.close)
        return client

    def test_every_route_answers_in_the_form_that_the_description_names(self):
        description = self.get("/openapi.json")
        task = self.get("/v1/tasks")["items"][0]["task"]
        values = {"queues": {"queue": "a", "name": "a"}, "servers": {"name": "n0"}, "tasks": {"name": task},
                  "mechanisms": {"name": "drfh"}, "groups": {"name": "none"}, "{name}": {"name": "none"}}
        queries = {"/v1/history": "?series=waiting&queue=a", "/v1/events": "?wait=0s", "/v1/shares": "?mechanism=drfh"}
        self.scripted.until(lambda: ask(self.port, "GET", "/v1/history?series=waiting&queue=a")[0] == 200)
        asked = 0
        for path, methods in description["paths"].items():
            with self.subTest(path=path):
                if "get" not in methods:
                    self.assertEqual(path, "/v1/whatif")
                    continue
                asked += 1
                kind = path.split("/")[2] if path.startswith("/v1/") else "{name}"
                names = dict(values.get(kind, {}))
                if "/jobs/{name}" in path:
                    names["name"] = "three"
                status, body, _ = ask(self.port, "GET", path.format(**names) + queries.get(path, ""))
                self.assertEqual(status, 404 if path in ("/v1/groups/{name}", "/page/{name}") else 200, body)
                content = methods["get"]["responses"]["200"]["content"]
                if status == 200 and "application/json" in content:
                    schema = {**content["application/json"]["schema"], "components": description["components"]}
                    jsonschema.Draft202012Validator(schema).validate(body)
        self.assertGreater(asked, 20)

    def test_things_have_the_keys_that_they_have_in_the_service(self):
        client = self.service_client()
        for path, body in (("servers/n0", {"capacity": {"cpu": 4, "memory": "1Gi"}}), ("tenants/t", {}),
                           ("queues/a", {"tenant": "t"}), ("queues/a/jobs/one", {"demand": {"cpu": 3}}),
                           ("queues/a/jobs/three", {"demand": {"cpu": 2}})):
            status, made, _ = client.ask("PUT", "/v1/" + path, body)
            self.assertEqual(status, 201, made)
        for path in ("cluster", "servers/n0", "servers", "queues/a", "queues", "queues/a/jobs/one", "queues/a/jobs",
                     "tasks", "shares?mechanism=drfh", "mechanisms", "mechanisms/drfh", "groups", "queues/a/jobs/one/explain"):
            with self.subTest(path=path):
                status, expected, _ = client.get("/v1/" + path)
                self.assertEqual(status, 200, expected)
                found = self.get("/v1/" + path)
                self.assertEqual(set(found), set(expected))
                if "items" in expected and expected["items"]:
                    self.assertEqual(set(found["items"][0]), set(expected["items"][0]))
        waits = client.get("/v1/queues/a/jobs/three/explain")[1]
        self.assertEqual(set(self.get("/v1/queues/a/jobs/three/explain")) - set(waits), {"condition", "wishes"})

    def test_it_describes_what_the_service_describes_but_for_what_changes_something(self):
        of_service = self.service_client().get("/openapi.json")[1]["paths"]
        described = self.get("/openapi.json")["paths"]
        for path, methods in described.items():
            for method, operation in methods.items():
                its = {key: value for key, value in of_service[path][method].items() if key not in ("security", "x-scopes")}
                self.assertEqual(operation, its, path)
        self.assertTrue({"/v1/cluster", "/v1/queues/{queue}/jobs/{name}/explain", "/v1/events", "/"} <= set(described))
        self.assertFalse({"/v1/tokens", "/v1/tenants", "/v1/audit", "/v1/usage"} & set(described))
        for path, methods in of_service.items():
            for method in set(methods) - {"get"} - ({"post"} if path == "/v1/whatif" else set()):
                with self.subTest(path=path, method=method):
                    answer = ask(self.port, method.upper(), path.format(name="a", queue="a"), {})
                    self.assertEqual((answer[0], answer[1]["type"]), (405, "/problems/method"))
                    self.assertEqual(answer[2]["Allow"], "GET" if "get" in described.get(path, {}) else "")
        for path in ("/v1/tokens", "/v1/tenants/a", "/v1/audit", "/v1/usage", "/other"):
            self.assertEqual(ask(self.port, "GET", path)[0], 404, path)

    def test_why_names_the_reason_that_the_condition_of_the_pod_has(self):
        for name, space in (("three", "a"), ("large", "a"), ("port", "b")):
            with self.subTest(pod=name):
                condition = self.conditions()[f"uid-{space}-{name}"]
                why = self.get(f"/v1/queues/{space}/jobs/{name}/explain")
                self.assertEqual(why["condition"], {key: condition[key] for key in ("reason", "message")})
                self.assertIn(condition["message"].split(". ")[0].removesuffix("."),
                              " ".join(self.client("why", f"{space}/{name}").split()))
        self.assertEqual(self.get("/v1/queues/a/jobs/three/explain")["verdict"], "no-room")
        self.assertEqual(self.get("/v1/queues/a/jobs/large/explain")["verdict"], "too-small")
        self.assertEqual(self.get("/v1/queues/b/jobs/port/explain")["verdict"], "not-supported")
        self.assertIn("hostPort", self.client("why", "b/port"))
        self.assertEqual(self.get("/v1/queues/a/jobs/one/explain")["verdict"], "nothing-waits")
        self.assertEqual(self.get("/v1/queues/a/jobs/three/explain?server=n0")["reason"], "full")

    def test_why_names_the_taint_that_is_in_the_way(self):
        with_gpus = node("gpus", **{"example.com/gpu": "4"})
        with_gpus["spec"]["taints"] = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
        self.scripted.add(with_gpus, pod("gpu-0", "b", **{"example.com/gpu": "1"}))
        self.scripted.until(lambda: ask(self.port, "GET", "/v1/queues/b/jobs/gpu-0/explain?server=gpus")[1].get("reason") == "not-allowed")
        says = "the node has the taint dedicated=gpu:NoSchedule, which the pod does not tolerate"
        self.assertEqual(self.client("why", "b/gpu-0", "--on", "gpus"),
                         f"not-allowed: {says}\n\njob     b/gpu-0\nserver  gpus\nwishes  tolerates no taints\n")
        lines = self.client("why", "b/gpu-0").splitlines()
        self.assertIn("1 server is large enough, but its wishes exclude it", lines[0])
        self.assertEqual(lines[1], "next step: a toleration, or another node selector or affinity, or a smaller task")
        self.assertIn("wishes", [line.split(" ")[0] for line in lines])

    def test_queues_and_jobs_are_namespaces_and_pods(self):
        queues = {each["name"]: each for each in self.get("/v1/queues")["items"]}
        self.assertEqual({name: (each["running"], each["waiting"], each["used"]["cpu"]) for name, each in queues.items()},
                         {"a": (1, 2, "3"), "b": (1, 1, "3")})
        self.assertEqual(queues["a"]["share"], 3 / 8)
        left_out = "mirab: note: the fair shares leave out what the open servers can never hold: a/large\n"
        self.assertRegex(self.client("queues", noted=left_out), r"a +1 +37\.5%")
        self.assertIn("three", self.client("jobs", "a", "--state", "waiting"))
        [task] = self.get("/v1/tasks?queue=a")["items"]
        self.assertEqual((task["job"], task["state"]), ("a/one", "running"))
        self.assertEqual(self.get(f"/v1/servers/{task['server']}")["used"]["cpu"], "3")
        self.assertEqual(self.get("/v1/cluster")["totals"]["waiting"], 3)

    def test_what_if_tries_nodes_weights_pods_and_mechanisms(self):
        more = {"changes": [{"add_servers": {"like": "n0", "count": 1}}], "show": ["queues", "job:a/three", "job:a/large"]}
        status, outcome, _ = ask(self.port, "POST", "/v1/whatif", more)
        self.assertEqual((status, outcome["invariant"]), (200, "ok"), outcome)
        self.assertEqual([each["running"] for each in outcome["jobs"]], [[0, 1], [0, 0]])
        for changes in ([{"queue": "a", "weight": "2"}], [{"mechanism": "tsf"}, {"cancel": "b/two"}], [{"drain": "n0"}]):
            status, outcome, _ = ask(self.port, "POST", "/v1/whatif", {"changes": changes})
            self.assertEqual((status, outcome.get("invariant")), (200, "ok"), (changes, outcome))
        trial = {"changes": [{"cancel": "b/two"}, {"mechanism": "tsf"}], "show": ["job:a/three"]}
        self.assertEqual(ask(self.port, "POST", "/v1/whatif", trial)[1]["jobs"][0]["running"], [0, 1])
        trial = {"changes": [{"submit": {"queue": "b", "name": "new", "demand": {"cpu": "500m"}}}], "show": ["job:b/new"]}
        self.assertEqual(ask(self.port, "POST", "/v1/whatif", trial)[1]["jobs"][0]["running"], [0, 1])
        self.assertIn("a/three", self.client("whatif", "--add-servers", "1", "--like", "n0", "--job", "a/three"))
        self.assertEqual(len(self.scripted.binds), 2)

    def test_what_happens_is_told_once_to_those_who_watch(self):
        revision = self.get("/v1/events?wait=0s")["revision"]
        self.scripted.add(pod("four", "b"))
        self.scripted.bound("one", "two", "four")
        kinds, after = [], revision
        while "task-started" not in kinds:
            news = self.get(f"/v1/events?after={after}&wait=20s&job=b/four")
            kinds += [event["kind"] for change in news["changes"] for event in change["events"]]
            after = news["revision"]
        self.assertEqual(kinds, ["job-submitted", "task-placed", "task-started"])
        self.scripted.remove("b", "four")
        [change] = self.get(f"/v1/events?after={after}&wait=20s&job=b/four")["changes"]
        self.assertEqual([event["kind"] for event in change["events"]], ["task-ended", "job-ended"])
        self.get("/v1/queues/b/jobs/four", status=404)
        self.assertEqual(ask(self.port, "GET", "/v1/events?after=7&wait=1s")[0], 410)
        self.assertEqual(ask(self.port, "GET", f"/v1/events?after={after + 10**9}&wait=1s")[0], 410)

    def test_only_those_on_this_machine_are_answered(self):
        self.assertEqual(ask(self.port, "GET", "/v1/cluster", Host=f"localhost:{self.port}")[0], 200)
        for headers in ({"Host": "rebound.example"}, {"Origin": "http://other.example"}):
            status, body, _ = ask(self.port, "GET", "/v1/cluster", **headers)
            self.assertEqual((status, body["type"]), (403, "/problems/not-from-here"))
        self.assertEqual(ask(self.port, "GET", "/readyz", Host="10.0.0.7")[0], 200)

    def test_metrics_say_what_each_namespace_has(self):
        self.scripted.until(lambda: 'mirab_waiting_tasks{queue="a"} 2\n' in ask(self.port, "GET", "/metrics")[1])
        text = ask(self.port, "GET", "/metrics")[1]
        self.assertIn('mirab_dominant_share_ratio{queue="b"} 0.375\n', text)
        self.assertIn("mirab_kube_nodes 2\n", text)


class Empty(KubeCase):
    def test_a_cluster_of_nothing_has_no_queues(self):
        port = free_port()
        self.start(self.cluster(nodes=0), "--listen", f"127.0.0.1:{port}").says("ready")
        status, body, _ = ask(port, "GET", "/v1/queues")
        self.assertEqual((status, body["items"]), (200, []))


class NotYet(KubeCase):
    def test_before_nodes_and_pods_are_read_it_is_busy(self):
        cluster = self.cluster()
        cluster.fault = lambda call: call.path.endswith("/pods") and (500, refusal(500, "etcd is away"), {}) or None
        port = free_port()
        self.start(cluster, "--listen", f"127.0.0.1:{port}")
        self.assertEqual(kube_case.get(port, "/healthz")[0], 200)
        status, body, headers = ask(port, "GET", "/v1/cluster")
        self.assertEqual((status, body["type"], headers["Retry-After"]), (503, "/problems/busy", "1"))


if __name__ == "__main__":
    unittest.main()
