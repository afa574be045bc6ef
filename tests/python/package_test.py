"""The package: its types, and how results are shown, compared and simulated."""

import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest

import mirab
import numpy as np

SOURCE = pathlib.Path(os.environ["MIRAB_SOURCE_DIR"])
PACKAGE = pathlib.Path(mirab.__file__).parent

TYPED = """
import mirab
from mirab import Allocation, Cluster

cluster = Cluster([[9, 18]], [[1, 4], [3, 1]])
drf: Allocation = mirab.allocate(cluster)
shares: float = drf.metrics.gini + mirab.diff(drf, drf).users[0].change
words: list[str] = [verdict.property for verdict in mirab.audit(cluster, "drf")]
held: float = mirab.explain(cluster, "A").bindings[0].held
kind: str = mirab.simulate({"kind": "traffic"}, seed=1)["kind"]
table = drf.to_frame()
html: str = mirab.page(drf, drf, title="two")
engine = mirab.Engine(["cpu"], half_life=5)
placed = engine.step()
task: int = placed.task if placed is not None else 0
"""


def slides(**more):
    return mirab.Cluster([[9, 18]], [[1, 4], [3, 1]], users=["A", "<B>"], **more)


def mypy(text):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.py"
        program.write_text(text)
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(PACKAGE.parent / ".mypy_cache"), str(program)],
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}, capture_output=True, text=True)


class Types(unittest.TestCase):
    def test_a_typed_program_is_clean_and_a_wrong_one_is_not(self):
        right = mypy(TYPED)
        self.assertEqual(right.returncode, 0, right.stdout + right.stderr)
        for wrong in ("mirab.allocate(cluster, mechansim='drf')", "drf.tsks", "task = placed.task",
                      "share: str = mirab.diff(drf, drf).users[0].change", "mirab.simulate(3)", "mirab.page(cluster)"):
            found = mypy(TYPED + wrong + "\n")
            self.assertIn("Found 1 error", found.stdout, wrong)

    def test_the_package_itself_is_strictly_typed(self):
        found = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ".mypy_cache", "mirab"], cwd=PACKAGE.parent,
            capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout)
        self.assertTrue((PACKAGE / "py.typed").is_file())

    def test_its_types_belong_to_it(self):
        for name in dir(mirab):
            if not name.startswith("_") and isinstance(getattr(mirab, name), type):
                self.assertEqual(getattr(mirab, name).__module__, "mirab", name)
        share = mirab.diff(mirab.allocate(slides()), mirab.allocate(slides())).users[0]
        self.assertEqual(pickle.loads(pickle.dumps(share)), share)


