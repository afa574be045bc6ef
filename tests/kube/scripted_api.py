"""An API server of Kubernetes that answers lists from a table, as HTTP or HTTPS with client certificates."""

import base64
import http.server
import json
import os
import ssl
import subprocess
import threading
import urllib.parse

PATHS = {"/api/v1/nodes": "Node", "/api/v1/pods": "Pod", "/api/v1/namespaces": "Namespace",
         "/apis/policy/v1/poddisruptionbudgets": "PodDisruptionBudget",
         "/apis/policy/v1beta1/poddisruptionbudgets": "PodDisruptionBudget"}


class ScriptedApi:
    """`objects` by kind. `token`, where it is set, is asked for; `before` may answer (path, query) first, with
    (status, body, headers), or None."""

    def __init__(self, objects, token=None, tls=None, page=7, before=None):
        self.objects, self.token, self.page, self.before = objects, token, page, before
        self.version = 1000
        self.asked = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                owner.answer(self)

            do_POST = do_PUT = do_PATCH = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def answer(self, request):
        split = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(split.query))
        certificate = getattr(request.connection, "getpeercert", lambda: None)()
        self.asked.append({"path": split.path, "query": query, "certificate": certificate,
                           "host": request.headers["Host"], "agent": request.headers["User-Agent"]})
        self.send(request, *self.reply(split.path, query, request.headers))

    @staticmethod
    def send(request, status, body, headers):
        text = (body if isinstance(body, str) else json.dumps(body)).encode()
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def reply(self, path, query, headers):
        if self.token and headers["Authorization"] != "Bearer " + self.token:
            return 401, refusal(401, "Unauthorized"), {}
        answered = self.before and self.before(path, query)
        if answered:
            return answered
        kind = PATHS.get(path)
        if kind is None:
            return 404, refusal(404, "the server could not find the requested resource"), {}
        chosen = [each for each in self.objects[kind] if is_selected(each, query.get("fieldSelector"))]
        begin = int(query.get("continue", 0))
        end = begin + self.page if "limit" in query else len(chosen)
        metadata = {"resourceVersion": str(self.version)}
        if end < len(chosen):
            metadata["continue"] = str(end)
        items = [{key: value for key, value in each.items() if key not in ("kind", "apiVersion")}
                 for each in chosen[begin:end]]
        return 200, {"kind": kind + "List", "apiVersion": "v1", "metadata": metadata, "items": items}, {}


def is_selected(item, selector):
    for term in (selector or "").split(","):
        field, _, value = term.partition("!=")
        if field == "status.phase" and item.get("status", {}).get("phase") == value:
            return False
    return True


def refusal(code, message, reason=""):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message,
            "reason": reason}


class Certificates:
    """An authority in a folder, and what it has signed."""

    def __init__(self, folder):
        self.folder = folder
        self.openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca "
                     "-keyout ca.key -out ca.pem")

    def openssl(self, words):
        subprocess.run(["openssl", *words.split()], cwd=self.folder, check=True, capture_output=True)

    def sign(self, name, subject="IP:127.0.0.1"):
        with open(self.path(name + ".ext"), "w", encoding="ascii") as file:
            file.write(f"subjectAltName={subject}\n")
        self.openssl(f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} "
                     f"-keyout {name}.key -out {name}.csr")
        self.openssl(f"x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 "
                     f"-extfile {name}.ext -out {name}.pem")

    def path(self, name):
        return os.path.join(self.folder, name)

    def base64(self, name):
        with open(self.path(name), "rb") as file:
            return base64.b64encode(file.read()).decode()

    def server(self, name, asks_for_certificate):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path(name + ".pem"), self.path(name + ".key"))
        if asks_for_certificate:
            context.load_verify_locations(self.path("ca.pem"))
            context.verify_mode = ssl.CERT_REQUIRED
        return context
