"""Crowds: slow clients, a tenant that floods, and watchers over TLS. What others feel of it is printed, as a ratio of
percentiles; only what does not depend on the machine's speed is held to.

MIRAB_SLOW, MIRAB_FLOOD_S and MIRAB_WATCHERS: how large they are."""

import collections
import http.client
import multiprocessing
import os
import resource
import selectors
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from running import JOB, Client, Service, make_file, set_up

PROGRAM = sys.argv.pop(1)
SLOW = int(os.environ.get("MIRAB_SLOW", "50"))
FLOOD_S = float(os.environ.get("MIRAB_FLOOD_S", "5"))
WATCHERS = int(os.environ.get("MIRAB_WATCHERS", "200"))
WATCH_S = float(os.environ.get("MIRAB_WATCH_S", "2"))


def percentile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


class Steady(threading.Thread):
    """A client that asks 50 times a second until it is ended; it notes how long each answer took."""

    def __init__(self, service, token, begin="s"):
        super().__init__()
        self.client, self.begin, self.is_over = Client(service.port, token), begin, threading.Event()
        self.seconds, self.statuses = [], set()

    def run(self):
        n = 0
        while not self.is_over.wait(0.02):
            begin = time.monotonic()
            status, _, _ = self.client.put(f"/v1/queues/ml/jobs/{self.begin}{n}", JOB)
            self.seconds.append(time.monotonic() - begin)
            self.statuses.add(status)
            n += 1

    def end(self):
        self.is_over.set()
        self.join()
        return percentile(self.seconds, 0.99)


def flood(port, token, seconds, answers):
    """Submits from 16 connections as fast as it can; in a process of its own, so as not to slow the other client."""
    statuses, end = collections.Counter(), time.monotonic() + seconds

    def work(number):
        client, n = Client(port, token), 0
        while time.monotonic() < end:
            statuses[client.put(f"/v1/queues/flood/jobs/f{number}-{n}", JOB)[0]] += 1
            n += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put(statuses)


