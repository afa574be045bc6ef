"""`mirab import kubernetes --live` writes what the import of kubectl's files writes, however it gets there."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from scripted_api import Certificates, ScriptedApi, refusal

PROGRAM = sys.argv.pop(1)
EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "kubernetes")
SECRET = "sEcReT-tOkEn"


def read_objects():
    objects = {"Node": [], "Pod": [], "Namespace": []}
    for name in ("nodes.json", "pods.json"):
        with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
            for item in json.load(file)["items"]:
                item["metadata"]["managedFields"] = [{"manager": "kubectl"}]
                objects[item["kind"]].append(item)
    spaces = sorted({pod["metadata"]["namespace"] for pod in objects["Pod"]})
    objects["Namespace"] = [{"kind": "Namespace", "metadata": {"name": name, "labels": {"team": "t-" + name[0]}}}
                            for name in spaces]
    return objects


OBJECTS = read_objects()


class ImportLive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pki = tempfile.TemporaryDirectory()
        cls.certificates = Certificates(cls.pki.name)
        cls.certificates.sign("server")
        cls.certificates.sign("inner", "DNS:inner.example")
        cls.certificates.sign("me")

    @classmethod
    def tearDownClass(cls):
        cls.pki.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return self.path(name)

    def config(self, server, cluster=None, user=None, name="config"):
        return self.write(name, {
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}},
                         {"name": "nowhere", "context": {"cluster": "none", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}},
                         {"name": "none", "cluster": {"server": "http://127.0.0.1:1"}}],
            "users": [{"name": "u", "user": user or {}}]})

    def run_program(self, *words, stdin=None, **environment):
        kept = {key: value for key, value in os.environ.items()
                if not key.lower().endswith("_proxy") and not key.startswith("KUBE")}
        ran = subprocess.run([PROGRAM, "import", "kubernetes", *words], input=stdin, capture_output=True, text=True,
                             env={**kept, "HOME": self.folder.name, **environment}, check=False, timeout=120)
        self.assertNotIn(SECRET, ran.stdout + ran.stderr)
        return ran

    def live(self, *words, **environment):
        ran = self.run_program("--live", *words, **environment)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return cluster_of(ran.stdout)

    def fails(self, *words, status=1, **environment):
        kept = self.write("kept.yaml", "as it was")
        ran = self.run_program("--live", *words, "-o", kept, **environment)
        self.assertEqual(ran.returncode, status, ran.stderr)
        with open(kept, encoding="utf-8") as file:
            self.assertEqual(file.read(), "as it was")
        return ran.stderr

    def of_files(self, *words):
        """What the files say; pods that are done are not asked for, and so are left out of these too."""
        pods = [pod for pod in OBJECTS["Pod"] if pod["status"].get("phase") not in ("Succeeded", "Failed")]
        everything = {"kind": "List", "items": OBJECTS["Node"] + OBJECTS["Namespace"] + pods}
        ran = self.run_program("-", *words, stdin=json.dumps(everything))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return cluster_of(ran.stdout)

    def test_it_is_the_import_of_the_files(self):
        with ScriptedApi(OBJECTS) as api:
            config = self.config(api.url)
            self.assertEqual(self.live("--kubeconfig", config), self.of_files())
            paths = [asked["path"] for asked in api.asked]
            self.assertEqual(set(paths), {"/api/v1/nodes", "/api/v1/pods"}, "no more than is needed")
            self.assertEqual(paths.count("/api/v1/nodes"), (len(OBJECTS["Node"]) + 6) // 7)
            self.assertTrue(all(asked["query"]["limit"] == "500" and "resourceVersion" not in asked["query"]
                                for asked in api.asked))
            label = self.live("--kubeconfig", config, "--team", "label=team")
            self.assertEqual(label, self.of_files("--team", "label=team"))
            self.assertNotEqual(label, self.live("--kubeconfig", config))

    def test_a_client_certificate_opens_a_server_that_asks_for_one(self):
        pki = self.certificates
        with ScriptedApi(OBJECTS, tls=pki.server("server", True)) as api:
            of_text = self.config(api.url, {"certificate-authority-data": pki.base64("ca.pem")},
                                  {"client-certificate-data": pki.base64("me.pem"),
                                   "client-key-data": pki.base64("me.key")})
            expected = self.of_files()
            self.assertEqual(self.live("--kubeconfig", of_text), expected)
            self.assertEqual(api.asked[-1]["certificate"]["subject"], ((("commonName", "me"),),))
            os.symlink(self.pki.name, self.path("pki"))
            of_files = self.config(api.url, {"certificate-authority": "pki/ca.pem"},
                                   {"client-certificate": "pki/me.pem", "client-key": "pki/me.key"})
            self.assertEqual(self.live("--kubeconfig", of_files), expected)
            self.fails("--kubeconfig", self.config(api.url, {"certificate-authority": "pki/ca.pem"}))
            self.assertIn("clusters[0].cluster.certificate-authority: " + self.path("pki/none.pem"), self.fails(
                "--kubeconfig", self.config(api.url, {"certificate-authority": "pki/none.pem"}), status=2))

    def test_the_certificate_of_the_server_is_checked(self):
        pki = self.certificates
        with ScriptedApi(OBJECTS, tls=pki.server("inner", False)) as api:
            ca = {"certificate-authority-data": pki.base64("ca.pem")}
            for cluster in ({}, ca, {**ca, "tls-server-name": "other.example"}):
                self.assertIn("certificate", self.fails("--kubeconfig", self.config(api.url, cluster)))
            self.assertEqual(api.asked, [])
            named = self.config(api.url, {**ca, "tls-server-name": "inner.example"})
            self.assertEqual(self.live("--kubeconfig", named), self.of_files())
            self.assertEqual(api.asked[-1]["host"], f"127.0.0.1:{api.port}")
            self.live("--kubeconfig", self.config(api.url, {"insecure-skip-tls-verify": True}))

    def test_a_token_is_read_again_when_it_is_refused(self):
        token = self.write("token", "old")

        def rotate(path, query):
            if path == "/api/v1/pods" and query.get("continue") == "7" and api.token == "old":
                self.write("token", SECRET)
                api.token = SECRET
                return 401, refusal(401, "Unauthorized"), {}
            return None

        with ScriptedApi(OBJECTS, token="old", before=rotate) as api:
            config = self.config(api.url, user={"tokenFile": token})
            self.assertEqual(self.live("--kubeconfig", config), self.of_files())
            self.assertEqual(api.token, SECRET)
        with ScriptedApi(OBJECTS, token="another") as api:
            config = self.config(api.url, user={"token": SECRET})
            self.assertIn("/api/v1/nodes: answered 401: Unauthorized", self.fails("--kubeconfig", config))
            self.assertEqual(len(api.asked), 1)

    def test_what_passes_is_waited_for(self):
        answers = [(429, refusal(429, "slow down"), {"Retry-After": "0"}), (500, "etcd is away", {}), None, None,
                   (410, refusal(410, "the token is too old", "Expired"), {})]
        with ScriptedApi(OBJECTS, before=lambda *_: answers.pop(0) if answers else None) as api:
            self.assertEqual(self.live("--kubeconfig", self.config(api.url)), self.of_files())
            self.assertEqual(answers, [])

    def test_a_missing_permission_is_named(self):
        message = 'pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope'
        with ScriptedApi(OBJECTS, before=lambda path, _: path.endswith("/pods")
                         and (403, refusal(403, message, "Forbidden"), {})) as api:
            said = self.fails("--kubeconfig", self.config(api.url))
            self.assertEqual(said, f"mirab: {api.url}/api/v1/pods: list pods: answered 403: {message}\n")

    def test_the_kubeconfig_is_found_as_kubectl_finds_it(self):
        with ScriptedApi(OBJECTS) as api:
            here = self.config(api.url)
            expected = self.of_files()
            self.assertEqual(self.live(KUBECONFIG=here), expected)
            self.assertIn("127.0.0.1 port 1", self.fails("--kubeconfig", here, "--context", "nowhere"))
            self.assertIn("there is no context 'her'; did you mean here?",
                          self.fails("--kubeconfig", here, "--context", "her", status=2))
            self.assertIn("there is no kubeconfig", self.fails(status=2))
            self.config(api.url, name=".kube/config")
            self.assertEqual(self.live("--context", "here"), expected)

    def test_of_several_kubeconfigs_the_first_that_says_something_wins(self):
        with ScriptedApi(OBJECTS, token=SECRET) as api:
            self.write("token", SECRET)
            contexts = self.write("contexts", {"contexts": [{"name": "mine", "context": {"cluster": "c", "user": "me"}}],
                                               "current-context": "mine"})
            users = self.write("me/users", {"users": [{"name": "me", "user": {"tokenFile": "../token"}}]})
            files = [contexts, self.path("none"), "", users, self.config(api.url)]
            self.assertEqual(self.live(KUBECONFIG=":".join(files)), self.of_files())
            self.write("me/users", {"users": [{"name": "me", "user": {"tokenFile": "token"}}]})
            self.assertIn(f"{users}:1: users[0].user.tokenFile: {self.path('me/token')}: No such file",
                          self.fails(KUBECONFIG=":".join(files), status=2))
            self.assertIn(self.path("none") + ": cannot be read", self.fails(KUBECONFIG=self.path("none"), status=2))

    def plugin(self, text):
        """The `exec` of a user: a command that runs these lines of a shell."""
        path = self.write("bin/plugin", "#!/bin/sh\n" + text)
        os.chmod(path, 0o700)
        return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "bin/plugin",
                         "interactiveMode": "Never", "provideClusterInfo": True, "env": None,
                         "installHint": "Ask your provider."}}

    @staticmethod
    def credential(**status):
        return json.dumps({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
                           "status": status})

    def test_a_command_gives_a_token_and_another_one_when_it_is_refused(self):
        self.write("output", self.credential(token="old"))
        user = self.plugin(f"echo x >> {self.path('runs')}; cat {self.path('output')}")

        def rotate(path, query):
            if path == "/api/v1/pods" and query.get("continue") == "7" and api.token == "old":
                self.write("output", self.credential(token=SECRET))
                api.token = SECRET
                return 401, refusal(401, "Unauthorized"), {}
            return None

        with ScriptedApi(OBJECTS, token="old", before=rotate) as api:
            config = self.config(api.url, user=user)
            self.assertEqual(self.live("--kubeconfig", config), self.of_files())
            self.assertEqual(api.token, SECRET)
        with open(self.path("runs"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "x\nx\n", "it is not run at each request")
        with ScriptedApi(OBJECTS, token="another") as api:
            config = self.config(api.url, user=user)
            self.assertIn("/api/v1/nodes: answered 401: Unauthorized", self.fails("--kubeconfig", config))

    def test_a_command_gives_a_client_certificate(self):
        pki = self.certificates
        with open(pki.path("me.pem"), encoding="ascii") as certificate, open(pki.path("me.key"), encoding="ascii") as key:
            self.write("output", self.credential(clientCertificateData=certificate.read(), clientKeyData=key.read()))
        with ScriptedApi(OBJECTS, tls=pki.server("server", True)) as api:
            config = self.config(api.url, {"certificate-authority-data": pki.base64("ca.pem")},
                                 self.plugin(f"cat {self.path('output')}"))
            self.assertEqual(self.live("--kubeconfig", config), self.of_files())
            self.assertEqual(api.asked[-1]["certificate"]["subject"], ((("commonName", "me"),),))

    def test_a_command_that_fails_is_quoted(self):
        config = self.config("http://127.0.0.1:1", user=self.plugin("echo you are not logged in >&2; exit 3"))
        self.assertEqual(f"mirab: {config}:1: users[0].user.exec: '{self.path('bin/plugin')}' ended with status 3; "
                         "it says: you are not logged in\n", self.fails("--kubeconfig", config, status=2))
        os.remove(self.path("bin/plugin"))
        self.assertIn("No such file or directory; Ask your provider.", self.fails("--kubeconfig", config, status=2))
        config = self.config("http://192.0.2.1:1", user=self.plugin(f"touch {self.path('ran')}"))
        self.assertIn("without TLS", self.fails("--kubeconfig", config, status=2))
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_what_cannot_be_used_is_an_error_with_its_key(self):
        provider = {"auth-provider": {"name": "gcp"}}
        self.assertIn("users[0].user.auth-provider: is not supported; run `kubectl proxy`",
                      self.fails("--kubeconfig", self.config("http://127.0.0.1:1", user=provider), status=2))
        self.assertIn("basic authentication is refused", self.fails(
            "--kubeconfig", self.config("http://127.0.0.1:1", user={"username": "u", "password": SECRET}),
            status=2))
        self.assertIn("without TLS", self.fails(
            "--kubeconfig", self.config("http://192.0.2.1:1", user={"token": SECRET}), status=2))
        with ScriptedApi(OBJECTS, before=lambda *_: (200, "<html>", {})) as api:
            self.assertIn("/api/v1/nodes", self.fails("--kubeconfig", self.config(api.url)))
        with ScriptedApi({"Node": [], "Pod": [], "Namespace": []}) as api:
            self.assertIn("there is no node", self.fails("--kubeconfig", self.config(api.url), status=2))

    def test_files_and_the_api_server_are_not_mixed(self):
        self.assertIn("--live", self.fails("nodes.json", status=2))
        self.assertIn("NODES_AND_PODS", self.run_program().stderr)
        self.assertEqual(self.run_program().returncode, 2)
        self.assertEqual(self.run_program("--context", "x", "-").returncode, 2)

    def test_a_proxy_passes_it_on(self):
        pki = self.certificates
        with ScriptedApi(OBJECTS, tls=pki.server("server", False)) as api, Proxy() as proxy:
            config = self.config(api.url, {"certificate-authority-data": pki.base64("ca.pem"),
                                           "proxy-url": f"http://127.0.0.1:{proxy.port}"}, {"token": SECRET})
            self.assertEqual(self.live("--kubeconfig", config, NO_PROXY="127.0.0.1"), self.of_files())
            self.assertEqual(proxy.heads[0].split(b"\r\n")[0], f"CONNECT 127.0.0.1:{api.port} HTTP/1.1".encode())
            self.assertNotIn(SECRET.encode(), b"".join(proxy.heads))


class Proxy:
    """Tunnels every connection to where it asks to go."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heads = []
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            self.heads.append(head)
            host, port = head.split()[1].decode().split(":")
            server = socket.create_connection((host, int(port)))
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=pump, args=(source, target), daemon=True).start()


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def cluster_of(text):
    """The cluster file without the line that says by which command it was made."""
    return [line for line in text.splitlines() if not line.startswith("# Made by: ")]


if __name__ == "__main__":
    unittest.main()
