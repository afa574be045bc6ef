"""mirab.Engine: every method, what is refused, and that decisions are those of the engine in C++."""

import datetime
import decimal
import fractions
import json
import pathlib
import pickle
import random
import signal
import tempfile
import unittest

import mirab
import numpy as np


def slides():
    """The slides' table 1: 9 CPUs and 18 GB; tasks of A take (1, 4), of B (3, 1)."""
    engine = mirab.Engine(["cpu", "memory"], tie="last")
    engine.server_added("pool", [9, 18])
    a, b = engine.user_added("A"), engine.user_added("B")
    return engine, a, engine.job_submitted(a, [1, 4], 100), b, engine.job_submitted(b, [3, 1], 100)


class Steps(unittest.TestCase):
    def test_drf_serves_a_three_times_and_b_twice_on_the_slides(self):
        engine, a, of_a, b, of_b = slides()
        placed = list(iter(engine.step, None))
        self.assertEqual([each.user for each in placed], [b, a, a, b, a])
        self.assertEqual(placed[0], mirab.Placed((0, of_b, b, 0, (), (), 0)))
        self.assertEqual(engine.user(a)[:2], ((3, 12), 3))
        self.assertAlmostEqual(engine.user(b).dominant_share, 2 / 3)
        self.assertIsNone(engine.user(b).decayed_share)
        self.assertEqual(engine.job(of_a), mirab.JobState((a, 97, 3)))
        self.assertEqual(engine.server(0), mirab.ServerState(((9, 18), (0, 4), False)))
        self.assertFalse(engine.fits(of_a))

    def test_step_all_gives_the_steps_as_an_array(self):
        one_by_one, *_ = slides()
        engine, *_ = slides()
        first = engine.step_all(most=2)
        rest = engine.step_all(now=5)
        self.assertEqual(engine.now, 5)
        self.assertEqual(first.dtype.names, ("task", "job", "user", "server", "preempted"))
        self.assertEqual(rest["task"].dtype, np.uint64)
        rows = first.tolist() + rest.tolist()
        self.assertEqual(rows, [(*each[:4], False) for each in iter(one_by_one.step, None)])
        self.assertEqual(len(engine.step_all()), 0)
        self.assertEqual(len(engine.step_all(most=0)), 0)
        engine.task_finished(rest["task"][0])

    def test_an_array_outlives_its_engine(self):
        engine, *_ = slides()
        rows = engine.step_all()
        del engine
        self.assertEqual(rows["user"].tolist(), [1, 0, 0, 1, 0])

    def test_the_seed_repeats_what_is_drawn(self):
        def servers(seed):
            engine = mirab.Engine(["cpu"], "fifo", "random", seed=seed)
            for _ in range(50):
                engine.server_added("s", [10])
            engine.job_submitted(engine.user_added("u"), [1], 400)
            return engine, engine.step_all(most=200)["server"].tolist()

        engine, drawn = servers(1)
        self.assertEqual(drawn, servers(1)[1])
        self.assertNotEqual(drawn, servers(2)[1])
        engine.seed(1)
        again = mirab.Engine.restore(engine.snapshot(), seed=1)
        self.assertEqual(engine.step(), again.step())

    def test_records_can_be_unpacked_printed_and_pickled(self):
        engine, *_ = slides()
        placed = engine.step()
        task, job, user, server, others, preempted, role = placed
        self.assertEqual((task, job, user, server, others, preempted, role), (0, 1, 1, 0, (), (), 0))
        self.assertEqual(repr(placed), "mirab.Placed(task=0, job=1, user=1, server=0, others=(), preempted=(), role=0)")
        self.assertEqual(pickle.loads(pickle.dumps(placed)), placed)


