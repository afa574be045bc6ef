"""A Kubernetes control plane for tests, on loopback, in a temporary folder: etcd and kube-apiserver, and kube-scheduler or
any other scheduler as a process beside them. Nobody runs containers here: kubelet.py stands in for that.

Two users have rights. `admin` may do everything. The scheduler under test may do what the design's table of rights lists
and no more, so that a right which is missing there is missing here too.

    with Cluster(binaries) as cluster:
        cluster.admin.create("nodes", node("n1", cpu="4"))
        scheduler = cluster.kube_scheduler(name="mirab")

Standard library only. An Api is for one thread at a time; `api.copy()` gives another connection.
"""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

READY_WITHIN_S = 180  # on a machine that does much else
WATCH_SECONDS = 300


class Refused(Exception):
    """The API server answered, but not with 2xx."""

    def __init__(self, method, path, status, answer):
        self.status, self.answer = status, answer
        message = answer.get("message", "") if isinstance(answer, dict) else answer
        super().__init__(f"{method} {path}: {status} {message}")

    @property
    def may_pass(self):
        """The server is overloaded or away, so that a later try may succeed."""
        return self.status in (429, 500, 503, 504) or "rpc error" in str(self)


def path_of(kind, namespace=None, name=None, part=None):
    """The path of a resource: path_of("pods", "a", "p", "binding"). A group is named before it: "coordination.k8s.io/v1/leases"."""
    *group, resource = kind.split("/")
    words = ["", "apis", *group] if group else ["", "api", "v1"]
    if namespace:
        words += ["namespaces", namespace]
    return "/".join([*words, resource, *([name] if name else []), *([part] if part else [])])


class Api:
    """One kept connection to the API server, as one user."""

    def __init__(self, port, token, ca, timeout=30):
        self.port, self.token, self.ca, self.timeout = port, token, ca, timeout
        self.context = ssl.create_default_context(cadata=ca)
        self.connection = None

    def copy(self):
        return Api(self.port, self.token, self.ca, self.timeout)

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def _open(self, timeout):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.context)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _send(self, connection, method, path, body, content_type):
        headers = {"Authorization": "Bearer " + self.token}
        if body is not None:
            headers["Content-Type"] = content_type
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def ask(self, method, path, body=None, content_type="application/json"):
        """The answer, parsed. Raises Refused, or OSError and HTTPException while the server is away."""
        try:
            if self.connection is None:
                self.connection = self._open(self.timeout)
            response = self._send(self.connection, method, path, body, content_type)
            text = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        is_json = "json" in (response.getheader("Content-Type") or "")
        answer = json.loads(text) if is_json else text.decode()
        if not 200 <= response.status < 300:
            raise Refused(method, path, response.status, answer)
        return answer

    def get(self, kind, namespace=None, name=None, part=None):
        return self.ask("GET", path_of(kind, namespace, name, part))

    def create(self, kind, thing):
        return self.ask("POST", path_of(kind, thing["metadata"].get("namespace")), thing)

    def patch(self, kind, namespace, name, change, part=None, how="merge"):
        return self.ask("PATCH", path_of(kind, namespace, name, part), change, f"application/{how}-patch+json")

    def delete(self, kind, namespace, name, grace=None, uid=None):
        """Deletes it; that it is gone already is no error."""
        options = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        try:
            self.ask("DELETE", path_of(kind, namespace, name), options)
        except Refused as refused:
            if refused.status not in (404, 409):
                raise

    def watch(self, path, version):
        """Yields (type, object) until the server ends the watch."""
        connection = self._open(WATCH_SECONDS + 60)
        try:
            mark = "&" if "?" in path else "?"
            response = self._send(connection, "GET", f"{path}{mark}watch=1&allowWatchBookmarks=true"
                                  f"&timeoutSeconds={WATCH_SECONDS}&resourceVersion={version}", None, None)
            if response.status != 200:
                raise Refused("GET", path, response.status, response.read().decode())
            rest = b""
            while chunk := response.read1(1 << 18):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    yield event["type"], event["object"]
        finally:
            connection.close()


class Follower:
    """Lists a resource and watches it in a thread of its own, through breaks. `take(type, object)` sees every change once,
    in order; what vanished during a break is seen as DELETED, with its last known state."""

    def __init__(self, api, path, take):
        self.api, self.path, self.take = api.copy(), path, take
        self.known = {}  # uid → object
        self.lists = 0
        self.stopped = threading.Event()
        self.listed = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        if not self.listed.wait(READY_WITHIN_S):
            raise AssertionError(f"{path} could not be listed: {self.failure}")

    def stop(self):
        self.stopped.set()

    def _run(self):
        version = None
        while not self.stopped.is_set():
            try:
                if version is None:
                    version = self._list()
                for kind, thing in self.api.watch(self.path, version):
                    if self.stopped.is_set():
                        return
                    if kind == "ERROR":
                        version = None
                        break
                    version = thing["metadata"]["resourceVersion"]
                    if kind != "BOOKMARK":
                        self._see(kind, thing)
            except Refused as refused:
                self.failure = refused
                version = None
                self.stopped.wait(0.2)
            except (OSError, http.client.HTTPException, ValueError) as failure:
                self.failure = failure
                self.stopped.wait(0.2)

    def _list(self):
        answer = self.api.ask("GET", self.path)
        self.lists += 1
        present = {thing["metadata"]["uid"]: thing for thing in answer["items"]}
        for uid in set(self.known) - set(present):
            self._see("DELETED", self.known[uid])
        for uid, thing in present.items():
            before = self.known.get(uid)
            if before is None:
                self._see("ADDED", thing)
            elif before["metadata"]["resourceVersion"] != thing["metadata"]["resourceVersion"]:
                self._see("MODIFIED", thing)
        self.listed.set()
        return answer["metadata"]["resourceVersion"]

    def _see(self, kind, thing):
        if kind == "DELETED":
            self.known.pop(thing["metadata"]["uid"], None)
        else:
            self.known[thing["metadata"]["uid"]] = thing
        self.take(kind, thing)


