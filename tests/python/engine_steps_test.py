"""mirab.Engine: jobs with terms, all that comes of a step, servers that are kept, and what is refused of it."""

import datetime
import pickle
import unittest

import mirab

SECOND = 1_000_000_000


def park(*servers, **options):
    """An engine with a server for each (CPUs, labels), and one user."""
    engine = mirab.Engine(["cpu"], **options)
    for cpus, labels in servers:
        engine.server_added("s", [cpus], labels=labels)
    return engine, engine.user_added("u")


def zones(*cpus):
    return [(each, {"zone": f"z{i}", "region": "north" if i < 2 else "south"}) for i, each in enumerate(cpus)]


class Terms(unittest.TestCase):
    def test_a_gang_starts_in_one_step(self):
        engine, u = park((2, {}), (2, {}))
        job = engine.job_submitted(u, [1], 4, gang=3)
        placed = engine.step()
        self.assertEqual(placed[:4], (0, job, u, 0))
        self.assertEqual(placed.others, (mirab.Companion((1, 0, 0)), mirab.Companion((2, 1, 0))))
        self.assertEqual(placed.preempted, ())
        self.assertEqual(engine.job(job), (u, 1, 3))
        self.assertEqual(engine.step().others, ())
        self.assertEqual(pickle.loads(pickle.dumps(placed)), placed)

    def test_step_and_why_tells_of_the_whole_gang(self):
        engine, u = park((2, {}), (2, {}))
        engine.job_submitted(u, [1], 4, gang=3)
        placed, _ = engine.step_and_why()
        self.assertEqual([other.server for other in placed.others], [0, 1])

    def test_step_all_has_a_row_for_each_task_of_a_gang(self):
        engine, u = park((2, {}), (2, {}))
        job = engine.job_submitted(u, [1], 4, gang=3)
        rows = engine.step_all(most=1)
        self.assertEqual(rows.tolist(), [(0, job, u, 0, False), (1, job, u, 0, False), (2, job, u, 1, False)])
        self.assertEqual(len(engine.step_all()), 1)

    def test_a_gang_waits_while_not_all_of_it_fits(self):
        engine, u = park((2, {}), (2, {}))
        other = engine.job_submitted(u, [1], 2)
        engine.step_all()
        job = engine.job_submitted(u, [1], 3, gang=3)
        self.assertFalse(engine.fits(job))
        self.assertIsNone(engine.step())
        engine.job_cancelled(other)
        self.assertEqual(engine.step().job, job)

    def test_so_many_on_each_server(self):
        engine, u = park((4, {}), (4, {}))
        engine.job_submitted(u, [1], 9, per_server=2)
        self.assertEqual(engine.step_all()["server"].tolist(), [0, 0, 1, 1])

    def test_tasks_are_spread_by_a_label(self):
        for spread, servers in (("zone", [0, 1, 0]), (("zone", 2), [0, 0, 1]), (["zone", 1], [0, 1, 0])):
            engine, u = park(*zones(4, 4))
            engine.job_submitted(u, [1], 3, spread=spread)
            self.assertEqual(engine.step_all()["server"].tolist(), servers, spread)

    def test_tasks_are_packed_by_a_label(self):
        engine, u = park(*zones(2, 2, 9))
        engine.job_submitted(u, [1], 9, pack="region")
        self.assertEqual(engine.step_all()["server"].tolist(), [0, 0, 1, 1])

    def test_terms_that_cannot_hold_are_refused_and_leave_the_engine_as_it_was(self):
        engine, u = park(*zones(4, 4))
        before = engine.snapshot()
        for key, terms in {
            "gang": [{"gang": 0}, {"gang": 4}, {"gang": -1}],
            "per_server": [{"per_server": 0}, {"per_server": 1, "gang": 3}],
            "spread.most_apart": [{"spread": ("zone", 0)}],
            "pack": [{"pack": "zone", "spread": "zone"}],
        }.items():
            for each in terms:
                with self.assertRaises(mirab.Refused) as caught:
                    engine.job_submitted(u, [1], 3, **each)
                self.assertEqual(caught.exception.key, key, each)
        for each in ({"gang": None}, {"gang": 1.0}, {"per_server": "1"}, {"spread": 1}, {"spread": ("zone", "1")},
                     {"spread": ("zone", 1, 2)}, {"pack": ("zone", 1)}):
            with self.assertRaises(TypeError, msg=each):
                engine.job_submitted(u, [1], 3, **each)
        self.assertEqual(engine.snapshot(), before)


def monopoly(**options):
    """A has all four CPUs, and B comes."""
    engine, a = park((4, {}), **options)
    of_a = engine.job_submitted(a, [1], 4)
    engine.step_all()
    b = engine.user_added("B")
    return engine, a, of_a, b, engine.job_submitted(b, [1], 4)


