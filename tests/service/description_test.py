"""Random calls made from the service's own description alone (/openapi.json): valid ones and spoiled ones.

None gives a 500, every answer has the form that the description names, and the file is whole afterwards.
MIRAB_API_CALLS and MIRAB_API_SEED: how much is called, and which random numbers are drawn.
"""

import collections
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import jsonschema
from running import Service, make_file

PROGRAM = sys.argv.pop(1)
CALLS = int(os.environ.get("MIRAB_API_CALLS", "10000"))
SEED = int(os.environ.get("MIRAB_API_SEED", "1"))

# What texts are tried: few names, so that they meet, and what other programs stumble over.
NAMES = ["a", "b", "c", "a/b", "ü", "x" * 253]
WORDS = ["", " ", "1", "-1", "0.5", "500m", "4Gi", "1e400", "null", "true", "1s", "0s", "r1-61", "a=b", "a/a", "../..",
         "%00", "\u0000", "\u202e", "\ud7ff", "<img onerror=1>", "'; DROP TABLE job; --", "x" * 300, "drf", "best-fit",
         "2027-03-01T08:00:00Z", "j-1", "t-1", "t-2"]
NUMBERS = [0, 1, 2, 3, 7, 100, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**30, 0.5, -0.0, 1e300]


class Maker:
    """Values that fit a schema of the description."""

    def __init__(self, draw, schemas):
        self.draw, self.schemas = draw, schemas

    def named(self, name):
        return self.draw.choice(NAMES[:3]) if self.draw.random() < 0.9 else self.draw.choice(NAMES)

    def make(self, schema, name="", depth=0):
        draw = self.draw
        if "$ref" in schema:
            return self.make(self.schemas[schema["$ref"].split("/")[-1]], name, depth)
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return self.make(draw.choice(schema[choice]), name, depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return draw.choice(schema["enum"])
        kind = schema.get("type", "object")
        kind = draw.choice(kind) if isinstance(kind, list) else kind
        if kind == "object":
            return self.make_object(schema, name, depth)
        if kind == "array":
            count = min(draw.choice((0, 1, 1, 2, 5)), schema.get("maxItems", 5))
            count = max(count, schema.get("minItems", 0))
            return [self.make(schema.get("items", {"type": "string"}), name, depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), schema.get("maximum", 100)
            return draw.randint(low, max(low, min(high, low + draw.choice((0, 1, 3, 100)))))
        if kind == "boolean":
            return draw.random() < 0.5
        if kind == "null":
            return None
        if "amount" in schema.get("description", "").lower() or "500m" in schema.get("description", ""):
            return draw.choice(("1", "500m", "2", "1Gi", "0"))
        if schema.get("format") == "date-time":
            return "2099-03-01T08:00:00Z"
        if "examples" in schema and draw.random() < 0.9:
            return draw.choice(schema["examples"])
        return self.named(name)

    def make_object(self, schema, name, depth):
        draw, made = self.draw, {}
        for key, each in schema.get("properties", {}).items():
            if key in schema.get("required", []) or draw.random() < 0.3:
                made[key] = self.make(each, key, depth + 1)
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            keys = schema.get("propertyNames", {}).get("examples") or (
                ["cpu", "memory", "gpu"] if "Amount" in json.dumps(more) else NAMES[:3])
            for key in draw.sample(keys, draw.randint(0, min(2, len(keys)))):
                made[key] = self.make(more, key, depth + 1)
        return made

    def spoil(self, value):
        """The same with one thing wrong, or at least odd, somewhere in it."""
        draw = self.draw
        if isinstance(value, dict) and value and draw.random() < 0.8:
            key = draw.choice(list(value))
            spoiled = {**value, key: self.spoil(value[key])}
            if draw.random() < 0.2:
                del spoiled[key]
            return spoiled
        if isinstance(value, list) and value and draw.random() < 0.8:
            at = draw.randrange(len(value))
            return [*value[:at], self.spoil(value[at]), *value[at + 1:]]
        deep = "x"
        for _ in range(draw.choice((3, 15, 17, 40))):
            deep = draw.choice(([deep], {"x": deep}))
        return draw.choice((None, True, [], {}, {"x": 1}, deep, draw.choice(WORDS), draw.choice(WORDS), draw.choice(NUMBERS),
                            draw.choice(NUMBERS), {**value, "no-such-key": 1} if isinstance(value, dict) else [value] * 1200))


class Calls:
    def __init__(self, document, draw):
        self.document, self.draw = document, draw
        self.maker = Maker(draw, document["components"]["schemas"])
        self.operations = [(path, method.upper(), operation) for path, methods in document["paths"].items()
                           for method, operation in methods.items()]
        self.validators = {}

    def parameter(self, parameter):
        draw = self.draw
        schema = parameter["schema"].get("items", parameter["schema"])  # of a list that is given once
        if parameter["name"] == "wait":  # not longer than it must be
            return draw.choice(("0s", "1ms", "1ms", "", "x", "-1s", "1e400", "\u0000"))
        if draw.random() < 0.15:
            return str(draw.choice(WORDS + NUMBERS))
        if schema["type"] == "integer":
            return str(draw.choice((0, 1, 2, 10)))
        return str(self.maker.make(schema, parameter["name"]))

    def body(self, operation):
        """The bytes of a body, or None."""
        draw = self.draw
        if "requestBody" not in operation:
            return None if draw.random() < 0.98 else b"{}"
        value = self.maker.make(operation["requestBody"]["content"]["application/json"]["schema"])
        for _ in range(draw.choice((0, 0, 0, 1, 1, 2))):
            value = self.maker.spoil(value)
        text = json.dumps(value).encode()
        if draw.random() < 0.05:
            at = draw.randrange(len(text) + 1)
            text = draw.choice((b"", text[:at], text + text, text[:at] + bytes([draw.randrange(256)]) + text[at + 1:],
                                text[:at] + b"\xff\xfe" + text[at:], b'{"tasks":1,"tasks":2}', b" " * 70_000, b"[" * 50_000))
        return text

    def next(self):
        draw = self.draw
        path, method, operation = draw.choice(self.operations)
        if draw.random() < 0.3:  # more jobs than anything else
            path, method = "/v1/queues/{queue}/jobs/{name}", "PUT"
            operation = self.document["paths"][path]["put"]
        query, waits = [], False
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                name = urllib.parse.quote(self.parameter(parameter) or "-", safe="")  # without it, another path
                path = path.replace("{" + parameter["name"] + "}", name)
            elif draw.random() < (0.6 if parameter["name"] == "wait" else 0.25):
                if parameter["name"] == "at_least" and draw.random() < 0.9:
                    continue
                query.append((parameter["name"], self.parameter(parameter)))
        if draw.random() < 0.02:
            query.append(draw.choice((("none", "1"), ("", ""), ("limit", "0"), ("limit", "1001"))))
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {}
        if draw.random() < 0.05:
            headers = draw.choice(({"If-None-Match": "*"}, {"If-Match": '"r1"'}, {"If-Match": "*"}, {"If-None-Match": '"r3"'},
                                   {"Accept": "text/csv"}, {"Content-Type": "text/plain"}, {"X-Long": "x" * 2000}))
        return method, target, operation, self.body(operation), headers

    def wrong(self, operation, status, kind, text):
        """Why the answer is not as described; empty where it is."""
        responses = operation["responses"]
        described = responses.get(str(status), responses["default"] if status >= 300 else None)
        if described is None:
            return f"status {status} is not described"
        if status == 304:
            return "" if not text else "a 304 has no body"
        kind = kind.split(";")[0]
        content = described.get("content", {})
        if kind not in content:
            return f"{kind} is not described for status {status}"
        if "json" not in kind:
            return ""
        value = json.loads(text)
        name = content[kind]["schema"]["$ref"]
        if name not in self.validators:
            schema = {"$ref": name, "components": self.document["components"]}
            self.validators[name] = jsonschema.Draft202012Validator(schema)
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        if error is not None:
            return f"{name}: {error.message} at {error.json_path}"
        if status >= 400 and value["status"] != status:
            return "the problem names another status"
        return ""


class Description(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = make_file(PROGRAM, self.folder.name)
        self.service = Service(PROGRAM, self.file)
        self.addCleanup(self.service.end)

    def tokens(self):
        """Of all scopes; most calls are an administrator's."""
        client = self.service.client()
        no_limit = {"requests_per_s": 10**6, "submits_per_s": 10**6, "burst": 10**6}
        assert client.put("/v1/tenants/fuzz", {"limits": no_limit})[0] == 201
        assert client.put("/v1/queues/fuzz", {"tenant": "fuzz"})[0] == 201
        made = {"read": {}, "submit": {}, "executor": {"server": "a"}}
        for scope, more in made.items():
            made[scope] = client.put(f"/v1/tokens/fuzz-{scope}", {"scopes": [scope], "tenant": "fuzz", **more})[1]["secret"]
        return [*[self.service.token] * 12, *made.values(), *made.values(), "mirab_admin_none"]

    def call(self, connection, token, method, target, body, headers):
        connection.request(method, target, body, {"Authorization": "Bearer " + token, **headers})
        response = connection.getresponse()
        kind = response.getheader("Content-Type") or ""
        if kind == "text/event-stream":
            connection.close()
            return response.status, kind, ""
        return response.status, kind, response.read()

    def test_random_calls_are_answered_as_described(self):
        print(f"replay: MIRAB_API_CALLS={CALLS} MIRAB_API_SEED={SEED}", flush=True)
        document = self.service.client().get("/openapi.json")[1]
        draw = random.Random(SEED)
        calls, tokens = Calls(document, draw), self.tokens()
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        statuses, reached = collections.Counter(), collections.Counter()
        wrong = {}
        for n in range(CALLS):
            method, target, operation, body, headers = calls.next()
            token = draw.choice(tokens)
            try:
                status, kind, text = self.call(connection, token, method, target, body, headers)
            except TimeoutError:
                self.fail(f"no answer to {(n, method, target, body)}")
            except (http.client.HTTPException, BrokenPipeError, ConnectionResetError) as failure:
                # A body that is refused by its length alone may find the connection closed.
                self.assertTrue(body is not None and len(body) > 60_000, (n, method, target, failure))
                connection.close()
                continue
            statuses[status] += 1
            if status < 300:
                reached[operation["operationId"]] += 1
            why = calls.wrong(operation, status, kind, text)
            if status >= 500 and not (status == 503 and b"/problems/busy" in text and "at_least" in target):
                why = f"status {status}: {text}"
            if why:
                wrong.setdefault((operation["operationId"], why.split(" at ")[0][-80:]), (n, method, target, body, why))
        for example in list(wrong.values())[:40]:
            print(example, flush=True)
        print(f"{CALLS} calls: {dict(sorted(statuses.items()))}; {len(reached)} of {len(calls.operations)} operations gave "
              "an answer below 300", flush=True)
        self.assertEqual(len(wrong), 0)
        if CALLS >= 5000:  # not blind
            self.assertGreater(len(reached), len(calls.operations) * 3 // 4, set(
                operation["operationId"] for _, _, operation in calls.operations) - set(reached))
            for status in (200, 201, 400, 401, 403, 404, 409, 412, 413, 422):
                self.assertGreater(statuses[status], 0, status)
        self.assertEqual(self.service.stop(), 0)
        check = subprocess.run([PROGRAM, "serve", "check", self.file], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
