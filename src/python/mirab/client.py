"""A client of `mirab serve` (docs/reference/api.md), of the standard library alone.

    from mirab.client import Client

    service = Client("https://cluster.example:7417", token_file="token")
    job = service.submit("ml/train-17", tasks=8, demand={"cpu": 4, "gpu": 1}, argv=["./train.sh"])
    print(service.why("ml/train-17")["says"])
    print(service.wait("ml/train-17")["state"])

A job is named `QUEUE/NAME`. The name makes a submit safe to repeat, so what fails on its way is sent again.
Answers are dictionaries with the keys of the API. A client is for one thread at a time.
"""

from __future__ import annotations

import datetime
import http.client
import ipaddress
import json
import os
import random
import ssl
import time
import urllib.parse
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

Json = dict[str, Any]
Amount = Union[int, float, str]
File = Union[str, "os.PathLike[str]"]
Moment = Union[str, int, datetime.datetime]

_HERE = "http://127.0.0.1:7417"
_MOST_OF_BATCH = 1000
_MOST_OF_PAGE = 1000
_SILENCE_S = 45.0  # a stream has a sign of life every 15 s
_AGAIN = {429, 502, 503, 504}
_BROKEN = (OSError, http.client.HTTPException)


class Problem(Exception):
    """The service answered with a problem (RFC 9457). `type` is its word, such as `name-taken`; `key` the JSON
    pointer of what is wrong, empty for the whole."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.body = dict(body)
        self.type = str(body.get("type", "")).removeprefix("/problems/")
        self.title = str(body.get("title", f"the service answered {status}"))
        self.detail = str(body.get("detail", ""))
        self.key = str(body.get("key", ""))
        parts = [self.key, self.title, self.detail]
        super().__init__(": ".join(part for part in parts if part))


class Unreachable(ConnectionError):
    """There was no answer within the client's patience, or none of such a service."""


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _token_place(is_here: bool) -> Path | None:
    """Where the command line looks for a token, too (mirab-queues(1))."""
    if named := os.environ.get("MIRAB_TOKEN_FILE"):
        return Path(named)
    home = Path.home()
    configured = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "mirab" / "token"
    state = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    of_admin = (Path(state) if state else home / ".local/state/mirab") / "mirab.db.admin-token"
    places = [configured, of_admin] if is_here else [configured]
    return next((place for place in places if place.is_file()), None)


def _target(*parts: str, **query: str | int | Sequence[str] | None) -> str:
    path = "/v1" + "".join("/" + urllib.parse.quote(part, safe="") for part in parts)
    given = {name: value for name, value in query.items() if value is not None}
    return path + ("?" + urllib.parse.urlencode(given, doseq=True) if given else "")


def _moment(at: Moment | None) -> str | int | None:
    return at.astimezone(datetime.timezone.utc).isoformat() if isinstance(at, datetime.datetime) else at


def _job_parts(job: str) -> tuple[str, str]:
    queue, _, name = job.partition("/")
    if not queue or not name:
        raise ValueError(f"{job!r} is no job: a job is named as QUEUE/NAME")
    return queue, name