class Events(unittest.TestCase):
    def test_servers_users_and_jobs_come_and_go(self):
        engine = mirab.Engine(("cpu",), discipline="fifo")
        s = engine.server_added("s", (1,), labels={"disk": "ssd"})
        t = engine.server_added("t", np.array([1]), labels={"disk": "hdd"})
        u = engine.user_added("u", "0.5")
        engine.user_reweighted(u, 2)
        job = engine.job_submitted(u, np.array([1]), 3, servers=["s"], select={"disk": ["ssd"]})
        self.assertEqual((engine.server_count, engine.user_count, engine.job_count), (2, 1, 1))
        self.assertEqual(engine.step().server, s)
        self.assertIsNone(engine.step())
        engine.server_changed(s, [2])
        engine.server_drained(s)
        self.assertTrue(engine.server(s).drained)
        self.assertIsNone(engine.step())
        engine.server_reopened(s)
        failed = engine.step()
        self.assertEqual(engine.running_count, 2)
        engine.task_failed(failed.task)
        self.assertEqual(engine.job(job), (u, 2, 1))
        lost = engine.server_failed(s)
        self.assertEqual(lost, [mirab.Lost((0, job))])
        self.assertIsNone(engine.server(s))
        engine.server_removed(t)
        self.assertEqual(engine.job_cancelled(job), [])
        self.assertIsNone(engine.job(job))
        engine.user_removed(u)
        self.assertIsNone(engine.user(u))
        self.assertEqual((engine.server_count, engine.user_count, engine.job_count, engine.running_count), (0,) * 4)

    def test_a_task_may_demand_something_else_on_some_servers(self):
        engine = mirab.Engine(["cpu"])
        engine.server_added("fast", [4])
        u = engine.user_added("u")
        engine.job_submitted(u, [2], 9, demand_on={"fast": [1]})
        self.assertEqual(len(engine.step_all()), 4)

    def test_cancelling_tells_what_ran(self):
        engine, _, of_a, _, _ = slides()
        tasks = [row["task"] for row in engine.step_all() if row["job"] == of_a]
        self.assertEqual(sorted(lost.task for lost in engine.job_cancelled(of_a)), tasks)

    def test_time_is_nanoseconds_or_a_timedelta_and_stays_when_left_out(self):
        engine = mirab.Engine(["cpu"])
        self.assertIsNone(engine.now)
        engine.user_added("u")
        self.assertEqual(engine.now, 0)
        engine.user_added("v", now=datetime.timedelta(seconds=2, microseconds=1))
        self.assertEqual(engine.now, 2_000_001_000)
        engine.user_added("w", now=np.int64(2_000_001_001))
        engine.user_added("x")
        self.assertEqual(engine.now, 2_000_001_001)
        with self.assertRaises(mirab.Refused) as caught:
            engine.user_added("y", now=7)
        self.assertEqual(caught.exception.key, "now")
        self.assertEqual(engine.user_count, 4)
        with self.assertRaises(OverflowError):
            engine.step(datetime.timedelta.max)
        with self.assertRaises(OverflowError):
            engine.step(2**63)
        with self.assertRaises(TypeError):
            engine.step(1.5)

    def test_running_tasks_and_jobs_are_listed(self):
        engine = mirab.Engine(["cpu"])
        s, t = engine.server_added("s", [2]), engine.server_added("t", [2])
        user, idle = engine.user_added("u"), engine.user_added("idle")
        job = engine.job_submitted(user, [1], tasks=5)
        first, second, third = engine.step(1), engine.step(2), engine.step(3)
        self.assertEqual(engine.task(second.task), (second.task, job, s, 2, 0))
        self.assertIsNone(engine.task(99))
        self.assertEqual([task.task for task in engine.tasks_of(job)], [third.task, second.task, first.task])
        self.assertEqual([task.task for task in engine.tasks_on(s)], [second.task, first.task])
        self.assertEqual(engine.tasks_on(t), [(third.task, job, t, 3, 0)])
        self.assertEqual(engine.jobs_of(user), {job: (user, 2, 3)})
        self.assertEqual((engine.jobs_of(idle), engine.tasks_of(99), engine.tasks_on(99)), ({}, [], []))

    def test_a_signal_ends_many_steps_between_two_of_them(self):
        class Stopped(Exception):
            pass

        def stop(signal_number, frame):
            raise Stopped

        tasks = 5_000_000  # seconds of work
        engine = mirab.Engine(["cpu"])
        server = engine.server_added("s", [tasks])
        job = engine.job_submitted(engine.user_added("u"), [1], tasks=tasks)
        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            with self.assertRaises(Stopped):
                engine.step_all()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        running = engine.job(job).running
        self.assertLess(running, tasks)
        self.assertEqual(engine.server(server).free, (tasks - running,))
        self.assertEqual(engine.step().job, job)

    def test_the_decision_version_is_that_of_a_snapshot(self):
        # A snapshot is CBOR, in which a number below 24 is one byte.
        self.assertIn(b"decision_version" + bytes([mirab.DECISION_VERSION]), mirab.Engine(["cpu"]).snapshot())

    def test_groups_share_and_bound_what_their_members_use(self):
        engine = mirab.Engine(["cpu", "gpu"])
        engine.server_added("s", [10, 2])
        team = engine.group_added("team", 2, guarantee=[4, 0], limit=[6, mirab.NO_LIMIT])
        below = engine.group_added("below", parent=team)
        user = engine.user_added("u", group=below, reserved=[1, 0], guarantee=[2, 0], tier=1)
        engine.job_submitted(user, [1, 0], 9)
        self.assertEqual(len(engine.step_all()), 6)
        state = engine.group(team)
        self.assertEqual((state.name, state.parent, state.used, state.running), ("team", 0, (6, 0), 6))
        self.assertEqual((state.guarantee, state.unused, state.lent), ((4, 0), (0, 0), (0, 0)))
        self.assertAlmostEqual(state.key, 0.1)
        self.assertEqual(engine.group_count, 2)
        self.assertIsNone(engine.group(9))
        self.assertIsNone(engine.group(0).parent)
        why = engine.why_waiting(1 if engine.job(1) else 0)
        self.assertEqual((why.tree.limit.name, why.tree.limit.resource), ("team", "cpu"))
        self.assertEqual([level.name for level in why.tree.path], ["team", "below", "u"])
        engine.user_changed(user, 1)
        engine.group_moved(below)
        engine.user_moved(user, group=team)
        engine.group_removed(below)
        engine.group_changed(team, 1)
        self.assertEqual(len(engine.step_all()), 3)
        with self.assertRaises(mirab.Refused) as caught:
            engine.group_removed(team)
        self.assertEqual(caught.exception.key, "group")

    def test_weights_are_exact(self):
        from decimal import Decimal

        engine = mirab.Engine(["cpu"])
        for weight in (1, 0.1, "0.25", Decimal("0.3"), np.float64(2), np.int32(3)):
            engine.user_added("u", weight)
        self.assertEqual(engine.user_count, 6)
        engine.user_added("scavenger", 0)
        for weight in (-1, float("nan"), float("inf"), "half", Decimal("-1")):
            with self.assertRaises(mirab.Refused) as caught:
                engine.user_added("u", weight)
            self.assertEqual(caught.exception.key, "weight")
        with self.assertRaises(TypeError):
            engine.user_added("u", None)

    def test_options_of_shares_are_honoured(self):
        hour = datetime.timedelta(hours=1)
        engine = mirab.Engine(["cpu", "memory"], share_scale=[1, "0.5"], half_life=hour, oversized="wait")
        u = engine.user_added("u")
        job = engine.job_submitted(u, [1, 1])
        self.assertFalse(engine.fits(job))
        engine.server_added("s", [4, 1])
        engine.step()
        self.assertEqual(engine.user(u).dominant_share, 0.5)
        engine.user_added("v", now=hour)
        self.assertAlmostEqual(engine.user(u).decayed_share, 0.25)
        self.assertEqual(engine.resources, ["cpu", "memory"])