class SharedCluster(unittest.TestCase):
    """What is known of a cluster that others change too."""

    def setUp(self):
        self.engine = mirab.Engine(["cpu"], oversized="wait")
        self.server, self.user = self.engine.server_added("s", [4]), self.engine.user_added("u")

    def test_a_task_that_runs_is_adopted(self):
        job = self.engine.job_submitted(self.user, [3], 2)
        task = self.engine.task_adopted(job, self.server, datetime.timedelta(seconds=-1))
        self.assertEqual(self.engine.job(job), mirab.JobState((self.user, 1, 1)))
        self.assertEqual(self.engine.server(self.server).free, (1,))
        with self.assertRaises(mirab.Refused) as refused:
            self.engine.task_adopted(job, self.server, 1)
        self.assertEqual(refused.exception.key, "since")
        self.engine.task_finished(task)

    def test_others_hold_amounts(self):
        self.engine.server_held(self.server, [3])
        self.assertEqual(self.engine.server(self.server).free, (1,))
        self.engine.server_held(self.server, [9])
        self.assertEqual(self.engine.server(self.server).free, (0,))

    def test_a_capacity_below_use_is_taken_where_that_is_allowed(self):
        self.engine.job_submitted(self.user, [3])
        self.engine.step()
        with self.assertRaises(mirab.Refused):
            self.engine.server_changed(self.server, [1])
        self.engine.server_changed(self.server, [1], allow_below_use=True)
        self.assertEqual(self.engine.server(self.server).free, (0,))

    def test_a_job_within_a_set_waits_for_its_servers(self):
        job = self.engine.job_submitted(self.user, [1], within="ours")
        self.assertIsNone(self.engine.step())
        why = self.engine.why_waiting(job)
        self.assertEqual([(each.set, each.excludes) for each in why.constraints], [("ours", 1)])
        self.assertEqual(self.engine.why_not_on(job, self.server).reason, "set")
        self.engine.set_changed("ours", add=[self.server])
        self.assertEqual(self.engine.step().job, job)
        self.engine.set_changed("ours", remove=[self.server])

    def test_other_labels_let_others_in(self):
        job = self.engine.job_submitted(self.user, [1], select={"zone": ["a"]})
        self.assertIsNone(self.engine.step())
        self.engine.server_relabelled(self.server, labels={"zone": "a"})
        self.assertEqual(self.engine.step().job, job)

    def test_jobs_of_a_user_are_served_by_rank(self):
        jobs = [
            self.engine.job_submitted(self.user, [1], rank=rank, may_be_preempted=rank is None)
            for rank in (None, 1, (1, datetime.timedelta(seconds=-1), 0), (1, -1, 0))
        ]
        placed = [each.job for each in iter(self.engine.step, None)]
        self.assertEqual(placed, [jobs[2], jobs[3], jobs[1], jobs[0]])

    def test_a_copy_goes_on_alone(self):
        self.engine.job_submitted(self.user, [1], 9)
        copy = self.engine.copy()
        self.assertEqual(len(copy.step_all()), 4)
        self.assertEqual(self.engine.running_count, 0)
        self.assertEqual(len(self.engine.step_all()), 4)
        self.assertEqual(copy.snapshot(), self.engine.snapshot())