class Client:
    """A service at `url`; without one at $MIRAB_SERVER, else on this machine. The token is the first line of
    `token_file`; without one of $MIRAB_TOKEN_FILE, else of ~/.config/mirab/token, else for a service on this
    machine the admin token that `mirab serve` made in the state folder.

    `ca_file`: trust only these certificates. `patience`: how many seconds a request is repeated that broke, or
    that the service had no room for. `plaintext`: a token may leave this machine without TLS."""

    def __init__(self, url: str | None = None, *, token_file: File | None = None, ca_file: File | None = None,
                 patience: float = 10.0, timeout: float = 90.0, plaintext: bool = False) -> None:
        self.url = (url or os.environ.get("MIRAB_SERVER") or _HERE).rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{self.url!r} is not the URL of a server: it begins with http:// or https://")
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None
        self._patience, self._timeout = patience, timeout
        self._headers = {"Accept": "application/json"}
        self._connection: http.client.HTTPConnection | None = None
        is_here = _is_here(self._host)
        place = Path(token_file) if token_file is not None else _token_place(is_here and self._tls is None)
        if place is None:
            return
        if self._tls is None and not is_here and not plaintext:
            raise ValueError(f"{self.url} would send the token beyond this machine without TLS; "
                             "take https, or allow it with plaintext=True")
        token = place.read_text(encoding="ascii").strip()
        if not token or not token.isprintable() or " " in token:
            raise ValueError(f"{place} holds no token")
        self._headers["Authorization"] = "Bearer " + token

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Jobs.

    def submit(self, job: str, *, demand: Mapping[str, Amount] | None = None, tasks: int | None = None,
               argv: Sequence[str] | None = None, env: Mapping[str, str] | None = None,
               time_limit: str | None = None, when_lost: str | None = None,
               roles: Iterable[Mapping[str, Any]] | None = None, **more: Any) -> Json:
        """Submits a job; `QUEUE` alone has a UUID for its name. `roles`, in place of `demand` and `tasks`, are
        those of a gang of several demands: `{"name": "worker", "tasks": 4, "demand": {"gpu": 1}}`. `more` are
        further keys of the API: gang, per_server, select, spread, attempts, labels, priority, …"""
        if "/" not in job:
            job = f"{job}/{uuid.uuid4()}"
        queue, name = _job_parts(job)
        spec = {"argv": None if argv is None else list(argv), "env": None if env is None else dict(env),
                "time_limit": time_limit, "when_lost": when_lost}
        spec = {key: value for key, value in spec.items() if value is not None}
        body = {"demand": None if demand is None else dict(demand), "tasks": tasks, "spec": spec or None,
                "roles": None if roles is None else [dict(role) for role in roles], **more}
        return self._ask("PUT", _target("queues", queue, "jobs", name),
                         {key: value for key, value in body.items() if value is not None})

    def submit_all(self, jobs: Iterable[Mapping[str, Any]]) -> list[Json | Problem]:
        """Submits many jobs, each with `queue`, `name` and the keys of the API, a thousand at a time. In their
        order: the answer, or the problem of a job that is refused while the others are submitted."""
        waiting, answers = [dict(job) for job in jobs], list[Union[Json, Problem]]()
        for job in waiting:
            job.setdefault("name", str(uuid.uuid4()))
        for first in range(0, len(waiting), _MOST_OF_BATCH):
            batch = self._ask("POST", _target("jobs:submit"), {"jobs": waiting[first:first + _MOST_OF_BATCH]})
            for answer in batch["answers"]:
                answers.append(Problem(answer["status"], answer) if answer["status"] >= 400 else answer)
        return answers

    def job(self, job: str) -> Json:
        queue, name = _job_parts(job)
        return self._ask("GET", _target("queues", queue, "jobs", name))

    def jobs(self, queue: str, *, state: str | None = None, labels: Mapping[str, str] | None = None) -> Iterator[Json]:
        """The jobs of a queue in the order of their names, a page at a time."""
        asked = [f"{key}={value}" for key, value in (labels or {}).items()]
        return self._list("queues", queue, "jobs", state=state, label=asked or None)

    def cancel(self, job: str) -> Json:
        queue, name = _job_parts(job)
        return self._ask("DELETE", _target("queues", queue, "jobs", name))

    def wait(self, job: str, timeout: float | None = None) -> Json:
        """The job when it has ended. Raises TimeoutError after `timeout` seconds, to the second."""
        queue, name = _job_parts(job)
        until = None if timeout is None else time.monotonic() + timeout
        after = 0
        while True:
            found, revision = self._ask_at("GET", _target("queues", queue, "jobs", name, at_least=after or None))
            if found["state"] not in ("waiting", "running"):
                return found
            left = 30.0 if until is None else min(30.0, until - time.monotonic())
            if left <= 0:
                raise TimeoutError(f"{job} is still {found['state']}")
            try:
                after = self._ask("GET", _target("events", after=revision, job=job, kind="job-ended",
                                                 wait=f"{max(1, round(left))}s"))["revision"]
            except Problem as problem:
                if problem.type != "compacted":
                    raise

    # Questions.

    def cluster(self) -> Json:
        return self._ask("GET", _target("cluster"))

    def queues(self) -> Iterator[Json]:
        return self._list("queues")

    def servers(self, *, state: str | None = None) -> Iterator[Json]:
        return self._list("servers", state=state)

    def shares(self, *mechanisms: str) -> Json:
        """What each mechanism would give each queue; by default the one that the service takes."""
        return self._ask("GET", _target("shares", mechanism=list(mechanisms) or None))

    def usage(self, *, by: str = "queue", start: Moment | None = None, end: Moment | None = None) -> Json:
        """What each queue, group or tenant used: under `hours` in each of `items`, amount times hours of each
        resource; by default of the latest 24 hours. Times are those of datetime, RFC 3339, or Unix seconds."""
        return self._ask("GET", _target("usage", by=by, **{"from": _moment(start)}, to=_moment(end)))

    def history(self, series: str = "share", *, queue: str | None = None, resource: str | None = None,
                start: Moment | None = None, end: Moment | None = None, step: str | None = None) -> Json:
        """A series over time, `share`, `running` or `waiting` of a queue, or `used` of a resource, in base
        units: `t`, Unix seconds, and `v`, the mean of each step, None where it is not known. By default of the
        latest hour."""
        return self._ask("GET", _target("history", series=series, queue=queue, resource=resource,
                                        **{"from": _moment(start)}, to=_moment(end), step=step))

    def why(self, job: str, *, on: str | None = None) -> Json:
        """Why a job waits: `verdict`, `says`, `next_step` and the evidence; or why not on a server. Of a task,
        such as `t-77`: why it was placed where it is."""
        if "/" not in job:
            return self._ask("GET", _target("tasks", job, "explain"))
        queue, name = _job_parts(job)
        return self._ask("GET", _target("queues", queue, "jobs", name, "explain", server=on))

    def whatif(self, *changes: Mapping[str, Any], show: Sequence[str] = ("queues",)) -> Json:
        """What would be placed after the changes, such as `{"queue": "ml", "weight": "2"}`."""
        return self._ask("POST", _target("whatif"), {"changes": [dict(each) for each in changes], "show": list(show)})

    def events(self, after: int | None = None, *, kinds: Sequence[str] = (), queue: str | None = None,
               job: str | None = None, server: str | None = None) -> Iterator[Json]:
        """What happens after a revision, by default from now on: one change at a time, with `revision`, `at` and
        `events`. It comes back after each break where it broke, so that each change comes once. Raises Problem,
        of type `compacted` when the log no longer goes back so far."""
        if after is None:
            _, after = self._ask_at("GET", _target("cluster"))
        return self._follow(after, {"kind": list(kinds) or None, "queue": queue, "job": job, "server": server})

    # How it is asked.

    def _follow(self, after: int, query: Mapping[str, str | list[str] | None]) -> Iterator[Json]:
        was_reached, pause = False, 0.1
        while True:
            connection = self._connect(_SILENCE_S)
            try:
                connection.request("GET", self._path + _target("events", after=after, **query), headers=self._headers)
                response = connection.getresponse()
                if response.status != 200:
                    self._raise_or_stay(response, was_reached)
                else:
                    for kind, revision, data in _messages(response):
                        was_reached, pause = True, 0.1
                        after = max(after, revision)
                        if kind == "change":
                            yield json.loads(data)
            except _BROKEN as broken:
                if not was_reached:
                    raise Unreachable(f"{self.url}: {broken}") from broken
            finally:
                connection.close()
            time.sleep(pause * (1 + random.random()))
            pause = min(2 * pause, 5.0)

    def _raise_or_stay(self, response: http.client.HTTPResponse, was_reached: bool) -> None:
        if not (was_reached and response.status in _AGAIN):
            raise Problem(response.status, self._read_body(response.status, response.read()))

    def _list(self, *parts: str, **query: str | Sequence[str] | None) -> Iterator[Json]:
        page: str | None = None
        while True:
            body = self._ask("GET", _target(*parts, limit=_MOST_OF_PAGE, page=page, **query))
            yield from body["items"]
            page = body.get("page")
            if not page:
                return

    def _ask(self, method: str, target: str, body: Mapping[str, Any] | None = None) -> Json:
        return self._ask_at(method, target, body)[0]

    def _ask_at(self, method: str, target: str, body: Mapping[str, Any] | None = None) -> tuple[Json, int]:
        """The answer and its revision. All that is asked here may be asked twice."""
        text = None if body is None else json.dumps(body)
        until, pause = time.monotonic() + self._patience, 0.1
        while True:
            wait = pause * (1 + random.random())
            try:
                response, content = self._send(method, target, text)
            except ssl.SSLCertVerificationError:
                raise
            except _BROKEN as broken:
                self.close()
                if time.monotonic() + wait > until:
                    raise Unreachable(f"{self.url}: {broken or type(broken).__name__}") from broken
            else:
                asked = response.getheader("Retry-After") or ""
                wait = int(asked) + wait if asked.isdecimal() else wait
                if response.status not in _AGAIN or time.monotonic() + wait > until:
                    answer = self._read_body(response.status, content)
                    if response.status >= 400:
                        raise Problem(response.status, answer)
                    return answer, int(response.getheader("Mirab-Revision") or 0)
            time.sleep(wait)
            pause = min(2 * pause, 5.0)

    def _send(self, method: str, target: str, text: str | None) -> tuple[http.client.HTTPResponse, bytes]:
        if self._connection is None:
            self._connection = self._connect(self._timeout)
        headers = self._headers if text is None else {**self._headers, "Content-Type": "application/json"}
        self._connection.request(method, self._path + target, text, headers)
        response = self._connection.getresponse()
        content = response.read()
        if response.will_close:
            self.close()
        return response, content

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)

    def _read_body(self, status: int, content: bytes) -> Json:
        try:
            body = json.loads(content)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Unreachable(f"{self.url} answered {status} without the JSON of a service")
        return body


def _messages(response: http.client.HTTPResponse) -> Iterator[tuple[str, int, str]]:
    """The messages of a stream of server-sent events: event, id, data."""
    kind, revision, data = "", 0, list[str]()
    while line := response.readline():
        text = line.decode().rstrip("\r\n")
        field, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            kind = value
        elif field == "id" and value.isdecimal():
            revision = int(value)
        elif field == "data":
            data.append(value)
        elif not text:
            if data:
                yield kind, revision, "\n".join(data)
            kind, data = "", []
