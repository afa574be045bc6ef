"""Tenants neither see nor touch each other: every route × scope × owner, from the service's own description.

What belongs to another tenant gives the same bytes as what does not exist. Names, labels, specs and reasons of
another tenant hold a canary, which is in no answer, header, event, metric or line of the log.
"""

import itertools
import json
import os
import re
import sys
import tempfile
import unittest

from running import Client, Service, make_file

PROGRAM = sys.argv.pop(1)

# What another tenant has. Under --others=shares a queue's name may be seen, with its weight and share.
CANARY, SHOWN = "CANARY", "SHOWNqueue"
SECRET = {"labels": {"CANARYlabel": "CANARYvalue"},
          "spec": {"argv": ["CANARYargv"], "env": {"CANARYenv": "CANARYsecret"}}}
JOB = {"tasks": 1, "demand": {"cpu": 1}}

# A valid body for each schema of a request.
BODIES = {
    "ServerContent": {"capacity": {"cpu": 4}}, "TenantContent": {}, "GroupContent": {}, "JobContent": JOB,
    "QueueContent": {"tenant": "alpha"}, "Submits": {"jobs": [{"queue": "alpha-q", "name": "batch", **JOB}]},
    "OutcomeContent": {"outcome": "succeeded"}, "TokenContent": {"scopes": ["read"], "tenant": "alpha"},
    "Policy": {"discipline": "drf", "placement": "best-fit"}, "WhatIf": {"changes": []}}


def bytes_of(answer):
    """Status, fields and body, without the date and the end of a connection whose body was not read."""
    status, body, headers = answer
    return status, {key: value for key, value in headers.items() if key not in ("Date", "Connection")}, json.dumps(body)