class Process:
    """A program that the test started, its log in a file."""

    def __init__(self, command, log):
        self.command, self.log, self.process = [str(word) for word in command], pathlib.Path(log), None
        self.start()

    def start(self):
        self.started = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, within=20):
        """Ends it politely, or else by force. Its exit status."""
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode

    def pause(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def is_running(self):
        return self.process.poll() is None

    def processor_seconds(self):
        """User and system time of all its threads so far."""
        words = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mebibytes(self, which="VmRSS"):
        """Now, or `VmHWM`: at the most."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(which + ":")) / 1024

    def tail(self, lines=20):
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# What the scheduler under test may do: the table of rights of `mirab kube`, for release 1.
RULES = [
    {"apiGroups": [""], "resources": ["pods", "nodes", "namespaces"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": ["policy"], "resources": ["poddisruptionbudgets"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": [""], "resources": ["pods/binding", "pods/eviction"], "verbs": ["create"]},
    {"apiGroups": [""], "resources": ["pods/status"], "verbs": ["patch"]},
    {"apiGroups": ["", "events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"]},
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
]
USER = "system:serviceaccount:kube-system:mirab"  # as if it were installed in kube-system
USERS = {
    "admin": ("admin", ["system:masters"]),
    "mirab": (USER, ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]),
    "kube-scheduler": ("system:kube-scheduler", ["system:authenticated"]),
}


class Cluster:
    """etcd and kube-apiserver. `binaries` is the folder with kube-apiserver and kube-scheduler. Everything that it started
    ends with it, and its folder is removed, unless `keep` asks for it."""

    def __init__(self, binaries, keep=False):
        self.binaries, self.keep = pathlib.Path(binaries), keep
        memory = pathlib.Path("/dev/shm")  # etcd waits for the disk at each write; nothing here must survive a power loss
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mirab-cluster-",
                                                    dir=memory if os.access(memory, os.W_OK) else None))
        self.port, self.etcd_port, self.peer_port = free_port(), free_port(), free_port()
        self.processes = []
        self.started = time.monotonic()
        try:
            self._make_keys()
            self._make_tokens()
            self.etcd = self.run("etcd", self._etcd_command())
            self.apiserver = self.run("kube-apiserver", self._apiserver_command())
            self.admin = self.api("admin")
            self.wait_ready()
            self._grant()
        except BaseException:
            self.close()
            raise
        self.start_seconds = time.monotonic() - self.started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for process in reversed(self.processes):
            process.resume()
            process.kill()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, name, command):
        process = Process(command, self.folder / f"{name}.log")
        self.processes.append(process)
        return process

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def _make_keys(self):
        """A certificate authority, and the certificate of all servers on loopback."""
        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        self._openssl("req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test-ca")
        self._openssl("req", *new_key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        (self.folder / "server.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n", encoding="ascii")
        self._openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                      "-out", "server.crt", "-days", "2", "-extfile", "server.ext")
        self._openssl("genrsa", "-out", "accounts.key", "2048")
        self.ca = (self.folder / "ca.crt").read_text(encoding="ascii")

    def _make_tokens(self):
        lines = [f'token-of-{short},{name},{short},"{",".join(groups)}"\n' for short, (name, groups) in USERS.items()]
        (self.folder / "tokens.csv").write_text("".join(lines), encoding="ascii")

    def _etcd_command(self):
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.peer_port}"
        return ["etcd", "--name=test", f"--data-dir={self.folder / 'etcd'}", f"--listen-client-urls={client}",
                f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=test={peer}", "--quota-backend-bytes=4294967296", "--log-level=warn", "--logger=zap"]

    def _apiserver_command(self):
        folder = self.folder
        return [self.binaries / "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
                "--bind-address=127.0.0.1", f"--secure-port={self.port}", "--insecure-port=0",
                f"--tls-cert-file={folder / 'server.crt'}", f"--tls-private-key-file={folder / 'server.key'}",
                f"--client-ca-file={folder / 'ca.crt'}", f"--token-auth-file={folder / 'tokens.csv'}",
                "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
                # The first gives each new node the taint not-ready, which only a controller takes away; the second wants
                # the accounts that only a controller makes.
                "--disable-admission-plugins=TaintNodesByCondition,ServiceAccount",
                "--service-account-issuer=https://localhost", f"--service-account-key-file={folder / 'accounts.key'}",
                f"--service-account-signing-key-file={folder / 'accounts.key'}", f"--cert-dir={folder}"]

    def wait_ready(self):
        deadline = time.monotonic() + READY_WITHIN_S
        while True:
            try:
                self.admin.ask("GET", "/readyz")
                self.admin.get("namespaces", name="default")
                return
            except (Refused, OSError, http.client.HTTPException) as failure:
                if not self.apiserver.is_running() or not self.etcd.is_running():
                    raise AssertionError(f"it ended: {self.etcd.tail(5)}\n{self.apiserver.tail()}") from failure
                if time.monotonic() > deadline:
                    raise AssertionError(f"not ready: {failure}\n{self.apiserver.tail()}") from failure
                time.sleep(0.1)

    def _grant(self):
        group = "rbac.authorization.k8s.io"
        role = {"metadata": {"name": "mirab"}, "rules": RULES}
        binding = {"metadata": {"name": "mirab"}, "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "mirab"},
                   "subjects": [{"apiGroup": group, "kind": "User", "name": USER}]}
        self.admin.create(f"{group}/v1/clusterroles", role)
        self.admin.create(f"{group}/v1/clusterrolebindings", binding)

    def api(self, user):
        return Api(self.port, "token-of-" + user, self.ca)

    def kubeconfig(self, user, port=None):
        """A kubeconfig of that user; with a port it goes there instead, for example to a Wire."""
        server = f"https://127.0.0.1:{port or self.port}"
        file = self.folder / f"{user}-{port or self.port}.kubeconfig"
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": server, "certificate-authority": "ca.crt"}}],
            "users": [{"name": user, "user": {"token": "token-of-" + user}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}]}, indent=1), encoding="ascii")
        return file

    def kube_scheduler(self, name="default-scheduler", elect=False, port=None):
        """Upstream's scheduler, for the pods that name it so, without limits on its requests."""
        count, health = len(self.processes), f"127.0.0.1:{free_port()}"
        config = self.folder / f"kube-scheduler-{count}.json"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(self.kubeconfig("kube-scheduler", port)), "qps": 5000, "burst": 5000},
            "leaderElection": {"leaderElect": elect},
            "healthzBindAddress": health, "metricsBindAddress": health, "profiles": [{"schedulerName": name}]}), encoding="ascii")
        return self.run(f"kube-scheduler-{count}", [self.binaries / "kube-scheduler", f"--config={config}", "--secure-port=0"])

    def mirab(self, program, options=(), elect=False, port=None):
        """`mirab kube`, for the pods that name the scheduler `mirab`."""
        return self.run(f"mirab-{len(self.processes)}", [
            program, "kube", "--kubeconfig", self.kubeconfig("mirab", port), f"--leader-elect={str(elect).lower()}", *options])

    def restart(self, process):
        """kill -9 and again, with the same data at the same address."""
        process.kill()
        process.start()

    def compact_etcd(self):
        """Makes etcd forget all versions but the present ones."""
        def ask(path, body):
            connection = http.client.HTTPConnection("127.0.0.1", self.etcd_port, timeout=30)
            connection.request("POST", path, json.dumps(body))
            answer = json.loads(connection.getresponse().read())
            connection.close()
            return answer
        revision = ask("/v3/kv/range", {"key": "AA==", "limit": 1})["header"]["revision"]
        ask("/v3/kv/compaction", {"revision": revision, "physical": True})
        return int(revision)