class Refusals(unittest.TestCase):
    def test_what_is_refused_has_a_key_and_leaves_the_engine_as_it_was(self):
        engine, a, of_a, _, _ = slides()
        task = engine.step().task
        before = engine.snapshot()
        refused = [
            (lambda: engine.server_added("s", [1]), "capacity"),
            (lambda: engine.server_added("s", [1, -1]), "capacity"),
            (lambda: engine.server_changed(0, [0, 0]), "capacity"),
            (lambda: engine.server_removed(0), "server"),
            (lambda: engine.server_failed(9), "server"),
            (lambda: engine.user_removed(a), "user"),
            (lambda: engine.user_reweighted(9, 1), "user"),
            (lambda: engine.job_submitted(a, [0, 0]), "demand"),
            (lambda: engine.job_submitted(a, [10, 1]), "demand"),
            (lambda: engine.job_submitted(a, [1, 1], 0), "tasks"),
            (lambda: engine.job_cancelled(9), "job"),
            (lambda: engine.task_finished(task + 1), "task"),
            (lambda: engine.task_failed(task + 1), "task"),
        ]
        for act, key in refused:
            with self.assertRaises(mirab.Refused) as caught:
                act()
            self.assertTrue(caught.exception.key.startswith(key), caught.exception)
            self.assertIsInstance(caught.exception, ValueError)
            self.assertEqual(engine.snapshot(), before, key)

    def test_wrong_types_are_type_errors_and_leave_the_engine_as_it_was(self):
        engine, a, of_a, _, _ = slides()
        before = engine.snapshot()
        for act in (
            lambda: engine.server_added("s", [1.5, 2]),
            lambda: engine.server_added("s", np.array([1.0, 2.0])),
            lambda: engine.server_added("s", np.array([1.9, 2.0], dtype=np.float32)),
            lambda: engine.server_added("s", [decimal.Decimal("1.9"), 2]),
            lambda: engine.server_added("s", [fractions.Fraction(19, 10), 2]),
            lambda: engine.server_added("s", np.ones((2, 2), dtype=np.int64)),
            lambda: engine.server_added("s", [2**63, 1]),
            lambda: engine.server_added("s", "12"),
            lambda: engine.server_added(None, [1, 1]),
            lambda: engine.server_added("s", [1, 1], labels={"a": 1}),
            lambda: engine.job_submitted(a, [1, 1], servers="pool"),
            lambda: engine.job_submitted(a, [1, 1], select={"disk": "ssd"}),
            lambda: engine.job_submitted(a, [1, 1], 1.0),
            lambda: engine.job_submitted(a, [1, 1], decimal.Decimal("2.7")),
            lambda: engine.job_submitted(a, [1, 1], gang=np.float32(1)),
            lambda: engine.task_finished(-1),
            lambda: engine.task_finished("0"),
            lambda: engine.step_all(most=-1),
            lambda: engine.user(None),
            lambda: mirab.Engine("cpu"),
            lambda: mirab.Engine.restore("text"),
        ):
            with self.assertRaises(TypeError):
                act()
        self.assertEqual(engine.snapshot(), before)

    def test_options_that_cannot_be_are_refused(self):
        for key, options in {
            "resources": {"resources": []},
            "tie": {"tie": "lots"},
            "oversized": {"oversized": "cut"},
            "share_scale": {"share_scale": [1, 2]},
            "half_life": {"half_life": 0},
        }.items():
            with self.assertRaises(mirab.Refused) as caught:
                mirab.Engine(**({"resources": ["cpu"]} | options))
            self.assertEqual(caught.exception.key, key)
        with self.assertRaisesRegex(mirab.Refused, "drf"):
            mirab.Engine(["cpu"], "drff")
        with self.assertRaises(mirab.Refused):
            mirab.Engine(["cpu"], "drf", "best-fit:published=perhaps")

    def test_every_discipline_and_placement_can_be_chosen(self):
        for discipline in mirab.disciplines():
            for placement in mirab.placements():
                engine = mirab.Engine(["cpu", "memory"], discipline, placement)
                engine.server_added("s", [2, 2])
                engine.job_submitted(engine.user_added("u"), [1, 1], 3)
                self.assertEqual(len(engine.step_all()), 2, (discipline, placement))


