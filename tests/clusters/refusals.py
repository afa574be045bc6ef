"""What is refused: pods with a field that Mirab does not honour yet, and binds that a webhook forbids."""

import base64
import collections
import contextlib
import http.server
import json
import ssl
import threading

from kubernetes import free_port


def refused_fields(trial):
    """name → (the field that the Event names, what the pod's spec has): every R of release 1 that a 1.20 server knows.
    Makes the objects that the pods name."""
    api, selector = trial.api, {"matchLabels": {"app": "other"}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    api.create("persistentvolumes", {"metadata": {"name": "disk"}, "spec": {
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/none"},
        "storageClassName": "", "claimRef": {"namespace": "u1", "name": "bound"}}})
    api.create("persistentvolumeclaims", {
        "metadata": {"name": "bound", "namespace": "u1", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {**claim, "volumeName": "disk", "storageClassName": ""}})
    api.patch("persistentvolumeclaims", "u1", "bound", {"status": {"phase": "Bound"}}, "status")
    api.create("storage.k8s.io/v1/storageclasses", {
        "metadata": {"name": "late"}, "provisioner": "test/none", "volumeBindingMode": "WaitForFirstConsumer"})
    api.create("persistentvolumeclaims", {"metadata": {"name": "late", "namespace": "u1"},
                                          "spec": {**claim, "storageClassName": "late"}})
    term = {"labelSelector": selector, "topologyKey": "zone"}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}

    def volume(**source):
        return {"volumes": [{"name": "v", **source}]}

    return {
        "pod-affinity": ("spec.affinity.podAffinity", {"affinity": {"podAffinity": required}}),
        "pod-anti-affinity": ("spec.affinity.podAntiAffinity", {"affinity": {"podAntiAffinity": required}}),
        "host-port": ("hostPort", {"ports": [{"containerPort": 80, "hostPort": 8080}]}),
        "spread": ("spec.topologySpreadConstraints", {"topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]}),
        "bound-claim": ("spec.volumes", volume(persistentVolumeClaim={"claimName": "bound"})),
        "late-claim": ("spec.volumes", volume(persistentVolumeClaim={"claimName": "late"})),
        "cloud-disk": ("spec.volumes", volume(awsElasticBlockStore={"volumeID": "vol-1"})),
        "iscsi": ("spec.volumes", volume(iscsi={"targetPortal": "127.0.0.1", "iqn": "iqn.2001-04.test:a", "lun": 0})),
        "inline-csi": ("spec.volumes", volume(csi={"driver": "test.none"})),
    }


@contextlib.contextmanager
def bind_refuser(trial, *namespaces, refuses=lambda: True):
    """While it lasts, the API server refuses binds in the namespaces: each, or those for which `refuses` says so. Gives
    name of the pod → how many tries were seen."""
    tries = collections.Counter()

    class Webhook(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # noqa: N802
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
            tries[request["name"]] += 1
            verdict = {"allowed": False, "status": {"code": 403, "message": "no binds here"}} if refuses() else {"allowed": True}
            answer = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                                 "response": {"uid": request["uid"], **verdict}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    folder, port = trial.cluster.folder, free_port()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.crt", folder / "server.key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Webhook)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in namespaces:
        trial.api.patch("namespaces", None, name, {"metadata": {"labels": {"binds": "refused"}}})
    trial.api.create("admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        "metadata": {"name": "refuse-binds"}, "webhooks": [{
            "name": "binds.test.none", "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
            "namespaceSelector": {"matchLabels": {"binds": "refused"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods/binding"]}],
            "clientConfig": {"url": f"https://127.0.0.1:{port}/",
                             "caBundle": base64.b64encode(trial.cluster.ca.encode()).decode()}}]})
    try:
        yield tries
    finally:
        server.shutdown()
        server.server_close()