class Crowd(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    def start(self, *options, **more):
        service = Service(PROGRAM, make_file(PROGRAM, self.folder.name), *options, **more)
        self.addCleanup(service.end)
        return service

    def connections(self, client):
        text = client.get("/metrics")[1]
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith("mirab_connections ")))

    def test_slow_clients_are_closed_and_others_do_not_wait_for_them(self):
        service = self.start()
        client = service.client()
        set_up(client)
        for n in range(0, 1000, 100):
            jobs = [{"queue": "ml", "name": f"l{n + m}", **JOB} for m in range(100)]
            self.assertEqual(client.ask("POST", "/v1/jobs:submit", {"jobs": jobs})[0], 200)
        steady = Steady(service, service.token, "before")
        steady.start()
        time.sleep(3)
        before = steady.end()
        head = f"GET /v1/queues/ml/jobs?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {service.token}\r\n\r\n".encode()
        senders, others = [], []
        for n in range(SLOW):
            for of in (senders, others):
                of.append(socket.create_connection(("127.0.0.1", service.port)))
            others[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            others[-1].sendall(head * 20)  # answers of half a megabyte each, and none is read
        steady = Steady(service, service.token, "during")
        steady.start()
        deadline, sent = time.monotonic() + 240, 0  # a busy machine takes minutes to fill their buffers
        while self.connections(client) > 2 and time.monotonic() < deadline:
            for sender in senders:
                try:
                    sender.send(head[sent % len(head):][:1])
                except OSError:
                    pass
            sent += 1
            time.sleep(1)
        during = steady.end()
        self.assertLessEqual(self.connections(client), 2, "slow clients are closed")
        self.assertEqual(steady.statuses, {201})
        for each in senders + others:
            each.close()
        print(f"{SLOW} clients send a byte a second, {SLOW} read nothing: the p99 of another client's submits is "
              f"{during * 1e3:.1f} ms, {during / before:.2f} times that without them", flush=True)

    def test_a_tenant_that_floods_is_refused_and_others_are_not(self):
        service = self.start()
        admin = service.client()
        set_up(admin)
        self.assertEqual(admin.put("/v1/tenants/flood", {})[0], 201)
        self.assertEqual(admin.put("/v1/queues/flood", {"tenant": "flood"})[0], 201)
        tokens = [admin.put(f"/v1/tokens/{tenant}", {"scopes": ["submit"], "tenant": tenant})[1]["secret"]
                  for tenant in ("research", "flood")]
        alone = Steady(service, tokens[0], "alone")
        alone.start()
        time.sleep(FLOOD_S)
        before = alone.end()
        answers = multiprocessing.SimpleQueue()
        crowd = multiprocessing.Process(target=flood, args=(service.port, tokens[1], FLOOD_S, answers))
        beside = Steady(service, tokens[0], "beside")
        begin = time.monotonic()
        crowd.start()
        beside.start()
        statuses = answers.get()
        during = beside.end()
        crowd.join()
        seconds = time.monotonic() - begin
        taken = statuses[201]
        self.assertEqual(beside.statuses, {201}, "no refusals for the other tenant")
        self.assertEqual(set(statuses), {201, 429})
        self.assertLessEqual(taken, 400 + 2000 + 200 * (seconds + 1))
        print(f"a flood of {statuses.total() / seconds:.0f} submits/s, of which {taken} were taken in {seconds:.1f} s: the p99 of "
              f"the other tenant's is {during * 1e3:.1f} ms, {during / before:.2f} times that without it", flush=True)

    def test_watchers_over_tls_all_get_every_event(self):
        cert, key = (os.path.join(self.folder.name, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                       check=True, capture_output=True)
        service = self.start("--tls-cert", cert, "--tls-key", key)
        context = ssl.create_default_context(cafile=cert)
        admin = Client(service.port, service.token)
        admin.connection = http.client.HTTPSConnection("127.0.0.1", service.port, timeout=60, context=context)
        set_up(admin)
        head = f"GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {service.token}\r\n\r\n".encode()
        chooser, last, count = selectors.DefaultSelector(), {}, 0
        for _ in range(WATCHERS):
            watcher = context.wrap_socket(socket.create_connection(("127.0.0.1", service.port)), server_hostname="127.0.0.1")
            watcher.sendall(head)
            self.assertIn(b"200", watcher.recv(12))
            watcher.setblocking(False)
            chooser.register(watcher, selectors.EVENT_READ)
            last[watcher] = (b"", [])
        wanted, sent_at, begin = [], {}, time.monotonic()
        late, n = [], 0

        def read(wait):
            for event, _ in chooser.select(wait):
                watcher = event.fileobj
                unread, seen = last[watcher]
                try:
                    while True:
                        piece = watcher.recv(65536)
                        self.assertTrue(piece, "a watcher was closed")
                        unread += piece
                except ssl.SSLWantReadError:
                    pass
                *lines, unread = unread.split(b"\n")
                for line in lines:
                    if line.startswith(b"id: "):
                        seen.append(int(line[4:]))
                        if seen[-1] in sent_at:
                            late.append(time.monotonic() - sent_at[seen[-1]])
                last[watcher] = (unread, seen)

        while time.monotonic() - begin < WATCH_S:  # a hundred events a second
            for _ in range(5):
                status, job, _ = admin.put(f"/v1/queues/ml/jobs/w{n}", {"tasks": 1, "demand": {"gpu": 99}})
                self.assertEqual(status, 201, job)
                wanted.append(job["revision"])
                sent_at[job["revision"]] = time.monotonic()
                n += 1
            read(0.05)
        deadline = time.monotonic() + 60
        while any(seen[-1:] != wanted[-1:] for _, seen in last.values()) and time.monotonic() < deadline:
            read(0.1)
        for _, seen in last.values():
            self.assertEqual([revision for revision in seen if revision >= wanted[0]], wanted)
        with open(f"/proc/{service.process.pid}/status", encoding="ascii") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) * 1024
        self.assertLess(resident, 1 << 30)
        print(f"{WATCHERS} watchers over TLS, {len(wanted)} changes: delivered after {percentile(late, 0.5):.2f} s (p50), "
              f"{percentile(late, 0.99):.2f} s (p99); {resident / 2**20:.0f} MiB", flush=True)
        for watcher in last:
            watcher.close()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