class Isolation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, others):
        self.service = Service(PROGRAM, make_file(PROGRAM, self.folder.name), "--others", others, "--log-requests")
        self.addCleanup(self.service.end)
        self.admin = self.service.client()
        self.document = self.admin.get("/openapi.json")[1]
        self.others, self.heard = others, []
        put, ok = self.admin.put, (200, 201)
        tenants, groups = ("alpha", "CANARYtenant"), ("alpha-g", "CANARYgroup")
        queues = ("alpha-q", SHOWN)
        self.assertEqual(put("/v1/groups/campus", {})[0], 201)
        for n in range(2):
            capacity = {"cpu": 8, "memory": "16Gi", "gpu": 1}
            self.assertIn(put(f"/v1/servers/n{n}", {"capacity": capacity, "labels": {"zone": f"z{n}"}})[0], ok)
            self.assertIn(put(f"/v1/tenants/{tenants[n]}", {})[0], ok)
            self.assertIn(put(f"/v1/groups/{groups[n]}", {"parent": "campus"})[0], ok)
            self.assertIn(put(f"/v1/queues/{queues[n]}", {"tenant": tenants[n], "group": groups[n]})[0], ok)
        self.tasks = {}
        for queue, name, zone, more in (("alpha-q", "own", "z0", {}), (SHOWN, "CANARYjob", "z1", SECRET)):
            for suffix, cpu in (("", 2), ("-ended", 2), ("-cancelled", 2), ("-fills", 4), ("-waits", 3), ("-huge", 99)):
                job = {"tasks": 1, "demand": {"cpu": cpu}, "select": {"zone": zone}, **more}
                status, body, headers = put(f"/v1/queues/{queue}/jobs/{name}{suffix}", job)
                self.assertEqual(status, 201, body)
                if suffix == "-cancelled":
                    status, body, headers = self.admin.ask("DELETE", f"/v1/queues/{queue}/jobs/{name}{suffix}")
                if suffix == "-ended":
                    task = self.wait_for_task(queue, name + suffix)
                    outcome = {"outcome": "failed", "reason": "CANARYreason" if more else "own", "exit_code": 3}
                    self.assertEqual(put(f"/v1/tasks/{task}/outcome", outcome)[0], 200)
            self.tasks[queue] = self.wait_for_task(queue, name)
        tokens = {"read": {"scopes": ["read"], "tenant": "alpha"}, "submit": {"scopes": ["submit"], "tenant": "alpha"},
                  "executor": {"scopes": ["executor"], "tenant": "alpha", "server": "n0"},
                  "operator": {"scopes": ["operator"]}, "metrics": {"scopes": ["metrics"]}, "admin": {"scopes": ["admin"]}}
        limits = {"limits": {"requests_per_s": 10**6, "submits_per_s": 10**6, "burst": 10**6}}
        self.assertIn(put("/v1/tenants/alpha", limits)[0], ok)
        self.secrets = {scope: put(f"/v1/tokens/own-{scope}", token)[1]["secret"] for scope, token in tokens.items()}
        self.assertEqual(put("/v1/tokens/CANARYtoken", {"scopes": ["read"], "tenant": "CANARYtenant"})[0], 201)
        self.clients = {scope: self.service.client(secret) for scope, secret in self.secrets.items()}

    def wait_for_task(self, queue, job):
        for _ in range(500):
            items = self.admin.get(f"/v1/tasks?job={queue}%2F{job}")[1]["items"]
            if items:
                return items[0]["task"]
        self.fail(f"{queue}/{job} is not placed")

    def operations(self):
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                body = None
                if "requestBody" in operation:
                    schema = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
                    body = BODIES[schema]
                yield method.upper(), path, operation.get("x-scopes"), body

    def places(self, method, path):
        """The path with what belongs to the caller, to another tenant, and with what is not there."""
        own_queue = [{"queue": "alpha-q", "name": "nothing"}] if "{name}" in path and method != "PUT" else []
        names = {"/v1/queues/{queue}": [{"queue": "alpha-q", "name": "own"}, {"queue": SHOWN, "name": "CANARYjob"},
                                        {"queue": "nowhere", "name": "nothing"}, {"queue": SHOWN, "name": "nothing"},
                                        *own_queue],
                 "/v1/queues/{name}": [{"name": "alpha-q"}, {"name": SHOWN}, {"name": "nowhere"}],
                 "/v1/groups/{name}": [{"name": "alpha-g"}, {"name": "CANARYgroup"}, {"name": "nowhere"}],
                 "/v1/tasks/{name}": [{"name": self.tasks["alpha-q"]}, {"name": self.tasks[SHOWN]}, {"name": "t-99999"}],
                 "/v1/tenants/{name}": [{"name": "alpha"}, {"name": "CANARYtenant"}, {"name": "nowhere"}],
                 "/v1/tokens/{name}": [{"name": "own-read"}, {"name": "CANARYtoken"}, {"name": "nowhere"}]}
        for begin, each in names.items():
            if path.startswith(begin):
                return [re.sub(r"\{(\w+)\}", lambda found, place=place: place[found[1]], path) for place in each]
        return [re.sub(r"\{\w+\}", "n0" if "/servers/" in path else "drf", path)]

    def ask(self, scope, method, path, body=None):
        client = self.clients[scope]
        if path.startswith("/v1/events") and "wait=" not in path:
            path += ("&" if "?" in path else "?") + "wait=0s"
        answer = client.ask(method, path, body)
        self.heard.append((scope, method, path, answer))
        return answer

    def check_canaries(self, begin):
        hidden = [CANARY] if self.others == "shares" else [CANARY, SHOWN]
        for scope, method, path, (status, body, headers) in self.heard[begin:]:
            if scope not in ("read", "submit", "executor", "metrics"):
                continue
            text = json.dumps(body) + json.dumps(headers)
            if (scope, path) == ("metrics", "/metrics"):  # a token of no tenant: it sees the figures of every queue
                continue
            for each in hidden:
                self.assertNotIn(each, text, (scope, method, path, status))

    def revision(self):
        return int(self.admin.get("/v1/cluster")[2]["Mirab-Revision"])

    def check_routes(self):
        before = self.revision()
        seen = set()
        strangers = [self.service.client("mirab_admin_none"), Client(self.service.port, None)]
        for method, path, scopes, body in self.operations():
            if scopes is None:
                continue
            own, *others = self.places(method, path)
            for client, place in itertools.product(strangers, [own, *others]):
                answer = bytes_of(client.ask(method, place, body))
                seen.add(("401", *map(str, answer)))
                self.assertEqual(answer[0], 401, (method, place))
            for scope in ("read", "submit", "executor", "operator", "metrics"):
                if scope in scopes:
                    continue
                for place in [own, *others]:
                    answer = bytes_of(self.ask(scope, method, place, body))
                    self.assertEqual(answer[0], 403, (scope, method, place))
                    seen.add(("403", *map(str, answer)))
            for scope in {"read", "submit", "executor"} & set(scopes):
                self.check_places(scope, method, own, others, body)
        self.assertEqual(len(seen), 2, f"401 and 403 say nothing but that: {seen}")
        self.assertEqual(self.revision(), before, "nothing has changed")

    def check_places(self, scope, method, own, others, body):
        if method == "GET":
            status = self.ask(scope, method, own)[0]
            denied = scope == "executor" and not own.startswith(("/v1/servers/n0", "/v1/cluster"))
            if not denied:
                self.assertNotIn(status, (401, 403, 404), (scope, method, own))
        if not others:
            return
        answers = {place: bytes_of(self.ask(scope, method, place, body)) for place in others}
        hidden = answers[others[0]]
        if self.others == "shares" and method == "GET" and others[0] == f"/v1/queues/{SHOWN}":
            self.assertEqual(set(json.loads(hidden[2])), {"name", "weight", "share", "revision"})
            return
        for place, answer in answers.items():
            self.assertEqual(answer, hidden, (scope, method, place))
        self.assertEqual(hidden[0], 404, (scope, method, others[0]))

    def check_filters(self):
        """Parameters and bodies that name what is another's give what a name that is nobody's gives."""
        task = self.tasks[SHOWN]
        for scope in ("read", "submit"):
            for path in ("/v1/tasks?queue={q}", "/v1/tasks?job={q}%2F{j}", "/v1/tasks?queue={q}&state=placed",
                         "/v1/tasks?label={l}%3D{v}", "/v1/events?after=0&queue={q}", "/v1/events?after=0&job={q}%2F{j}",
                         "/v1/history?series=share&queue={q}", "/v1/history?series=waiting&queue={q}"):
                other = path.format(q=SHOWN, j="CANARYjob", l="CANARYlabel", v="CANARYvalue")
                none = path.format(q="nowhere", j="nothing", l="no", v="no")
                one, two = bytes_of(self.ask(scope, "GET", other)), bytes_of(self.ask(scope, "GET", none))
                if "history" in path and self.others == "shares" and "series=share" in path:
                    continue  # a share may be seen
                self.assertEqual(one, two, other)
            for change in ({"cancel": "{q}/{j}"}, {"queue": "{q}", "weight": "2"}, {"group": "{g}", "weight": "2"},
                           {"submit": {"queue": "{q}", "name": "new", **JOB}}):
                answers = []
                for q, j, g in ((SHOWN, "CANARYjob", "CANARYgroup"), ("nowhere", "nothing", "nowhere")):
                    text = json.dumps(change).replace("{q}", q).replace("{j}", j).replace("{g}", g)
                    answers.append(bytes_of(self.ask(scope, "POST", "/v1/whatif", {"changes": [json.loads(text)]})))
                self.assertEqual(*answers, change)
                self.assertEqual(answers[0][0], 404, change)
            for show in (f"job:{SHOWN}/CANARYjob", "job:nowhere/nothing"):
                answers.append(bytes_of(self.ask(scope, "POST", "/v1/whatif", {"changes": [], "show": [show]})))
            self.assertEqual(answers[-1], answers[-2])
        jobs = [{"queue": queue, "name": name, **JOB} for queue, name in ((SHOWN, "CANARYjob"), ("nowhere", "nothing"))]
        answers = [bytes_of(self.ask("submit", "POST", "/v1/jobs:submit", {"jobs": [job]})) for job in jobs]
        self.assertEqual(*answers)
        outcomes = [bytes_of(self.ask("executor", "PUT", f"/v1/tasks/{each}/outcome", {"outcome": "failed"}))
                    for each in (task, "t-99999")]
        self.assertEqual(*outcomes)

    def check_questions(self):
        """All that a tenant may ask of its own, where the other's tasks are the reason."""
        for scope in ("read", "submit"):
            for path in ("/v1/cluster", "/v1/servers", "/v1/servers/n1", "/v1/groups", "/v1/queues", "/v1/tasks?limit=1000",
                         "/v1/queues/alpha-q/jobs", "/v1/shares?mechanism=drf", "/v1/shares?mechanism=tsf", "/v1/mechanisms",
                         "/v1/events?after=0", "/v1/usage?by=queue", "/v1/usage?by=tenant", "/v1/usage?by=group",
                         "/v1/history?series=share", "/v1/history?series=waiting", "/v1/history?series=used",
                         *[f"/v1/queues/alpha-q/jobs/own{suffix}{ask}" for suffix in ("", "-waits", "-huge", "-ended")
                           for ask in ("", "/explain", "/explain?server=n0", "/explain?server=n1")],
                         f"/v1/tasks/{self.tasks['alpha-q']}/explain"):
                self.ask(scope, "GET", path)
            for change in ({"queue": "alpha-q", "weight": "3"}, {"cancel": "alpha-q/own"}, {"drain": "n1"},
                           {"add_servers": {"like": "n1", "count": 1}}, {"mechanism": "ps-dsf"},
                           {"submit": {"queue": "alpha-q", "name": "new", "tasks": 2, "demand": {"cpu": 3}}}):
                self.ask(scope, "POST", "/v1/whatif", {"changes": [change], "show": ["queues", "job:alpha-q/own-waits"]})
        self.ask("metrics", "GET", "/metrics")
        self.ask("executor", "GET", "/v1/servers/n0/assignments?after=0")

    def check_stream(self):
        client = Client(self.service.port, self.secrets["read"])
        client.connection.request("GET", "/v1/events?after=0&now=1", headers={"Authorization": "Bearer " + client.token})
        response = client.connection.getresponse()
        self.admin.put("/v1/queues/alpha-q/jobs/ends", JOB)
        text = ""
        while "alpha-q/ends" not in text:
            text += response.readline().decode()
        self.assertIn("alpha-q/own", text)
        self.assertNotIn(CANARY, text)
        self.assertNotIn(SHOWN, text)
        client.connection.close()

    def run_all(self, others):
        self.start(others)
        begin = len(self.heard)
        self.check_routes()
        self.check_filters()
        self.check_questions()
        self.check_canaries(begin)
        self.check_stream()
        own = self.ask("submit", "PUT", "/v1/queues/alpha-q/jobs/mine", JOB)  # not blind: its own it may
        self.assertEqual(own[0], 201, own)
        self.assertEqual(self.ask("submit", "DELETE", "/v1/queues/alpha-q/jobs/mine")[0], 200)
        self.assertEqual(self.ask("executor", "PUT", f"/v1/tasks/{self.tasks['alpha-q']}/outcome", {"outcome": "succeeded"})[0], 200)
        asked = len(self.heard)
        self.assertEqual(self.service.stop(), 0)
        log = self.service.read_log()
        self.assertIn('"what":"request"', log)
        self.assertNotIn(CANARY, log)
        for secret in (*self.secrets.values(), self.service.token):
            self.assertNotIn(secret, log)
        print(f"others={others}: {asked} requests by tokens of the six scopes", flush=True)

    def test_another_tenant_is_as_if_it_were_not_there_but_for_its_share(self):
        self.run_all("shares")

    def test_another_tenant_is_as_if_it_were_not_there(self):
        self.run_all("nothing")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