def node(name, labels=None, taints=None, unschedulable=False, **allocatable):
    """A node that is Ready. Amounts are text, as people write them; `pods` is 110 unless given."""
    amounts = {"pods": "110", **{key.replace("__", "/").replace("_", "-"): str(value) for key, value in allocatable.items()}}
    return {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "spec": {**({"taints": taints} if taints else {}), **({"unschedulable": True} if unschedulable else {})},
            "status": {"capacity": amounts, "allocatable": amounts,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}}


def pod(name, namespace, scheduler="mirab", requests=None, labels=None, annotations=None, **spec):
    """A pod of one container with these requests; other fields of its spec by name."""
    requests = requests or {}
    limits = {key: value for key, value in requests.items() if "/" in key}  # which the API server demands of these
    return {"metadata": {"name": name, "namespace": namespace, "labels": labels or {}, "annotations": annotations or {}},
            "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, **spec, "containers": [
                {"name": "c", "image": "none", "resources": {"requests": requests, "limits": limits}}]}}


def in_parallel(api, work, things, connections=8):
    """work(api, thing) for each thing, over several connections. The first failure is raised in the end."""
    waiting, failures, lock = iter(list(things)), [], threading.Lock()

    def serve():
        own = api.copy()
        while not failures:
            with lock:
                thing = next(waiting, None)
            if thing is None:
                break
            try:
                work(own, thing)
            except Exception as failure:  # pylint: disable=broad-except  # it is raised below, in the caller's thread
                failures.append(failure)
        own.close()

    threads = [threading.Thread(target=serve) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
