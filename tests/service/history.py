"""What clients did and saw, and the five rules of order that it must keep.

Every answer carries a revision, so no search for an order is needed. With A and B two requests:

1. a change A answered before B was sent has the smaller revision;
2. what is read is not older than any change that was answered before the question was sent;
3. a sequential model, run over the log, gives every recorded answer;
4. a request without an answer is in the log at most once;
5. what a watcher saw, over all its connections, are the log's events: each once, in order, whole revisions.

The log is read from the file of the stopped service, and its chain of hashes is computed once more.
"""

import collections
import hashlib
import http.client
import json
import sqlite3
import time
import urllib.parse

from running import Client

Entry = collections.namedtuple("Entry", "sent answered method path body status answer revision")


class Recorder:
    """A client whose requests are noted, with or without an answer. Each thread has its own."""

    def __init__(self, entries, port, token):
        self.entries, self.client = entries, Client(port, token)

    def ask(self, method, path, body=None):
        sent = time.monotonic_ns()
        try:
            status, answer, headers = self.client.ask(method, path, body)
        except (OSError, http.client.HTTPException):
            self.entries.append(Entry(sent, None, method, path, body, None, None, None))
            raise
        revision = headers.get("Mirab-Revision")
        self.entries.append(Entry(sent, time.monotonic_ns(), method, path, body, status, answer,
                                  int(revision) if revision else None))
        return status, answer


class Watcher:
    """Polls the events and resumes where it was, on whichever service it is given."""

    def __init__(self, after=0):
        self.after, self.seen = after, []

    def poll(self, port, token, until):
        client = Client(port, token)
        try:
            while not until():
                status, body, _ = client.get(f"/v1/events?after={self.after}&wait=1s")
                assert status == 200, body
                self.seen += body["changes"]
                self.after = body["revision"]
        except (OSError, http.client.HTTPException):
            return


