"""A small cluster whose read API is asked, for the tests of the API and of the live page."""

from kube_case import KubeCase, free_port
from scripted_cluster import pod


def with_host_port(name, space):
    made = pod(name, space)
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    return made


class ReadCase(KubeCase):
    """Two nodes of 4 CPUs: a/one and b/two run, a/three fits nowhere now, a/large nowhere ever, b/port is refused."""

    def setUp(self):
        super().setUp()
        self.scripted = self.cluster(nodes=2)
        self.port = free_port()
        self.scheduler = self.start(self.scripted, "--listen", f"127.0.0.1:{self.port}")
        self.scripted.add(pod("one", "a", cpu="3"), pod("two", "b", cpu="3"))
        self.scripted.bound("one", "two")
        self.scripted.add(pod("three", "a", cpu="2"), pod("large", "a", cpu="5"), with_host_port("port", "b"))
        self.scripted.until(lambda: len(self.conditions()) == 3)
        self.scheduler.says("ready")

    def conditions(self):
        return {patch["metadata"]["uid"]: patch["status"]["conditions"][0] for patch in self.scripted.conditions}
