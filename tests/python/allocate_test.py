"""mirab.Cluster, mirab.allocate and mirab.explain."""

import gc
import os
import pathlib
import resource
import unittest

import mirab
import numpy as np

EXAMPLES = pathlib.Path(os.environ["MIRAB_SOURCE_DIR"]) / "examples"
SLIDES = dict(resources=["cpu", "memory"], servers=["pool"], users=["A", "B"])


def slides():
    return mirab.Cluster([[9, 18]], [[1, 4], [3, 1]], **SLIDES)


class Clusters(unittest.TestCase):
    def test_arrays_say_the_same_as_a_cluster_file(self):
        self.assertEqual(str(slides()), str(mirab.Cluster.read(EXAMPLES / "textbook.yaml")))
        self.assertEqual(str(mirab.Cluster.parse(str(slides()))), str(slides()))
        self.assertEqual((slides().resources, slides().servers, slides().users),
                         (["cpu", "memory"], ["pool"], ["A", "B"]))

    def test_json_is_read_as_well(self):
        text = """{"version": 1, "resources": ["cpu"], "servers": [{"name": "s", "capacity": {"cpu": 1}}],
                   "users": [{"name": "u", "demand": {"cpu": 1}}]}"""
        self.assertEqual(mirab.Cluster.parse(text).users, ["u"])

    def test_numbers_stay_what_they_are(self):
        large = 2**62 + 1
        cluster = mirab.Cluster(np.array([[large]]), np.array([[0.1]]))
        self.assertIn(str(large), str(cluster))
        self.assertIn("0.1}", str(cluster))
        cluster = mirab.Cluster(np.array([[8]], dtype=np.uint8), np.array([[2]], dtype=np.int32))
        self.assertEqual(mirab.allocate(cluster).tasks.tolist(), [4])

    def test_arrays_need_not_be_contiguous(self):
        every_second = np.arange(16).reshape(4, 4)[::2, ::2]
        cluster = mirab.Cluster(every_second + 1, np.asfortranarray([[1, 2], [3, 4]]))
        self.assertIn("r0: 9", str(cluster).replace('"', ""))

    def test_weights_limits_counts_and_eligibility_are_honoured(self):
        cluster = mirab.Cluster([[4], [4]], [[1], [1], [1]], counts=[1, 2], weights=[1, 2, 1],
                                tasks=[np.inf, np.inf, 1], eligible=np.array([[1, 0], [1, 1], [1, 1]], dtype=bool))
        allocation = mirab.allocate(cluster, "drfh")
        self.assertEqual(allocation.servers, ["s0", "s1"])
        np.testing.assert_allclose(allocation.tasks, [11 / 3, 22 / 3, 1], rtol=1e-9)
        np.testing.assert_allclose(allocation.tasks_on.sum(axis=1), allocation.tasks, rtol=1e-9)
        self.assertEqual(allocation.tasks_on[0, 1], 0)
        np.testing.assert_array_equal(allocation.capacity, [[4], [8]])

    def test_a_user_that_may_fit_nowhere_waits(self):
        capacities, demands = [[9, 0]], [[1, 0], [1, 1]]
        with self.assertRaises(mirab.Refused) as caught:
            mirab.Cluster(capacities, demands)
        self.assertEqual(caught.exception.key, "users[1].demand")
        self.assertIn("`may_fit_nowhere: true`", str(caught.exception))
        cluster = mirab.Cluster(capacities, demands, may_fit_nowhere=np.array([False, True]))
        np.testing.assert_allclose(mirab.allocate(cluster, "drf").tasks, [9, 0])
        np.testing.assert_array_equal(mirab.Cluster.parse(str(cluster)).eligible, [[True], [False]])

    def test_groups_in_arrays_say_the_same_as_a_cluster_file(self):
        rng = np.random.default_rng(1)
        for tree in range(60):
            m, G, N = rng.integers(1, 4), rng.integers(1, 6), rng.integers(1, 12)
            capacity = rng.integers(50, 100, (2, m))
            parents = np.array([rng.integers(-1, g) for g in range(G)])
            weights, member_of = rng.integers(1, 4, G), rng.integers(-1, G, N)
            demands = rng.integers(0, 4, (N, m)) + np.eye(N, m, dtype=int)
            demands[:, 0] += demands.sum(1) == 0
            # Guarantees fit: those of leaves of the tree, each no more than its part.
            guarantees = np.full((G, m), np.nan)
            for g in set(range(G)) - set(parents):
                if rng.integers(2): guarantees[g] = rng.integers(0, 50 // G + 1, m)
            limits = np.where(rng.integers(3, size=(G, m)) > 0, np.inf, rng.integers(60, 90, (G, m)))
            limits = np.maximum(limits, 50)
            reserved = np.where(np.isnan(guarantees), 0, np.floor(guarantees / 2))
            own = np.where(rng.integers(4, size=(N, m)) > 0, np.inf, rng.integers(5, 60, (N, m)))
            lines = ["version: 1", f"resources: [{', '.join(f'r{r}' for r in range(m))}]", "servers:"]
            amounts = lambda row: "{" + ", ".join(
                f"r{r}: {int(x)}" for r, x in enumerate(row) if np.isfinite(x)) + "}"
            lines += [f"  - {{name: s{i}, capacity: {amounts(row)}}}" for i, row in enumerate(capacity)]

            def group(g, indent):
                text = [f"{indent}- name: g{g}", f"{indent}  weight: {weights[g]}",
                        f"{indent}  limit: {amounts(limits[g])}", f"{indent}  reserved: {amounts(reserved[g])}"]
                if not np.isnan(guarantees[g]).any():
                    text.append(f"{indent}  guarantee: {amounts(guarantees[g])}")
                below = [c for c in range(G) if parents[c] == g]
                if below: text.append(f"{indent}  groups:")
                for c in below: text += group(c, indent + "    ")
                return text

            lines.append("groups:")
            for g in range(G):
                if parents[g] == -1: lines += group(g, "  ")
            lines.append("users:")
            members = {g: any(member_of == g) for g in range(G)}
            for n in range(N):
                where = f", group: g{member_of[n]}" if member_of[n] >= 0 else ""
                lines.append(f"  - {{name: u{n}, demand: {amounts(demands[n])}, limit: {amounts(own[n])}{where}}}")
            # A group without members is refused in both: everybody gets one.
            for g in range(G):
                if not members[g]: lines.append(f"  - {{name: u{N + g}, demand: {{r0: 1}}, group: g{g}}}")
            empty = [g for g in range(G) if not members[g]]
            names = [f"u{n}" for n in range(N)] + [f"u{N + g}" for g in empty]
            ones = np.zeros((len(empty), m), dtype=int)
            ones[:, 0] = 1
            arrays = mirab.Cluster(
                capacity, np.vstack([demands, ones]), users=names, group_parents=parents,
                group_weights=weights, group_guarantees=guarantees, group_limits=limits,
                group_reserved=reserved, user_groups=np.concatenate([member_of, empty]).astype(int),
                user_limits=np.vstack([own, np.full((len(empty), m), np.inf)]))
            file = mirab.Cluster.parse("\n".join(lines))
            self.assertEqual(sorted(arrays.groups), sorted(file.groups))
            for mechanism in "hdrf", "hdrfh":
                of_arrays, of_file = mirab.allocate(arrays, mechanism), mirab.allocate(file, mechanism)
                np.testing.assert_allclose(of_arrays.tasks, of_file.tasks, rtol=1e-7, atol=1e-9)

    def test_groups_that_cannot_be_are_refused_with_their_keys(self):
        def key(**groups):
            with self.assertRaises(mirab.Refused) as refused:
                mirab.Cluster([[9, 18]], [[1, 4], [3, 1]], **groups)
            return refused.exception.key
        self.assertEqual(key(group_parents=[-1, 1], user_groups=[0, 1]), "group_parents")
        self.assertEqual(key(group_parents=[-1], user_groups=[0, 1]), "user_groups")
        self.assertEqual(key(group_parents=[-1], user_groups=[0]), "user_groups")
        self.assertEqual(key(group_parents=[0.5], user_groups=[0, 0]), "group_parents")
        self.assertEqual(key(group_parents=[-1], user_groups=[0, 0], groups=["a", "b"]), "groups")
        self.assertEqual(key(group_parents=[-1], user_groups=[0, 0], group_weights=[1, 2]), "group_weights")
        self.assertEqual(key(group_parents=[-1], user_groups=[0, 0], group_limits=[[1]]), "group_limits")
        self.assertEqual(key(group_parents=[-1], user_groups=[0, 0], group_guarantees=[[1, np.nan]]),
                         "group_guarantees")
        self.assertEqual(key(group_parents=[-1], user_groups=[0, 0], group_guarantees=[[10, 0]]),
                         "groups[0].guarantee.r0")

    def test_what_cannot_be_is_refused_with_its_key(self):
        for key, arguments in {
            "capacities": ([9, 18], [[1, 4]]),
            "capacities[0, 1]": ([[9, -18]], [[1, 4]]),
            "demands": ([[9, 18]], [[1, 4, 1]]),
            "demands[1, 0]": ([[9, 18]], [[1.0, 4.0], [np.nan, 1.0]]),
            "users[0].demand": ([[9, 18]], [[0, 0]]),
        }.items():
            with self.assertRaises(mirab.Refused) as caught:
                mirab.Cluster(*arguments)
            self.assertEqual(caught.exception.key, key)
        for key, options in {
            "weights": {"weights": [1, 1, 1]},
            "weights[1]": {"weights": [1, -1]},
            "tasks": {"tasks": [1]},
            "tasks[0]": {"tasks": [-1, 1]},
            "counts": {"counts": [1.5]},
            "users": {"users": ["A"]},
            "eligible": {"eligible": np.ones((1, 1), dtype=bool)},
            "may_fit_nowhere": {"may_fit_nowhere": np.ones(1, dtype=bool)},
        }.items():
            with self.assertRaises(mirab.Refused) as caught:
                mirab.Cluster([[9, 18]], [[1, 4], [3, 1]], **options)
            self.assertEqual(caught.exception.key, key)

    def test_wrong_types_are_type_errors(self):
        for arguments, options in (
            (([["9"]], [[1]]), {}),
            (([[None]], [[1]]), {}),
            (([[True]], [[1]]), {}),
            (([[1j]], [[1]]), {}),
            ((None, [[1]]), {}),
            (([[1]], [[1]]), {"eligible": np.ones((1, 1))}),
            (([[1]], [[1]]), {"tasks": [None]}),
            (([[1]], [[1]]), {"users": "A"}),
        ):
            with self.assertRaises(TypeError):
                mirab.Cluster(*arguments, **options)

    def test_an_error_in_a_file_tells_where(self):
        with self.assertRaises(mirab.Refused) as caught:
            mirab.Cluster.read(EXAMPLES / "none.yaml")
        self.assertIn("none.yaml", caught.exception.file)
        with self.assertRaises(mirab.Refused) as caught:
            mirab.Cluster.parse("version: 1\nresources: cpu\n")
        self.assertEqual((caught.exception.key, caught.exception.line), ("resources", 2))


class Metrics(unittest.TestCase):
    def test_the_figures_are_those_of_the_slides(self):
        drf = mirab.allocate(slides(), "drf").metrics
        self.assertEqual((drf.gini, drf.jain, drf.ratio_20_20), (0, 1, 1))
        self.assertAlmostEqual(drf.min_dominant_share, 2 / 3)
        self.assertAlmostEqual(drf.utilization["cpu"], 1)
        self.assertAlmostEqual(drf.utilization["memory"], 14 / 18)
        self.assertEqual(list(drf.pareto_index), ["cpu", "memory"])
        self.assertAlmostEqual(drf.pareto_index["memory"], 12 - 9)
        self.assertLess(mirab.allocate(slides(), "pf").metrics.jain, 1)

    def test_a_resource_that_dominates_no_user_has_no_pareto_index(self):
        cluster = mirab.Cluster([[9, 18]], [[3, 1]], **{**SLIDES, "users": ["B"]})
        self.assertIsNone(mirab.allocate(cluster).metrics.pareto_index["memory"])


class Allocations(unittest.TestCase):
    def test_drf_gives_three_and_two_tasks_on_the_slides(self):
        for cluster in (slides(), EXAMPLES / "textbook.yaml", str(EXAMPLES / "textbook.yaml")):
            allocation = mirab.allocate(cluster, "drf")
            np.testing.assert_allclose(allocation.tasks, [3, 2], rtol=1e-12)
            np.testing.assert_allclose(allocation.shares, [2 / 3, 2 / 3], rtol=1e-12)
            np.testing.assert_allclose(allocation.bundles, [[3, 12], [6, 2]], rtol=1e-12)
            np.testing.assert_allclose(allocation.used, [[9, 14]], rtol=1e-12)
            self.assertEqual((allocation.status, allocation.mechanism), ("exact", "drf"))
            self.assertEqual(allocation.certificate.value, 0)
            self.assertEqual((allocation.servers, allocation.notices), (["pool"], []))
            self.assertIsNone(allocation.prices)
            self.assertGreaterEqual(allocation.seconds, 0)

    def test_proportional_fairness_has_prices_and_a_certificate(self):
        allocation = mirab.allocate(slides(), "pf")
        self.assertEqual(allocation.status, "converged")
        self.assertEqual(allocation.certificate.kind, "relative-duality-gap")
        self.assertLess(allocation.certificate.value, 1e-9)
        demands = np.array([[1, 4], [3, 1]])  # x_n (d_n·λ) = φ_n
        np.testing.assert_allclose(allocation.tasks * (demands @ allocation.prices[0]), [1, 1], rtol=1e-6)

    def test_options_stand_behind_a_colon(self):
        allocation = mirab.allocate(slides(), "alpha-fair:alpha=2", threads=2)
        self.assertEqual(allocation.mechanism, "alpha-fair:alpha=2")

    def test_an_array_is_what_runs_now(self):
        now = slides().with_running([[1], [2.5]])
        np.testing.assert_array_equal(now.running, [[1], [2.5]])
        self.assertIsNone(slides().running)
        given = mirab.allocate(now, "given")
        np.testing.assert_array_equal(given.tasks_on, [[1], [2.5]])
        self.assertEqual(given.status, "exact")
        np.testing.assert_array_equal(mirab.Cluster.parse(str(now)).running, now.running)
        with self.assertRaises(mirab.Refused) as refused:
            slides().with_running([[5], [0]])
        self.assertIn("more than fits", str(refused.exception))
        with self.assertRaises(mirab.Refused) as refused:
            slides().with_running([[1, 1], [0, 0]])
        self.assertEqual(refused.exception.key, "tasks_on")

    def test_a_cluster_shows_what_a_function_needs(self):
        cluster = mirab.Cluster([[4, 4], [8, 0]], [[1, 1], [2, 0]], weights=[1, 3], tasks=[5, float("inf")],
                                counts=[2, 1])
        np.testing.assert_array_equal(cluster.capacities, [[4, 4], [8, 0]])
        np.testing.assert_array_equal(cluster.demands, [[1, 1], [2, 0]])
        np.testing.assert_array_equal(cluster.weights, [1, 3])
        np.testing.assert_array_equal(cluster.tasks, [5, float("inf")])
        np.testing.assert_array_equal(cluster.counts, [2, 1])
        np.testing.assert_array_equal(cluster.eligible, [[True, False], [True, True]])

    def test_a_function_is_a_mechanism(self):
        def drf_again(cluster):
            return mirab.allocate(cluster, "drfh").tasks_on

        allocation = mirab.allocate(slides(), drf_again)
        self.assertEqual(allocation.mechanism, "drf_again")
        np.testing.assert_allclose(allocation.tasks, [3, 2])
        found = {each.property: each for each in mirab.audit(slides(), drf_again)}
        known = {each.property: each for each in mirab.audit(slides(), "drfh")}
        self.assertEqual({name: each.holds for name, each in found.items()},
                         {name: each.holds for name, each in known.items()})
        self.assertGreater(found["strategy-proofness"].tried, 10)
        self.assertFalse(found["resource-monotonicity"].holds)
        self.assertIsInstance(found["resource-monotonicity"].smallest, mirab.Cluster)

    def test_an_audit_of_what_runs_now_finds_what_is_unfair(self):
        found = {each.property: each for each in mirab.audit(slides().with_running([[0.5], [2.5]]))}
        self.assertIs(found["sharing-incentive"].holds, False)
        self.assertIn("A could run 2.25 tasks", found["sharing-incentive"].witness)
        self.assertIsNotNone(found["sharing-incentive"].smallest.running)
        self.assertIs(found["feasible"].holds, True)
        self.assertIsNone(found["strategy-proofness"].holds)
        self.assertIn("given", found["strategy-proofness"].note)
        with self.assertRaises(mirab.Refused):
            mirab.audit(slides())
        with self.assertRaises(mirab.Refused) as refused:
            mirab.audit(slides(), "drf", properties=["fairness"])
        self.assertEqual(refused.exception.key, "properties")

    def test_what_a_function_raises_comes_through(self):
        def broken(cluster):
            raise KeyError("no such thing")

        def greedy(cluster):
            return [[100]] * len(cluster.users)

        for call in (mirab.allocate, mirab.audit):
            with self.assertRaises(KeyError):
                call(slides(), broken)
            with self.assertRaises(mirab.Refused):
                call(slides(), greedy)

    def test_every_mechanism_divides_the_slides(self):
        for mechanism in mirab.mechanisms():
            options = ":alpha=2" if mechanism.startswith("alpha") else ""
            allocation = mirab.allocate(slides().with_running([[2], [2]]), mechanism + options)
            self.assertTrue((allocation.used <= allocation.capacity * (1 + 1e-9)).all(), mechanism)
            self.assertGreater(allocation.tasks.min(), 0, mechanism)

    def test_an_unknown_mechanism_is_refused(self):
        with self.assertRaisesRegex(mirab.Refused, "drf"):
            mirab.allocate(slides(), "drff")
        with self.assertRaises(mirab.Refused) as caught:
            mirab.allocate(slides(), threads=0)
        self.assertEqual(caught.exception.key, "threads")
        with self.assertRaises(TypeError):
            mirab.allocate(7)

    def test_arrays_are_the_callers_own(self):
        allocation = mirab.allocate(slides())
        tasks = allocation.tasks
        tasks[0] = 99
        self.assertAlmostEqual(allocation.tasks[0], 3)
        del allocation
        gc.collect()
        self.assertEqual(tasks[0], 99)
        self.assertEqual(mirab.allocate(slides()).cluster.users, ["A", "B"])


class Explanations(unittest.TestCase):
    def test_a_is_held_back_by_the_cpus_that_b_holds(self):
        why = mirab.explain(slides(), "A", "drf")
        self.assertEqual((why.user, why.mechanism, why.status, why.has_all_tasks), ("A", "drf", "exact", False))
        self.assertAlmostEqual(why.tasks, 3)
        self.assertAlmostEqual(why.dominant_share, 2 / 3)
        (cpu,) = why.bindings
        self.assertEqual((cpu.servers, cpu.resource, cpu.capacity, cpu.price), (["pool"], "cpu", 9, None))
        self.assertEqual([(other.user, round(other.amount, 9)) for other in cpu.others], [("B", 6)])
        self.assertEqual([what_if.change for what_if in why.what_ifs], ["server", "weight", "unit"])
        unit = why.what_ifs[2]
        self.assertEqual((unit.resource, unit.amount, unit.servers), ("cpu", 1, []))
        self.assertAlmostEqual(unit.tasks, 3 + unit.gain)
        self.assertEqual((why.untried, why.notices), (0, []))

    def test_a_stated_change_brings_what_it_states(self):
        weight = next(each for each in mirab.explain(slides(), "A").what_ifs if each.change == "weight")
        changed = mirab.Cluster([[9, 18]], [[1, 4], [3, 1]], weights=[weight.amount, 1])
        self.assertAlmostEqual(mirab.allocate(changed).tasks[0], weight.tasks)

    def test_only_so_many_changes_are_tried(self):
        why = mirab.explain(slides(), "A", what_ifs=1)
        self.assertEqual((len(why.what_ifs), why.untried), (1, 2))

    def test_an_unknown_user_is_refused(self):
        with self.assertRaises(mirab.Refused) as caught:
            mirab.explain(slides(), "C")
        self.assertEqual(caught.exception.key, "user")


class Module(unittest.TestCase):
    def test_the_registries_and_the_version_are_there(self):
        self.assertRegex(mirab.__version__, r"^\d+\.\d+\.\d+$")
        self.assertIn("ps-dsf", mirab.mechanisms())
        self.assertIn("mrfs", mirab.disciplines())
        self.assertEqual(next(iter(mirab.placements())), "first-fit")

    def test_everything_says_what_it_does(self):
        for name in dir(mirab):
            if not name.startswith("_"):
                self.assertTrue(getattr(mirab, name).__doc__, name)
        for name in dir(mirab.Engine):
            if not name.startswith("_"):
                self.assertTrue(getattr(mirab.Engine, name).__doc__, name)

    def test_the_stub_declares_what_there_is(self):
        import ast

        stub = ast.parse((EXAMPLES.parent / "src/python/mirab.pyi").read_text())
        declared = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        variables = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
        constants = {name for name in variables if not name.startswith("_")}
        self.assertEqual(set(declared) | constants, {name for name in dir(mirab) if not name.startswith("_")})
        for kind in ("Engine", "Cluster", "Allocation"):
            methods = {node.name for node in declared[kind].body if isinstance(node, ast.FunctionDef)}
            there = {name for name in dir(getattr(mirab, kind)) if not name.startswith("_")}
            self.assertEqual({name for name in methods if not name.startswith("_")}, there, kind)
        for name, node in declared.items():
            fields = [item.target.id for item in node.body if isinstance(item, ast.AnnAssign)]
            if hasattr(getattr(mirab, name), "n_fields"):
                self.assertEqual(fields, list(getattr(mirab, name).__match_args__), name)

    def test_nothing_leaks(self):
        def work():
            engine = mirab.Engine(["cpu"])
            engine.server_added("s", [10_000])
            engine.job_submitted(engine.user_added("u"), [1], 10_000)
            engine.step_all()
            mirab.allocate(slides()).tasks_on
            for act in (lambda: engine.task_finished(10**9), lambda: engine.step("now")):
                try:
                    act()
                except (mirab.Refused, TypeError):
                    pass

        for _ in range(20):
            work()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(200):
            work()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 20_000)  # KiB


if __name__ == "__main__":
    unittest.main()
