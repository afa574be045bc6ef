"""An API server of Kubernetes for `mirab kube`: it holds nodes, pods, leases and events, binds, and watches.

What a test wants to go wrong it says in `fault`; what the server may allow, in `rights`. Everything that was asked is
in `calls`, every bind that was done in `binds`, and those of pods that were bound already in `repeated`.
"""

import json
import queue
import socket
import sys
import threading
import time
import traceback
import types
import urllib.parse

from scripted_api import PATHS, ScriptedApi, is_selected, refusal

# What `fault` may return for a call, beside an answer (status, body, headers).
LOST_BEFORE = "the connection breaks, and nothing was done"
LOST_AFTER = "it is done, and the connection breaks before the answer"

# How break_watches() may end the watches that are there.
WITHIN_A_LINE = b'{"type":"MODIFIED","object":{"kind":"Po'
NO_JSON = b"<html>502 Bad Gateway</html>\n"
GONE = json.dumps({"type": "ERROR", "object": refusal(410, "too old resource version", "Expired")}).encode() + b"\n"
REGULARLY = b""

LEASES = "/apis/coordination.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def node(name, cpu="4", pods="110", **more):
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "uid": "node-" + name, "labels": {}},
            "spec": {}, "status": {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": pods, **more},
                                   "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, space="a", cpu="100m", uid=None, **more):
    return {"kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": name, "namespace": space, "uid": uid or f"uid-{space}-{name}",
                         "creationTimestamp": "2026-11-25T12:00:00Z"},
            "spec": {"schedulerName": "mirab", "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "1Mi", **more}}}]},
            "status": {"phase": "Pending"}}


def permission_of(call):
    """What rules of access call a call: verb, group, resource, namespace and name; None where they do not count."""
    words = call.path.strip("/").split("/")
    if words[0] not in ("api", "apis"):
        return None
    group, rest = ("", words[2:]) if words[0] == "api" else (words[1], words[3:])
    space = rest[1] if rest[0] == "namespaces" and len(rest) > 2 else ""
    resource, name, part, *_ = (rest[2:] if space else rest) + ["", ""]
    verb = {"POST": "create", "PUT": "update", "PATCH": "patch", "GET": "get" if name else "list"}[call.method]
    return types.SimpleNamespace(verb="watch" if "watch" in call.query else verb, group=group,
                                 resource=f"{resource}/{part}" if part else resource, space=space, name=name)


class ScriptedCluster(ScriptedApi):
    """`rights(permission)` says what is allowed; without it everything is. `fault(call)` is asked first of all."""

    def __init__(self, minor="23", nodes=1, rights=None, **of_api):
        rows = [node(f"n{i}") for i in range(nodes)]
        super().__init__({"Node": rows, "Pod": [], "Namespace": [], "PodDisruptionBudget": []}, page=500, **of_api)
        self.server.handle_error = self.handle_error
        self.minor, self.rights = minor, rights
        self.fault = lambda call: None
        self.evictions = []  # (name, is it a dry run?)
        self.calls, self.binds, self.repeated, self.events, self.conditions = [], [], [], [], []
        self.leases = {}
        self.watches = []  # each with the kind, and the queue of what it is to write
        self.piece = 0  # bytes of a watch that are written at a time, with pauses; 0: a line
        self.history = []
        self.changed = threading.Condition(threading.RLock())

    def close(self):
        self.break_watches(REGULARLY)
        super().close()

    @staticmethod
    def handle_error(*_):
        """A program that is killed leaves its connections in the middle of anything."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc()

    # What the tests do and look at.

    def add(self, *things):
        """Pods and nodes."""
        with self.changed:
            for each in things:
                self.objects[each["kind"]].append(each)
                self.tell("ADDED", each)

    def remove(self, space, name):
        with self.changed:
            found = self.find(space, name)
            self.objects["Pod"].remove(found)
            self.tell("DELETED", found)

    def until(self, is_there, within=60):
        """Waits for what a function says of this cluster to come true; its value."""
        end = time.monotonic() + within
        with self.changed:
            while not (found := is_there()):
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"in {within} s it did not come about; the latest calls: " + ", ".join(
                        f"{call.method} {call.path} {call.status}" for call in self.calls[-12:]))
                self.changed.wait(min(left, 0.1))
            return found

    def bound(self, *names):
        """The binds of these pods, when each has one."""
        self.until(lambda: set(names) <= {bind.name for bind in self.binds})
        return [bind for bind in self.binds if bind.name in names]

    def watched(self):
        """Waits until nodes and pods are watched: what changes from here on comes as an event, and is not read from a list."""
        self.until(lambda: len(self.watches) == 2)

    def asked_for(self, method, end=""):
        with self.changed:
            return [call for call in self.calls if call.method == method and call.path.endswith(end)]

    def bookmark(self):
        """Tells the watches how far they are."""
        with self.changed:
            for each in self.watches:
                self.version += 1
                bookmark = {"kind": each.kind, "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)}}
                each.lines.put((json.dumps({"type": "BOOKMARK", "object": bookmark}).encode() + b"\n", False))
            return self.version

    def break_watches(self, how):
        with self.changed:
            for each in self.watches:
                each.lines.put((how, True))
            self.watches = []

    # What the server does.

    def tell(self, change, thing):
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        line = json.dumps({"type": change, "object": thing}).encode() + b"\n"
        self.history.append((self.version, thing["kind"], line))
        for each in self.watches:
            if each.kind == thing["kind"]:
                each.lines.put((line, False))
        self.changed.notify_all()

    def answer(self, request):
        split = urllib.parse.urlsplit(request.path)
        text = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        certificate = getattr(request.connection, "getpeercert", lambda: None)()
        call = types.SimpleNamespace(method=request.command, path=split.path, text=text, headers=request.headers,
                                     query=dict(urllib.parse.parse_qsl(split.query)), certificate=certificate,
                                     body=json.loads(text) if text else None, status=None, at=time.monotonic())
        with self.changed:
            self.calls.append(call)
            fault = self.fault(call)
            is_watched = fault is None and "watch" in call.query
            lines = self.watch(call) if is_watched and self.refuse(call) is None else None
            if lines is None and fault != LOST_BEFORE:
                reply = fault if isinstance(fault, tuple) else self.refuse(call) or self.act(call)
            call.status = 200 if lines else None if fault in (LOST_BEFORE, LOST_AFTER) else reply[0]
            self.changed.notify_all()
        if lines:
            self.stream(request, lines)
        elif call.status is None:
            hang_up(request)
        else:
            self.send(request, *reply)

    def refuse(self, call):
        if self.token and call.headers["Authorization"] != "Bearer " + self.token:
            return 401, refusal(401, "Unauthorized"), {}
        permission = permission_of(call)
        if self.rights and permission and call.path != REVIEWS and not self.rights(permission):
            return 403, refusal(403, f"cannot {permission.verb} {permission.resource}", "Forbidden"), {}
        return None

    def act(self, call):
        if call.path == "/version":
            return 200, {"major": "1", "minor": self.minor}, {}
        if call.path == REVIEWS:
            return self.review(call.body)
        if call.path.startswith(LEASES):
            return self.lease(call)
        if call.path.endswith("/events"):
            self.events.append(call.body)
            return 201, call.body, {}
        if call.path in PATHS and call.method == "GET":
            return self.reply(call.path, call.query, call.headers)
        permission = permission_of(call)
        found = self.find(permission.space, permission.name)
        if found is None:
            return 404, refusal(404, f'pods "{permission.name}" not found', "NotFound"), {}
        if call.path.endswith("/binding"):
            return self.bind(found, call)
        if call.path.endswith("/eviction"):
            return self.evict(found, call)
        if call.path.endswith("/status"):
            self.conditions.append(call.body)
        return 200, found, {}

    def find(self, space, name):
        return next((each for each in self.objects["Pod"]
                     if (each["metadata"]["namespace"], each["metadata"]["name"]) == (space, name)), None)

    def bind(self, found, call):
        metadata, body = found["metadata"], call.body["metadata"]
        if body["uid"] != metadata["uid"] and int(self.minor.rstrip("+")) >= 23:
            return 409, refusal(409, "Precondition failed: UID in precondition", "Conflict"), {}
        if "nodeName" in found["spec"]:
            self.repeated.append(metadata["name"])
            return 409, refusal(409, f"pod {metadata['name']} is already assigned to node", "Conflict"), {}
        found["spec"]["nodeName"] = call.body["target"]["name"]
        metadata["annotations"] = body["annotations"]
        self.binds.append(types.SimpleNamespace(
            name=metadata["name"], space=metadata["namespace"], meant=body["uid"], node=found["spec"]["nodeName"],
            decision=body["annotations"]["mirab.io/decision"]))
        self.tell("MODIFIED", found)
        return 201, {"kind": "Status", "status": "Success"}, {}

    def evict(self, found, call):
        metadata, options = found["metadata"], call.body["deleteOptions"]
        if options["preconditions"]["uid"] != metadata["uid"]:
            return 409, refusal(409, "Precondition failed: UID in precondition", "Conflict"), {}
        is_dry = options.get("dryRun") == ["All"]
        self.evictions.append((metadata["name"], is_dry))
        if not is_dry:
            metadata["deletionTimestamp"] = "2026-11-25T12:00:30Z"
            self.tell("MODIFIED", found)
        return 201, {"kind": "Status", "status": "Success"}, {}

    def put(self, thing):
        """An object of any kind is there, or has changed."""
        def key(each):
            return each["metadata"].get("namespace"), each["metadata"]["name"]

        with self.changed:
            of_kind = self.objects[thing["kind"]]
            is_new = key(thing) not in map(key, of_kind)
            of_kind[:] = [each for each in of_kind if key(each) != key(thing)] + [thing]
            self.tell("ADDED" if is_new else "MODIFIED", thing)

    def review(self, body):
        wish = body["spec"]["resourceAttributes"]
        part = "/" + wish["subresource"] if "subresource" in wish else ""
        permission = types.SimpleNamespace(verb=wish["verb"], group=wish["group"], resource=wish["resource"] + part,
                                           space=wish.get("namespace", ""), name=wish.get("name", ""))
        return 201, {**body, "status": {"allowed": not self.rights or self.rights(permission)}}, {}

    def lease(self, call):
        if call.method == "POST":
            path, held = call.path + "/" + call.body["metadata"]["name"], None
            if path in self.leases:
                return 409, refusal(409, "already exists", "AlreadyExists"), {}
        else:
            path, held = call.path, self.leases.get(call.path)
            if held is None:
                return 404, refusal(404, "not found", "NotFound"), {}
        if call.method == "GET":
            return 200, held, {}
        if held and call.body["metadata"].get("resourceVersion") != held["metadata"]["resourceVersion"]:
            return 409, refusal(409, "the object has been modified", "Conflict"), {}
        self.version += 1
        self.leases[path] = {**call.body, "metadata": {**call.body["metadata"], "resourceVersion": str(self.version)}}
        return 201 if call.method == "POST" else 200, self.leases[path], {}

    def watch(self, call):
        kind, since = PATHS[call.path], int(call.query["resourceVersion"])
        each = types.SimpleNamespace(kind=kind, lines=queue.Queue())
        for version, of, line in self.history:
            if version > since and of == kind:
                each.lines.put((line, False))
        self.watches.append(each)
        return each.lines

    def stream(self, request, lines):
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        is_last = False
        try:
            while not is_last:
                line, is_last = lines.get()
                step = self.piece or len(line)
                for begin in range(0, len(line), step or 1):
                    part = line[begin:begin + step]
                    request.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    if self.piece:
                        time.sleep(0.001)
                if line == WITHIN_A_LINE:
                    return hang_up(request)
            request.wfile.write(b"0\r\n\r\n")
        except OSError:
            request.close_connection = True
        return None


def hang_up(request):
    request.close_connection = True
    request.connection.shutdown(socket.SHUT_RDWR)
