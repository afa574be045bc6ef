"""Scenarios of who may ask: credentials that change while the scheduler runs, and what `mirab kube manifest` gives it."""

import http.client
import json
import os
import re
import shutil
import subprocess
import time

from kubernetes import USER, free_port, node, path_of, pod
from trial import Trial, demand

TOKEN_SECONDS = 600  # the shortest that the API server gives


def token_of(api, space, account, bound_to=None):
    """A token of a service account; with a secret's name and uid it ends with that secret."""
    spec = {"expirationSeconds": TOKEN_SECONDS}
    if bound_to:
        spec["boundObjectRef"] = {"kind": "Secret", "apiVersion": "v1", **bound_to}
    answer = api.ask("POST", path_of("serviceaccounts", space, account, "token"), {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
    return answer["status"]["token"]


def write_kubeconfig(cluster, name, user):
    """A kubeconfig in the cluster's folder of a user who is given as its fields."""
    file = cluster.folder / f"{name}.kubeconfig"
    config = json.loads(cluster.kubeconfig("admin").read_text(encoding="ascii"))
    config["users"] = [{"name": "admin", "user": user}]
    file.write_text(json.dumps(config), encoding="ascii")
    return file


def replace_file(path, text):
    path.with_suffix(".new").write_text(text, encoding="ascii")
    os.rename(path.with_suffix(".new"), path)


def status_of(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()


class Binder:
    """Makes one small pod after the other."""

    def __init__(self, trial):
        self.trial, self.count = trial, 0

    def bind_one(self, seconds, why):
        """The seconds until it is bound."""
        self.count += 1
        name = f"p{self.count}"
        self.trial.api.create("pods", pod(name, "u1", requests={"cpu": "10m"}))
        return self.trial.wait(lambda: any(each["metadata"]["name"] == name and each["spec"].get("nodeName")
                                           for each in self.trial.pods()), seconds, f"{name} was not bound: {why}")


def end_of_credentials(trial, scheduler, binder, port, what, gaps, renew):
    """The end of K6: what the scheduler has ends. It is not ready and goes on running; it is ready again when there is
    another, and binds what came meanwhile. The figures of K6; `gaps` are the seconds that binding took before."""
    waiting, deadline = 0, time.monotonic() + 90
    while status_of(port, "/readyz") != 503:  # as soon as it has to ask for something
        demand(time.monotonic() < deadline, f"it is ready without a {what} that holds")
        waiting += 1
        trial.api.create("pods", pod(f"waits{waiting}", "u2", requests={"cpu": "10m"}))
        time.sleep(1)
    demand(scheduler.is_running(), f"it ended without a {what} that holds")
    renew()
    back = binder.bind_one(90, f"there is a {what} again")
    trial.wait(lambda: status_of(port, "/readyz") == 200, 60, f"it is not ready with a {what} that holds")
    trial.wait(lambda: all(each["spec"].get("nodeName") for each in trial.pods()), 60,
               f"pods that came while no {what} held are not bound afterwards")
    trial.check_referee()
    return {"pods": binder.count, "longest_gap_s": max(gaps), "back_after_s": back}


def rotation(choice):
    """K6: the token of a service account is replaced and the old one ends: no gap. The next one ends without another: not
    ready, and back when there is one again."""
    with Trial(choice) as trial:
        demand(trial.is_mirab, "K6 is for Mirab: kube-scheduler has no readiness of this kind")
        space, api = "kube-system", trial.api
        trial.some_nodes(30)
        api.create("serviceaccounts", {"metadata": {"name": "mirab", "namespace": space}})
        file, port = trial.cluster.folder / "token", free_port()

        def issue(name):
            made = api.create("secrets", {"metadata": {"name": name, "namespace": space}})
            replace_file(file, token_of(api, space, "mirab", {"name": name, "uid": made["metadata"]["uid"]}))

        issue("first")
        config = write_kubeconfig(trial.cluster, "rotating", {"tokenFile": str(file)})
        scheduler = trial.run_mirab(config, ["kube", "--no-leader-elect", f"--listen=127.0.0.1:{port}"])
        binder = Binder(trial)
        binder.bind_one(30, "at the start")
        gaps = []
        for number in range(3):
            old = ("first", "second", "third")[number]
            issue(("second", "third", "last")[number])
            api.delete("secrets", space, old)
            deadline = time.monotonic() + 20  # the API server keeps verdicts about tokens for 10 s
            while time.monotonic() < deadline:
                gaps.append(binder.bind_one(20, f"the token {old} was replaced"))
                time.sleep(0.3)
        api.delete("secrets", space, "last")
        return end_of_credentials(trial, scheduler, binder, port, "token", gaps, lambda: issue("again"))


def sign_user(cluster, name, seconds):
    """A client certificate of the scheduler's user that ends so soon, in the files `client.crt` and `client.key`."""
    folder, end = cluster.folder, time.gmtime(time.time() + seconds)
    (folder / "ca.cnf").write_text(
        "[ca]\ndefault_ca=here\n[here]\ndatabase=index.txt\nnew_certs_dir=.\nserial=serial.txt\ndefault_md=sha256\n"
        "policy=any\nunique_subject=no\n[any]\ncommonName=supplied\n", encoding="ascii")
    (folder / "index.txt").touch()

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
            "-subj", "/CN=" + USER)
    openssl("ca", "-batch", "-config", "ca.cnf", "-create_serial", "-cert", "ca.crt", "-keyfile", "ca.key", "-notext",
            "-startdate", "20200101000000Z", "-enddate", time.strftime("%Y%m%d%H%M%SZ", end), "-in", f"{name}.csr",
            "-out", f"{name}.crt")
    for ending in ("key", "crt"):
        os.rename(folder / f"{name}.{ending}", folder / f"client.{ending}")


def certificates(choice):
    """K6: the client certificate is replaced before it ends: no gap when it has ended. The next one ends without another:
    not ready, and back when there is one again."""
    with Trial(choice) as trial:
        demand(trial.is_mirab, "K6 is for Mirab: kube-scheduler has no readiness of this kind")
        api, folder, port = trial.api, trial.cluster.folder, free_port()
        trial.some_nodes(30)
        started = time.monotonic()
        sign_user(trial.cluster, "first", 20)
        config = write_kubeconfig(trial.cluster, "certified", {"client-certificate": str(folder / "client.crt"),
                                                               "client-key": str(folder / "client.key")})
        scheduler = trial.run_mirab(config, ["kube", "--no-leader-elect", f"--listen=127.0.0.1:{port}"])
        binder = Binder(trial)
        binder.bind_one(20, "at the start")
        sign_user(trial.cluster, "second", 60)
        gaps = []
        while time.monotonic() < started + 45:
            gaps.append(binder.bind_one(20, "the certificate was replaced before it ended"))
            time.sleep(0.3)
        return end_of_credentials(trial, scheduler, binder, port, "certificate", gaps,
                                  lambda: sign_user(trial.cluster, "third", 3600))


def manifest(choice):
    """What `mirab kube manifest` prints is taken by kubectl apply, twice, and its rights are enough: to bind with a lease,
    to report, and with --preempt to evict. Its requests are in their own flow."""
    with Trial(choice) as trial:
        demand(trial.is_mirab, "the manifest is Mirab's")
        demand(shutil.which("kubectl"), "no kubectl here; tools/setup clusters installs it")
        admin, api, space = trial.cluster.kubeconfig("admin"), trial.api, "mirab-system"

        def apply(*words):
            text = subprocess.run([choice.program, "kube", "manifest", "--flow-schema", "v1beta1", *words],
                                  check=True, text=True, capture_output=True).stdout
            ran = subprocess.run(["kubectl", "--kubeconfig", admin, "apply", "-f", "-"], input=text, text=True,
                                 capture_output=True, check=False)
            demand(ran.returncode == 0, f"kubectl apply: {ran.stderr}")
            return [line.rsplit(" ", 1)[1] for line in ran.stdout.splitlines()]

        created = apply()
        demand(set(created) == {"created"}, f"kubectl apply says {created}")
        demand(set(apply()) == {"unchanged"}, "the second kubectl apply changes something")

        def start():
            container = api.get("apps/v1/deployments", space, "mirab")["spec"]["template"]["spec"]["containers"][0]
            words = [word for word in container["args"] if not re.match(r"--listen|0\.0\.0\.0", word)]
            config = write_kubeconfig(trial.cluster, "account", {"token": token_of(api, space, "mirab")})
            return trial.run_mirab(config, words)

        trial.make_nodes(node(f"n{number}", cpu="4", memory="16Gi") for number in range(4))
        scheduler = start()
        owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}]
        for number in range(17):
            thing = pod(f"p{number}", "u1", requests={"cpu": "1"})
            thing["metadata"]["ownerReferences"] = owner
            api.create("pods", thing)
        trial.wait(lambda: trial.count_bound() == 16, 40, lambda: f"{trial.count_bound()} of 16 pods were bound")
        trial.wait(lambda: any(each["status"].get("conditions") for each in trial.pods() if not each["spec"].get("nodeName")),
                   20, "the pod that waits has no condition")
        reasons = {each["reason"] for each in api.get("events.k8s.io/v1/events", "u1")["items"]}
        demand({"Scheduled", "FailedScheduling"} <= reasons, f"the events are {reasons}")
        flows = {each["metadata"]["uid"]: each["metadata"]["name"]
                 for each in api.get("flowcontrol.apiserver.k8s.io/v1beta1/flowschemas")["items"]}
        own = api.copy()
        own.token = token_of(api, space, "mirab")
        connection = own._open(10)  # pylint: disable=protected-access  # the header is in no answer of ask()
        connection.request("GET", "/api/v1/nodes?limit=1", headers={"Authorization": "Bearer " + own.token})
        flow = flows.get(connection.getresponse().getheader("X-Kubernetes-PF-FlowSchema-UID"))
        connection.close()
        demand(flow == "mirab", f"its requests are in the flow {flow}")
        demand(scheduler.stop() == 0, f"it ended badly: {scheduler.tail()}")

        apply("--preempt")
        start()
        thing = pod("new", "u2", requests={"cpu": "1"})
        api.create("pods", thing)
        trial.wait(lambda: any(each["metadata"]["name"] == "new" and each["spec"].get("nodeName") for each in trial.pods()),
                   40, "with --preempt no pod was evicted for the newcomer")
        trial.check_referee()
        return {"objects": len(created), "flow": flow}
