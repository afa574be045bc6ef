"""A tenant pays for what its questions look at and hold; who has no token pays by its address. Others are not refused."""

import json
import re
import socket
import sys
import tempfile
import time
import unittest

from running import JOB, Client, Service, make_file, set_up

PROGRAM = sys.argv.pop(1)
MIB4 = 4 << 20


class Cost(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, *options):
        service = Service(PROGRAM, make_file(PROGRAM, self.folder.name), *options)
        self.addCleanup(service.end)
        return service

    def tenants(self, service):
        """Clients of two tenants with a queue each."""
        admin = service.client()
        set_up(admin)
        self.assertEqual(admin.put("/v1/tenants/dear", {})[0], 201)
        self.assertEqual(admin.put("/v1/queues/dear", {"tenant": "dear"})[0], 201)
        secrets = [admin.put(f"/v1/tokens/{tenant}", {"scopes": ["submit", "read"], "tenant": tenant})[1]["secret"]
                   for tenant in ("dear", "research")]
        return admin, *[service.client(secret) for secret in secrets]

    def test_what_a_tenant_looks_at_is_charged_to_it(self):
        service = self.start()
        admin, dear, other = self.tenants(service)
        for first in range(0, 9000, 1000):
            jobs = [{"queue": "dear", "name": f"j{first + n}", "demand": {"cpu": 1}} for n in range(1000)]
            self.assertEqual(admin.ask("POST", "/v1/jobs:submit", {"jobs": jobs})[0], 200)
        statuses = []
        for _ in range(300):  # 9,000 looks each, of 500,000 at once and 50,000 a second
            status, body, headers = dear.get("/v1/queues/dear/jobs?label=no=no")
            statuses.append(status)
            if status == 429:
                break
        self.assertEqual(status, 429, statuses)
        self.assertGreaterEqual(len(statuses), 50)
        self.assertIn("more looks at things than this tenant's limit of 50000 a second, 500000 at once", body["detail"])
        self.assertIn("Retry-After", headers)
        self.assertEqual(other.get("/v1/queues/ml/jobs?label=no=no")[0], 200)
        self.assertEqual(dear.put("/v1/queues/dear/jobs/more", JOB)[0], 201, "looks hold back questions alone")

    def until_refused(self, client, target, most):
        """How often the client is answered, until its looks are used up."""
        for answered in range(most):
            status, body, _ = client.get(target)
            if status == 429:
                self.assertIn("more looks at things than this tenant's limit", body["detail"])
                return answered
            self.assertEqual(status, 200, body)
        self.fail(f"{most} times {target} were answered")

    def test_polls_of_events_are_charged_to_a_tenant(self):
        admin, dear, other = self.tenants(self.start())
        begin = admin.get("/v1/cluster")[1]["revision"]
        for first in range(0, 3000, 1000):
            jobs = [{"queue": "dear", "name": f"j{first + n}", "demand": {"cpu": 1}} for n in range(1000)]
            self.assertEqual(admin.ask("POST", "/v1/jobs:submit", {"jobs": jobs})[0], 200)
        target = f"/v1/events?wait=0s&after={begin}"
        self.assertGreater(len(json.dumps(dear.get(target)[1])), 60_000)
        self.assertGreater(self.until_refused(dear, target, 390), 60)  # 64 KiB are 4,096 looks, of 500,000
        self.assertEqual(other.get(target)[0], 200)

    def test_what_is_shown_is_charged_by_its_bytes(self):
        _, dear, other = self.tenants(self.start())
        large = {**JOB, "servers": ["n" * 97] * 600}
        self.assertEqual(dear.put("/v1/queues/dear/jobs/large", large)[0], 201)
        self.assertGreater(self.until_refused(dear, "/v1/queues/dear/jobs/large", 390), 100)  # 3,700 looks each
        self.assertEqual(other.put("/v1/queues/ml/jobs/small", JOB)[0], 201)
        self.assertEqual(other.get("/v1/queues/ml/jobs/small")[0], 200)

    def test_a_job_in_a_list_is_no_larger_than_one_alone(self):
        _, dear, _ = self.tenants(self.start())
        jobs = [{"queue": "dear", "name": name, **JOB, "servers": ["n" * 97] * count} for name, count in (("a", 700), ("b", 600))]
        status, body, _ = dear.ask("POST", "/v1/jobs:submit", {"jobs": jobs})
        self.assertEqual(status, 200, body)
        self.assertEqual([(answer["status"], answer.get("key")) for answer in body["answers"]], [(413, "/jobs/0"), (201, None)])

    def test_as_many_labels_are_asked_for_as_a_thing_may_have(self):
        _, dear, _ = self.tenants(self.start())
        for path in ("/v1/queues/dear/jobs", "/v1/tasks", "/v1/servers"):
            self.assertEqual(dear.get(path + "?" + "&".join(["label=a="] * 220))[0], 200, path)
            status, body, _ = dear.get(path + "?" + "&".join(f"label=l{n}=" for n in range(33)))
            self.assertEqual((status, body["key"]), (400, "/label"), path)

    def test_the_live_page_of_a_tenant_leaves_it_its_looks(self):
        """What the view Now asks for, as often as it does in two minutes."""
        admin, dear, _ = self.tenants(self.start())
        for queue in range(20):
            self.assertEqual(admin.put(f"/v1/queues/dear-{queue:02}", {"tenant": "dear"})[0], 201)
            jobs = [{"queue": f"dear-{queue:02}", "name": f"j{n:03}", "demand": {"cpu": 1}} for n in range(400)]
            self.assertEqual(admin.ask("POST", "/v1/jobs:submit", {"jobs": jobs})[0], 200)
        self.assertEqual(admin.put("/v1/tenants/dear", {"limits": {"requests_per_s": 1000}})[0], 200)
        for _ in range(120):
            for path in ("/v1/cluster", "/v1/queues?limit=1000", "/v1/groups?limit=1000", "/v1/queues/dear-05"):
                status, body, _ = dear.get(path)
                self.assertEqual(status, 200, (path, body))
        self.assertEqual((len(body["next_jobs"]), body["next_jobs"]), (5, sorted(body["next_jobs"])))
        self.assertRegex(body["waiting_since"], r"^20\d\d-")

    def test_a_list_of_jobs_is_charged_before_it_is_read(self):
        admin, dear, other = self.tenants(self.start())
        limits = {"limits": {"submits_per_s": 1, "burst": 1500}}  # a job for each 4 KiB: not two bodies of 4 MiB
        self.assertEqual(admin.put("/v1/tenants/dear", limits)[0], 200)
        rubbish = "[" * MIB4
        self.assertEqual(dear.ask("POST", "/v1/jobs:submit", rubbish)[0], 400)
        dear = Client(dear.connection.port, dear.token)
        self.assertEqual(dear.ask("POST", "/v1/jobs:submit", "{}")[0], 400)
        dear = Client(dear.connection.port, dear.token)
        head = f"POST /v1/jobs:submit HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {dear.token}\r\nContent-Length: {MIB4}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", dear.connection.port)) as connection:
            connection.settimeout(20)
            connection.sendall(head.encode())
            self.assertIn(b" 429 ", connection.recv(100))
        self.assertEqual(other.ask("POST", "/v1/jobs:submit", {"jobs": [{"queue": "ml", "name": "a", **JOB}]})[0], 200)

    def test_who_waits_as_long_as_it_is_told_to_is_not_refused_again(self):
        admin, dear, _ = self.tenants(self.start())
        limits = {"limits": {"submits_per_s": 10, "burst": 30}}
        self.assertEqual(admin.put("/v1/tenants/dear", limits)[0], 200)

        def jobs(first, count):
            return {"jobs": [{"queue": "dear", "name": f"j{n}", "demand": {"cpu": 1}} for n in range(first, first + count)]}

        self.assertEqual(dear.ask("POST", "/v1/jobs:submit", jobs(0, 40))[0], 200, "more than a full bucket has")
        tries = 0
        while True:
            status, body, headers = dear.ask("POST", "/v1/jobs:submit", jobs(100, 20))
            if status == 200:
                break
            tries += 1
            self.assertLessEqual(tries, 2, body)
            time.sleep(int(headers["Retry-After"]))

    def test_a_list_in_chunks_is_charged_by_what_it_has(self):
        _, dear, _ = self.tenants(self.start())
        for n in range(20):
            body = json.dumps({"jobs": [{"queue": "dear", "name": f"c{n}", "demand": {"cpu": 1}}]}).encode()
            dear.connection.request("POST", "/v1/jobs:submit", iter([body]), {"Authorization": f"Bearer {dear.token}"},
                                    encode_chunked=True)
            answer = dear.connection.getresponse()
            self.assertEqual((answer.status, answer.read() and None), (200, None))

    def test_a_list_that_is_too_long_costs_no_submits(self):
        admin, dear, _ = self.tenants(self.start())
        self.assertEqual(admin.put("/v1/tenants/dear", {"limits": {"submits_per_s": 1, "burst": 10}})[0], 200)
        head = f"POST /v1/jobs:submit HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {dear.token}\r\nContent-Length: {MIB4 + 1}\r\n\r\n"
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", dear.connection.port)) as connection:
                connection.settimeout(20)
                connection.sendall(head.encode())
                self.assertIn(b" 413 ", connection.recv(100))
        jobs = [{"queue": "dear", "name": f"j{n}", "demand": {"cpu": 1}} for n in range(10)]
        self.assertEqual(dear.ask("POST", "/v1/jobs:submit", {"jobs": jobs})[0], 200)

    def test_a_list_of_too_many_jobs_is_not_read(self):
        admin, _, _ = self.tenants(self.start())
        status, body, _ = admin.ask("POST", "/v1/jobs:submit", '{"jobs":[' + ",".join(["{}"] * 1001) + ", and no JSON")
        self.assertEqual((status, body["key"]), (413, "/jobs"))

    def test_bodies_under_way_have_room_for_each_tenant(self):
        admin, dear, other = self.tenants(self.start())

        def begin(client):
            connection = socket.create_connection(("127.0.0.1", client.connection.port))
            self.addCleanup(connection.close)
            connection.sendall(f"PUT /v1/queues/ml/jobs/a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {client.token}\r\n"
                               "Content-Length: 65536\r\n\r\n".encode())
            connection.settimeout(0.05)
            return connection

        admin.put("/v1/tenants/dear", {"limits": {"burst": 10_000, "requests_per_s": 1000}})
        held = []
        for _ in range(200):
            held.append(begin(dear))
        self.assertEqual(other.put("/v1/queues/ml/jobs/b", JOB)[0], 201)
        time.sleep(1)
        for _ in range(100):
            held.append(begin(dear))
        refused = 0
        for connection in held:
            try:
                refused += b'"type":"/problems/room"' in connection.recv(4096)
            except TimeoutError:
                pass
        self.assertEqual(refused, len(held) - 256, "16 MiB are 256 such bodies")
        self.assertEqual(other.put("/v1/queues/ml/jobs/c", JOB)[0], 201)
        for connection in held:
            connection.close()
        for _ in range(100):
            if dear.put("/v1/queues/dear/jobs/d", JOB)[0] == 201:
                return
            dear = Client(dear.connection.port, dear.token)
            time.sleep(0.1)
        self.fail("the room comes back")

    def test_the_journal_says_which_limit_a_refused_request_was_over(self):
        service = self.start()
        admin, dear, _ = self.tenants(service)
        limits = {"limits": {"submits_per_s": 1, "burst": 2, "queued_jobs": 1}}
        self.assertEqual(admin.put("/v1/tenants/dear", limits)[0], 200)
        self.assertEqual(dear.put("/v1/queues/dear/jobs/a", JOB)[0], 201)
        status, body, headers = dear.put("/v1/queues/dear/jobs/b", JOB)
        self.assertEqual((status, body["type"]), (429, "/problems/too-many-jobs"))
        self.assertNotIn("Retry-After", headers, "nobody knows when a job ends")
        status, body, headers = dear.put("/v1/queues/dear/jobs/c", JOB)
        self.assertEqual((status, body["type"]), (429, "/problems/rate"))
        self.assertIn("Retry-After", headers)
        for _ in range(1000):
            lines = [json.loads(line) for line in service.read_log().splitlines() if '"what":"refused"' in line]
            if len(lines) == 2:
                break
            time.sleep(0.01)
        self.assertEqual([(line["status"], line["tenant"], line["by"]) for line in lines], 2 * [(429, "dear", "token:dear")])
        self.assertIn("the tenant has 1 jobs; at most 1 may wait or run", lines[0]["why"])
        self.assertIn("more submits than this tenant's limit of 1 a second, 2 at once", lines[1]["why"])

    LARGE = {**JOB, "servers": ["n" * 97] * 600}  # 60 KB

    def test_a_large_job_counts_as_many_submits(self):
        admin, dear, other = self.tenants(self.start())
        self.assertEqual(admin.put("/v1/tenants/dear", {"limits": {"submits_per_s": 1, "burst": 36}})[0], 200)
        statuses = [dear.put(f"/v1/queues/dear/jobs/large-{n}", self.LARGE)[0] for n in range(4)]  # as 14 each
        self.assertEqual(statuses, [201, 201, 429, 429])
        self.assertEqual(other.put("/v1/queues/ml/jobs/small", JOB)[0], 201)

    def test_a_large_job_in_chunks_counts_as_many_submits(self):
        admin, dear, _ = self.tenants(self.start())
        self.assertEqual(admin.put("/v1/tenants/dear", {"limits": {"submits_per_s": 1, "burst": 36}})[0], 200)
        statuses = []
        for n in range(4):
            dear.connection.request("PUT", f"/v1/queues/dear/jobs/large-{n}", iter([json.dumps(self.LARGE).encode()]),
                                    {"Authorization": f"Bearer {dear.token}"}, encode_chunked=True)
            answer = dear.connection.getresponse()
            statuses.append((answer.read(), answer.status)[1])
        self.assertEqual(statuses, [201, 201, 429, 429])

    def test_cancels_count_by_what_they_show(self):
        admin, dear, other = self.tenants(self.start())
        self.assertEqual(dear.put("/v1/queues/dear/jobs/large", self.LARGE)[0], 201)
        self.assertEqual(dear.ask("DELETE", "/v1/queues/dear/jobs/large")[0], 200)
        limits = {"limits": {"requests_per_s": 4}}  # 40 cancels a second, 200 at once
        self.assertEqual(admin.put("/v1/tenants/dear", limits)[0], 200)
        begin = time.monotonic()
        shown = 0
        while (answer := dear.ask("DELETE", "/v1/queues/dear/jobs/large"))[0] == 200:  # 14 each
            shown += 1
            self.assertLess(shown, 100)
        self.assertEqual(answer[0], 429)
        self.assertIn("more cancels than this tenant's limit", answer[1]["detail"])
        self.assertLessEqual(shown, 2 + (200 + 40 * (time.monotonic() - begin)) / 14)
        self.assertEqual(other.ask("DELETE", "/v1/queues/ml/jobs/none")[0], 404)

    def streams(self, client, after, count):
        """The first bytes of the answers to this many streams of events, which are asked for at once and stay open."""
        connections = [socket.create_connection(("127.0.0.1", client.connection.port)) for _ in range(count)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.settimeout(60)
            connection.sendall(f"GET /v1/events?after={after} HTTP/1.1\r\nHost: a\r\n"
                               f"Authorization: Bearer {client.token}\r\n\r\n".encode())
        return [connection.recv(4096) for connection in connections]

    def test_streams_pay_ahead_for_what_they_are_sent_of_the_past(self):
        admin, dear, other = self.tenants(self.start())
        begin = admin.get("/v1/cluster")[1]["revision"]
        for first in range(0, 3000, 1000):
            jobs = [{"queue": "dear", "name": f"j{first + n}", "demand": {"cpu": 1}} for n in range(1000)]
            revision = admin.ask("POST", "/v1/jobs:submit", {"jobs": jobs})[1]["revision"]
        admin.get(f"/v1/cluster?at_least={revision}")
        answers = self.streams(dear, begin, 60)  # 3,000 changes: 48,000 looks each, of 500,000
        begun = sum(b" 200 OK" in answer for answer in answers)
        self.assertGreaterEqual(begun, 1)
        self.assertLessEqual(begun, 40)
        self.assertEqual(sum(b" 429 " in answer for answer in answers), 60 - begun)
        # Of others' jobs there is nothing to send, so what was paid for it comes back.
        for _ in range(30):
            self.assertIn(b" 200 OK", self.streams(other, begin, 1)[0])
            time.sleep(0.1)

    def test_documents_are_made_once(self):
        service = self.start()
        client = Client(service.port, None)
        page = client.get("/")[1]
        for path in ("/openapi.json", "/docs", "/", re.search(r'src="(/page/[^"]+)"', page)[1]):
            status, body, headers = client.get(path)
            self.assertEqual(status, 200, path)
            self.assertEqual(client.ask("GET", path, If_None_Match=headers["ETag"])[0], 304, path)
            self.assertEqual(client.ask("GET", path, If_None_Match='"other"')[:2], (200, body), path)

    def test_who_has_no_token_is_held_back_by_address_and_summed_up_in_the_log(self):
        service = self.start("--metrics-listen", "127.0.0.1:0")
        admin, _, other = self.tenants(service)
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", service.port)) as stranger:  # 1,000 at once, 100 a second
            stranger.settimeout(60)
            stranger.sendall(b"GET /v1/queues HTTP/1.1\r\nHost: a\r\n\r\n" * 5000)
            text = b""
            while b"HTTP/1.1 429" not in text:
                text += stranger.recv(1 << 20)
        seconds = time.monotonic() - begin
        refused_there = text.count(b"HTTP/1.1 ")
        self.assertGreaterEqual(text.count(b"HTTP/1.1 401"), 1000)
        self.assertEqual(other.get("/v1/queues")[0], 200)
        self.assertEqual(Client(service.port, None).get("/livez")[0], 200)
        lines = [json.loads(line) for line in service.read_log().splitlines() if line.startswith("{")]
        url = next(line["url"] for line in lines if line["what"] == "metrics")
        monitor = Client(int(url.split(":")[2].split("/")[0]), service.token)
        self.assertEqual([monitor.get(path)[0] for path in ("/livez", "/readyz", "/metrics", "/docs")], [200, 200, 200, 404])
        time.sleep(2)
        refused = [json.loads(line) for line in service.read_log().splitlines() if '"what":"refused"' in line]
        self.assertLessEqual(len(refused), 11 * (seconds + 4))
        more = sum(line.get("more", 0) for line in refused)
        alone = sum("more" not in line for line in refused)
        self.assertGreaterEqual(alone + more, refused_there + 1, "and /docs at the door of the monitor")
        self.assertLessEqual(alone + more, 1000 + 110 * (time.monotonic() - begin), "5,000 were sent")

    def test_cancels_of_names_that_are_not_there_are_counted(self):
        admin, dear, other = self.tenants(self.start())
        self.assertEqual(admin.put("/v1/tenants/dear", {"limits": {"requests_per_s": 1}})[0], 200)
        statuses = [dear.ask("DELETE", f"/v1/queues/dear/jobs/none-{n}")[0] for n in range(200)]
        self.assertEqual(set(statuses), {404, 429})
        self.assertGreaterEqual(statuses.count(404), 50)
        self.assertEqual(other.ask("DELETE", "/v1/queues/ml/jobs/none")[0], 404)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
