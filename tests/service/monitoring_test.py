"""The alert rules and the dashboard: Prometheus takes them, and each figure they name is one that a service has."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from document import SOURCE
from running import JOB, Service, make_file, set_up

PROGRAM = sys.argv.pop(1)
FOLDER = os.path.join(SOURCE, "examples", "monitoring")
RULES = os.path.join(FOLDER, "mirab-alerts.yml")
HERE = os.path.dirname(os.path.abspath(__file__))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def panels():
    return json.loads(read(os.path.join(FOLDER, "mirab-grafana.json")))["panels"]


def expressions():
    """Of the dashboard, as Prometheus would get them."""
    for panel in panels():
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")


def named(text):
    """The metrics of the service that a text names."""
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"\bmirab_\w+", text)}


def promtool(*arguments):
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True)


class Monitoring(unittest.TestCase):
    def test_each_metric_that_is_named_is_one_of_a_service(self):
        with tempfile.TemporaryDirectory() as folder:
            service = Service(PROGRAM, make_file(PROGRAM, folder))
            self.addCleanup(service.end)
            client = service.client()
            set_up(client)
            self.assertEqual(client.put("/v1/queues/ml/jobs/train", JOB)[0], 201)
            text = client.get("/metrics")[1]
        has = set(re.findall(r"(?m)^# TYPE (mirab_\w+)", text))
        # A service with TLS has these besides (docs/how-to/tls.md is a test of it).
        of_tls = {"mirab_tls_expiry_timestamp_seconds", "mirab_tls_failed_reloads_total"}
        self.assertIn("mirab_waiting_tasks", has)
        self.assertEqual(named(read(RULES)) - has - of_tls, set())
        self.assertEqual(named("\n".join(expressions())) - has - of_tls, set())
        # And none is left out, but whether this process decides, which is always so.
        self.assertEqual((has | of_tls) - named(read(RULES)) - named("\n".join(expressions())), {"mirab_leader"})

    def test_the_panels_stand_beside_each_other(self):
        taken = set()
        for panel in panels():
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            self.assertLessEqual(place["x"] + place["w"], 24)
            taken |= cells

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool here")
    def test_prometheus_takes_the_rules_and_they_fire_when_they_should(self):
        done = promtool("check", "rules", RULES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            for file in (RULES, os.path.join(HERE, "alerts_test.yml")):
                shutil.copy(file, folder)
            done = promtool("test", "rules", os.path.join(folder, "alerts_test.yml"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool here")
    def test_prometheus_understands_the_questions_of_the_dashboard(self):
        rules = [{"record": f"panel:{n}", "expr": each} for n, each in enumerate(expressions())]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
            file.flush()
            done = promtool("check", "rules", file.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
