"""Bad input has the status of the table, and changes nothing: bytes as they go over the wire."""

import json
import socket
import subprocess
import sys
import tempfile
import unittest

from running import JOB, Service, make_file, set_up

PROGRAM = sys.argv.pop(1)
PATH = "/v1/queues/ml/jobs/a"


def head(line, *fields, host="Host: a", token="TOKEN"):
    fields = [field for field in (host, token and f"Authorization: Bearer {token}", *fields) if field]
    return "\r\n".join([line, *fields, "", ""]).encode("utf-8", "surrogateescape")


def get(path, *fields, **more):
    return head(f"GET {path} HTTP/1.1", *fields, **more)


def put(body, path=PATH, *fields, **more):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(f"PUT {path} HTTP/1.1", f"Content-Length: {len(body)}", *fields, **more) + body


def post(body, path):
    body = json.dumps(body).encode()
    return head(f"POST {path} HTTP/1.1", f"Content-Length: {len(body)}") + body


def nested(depth):
    return b'{"spec":' + b'{"env":' * depth + b"1" + b"}" * depth + b"}"


MALFORMED = {  # 400, and the connection ends: what follows is not to be trusted
    "no HTTP": b"hello\r\n\r\n",
    "no version": b"GET /v1/cluster\r\n\r\n",
    "two spaces": head("GET  /v1/cluster HTTP/1.1"),
    "a tab": head("GET\t/v1/cluster HTTP/1.1"),
    "a method with a sign": head("G(T /v1/cluster HTTP/1.1"),
    "no host": get("/v1/cluster", host=None),
    "two hosts": get("/v1/cluster", "Host: b"),
    "two tokens": get("/v1/cluster", "Authorization: Bearer x"),
    "an absolute target": get("http://a/v1/cluster"),
    "a target of a proxy": head("CONNECT a:80 HTTP/1.1"),
    "a star": get("*"),
    "a relative target": get("v1/cluster"),
    "a fragment": get("/v1/cluster#x"),
    "a folded field": get("/v1/cluster", "X-A: b\r\n c"),
    "a space before the colon": get("/v1/cluster", "X-A : b"),
    "a field without a name": get("/v1/cluster", ": b"),
    "a field without a colon": get("/v1/cluster", "X-A"),
    "a zero byte in a field": get("/v1/cluster", "X-A: \0"),
    "a length that is none": head(f"PUT {PATH} HTTP/1.1", "Content-Length: x"),
    "a length below zero": head(f"PUT {PATH} HTTP/1.1", "Content-Length: -1"),
    "a length with a sign": head(f"PUT {PATH} HTTP/1.1", "Content-Length: +1"),
    "two lengths": head(f"PUT {PATH} HTTP/1.1", "Content-Length: 1", "Content-Length: 2") + b"{}",
    "a list of lengths": head(f"PUT {PATH} HTTP/1.1", "Content-Length: 2, 2") + b"{}",
    "a length beyond 2^64": head(f"PUT {PATH} HTTP/1.1", "Content-Length: 99999999999999999999"),
    "a length and chunks": head(f"PUT {PATH} HTTP/1.1", "Content-Length: 2", "Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n\r\n",
    "chunks twice": head(f"PUT {PATH} HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "chunks in HTTP/1.0": head(f"PUT {PATH} HTTP/1.0", "Transfer-Encoding: chunked"),
    "a chunk size that is none": head(f"PUT {PATH} HTTP/1.1", "Transfer-Encoding: chunked") + b"x\r\n{}\r\n0\r\n\r\n",
}

REFUSED = {  # the status of the table; the connection may go on
    "another version": (400, head("GET /v1/cluster HTTP/2.0")),
    "an old version": (400, head("GET /v1/cluster HTTP/0.9")),
    "another coding": (400, head(f"PUT {PATH} HTTP/1.1", "Transfer-Encoding: gzip")),
    "two codings": (400, head(f"PUT {PATH} HTTP/1.1", "Transfer-Encoding: gzip, chunked")),
    "an odd coding": (400, head(f"PUT {PATH} HTTP/1.1", "Transfer-Encoding: xchunked")),
    "a percent without digits": (400, get("/v1/servers/%zz")),
    "half a percent": (400, get("/v1/servers/%a")),
    "a zero in a name": (400, get("/v1/servers/a%00b")),
    "a name that is no UTF-8": (400, get("/v1/servers/%ff%fe")),
    "no token": (401, get("/v1/cluster", token=None)),
    "an empty token": (401, get("/v1/cluster", "Authorization: ", token=None)),
    "another scheme": (401, get("/v1/cluster", "Authorization: Basic TOKEN", token=None)),
    "a token cut short": (401, get("/v1/cluster", token="mirab_admin_x")),
    "a token with one letter more": (401, get("/v1/cluster", "Authorization: Bearer TOKENx", token=None)),
    "a token with a wrong sum": (401, get("/v1/cluster", token="mirab_admin_" + "0" * 36)),
    "an unknown path": (404, get("/v1/none")),
    "a path above": (400, get("/v1/../v1/cluster")),
    "another method": (405, head("PATCH /v1/cluster HTTP/1.1")),
    "a method in small letters": (405, head("get /v1/cluster HTTP/1.1")),
    "a long target": (414, get("/v1/servers/" + "a" * 3000)),
    "a long field": (431, get("/v1/cluster", "X-A: " + "a" * 20_000)),
    "many fields": (431, get("/v1/cluster", *[f"X-{n}: a" for n in range(70)])),
    "a large body": (413, put(b" " * 70_000)),
    "a large body in chunks": (413, head(f"PUT {PATH} HTTP/1.1", "Transfer-Encoding: chunked") + b"20000\r\n" + b" " * 0x20000 + b"\r\n0\r\n\r\n"),
    "a large list": (413, head("POST /v1/jobs:submit HTTP/1.1", "Content-Length: 5000000")),
    "a body where none belongs": (413, head("DELETE /v1/queues/ml/jobs/a HTTP/1.1", "Content-Length: 2") + b"{}"),
    "too many jobs": (413, post({"jobs": [{"queue": "ml", "name": str(n), **JOB} for n in range(1001)]}, "/v1/jobs:submit")),
    "no body": (400, put(b"")),
    "no JSON": (400, put(b"{")),
    "two values": (400, put(b"{}{}")),
    "a comment": (400, put(b'{"tasks":1 /* one */}')),
    "a comma too many": (400, put(b'{"tasks":1,}')),
    "no UTF-8": (400, put(b'{"labels":{"a":"\xff"}}')),
    "half of a pair": (400, put(b'{"labels":{"a":"\\ud800"}}')),
    "a key twice": (400, put(b'{"tasks":1,"tasks":1,"demand":{"cpu":1}}')),
    "a byte order mark": (400, put(b"\xef\xbb\xbf{}")),
    "not a number": (400, put(b'{"tasks":NaN,"demand":{"cpu":1}}')),
    "deep": (400, put(nested(20))),
    "very deep": (400, put(b"[" * 60_000)),
    "a list": (400, put([1])),
    "an unknown key": (400, put({**JOB, "no": 1})),
    "a number that is none": (400, put({**JOB, "tasks": "two"})),
    "no tasks": (400, put({**JOB, "tasks": 0})),
    "tasks below zero": (400, put({**JOB, "tasks": -1})),
    "half a task": (400, put({**JOB, "tasks": 1.5})),
    "tasks beyond 2^63": (400, put(b'{"tasks":99999999999999999999,"demand":{"cpu":1}}')),
    "tasks beyond all numbers": (400, put(b'{"tasks":1e999,"demand":{"cpu":1}}')),
    "a demand of nothing": (422, put({"tasks": 1, "demand": {}})),
    "an unknown resource": (422, put({"tasks": 1, "demand": {"tpu": 1}})),
    "half a base unit": (422, put({"tasks": 1, "demand": {"cpu": "0.0001"}})),
    "an amount below zero": (422, put({"tasks": 1, "demand": {"cpu": "-1"}})),
    "an amount beyond 2^63": (422, put({"tasks": 1, "demand": {"memory": "99999999Ti"}})),
    "a gang larger than its job": (422, put({**JOB, "gang": 3})),
    "no role of several": (400, put({"roles": []})),
    "a role of nothing": (422, put({"roles": [{"name": "a", "demand": {}}]})),
    "roles besides a demand": (400, put({**JOB, "roles": [{"name": "a", "demand": {"cpu": 1}}]})),
    "roles of one name": (400, put({"roles": [{"name": "a", "demand": {"cpu": 1}}] * 2})),
    "too many roles": (413, put({"roles": [{"name": f"r{n}", "demand": {"cpu": 1}} for n in range(101)]})),
    "a spec that is too large": (413, put({**JOB, "spec": {"env": {"A": "x" * 20_000}}})),
    "too many labels": (413, put({**JOB, "labels": {f"l{n}": "" for n in range(33)}})),
    "a name that is too long": (413, put(JOB, "/v1/queues/ml/jobs/" + "a" * 254)),
    "an unknown queue": (404, put(JOB, "/v1/queues/none/jobs/a")),
    "a job that is not there": (404, get("/v1/queues/ml/jobs/none")),
    "an unknown parameter": (400, get("/v1/queues?nothing=1")),
    "a revision that is none": (400, get("/v1/queues?at_least=x")),
    "a limit of nothing": (400, get("/v1/queues?limit=0")),
    "a limit that is too large": (400, get("/v1/queues?limit=1001")),
    "a page of nowhere": (400, get("/v1/queues?page=x")),
    "a wait that is none": (400, get("/v1/events?wait=x")),
    "a weight below zero": (422, put({"tenant": "research", "weight": "-1"}, "/v1/queues/new")),
    "a weight that is none": (422, put({"tenant": "research", "weight": "x"}, "/v1/queues/new")),
    "a tenant that is not there": (422, put({"tenant": "none"}, "/v1/queues/new")),
    "a queue that is in use": (409, head("DELETE /v1/queues/used HTTP/1.1")),
    "a tenant that is in use": (409, head("DELETE /v1/tenants/research HTTP/1.1")),
    "a name that is taken": (409, put({**JOB, "tasks": 7}, "/v1/queues/used/jobs/there")),
    "there already": (412, put(JOB, "/v1/queues/used/jobs/there", "If-None-Match: *")),
    "changed since": (412, put({"tenant": "research"}, "/v1/queues/used", 'If-Match: "r1"')),
    "an outcome of no task": (404, put({"outcome": "succeeded"}, "/v1/tasks/t-99999/outcome")),
    "an outcome of no name": (404, put({"outcome": "succeeded"}, "/v1/tasks/x/outcome")),
    "an outcome that is none": (400, put({"outcome": "perhaps"}, "/v1/tasks/t-1/outcome")),
    "a scope that is none": (400, put({"scopes": ["all"]}, "/v1/tokens/x")),
    "no scope": (400, put({"scopes": []}, "/v1/tokens/x")),
    "a tenant's token without its tenant": (400, put({"scopes": ["read"]}, "/v1/tokens/x")),
    "a time that is none": (400, put({"scopes": ["admin"], "expires": "tomorrow"}, "/v1/tokens/x")),
    "a discipline that is none": (422, put({"discipline": "luck", "placement": "best-fit"}, "/v1/cluster/policy")),
    "a change that is none": (400, post({"changes": [{"luck": 1}]}, "/v1/whatif")),
    "a change of what is not there": (404, post({"changes": [{"cancel": "ml/none"}]}, "/v1/whatif")),
}


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = make_file(PROGRAM, self.folder.name)
        self.service = Service(PROGRAM, self.file)
        self.addCleanup(self.service.end)
        self.client = self.service.client()
        set_up(self.client)
        self.assertEqual(self.client.put("/v1/queues/used", {"tenant": "research"})[0], 201)
        self.assertEqual(self.client.put("/v1/queues/used/jobs/there", {"tasks": 1, "demand": {"gpu": 99}})[0], 201)

    def send(self, request):
        """The status, the body, and whether the connection has ended."""
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=30) as connection:
            try:
                connection.sendall(request.replace(b"TOKEN", self.service.token.encode()))
            except OSError:
                pass  # refused before all was sent
            answer = b""
            while b"\r\n\r\n" not in answer:
                piece = connection.recv(65536)
                if not piece:
                    break
                answer += piece
            fields, _, body = answer.partition(b"\r\n\r\n")
            length = next((int(line.split(b":")[1]) for line in fields.split(b"\r\n")
                           if line.lower().startswith(b"content-length:")), 0)
            while len(body) < length:
                body += connection.recv(65536)
            connection.settimeout(2 if b"close" in fields else 0.02)
            try:
                has_ended = connection.recv(1) == b""
            except (TimeoutError, BlockingIOError):
                has_ended = False
            except OSError:
                has_ended = True
        status = int(fields.split(b" ")[1]) if fields else None
        return status, fields, body, has_ended

    def revision(self):
        return self.client.get("/v1/cluster")[2]["Mirab-Revision"]

    def test_each_is_refused_with_the_status_of_the_table(self):
        before = self.revision()
        for name, request in MALFORMED.items():
            with self.subTest(request=name):
                status, fields, body, has_ended = self.send(request)
                self.assertEqual(status, 400, body)
                self.assertTrue(has_ended, "the connection ends")
                self.assertIn(b"application/problem+json", fields)
        for name, (wanted, request) in REFUSED.items():
            with self.subTest(request=name):
                status, fields, body, _ = self.send(request)
                self.assertEqual(status, wanted, body)
                self.assertIn(b"application/problem+json", fields)
                self.assertEqual(json.loads(body)["status"], wanted)
        self.assertEqual(self.revision(), before, "nothing has changed")
        self.assertEqual(self.client.put(PATH, JOB)[0], 201)
        self.assertEqual(self.service.stop(), 0)
        check = subprocess.run([PROGRAM, "serve", "check", self.file], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)
        print(f"{len(MALFORMED)} malformed requests and {len(REFUSED)} others", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