def read_log(file):
    """The records of a file, and a check of the chain of hashes."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    records = []
    hashed = dict(database.execute("SELECT key, value FROM meta"))["chain_base"]
    for first, last, kept, body in database.execute("SELECT first, last, hash, body FROM batch ORDER BY first"):
        hashed = hashlib.sha256(hashed.encode() + body).hexdigest()
        assert hashed == kept, f"the chain of hashes breaks at revision {first}"
        lines = [json.loads(line) for line in body.decode().splitlines()]
        assert [line["r"] for line in lines] == list(range(first, last + 1))
        records += lines
    database.close()
    assert [record["r"] for record in records] == list(range(records[0]["r"], records[0]["r"] + len(records)))
    times = [record["t"] for record in records]
    assert times == sorted(times), "engine time went back"
    return records


class Model:
    """The jobs as a sequential reading of the log has them. A task that fails waits again where its job has
    attempts left; the loads of the tests give one attempt or more than are ever used."""

    def __init__(self):
        self.jobs, self.tasks = {}, {}

    def apply(self, record):
        for event in record.get("events", []):
            if "job" not in event or event["kind"] == "task-stopped":  # a machine has let go; the job is as it was
                continue
            name = event["job"]
            if event["kind"] == "job-submitted":
                body = record["body"]
                self.jobs[name] = {"uid": f"j-{record['r']}", "tasks": body["tasks"], "attempts": body["attempts"],
                                   "waiting": body["tasks"], "running": 0, "succeeded": 0, "failed": 0, "cancelled": 0}
            job = self.jobs[name]
            if event["kind"] == "task-placed":
                job["waiting"] -= 1
                job["running"] += 1
                self.tasks[event["task"]] = {"job": name, "server": event["server"], "state": "placed"}
            elif event["kind"] == "task-ended":
                self.tasks[event["task"]]["state"] = event["why"]
                job["running"] -= 1
                again = event["why"] in ("lost", "preempted") or (event["why"] == "failed" and job["attempts"] > 1)
                job["waiting" if again else event["why"]] += 1
            elif event["kind"] == "job-cancelled":
                job["cancelled"] += job["waiting"]
                job["waiting"] = 0
            job["revision"] = record["r"]

    def job(self, name):
        job = self.jobs.get(name)
        if job is None:
            return None
        state = ("running" if job["running"] else "waiting" if job["waiting"] else "failed" if job["failed"] else
                 "cancelled" if job["cancelled"] else "succeeded")
        return {**{key: value for key, value in job.items() if key != "attempts"}, "state": state}


def job_of(path):
    """`ml/train-1` of a path of that job; None of others."""
    parts = [urllib.parse.unquote(part) for part in path.split("?")[0].split("/")]
    return f"{parts[3]}/{parts[5]}" if len(parts) == 6 and parts[2] == "queues" and parts[4] == "jobs" else None


def task_of(path):
    parts = path.split("/")
    return parts[3] if len(parts) == 5 and parts[2] == "tasks" and parts[4] == "outcome" else None


def shows(answer, wanted):
    return {key: answer.get(key) for key in wanted} == wanted


def has_changed(entry, log):
    """Did the request make the record of its revision?"""
    record = log.get(entry.revision)
    if record is None or entry.method == "GET" or entry.status >= 400:
        return False
    if job_of(entry.path):
        done = "job-put" if entry.method == "PUT" else "job-cancel"
        same = f"{record.get('queue')}/{record.get('name')}" == job_of(entry.path)
        return same and record["do"] == done and "replayed" not in entry.answer
    if task_of(entry.path):
        return record["do"] == "outcome-put" and record["task"] == task_of(entry.path)
    return "jobs:submit" in entry.path


def check(entries, records, watchers=(), say=None):
    """Raises AssertionError where a rule is broken. Returns how much of what was checked."""
    log = {record["r"]: record for record in records}
    answered = sorted((entry for entry in entries if entry.answered is not None), key=lambda entry: entry.sent)
    counts = collections.Counter()
    check_revisions(answered, log, counts)
    check_answers(answered, records, log, counts)
    check_unanswered(entries, records, counts)
    for watcher in watchers:
        check_watcher(watcher, records, counts)
    return counts


def check_revisions(answered, log, counts):
    """Rules 1 and 2."""
    changes = sorted((entry for entry in answered if entry.method != "GET" and entry.revision),
                     key=lambda entry: entry.answered)
    at, highest = 0, 0
    for entry in answered:
        while at < len(changes) and changes[at].answered < entry.sent:
            highest = max(highest, changes[at].revision)
            at += 1
        if entry.revision is None:
            continue
        assert entry.revision <= max(log), entry
        if has_changed(entry, log):
            assert entry.revision > highest, (highest, entry)
            counts["rule 1"] += 1
        else:
            assert entry.revision >= highest, (highest, entry)
            counts["rule 2"] += 1


def check_answers(answered, records, log, counts):
    """Rule 3: at the revision of each answer the model shows the same."""
    by_revision = collections.defaultdict(list)
    highest, changes = 0, sorted((e.answered, e.revision) for e in answered if e.revision)
    at = 0
    for entry in answered:
        while at < len(changes) and changes[at][0] < entry.sent:
            highest = max(highest, changes[at][1])
            at += 1
        if entry.revision is not None:
            by_revision[entry.revision].append(entry)
        elif entry.status == 404:  # without a revision: not before the latest that was known
            by_revision[highest].append(entry)
    for entry in by_revision.pop(0, []):
        assert entry.status in (404, 400), entry
    model = Model()
    for record in records:
        model.apply(record)
        for entry in by_revision.pop(record["r"], []):
            check_answer(entry, model, log, counts)
    assert not by_revision, list(by_revision.items())[:3]


def check_answer(entry, model, log, counts):
    name, task = job_of(entry.path), task_of(entry.path)
    counts["rule 3"] += 1
    if name is not None and not entry.path.split("?")[0].endswith("/explain"):
        wanted = model.job(name)
        if entry.status == 404:
            assert wanted is None, (wanted, entry)
            return
        if entry.status == 409:
            assert wanted is not None and entry.answer["type"] == "/problems/name-taken", entry
            assert any(entry.body.get(key) != value for key, value in log[int(wanted["uid"][2:])]["body"].items()), entry
            return
        assert wanted is not None and entry.status in (200, 201) and shows(entry.answer, wanted), (wanted, entry)
        assert (entry.status == 201) == (has_changed(entry, log) and entry.method == "PUT"), entry
        if entry.method == "PUT" and entry.status == 201:
            assert wanted["uid"] == f"j-{entry.revision}", entry
    elif task is not None:
        if entry.status == 404:
            assert task not in model.tasks, entry
            return
        known = model.tasks[task]
        assert entry.status == 200 and shows(entry.answer, {"task": task, **known}), (known, entry)
        if has_changed(entry, log) and "ignored" not in entry.answer and "replayed" not in entry.answer:
            assert known["state"] == entry.body["outcome"], entry
    elif "jobs:submit" in entry.path:
        assert entry.status == 200, entry
        for job, answer in zip(entry.body["jobs"], entry.answer["answers"], strict=True):
            wanted = model.job(f"{job['queue']}/{job['name']}")
            if answer["status"] == 404 or wanted is None:
                assert wanted is None, entry
            elif answer["status"] == 201:  # each is shown as it was when it came in
                assert answer["uid"] == wanted["uid"], (wanted, entry)
                assert log[int(wanted["uid"][2:])]["do"] == "job-put"
            else:
                assert answer["status"] in (200, 409), entry
    elif entry.path.split("?")[0].endswith("/jobs") and entry.status == 200:
        queue = entry.path.split("/")[3]
        listed = {f"{queue}/{job['name']}": job for job in entry.answer["items"]}
        for each, job in listed.items():
            wanted = {key: value for key, value in model.job(each).items() if key != "revision"}
            assert shows(job, wanted), (wanted, job)
        if not entry.answer.get("page") and "page=" not in entry.path:
            assert set(listed) == {each for each in model.jobs if each.startswith(queue + "/")}, entry.path
    else:
        counts["rule 3"] -= 1  # of other things nothing is known but the revision
        assert entry.status < 500, entry


def check_unanswered(entries, records, counts):
    """Rule 4, for what is given a name once: jobs, their ends, and the outcomes of tasks."""
    done = collections.Counter()
    for record in records:
        if record["do"] in ("job-put", "job-cancel"):
            done[record["do"], f"{record['queue']}/{record['name']}"] += 1
    for what, times in done.items():
        assert times == 1, (what, times)
    ended = collections.Counter(event["task"] for record in records for event in record.get("events", [])
                                if event["kind"] == "task-ended")
    assert all(times == 1 for times in ended.values()), ended.most_common(3)
    for entry in entries:
        if entry.answered is None and job_of(entry.path) and entry.method in ("PUT", "DELETE"):
            counts["rule 4"] += 1


def check_watcher(watcher, records, counts):
    """Rule 5."""
    wanted = []
    for record in records:
        events = [{key: value for key, value in event.items() if key != "tenant"} for event in record.get("events", [])]
        if events and record["r"] <= watcher.after:
            wanted.append({"revision": record["r"], "at": record["w"], "events": events})
    for seen, other in zip(watcher.seen, wanted):
        assert seen == other, (seen, other)
    assert len(watcher.seen) == len(wanted), (len(watcher.seen), len(wanted))
    counts["rule 5"] += len(wanted)