class WithoutNumpy(unittest.TestCase):
    def test_the_client_of_a_service_needs_the_standard_library_alone(self):
        program = """
import sys
sys.modules["numpy"] = None  # as where it is not installed
from mirab import client
from mirab.client import Client
import mirab
assert "mirab._core" not in sys.modules
try:
    mirab.Cluster
except AttributeError as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mirab.Cluster needs numpy", done.stdout)


class Shown(unittest.TestCase):
    def test_an_allocation_says_what_it_is(self):
        self.assertEqual(repr(mirab.allocate(slides(tasks=[2, np.inf]))),
                         "<mirab.Allocation drf: 2 users on 1 server, exact; 1 of 2 get all they ask for>")
        self.assertNotIn("ask for", repr(mirab.allocate(slides())))

    def test_a_notebook_shows_a_table_with_escaped_names(self):
        table = mirab.allocate(slides(tasks=[2, np.inf]))._repr_html_()
        self.assertIn("<th scope=row>&lt;B&gt;</th><td>2.33333</td><td>endless</td>", table)
        self.assertIn("<th scope=row>A</th><td>2</td><td>2</td><td>44.44%</td>", table)
        many = mirab.Cluster([[100]], [[1]] * 70)
        self.assertIn("<p>10 more users</p>", mirab.allocate(many)._repr_html_())

    def test_a_frame_has_a_row_for_each_user(self):
        frame = mirab.allocate(slides(tasks=[2, np.inf], resources=["cpu", "memory"])).to_frame()
        self.assertEqual(list(frame.columns), ["tasks", "asked", "satisfied", "share", "dominant", "cpu", "memory"])
        self.assertEqual(frame.index.name, "user")
        self.assertEqual(list(frame.index), ["A", "<B>"])
        self.assertEqual(frame["satisfied"].tolist(), [True, False])
        self.assertEqual(frame["asked"].tolist(), [2, np.inf])
        self.assertEqual(frame["dominant"].tolist(), ["memory", "cpu"])
        np.testing.assert_allclose(frame[["cpu", "memory"]], mirab.allocate(slides(tasks=[2, np.inf])).bundles)

    def test_the_one_of_no_tasks_is_shown_too(self):
        frame = mirab.allocate(slides(tasks=[0, 0])).to_frame()
        self.assertEqual(frame["tasks"].tolist(), [0, 0])


class Differences(unittest.TestCase):
    def test_the_textbook_gains_and_losses(self):
        found = mirab.diff(mirab.allocate(slides()), mirab.allocate(slides(), "asset"))
        self.assertEqual([(each.user, round(each.change, 4)) for each in found.users], [("<B>", 0.08), ("A", -0.16)])
        self.assertEqual((found.gainers, found.losers, found.gone, found.come), (1, 1, [], []))
        self.assertAlmostEqual(found.tasks_before, 5)
        self.assertEqual([each.resource for each in found.used], ["r0", "r1"])
        self.assertAlmostEqual(found.used[1].before, 14 / 18)

    def test_users_of_one_side_are_apart_and_shares_are_of_the_cluster_before(self):
        before = mirab.allocate(mirab.Cluster([[10]], [[1], [1]], users=["a", "b"]))
        after = mirab.allocate(mirab.Cluster([[20]], [[1], [1]], users=["b", "c"]))
        found = mirab.diff(before, after)
        self.assertEqual([each.user for each in found.gone], ["a"])
        self.assertEqual([(each.user, each.before) for each in found.come], [("c", None)])
        (b,) = found.users
        self.assertAlmostEqual(b.after.share, 0.5)
        self.assertAlmostEqual(b.after.share_of_before, 1)

    def test_only_allocations_are_compared(self):
        with self.assertRaises(TypeError):
            mirab.diff(slides(), slides())


class Pages(unittest.TestCase):
    def drawn(self, *allocations, **more):
        page = mirab.page(*allocations, **more)
        self.assertTrue(page.startswith("<!doctype html>"))
        data = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        return json.loads(data.group(1))

    def test_mechanisms_and_one_of_your_own_are_drawn_side_by_side(self):
        own = slides().with_running([[0.5], [2.5]])
        drawn = self.drawn(mirab.allocate(slides(), "drf"), mirab.allocate(own, "given"), title="Mine")
        self.assertEqual(drawn["title"], "Mine")
        self.assertEqual([each["mechanism"] for each in drawn["outcomes"]], ["drf", "given"])
        self.assertEqual([each["tasks"] for each in drawn["outcomes"][1]["users"]], [0.5, 2.5])

    def test_a_function_is_drawn_as_what_it_gives_whatever_its_name(self):
        def drf(cluster):
            return [[1], [1]]

        drawn = self.drawn(mirab.allocate(slides(), drf))
        self.assertEqual([each["tasks"] for each in drawn["outcomes"][0]["users"]], [1, 1])

    def test_two_of_your_own_and_two_clusters_are_refused(self):
        own = mirab.allocate(slides().with_running([[1], [1]]), "given")
        with self.assertRaises(mirab.Refused):
            mirab.page(own, own)
        with self.assertRaises(mirab.Refused):
            mirab.page(own, mirab.allocate(slides(weights=[1, 2])))


class Simulations(unittest.TestCase):
    TRAFFIC = {"kind": "traffic", "capacity": {"cpu": 1}, "mechanisms": ["drf"], "jobs": 200,
               "classes": [{"name": "a", "demand": {"cpu": 1}, "arrivals": 1}],
               "load": {"resource": "cpu", "at": [0.5]}}

    def test_a_mapping_and_a_file_are_run_and_the_seed_decides(self):
        once = mirab.simulate(self.TRAFFIC, seed=3)
        self.assertEqual(once, mirab.simulate(self.TRAFFIC, seed=3, threads=2))
        self.assertNotEqual(once["points"], mirab.simulate(self.TRAFFIC, seed=4)["points"])
        self.assertEqual(mirab.simulate(SOURCE / "examples/traffic-liars.yaml")["kind"], "traffic")

    def test_a_wrong_scenario_is_refused_with_its_key(self):
        with self.assertRaises(mirab.Refused) as caught:
            mirab.simulate({**self.TRAFFIC, "jobs": -1})
        self.assertIn("jobs", str(caught.exception))
        self.assertFalse(str(caught.exception).startswith("mirab: "))

    def test_without_the_program_it_says_where_it_was_looked_for(self):
        named, path = os.environ.pop("MIRAB_PROGRAM"), os.environ["PATH"]
        try:
            os.environ["PATH"] = "/nowhere"
            with self.assertRaises(FileNotFoundError) as caught:
                mirab.simulate(self.TRAFFIC)
            self.assertIn("MIRAB_PROGRAM", str(caught.exception))
        finally:
            os.environ.update(MIRAB_PROGRAM=named, PATH=path)


if __name__ == "__main__":
    unittest.main()