class Logged:
    """An engine, and the event log of what it was told and what it decided (docs/schema/event-log.schema.json)."""

    def __init__(self, seed):
        rule = lambda name: {"name": name, "options": {}}
        options = {"resources": ["cpu", "memory"], "discipline": rule("drf"), "placement": rule("random"),
                   "tie": "random", "oversized": "refuse"}
        rules, self.largest, self.kept = {}, 9, 0
        if seed % 2 == 1:
            self.largest = 2  # little room: tasks wait, and end for others
            rules = {"reservations": mirab.Reserving(20, 2, 50), "preemption": mirab.Preempting(3, 40)}
            options |= {"reservations": {"after": 20, "servers": 2, "at_most": 50},
                        "preemption": {"tasks": 3, "per": 40}}
        self.engine = mirab.Engine(["cpu", "memory"], "drf", "random", tie="random", seed=seed, **rules)
        self.lines = [{"mirab": "event log", "version": 1, "options": options}]
        self.seed = seed

    def note(self, now, event, outcome, **members):
        self.lines.append({"now": now, "event": event} | members | outcome)

    def placed(self, step):
        if step is None:
            return None
        names = ("task", "job", "user", "server")
        outcome = dict(zip(names, step))
        if step.others:
            outcome["with"] = [{"task": other.task, "server": other.server} for other in step.others]
        return outcome | ({"preempted": self.lost(step.preempted)["lost"]} if step.preempted else {})

    def terms(self, draw):
        """What a job asks for, as arguments and as in the log: half of the jobs nothing."""
        asked = {"gang": draw.randint(2, 4), "per_server": draw.randint(1, 2), "spread": ("zone", draw.randint(1, 2)),
                 "pack": "region"}
        terms = {name: asked[name] for name in draw.sample(sorted(asked), draw.choice([0, 0, 0, 1, 1, 2]))}
        logged = dict(terms)
        if "spread" in terms:
            logged["spread"] = dict(zip(("label", "most_apart"), terms["spread"]))
        return terms, logged

    def lost(self, tasks):
        return {"lost": [{"task": lost.task, "job": lost.job} for lost in tasks]}

    def play(self, events):
        engine, draw, running, users, jobs, servers = self.engine, random.Random(self.seed), [], [], [], []
        for now in range(events):
            kind = draw.choice(["server", "user", "job", "end", "fail", "cancel", "lose"] + ["step"] * 8)
            if kind == "server":
                capacity = [draw.randint(1, self.largest), draw.randint(1, self.largest)]
                labels = {"zone": draw.choice("ab"), "region": draw.choice("NS")}
                servers.append(engine.server_added("s", capacity, labels=labels, now=now))
                self.note(now, "server-added", {"gives": servers[-1]}, name="s", capacity=capacity, labels=labels)
            elif kind == "user" and len(users) < 4:
                users.append(engine.user_added("u", "0.5", now=now))
                self.note(now, "user-added", {"gives": users[-1]}, name="u", weight="0.5")
            elif kind == "job" and users and servers:
                user, demand = draw.choice(users), [1, draw.randint(0, 1)]
                terms, logged = self.terms(draw)
                try:
                    jobs.append(engine.job_submitted(user, demand, 4, **terms, now=now))
                except mirab.Refused:  # a gang that could not start
                    continue
                self.note(now, "job-submitted", {"gives": jobs[-1]}, user=user, tasks=4, demand=demand, **logged)
            elif kind == "step":
                placed = engine.step(now)
                self.note(now, "step", {"placed": self.placed(placed)}, seed=self.seed)
                self.kept += len(engine.reservations())
                if placed:
                    ended = {lost.task for lost in placed.preempted}
                    running = [task for task in running if task not in ended]
                    running += [placed.task, *(other.task for other in placed.others)]
            elif kind in ("end", "fail") and running:
                task = running.pop(draw.randrange(len(running)))
                if kind == "end":
                    engine.task_finished(task, now=now)
                else:
                    engine.task_failed(task, now=now)
                self.note(now, "task-finished" if kind == "end" else "task-failed", {}, task=task)
            elif kind == "cancel" and len(jobs) > 5:
                job = jobs.pop(0)
                if engine.job(job) is None:
                    continue
                lost = engine.job_cancelled(job, now=now)
                self.note(now, "job-cancelled", self.lost(lost), job=job)
                running = [task for task in running if task not in {each.task for each in lost}]
            elif kind == "lose" and len(servers) > 5:
                server = servers.pop(0)
                lost = engine.server_failed(server, now=now)
                self.note(now, "server-failed", self.lost(lost), server=server)
                running = [task for task in running if task not in {each.task for each in lost}]

    def write(self, folder):
        path = pathlib.Path(folder) / "events.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        return path