class Preemption(unittest.TestCase):
    RULE = mirab.Preempting(tasks=10, per=datetime.timedelta(seconds=1))

    def test_a_step_tells_what_ended_for_it(self):
        engine, a, of_a, b, of_b = monopoly(preemption=self.RULE)
        placed = engine.step(1)
        self.assertEqual((placed.job, placed.user, placed.server), (of_b, b, 0))
        (lost,) = placed.preempted
        self.assertEqual(lost.job, of_a)
        self.assertIsInstance(lost, mirab.Preempted)
        self.assertEqual(lost.right, "share")
        self.assertEqual(engine.job(of_a), (a, 1, 3))
        with self.assertRaises(mirab.Refused):
            engine.task_finished(lost.task)

    def test_step_all_has_rows_of_what_ended_before_those_of_what_started(self):
        one_by_one, *_ = monopoly(preemption=self.RULE)
        steps = list(iter(one_by_one.step, None))
        engine, a, of_a, b, of_b = monopoly(preemption=self.RULE)
        rows = engine.step_all()
        self.assertEqual(rows.dtype.names, ("task", "job", "user", "server", "preempted"))
        self.assertEqual(rows["preempted"].tolist(), [True, False] * 2)
        self.assertEqual(rows["user"].tolist(), [a, b] * 2)
        self.assertEqual(rows["job"].tolist(), [of_a, of_b] * 2)
        self.assertEqual(rows["task"].tolist(),
                         [task for each in steps for task in (each.preempted[0].task, each.task)])
        self.assertEqual(set(rows["server"].tolist()), {0})
        running = {0, 1, 2, 3}
        for task, *_, preempted in rows.tolist():
            (running.remove if preempted else running.add)(task)
        for task in running:
            engine.task_finished(task)

    def test_no_more_end_in_a_time_than_may(self):
        engine, _, _, b, _ = monopoly(preemption=mirab.Preempting(1, SECOND))
        self.assertEqual(len(engine.step_all(now=1)), 2)
        self.assertEqual(len(engine.step_all(now=SECOND // 2)), 0)
        self.assertEqual(len(engine.step_all(now=2 * SECOND)), 2)
        self.assertEqual(engine.user(b).running, 2)

    def test_without_the_option_nothing_ends(self):
        engine, *_ = monopoly()
        self.assertIsNone(engine.step(9))

    def test_rules_that_cannot_be_are_refused(self):
        for rule, key in ((mirab.Preempting(0, 1), "preemption.tasks"), (mirab.Preempting(1, 0), "preemption.per")):
            with self.assertRaises(mirab.Refused) as caught:
                mirab.Engine(["cpu"], preemption=rule)
            self.assertEqual(caught.exception.key, key)
        with self.assertRaises(mirab.Refused) as caught:
            mirab.Engine(["cpu"], "fifo", preemption=self.RULE)
        self.assertEqual(caught.exception.key, "preemption")
        for act in (lambda: mirab.Preempting(1), lambda: mirab.Preempting(1.0, 1), lambda: mirab.Preempting(1, 1.0),
                    lambda: mirab.Engine(["cpu"], preemption=(1, 1))):
            self.assertRaises(TypeError, act)

    def test_a_rule_can_be_read_and_printed(self):
        self.assertEqual((self.RULE.tasks, self.RULE.per), (10, SECOND))
        self.assertEqual(repr(self.RULE), "mirab.Preempting(tasks=10, per=1000000000)")


class Reservations(unittest.TestCase):
    def starved(self, **rule):
        """Small tasks have three of the four CPUs that a large one asks for."""
        engine, small = park((4, {}), reservations=mirab.Reserving(**rule))
        tasks = engine.job_submitted(small, [1], 3)
        running = engine.step_all()["task"].tolist()
        large = engine.user_added("large")
        job = engine.job_submitted(large, [4])
        self.assertIsNone(engine.step(0))
        return engine, small, large, job, running

    def test_a_server_is_kept_for_who_waited_long_and_met(self):
        minute = datetime.timedelta(minutes=1)
        engine, small, large, job, running = self.starved(after=minute)
        self.assertEqual(engine.reservations(), [])
        self.assertIsNone(engine.step(2 * minute))
        (kept,) = engine.reservations()
        self.assertEqual(kept, mirab.Reservation((0, job, large, 120 * SECOND)))
        engine.job_submitted(small, [1], 9)
        self.assertIsNone(engine.step())
        for task in running:
            engine.task_finished(task)
        self.assertEqual(engine.step().job, job)
        self.assertEqual(engine.reservations(), [])

    def test_a_reservation_ends_after_its_time(self):
        engine, small, *_ = self.starved(after=100, servers=1, at_most=1_000)
        self.assertIsNone(engine.step(200))
        engine.job_submitted(small, [1])
        self.assertIsNone(engine.step(300))
        self.assertIsNotNone(engine.step(2_000))
        self.assertEqual(engine.reservations(), [])

    def test_a_snapshot_keeps_what_is_kept(self):
        engine, *_ = self.starved(after=100)
        engine.step(200)
        restored = mirab.Engine.restore(engine.snapshot())
        self.assertEqual(restored.reservations(), engine.reservations())
        self.assertEqual(len(restored.reservations()), 1)

    def test_rules_that_cannot_be_are_refused(self):
        for rule, key in (({"after": 0}, "after"), ({"after": 1, "servers": 0}, "servers"),
                          ({"after": 1, "at_most": 0}, "at_most")):
            with self.assertRaises(mirab.Refused) as caught:
                mirab.Engine(["cpu"], reservations=mirab.Reserving(**rule))
            self.assertEqual(caught.exception.key, "reservations." + key)
        for act in (lambda: mirab.Reserving(), lambda: mirab.Reserving(1.5), lambda: mirab.Reserving(1, -1),
                    lambda: mirab.Reserving(1, for_ever=True),
                    lambda: mirab.Engine(["cpu"], reservations=datetime.timedelta(1))):
            self.assertRaises(TypeError, act)

    def test_a_rule_can_be_read_and_printed(self):
        rule = mirab.Reserving(datetime.timedelta(seconds=1), servers=2)
        self.assertEqual((rule.after, rule.servers, rule.at_most), (SECOND, 2, None))
        self.assertEqual(repr(rule), "mirab.Reserving(after=1000000000, servers=2, at_most=None)")


if __name__ == "__main__":
    unittest.main()