class LogsAndSnapshots(unittest.TestCase):
    def test_the_engine_in_cpp_decides_the_same_when_it_replays_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            gangs = preempted = kept = 0
            for seed in range(20):
                logged = Logged(seed)
                logged.play(2_000)
                placed = [line["placed"] for line in logged.lines if line.get("placed")]
                self.assertGreater(len(placed), 100, f"seed {seed}")
                gangs += sum("with" in each for each in placed)
                preempted += sum("preempted" in each for each in placed)
                kept += logged.kept
                replayed = mirab.Engine.replay(logged.write(folder))
                self.assertEqual(replayed.snapshot(), logged.engine.snapshot(), f"seed {seed}")
                self.assertEqual(replayed.reservations(), logged.engine.reservations(), f"seed {seed}")
            self.assertGreater(gangs, 100)
            self.assertGreater(preempted, 20)
            self.assertGreater(kept, 100)

    def test_another_decision_than_the_logged_one_is_refused_with_its_line(self):
        logged = Logged(1)
        logged.play(400)
        changed = next(i for i, line in enumerate(logged.lines) if line.get("placed"))
        logged.lines[changed]["placed"]["task"] += 1
        with tempfile.TemporaryDirectory() as folder:
            path = logged.write(folder)
            with self.assertRaises(mirab.Refused) as caught:
                mirab.Engine.replay(path)
            self.assertEqual(caught.exception.line, changed + 1)
            self.assertEqual(caught.exception.file, str(path))
            with self.assertRaises(mirab.Refused):
                mirab.Engine.replay(path.parent / "none")

    def test_a_restored_engine_goes_on_as_the_first(self):
        engine, *_ = slides()
        engine.step_all(now=3, most=2)
        restored = mirab.Engine.restore(engine.snapshot())
        self.assertEqual(restored.now, 3)
        self.assertEqual(restored.step_all().tolist(), engine.step_all().tolist())
        self.assertEqual(restored.snapshot(), engine.snapshot())

    def test_bytes_that_are_no_snapshot_are_refused(self):
        engine, *_ = slides()
        for bytes_ in (b"", b"nonsense", engine.snapshot()[:-1]):
            with self.assertRaises(mirab.Refused):
                mirab.Engine.restore(bytes_)

    def test_names_that_are_not_utf8_come_through(self):
        engine = mirab.Engine(["cpu"])
        engine.server_added("nnnn", [1])
        user = engine.user_added("uuuu")
        job = engine.job_submitted(user, [1], tasks=2)
        strange = mirab.Engine.restore(engine.snapshot().replace(b"uuuu", b"u\xff\xfeu"))
        placed, why = strange.step_and_why()
        self.assertEqual(placed.job, job)
        self.assertIn("u\udcff\udcfeu is served", why.text)
        self.assertIn("u\udcff\udcfeu waits", strange.why_waiting(job).text)
        with self.assertRaises(mirab.Refused):
            mirab.Engine.restore(engine.snapshot().replace(b"discipline", b"disciplin\x80"))


if __name__ == "__main__":
    unittest.main()
