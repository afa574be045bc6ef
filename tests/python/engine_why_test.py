"""mirab.Engine: why tasks wait, are placed, and do not go to a server."""

import collections
import pickle
import unittest

import mirab

NAMES = ("with_room", "not_allowed", "too_small", "drained", "kept", "pack", "per_server", "spread", "full")
COUNTED_AS = {"nothing": "with_room", "name": "not_allowed", "label": "not_allowed"}


def crowded():
    """Nothing can be placed, for every reason there is: old is drained, north is kept, and bare has no disk."""
    engine = mirab.Engine(["cpu", "disk"], reservations=mirab.Reserving(after=18))
    for name, capacity, zone, region in (("north", (5, 9), "a", "N"), ("south", (4, 9), "b", "S"),
                                         ("west", (2, 9), "c", "N"), ("bare", (4, 0), "d", "S"),
                                         ("old", (9, 9), "d", "S")):
        old = engine.server_added(name, capacity, labels={"zone": zone, "region": region})
    engine.server_drained(old)
    u, v = engine.user_added("u"), engine.user_added("v")
    # The large task has waited longest: a part of north is held until the others have started.
    engine.server_held(0, [1, 0], now=0)
    large = engine.job_submitted(v, [5, 0])
    jobs = {"pack": engine.job_submitted(u, [1, 1], 9, pack="region", now=5),
            "spread": engine.job_submitted(u, [1, 1], 9, spread="zone"),
            "per_server": engine.job_submitted(u, [1, 1], 9, per_server=2)}
    engine.step_all()
    engine.server_held(0, [0, 0])
    engine.step_all()
    jobs["large"] = large
    jobs["gang"] = engine.job_submitted(v, [2, 0], 3, gang=3)
    jobs["labelled"] = engine.job_submitted(v, [1, 1], select={"zone": ["a"]})
    engine.step()
    assert engine.step(20) is None
    return engine, jobs


class Reasons(unittest.TestCase):
    def test_a_job_waits_for_those_before_it_and_for_room(self):
        engine = mirab.Engine(["cpu", "memory"])
        s = engine.server_added("s", [4, 8], labels={"disk": "ssd"})
        t = engine.server_added("t", [1, 9], labels={"disk": "hdd"})
        a, b = engine.user_added("a"), engine.user_added("b")
        job = engine.job_submitted(a, [2, 2], 9, select={"disk": ["ssd"]})
        self.assertTrue(engine.why_waiting(job).is_next)
        engine.step()
        of_b = engine.job_submitted(b, [1, 1])
        why = engine.why_waiting(job)
        self.assertEqual((why.waiting, why.users_ahead, why.older_jobs, why.is_next), (8, 1, 0, False))
        self.assertEqual(why.next, mirab.Other((b, "b", of_b, 0.0)))
        self.assertEqual(why.servers[:9], (1, 1, 0, 0, 0, 0, 0, 0, 0))
        self.assertEqual(why.constraints, [mirab.Constraint(("disk", 1, 1, None))])
        self.assertIn("b", why.text)
        engine.step_all()
        why = engine.why_waiting(job, now=5)
        self.assertIsNone(engine.step())
        self.assertEqual(why.nearest_miss, mirab.NearestMiss((s, "s", (1, 0))))
        self.assertEqual(why.servers.lacking, (1, 0))
        self.assertIsNone(engine.why_waiting(of_b))
        self.assertIsNone(engine.why_waiting(99))

    def test_freeing_what_misses_nearest_makes_room(self):
        engine = mirab.Engine(["cpu"])
        engine.server_added("s", [4])
        small = engine.user_added("small")
        engine.job_submitted(small, [1], 4)
        tasks = engine.step_all()["task"].tolist()
        large = engine.job_submitted(engine.user_added("large"), [3])
        (to_free,) = engine.why_waiting(large).nearest_miss.to_free
        for task in tasks[:to_free]:
            self.assertIsNone(engine.step())
            engine.task_finished(task)
        self.assertEqual(engine.step().job, large)

    def test_a_placement_tells_who_and_where_came_second(self):
        engine = mirab.Engine(["cpu"], placement="best-fit")
        s, t = engine.server_added("s", [4]), engine.server_added("t", [2])
        a, b = engine.user_added("a"), engine.user_added("b")
        of_a, of_b = engine.job_submitted(a, [1]), engine.job_submitted(b, [1])
        placed, why = engine.step_and_why()
        self.assertEqual((placed.user, why.users_waiting, why.users_fitting, why.users_tied), (a, 2, 2, 1))
        self.assertEqual(why.runner_up, mirab.Other((b, "b", of_b, 0.0)))
        self.assertEqual({placed.server, why.runner_up_server}, {s, t})
        self.assertEqual(why.servers_with_room, 2)
        self.assertEqual(why.free_before[0] - why.free_after[0], 1)
        self.assertIsInstance(why.measure.what, str)
        self.assertIn("a", why.text)
        engine.step()
        self.assertIsNone(engine.step_and_why())

    def test_a_server_is_out_of_reach_for_a_reason(self):
        engine = mirab.Engine(["cpu"])
        s = engine.server_added("s", [2], labels={"disk": "ssd"})
        t = engine.server_added("t", [9], labels={"disk": "hdd"})
        u = engine.user_added("u")
        large = engine.job_submitted(u, [3])
        self.assertEqual(engine.why_not_on(large, s)[1:], ("too_small", "", (1,), 0, 0, None))
        self.assertEqual(engine.why_not_on(large, t).reason, "nothing")
        confined = engine.job_submitted(u, [1], servers=["t"], select={"disk": ["hdd"]})
        self.assertEqual(engine.why_not_on(confined, s).reason, "name")
        choosy = engine.job_submitted(u, [1], 20, select={"disk": ["hdd"]})
        self.assertEqual(engine.why_not_on(choosy, s)[1:3], ("label", "disk"))
        engine.step_all()
        self.assertEqual(engine.why_not_on(choosy, t)[1:], ("full", "", (1,), 0, 0, None))
        engine.server_drained(t)
        self.assertEqual(engine.why_not_on(choosy, t).reason, "drained")
        self.assertTrue(engine.why_not_on(choosy, t).text)
        self.assertIsNone(engine.why_not_on(choosy, 9))


class Terms(unittest.TestCase):
    def test_every_server_is_counted_once_and_for_the_reason_that_it_gives_itself(self):
        engine, jobs = crowded()
        counted = collections.Counter()
        for name, job in jobs.items():
            servers = dict(zip(NAMES, engine.why_waiting(job).servers))
            self.assertEqual(sum(servers.values()), engine.server_count, name)
            reasons = [engine.why_not_on(job, server).reason for server in range(engine.server_count)]
            asked_one_by_one = collections.Counter(COUNTED_AS.get(reason, reason) for reason in reasons)
            self.assertEqual(asked_one_by_one, +collections.Counter(servers), name)
            counted += asked_one_by_one
        self.assertEqual(counted.keys(), set(NAMES))

    def test_a_kept_server_is_told_to_those_who_may_not_have_it_and_to_the_one_who_may(self):
        engine, jobs = crowded()
        (kept,) = engine.why_waiting(jobs["labelled"]).kept_for_others
        self.assertEqual(kept, mirab.KeptServer((0, "north", 1, "v", jobs["large"], 20)))
        self.assertEqual(engine.why_not_on(jobs["labelled"], 0).kept, kept)
        self.assertIsNone(engine.why_waiting(jobs["labelled"]).kept_for_it)
        of_large = engine.why_waiting(jobs["large"])
        self.assertEqual(of_large.kept_for_it, mirab.KeptForIt((0, "north", 20, (5, 0), [])))
        self.assertEqual(of_large.kept_for_others, [])
        self.assertIsNone(engine.why_not_on(jobs["large"], 0).kept)
        self.assertEqual(pickle.loads(pickle.dumps(kept)), kept)

    def test_a_gang_is_told_for_how_many_there_is_room(self):
        engine, jobs = crowded()
        why = engine.why_waiting(jobs["gang"])
        self.assertEqual(why.gang, mirab.Gang((3, 2, [])))
        self.assertEqual((why.servers.with_room, why.is_next), (1, False))
        self.assertIsNone(engine.why_waiting(jobs["spread"]).gang)

    def test_terms_tell_how_many_run_there_and_how_many_may(self):
        engine, jobs = crowded()
        self.assertEqual(engine.why_not_on(jobs["per_server"], 1)[1:], ("per_server", "", (), 2, 2, None))
        self.assertEqual(engine.why_not_on(jobs["spread"], 1)[1:], ("spread", "zone", (), 1, 1, None))
        self.assertEqual(engine.why_not_on(jobs["pack"], 1)[1:3], ("pack", "region"))

    def test_a_kept_server_with_room_is_served_first(self):
        engine, jobs = crowded()
        engine.job_cancelled(jobs["pack"])
        why = engine.why_waiting(jobs["large"])
        self.assertEqual((why.kept_for_it.missing, why.is_next), ((), True))
        self.assertEqual(why.served_first.job, jobs["large"])
        placed, placing = engine.step_and_why()
        self.assertEqual((placed.job, placed.server), (jobs["large"], 0))
        self.assertEqual((placing.kept_since, placing.together, placing.by_force), (20, 1, None))

    def test_a_placed_gang_is_explained_with_its_size(self):
        engine, jobs = crowded()
        engine.job_cancelled(jobs["large"])
        engine.job_cancelled(jobs["labelled"])
        engine.server_changed(3, [6, 0])
        placed, why = engine.step_and_why()
        self.assertEqual(placed.job, jobs["gang"])
        self.assertEqual((why.together, why.kept_since, why.line, why.kind), (3, None, None, None))


class Blocking(unittest.TestCase):
    def test_the_task_that_must_come_first_is_told(self):
        engine = mirab.Engine(["cpu"], "drf:blocking=freeze")
        engine.server_added("s", [4])
        a, b = engine.user_added("a"), engine.user_added("b")
        of_a = engine.job_submitted(a, [1], 4)
        engine.step()
        of_b = engine.job_submitted(b, [4])
        why = engine.why_waiting(of_a)
        self.assertEqual((why.blocked_by, why.is_next), (mirab.Other((b, "b", of_b, 0.0)), False))
        self.assertIsNone(engine.step())


class Force(unittest.TestCase):
    def test_what_would_end_is_told_before_and_after(self):
        engine = mirab.Engine(["cpu"], preemption=mirab.Preempting(1, 100))
        s = engine.server_added("s", [4])
        a, b, c = (engine.user_added(name) for name in "abc")
        of_a = engine.job_submitted(a, [1], 4)
        engine.step_all()
        of_b, of_c = engine.job_submitted(b, [1]), engine.job_submitted(c, [1])
        why = engine.why_waiting(of_b)
        self.assertEqual(why.forced_first, mirab.Other((b, "b", of_b, 0.0)))
        self.assertEqual(why.by_force[:4], (s, "s", 0.0, 0.25))
        self.assertEqual(why.by_force.losers, [mirab.Loser((a, "a", 1.0, 0.75, 1, "share", [], []))])
        self.assertEqual([lost.job for lost in why.by_force.ends], [of_a])
        self.assertTrue(why.is_next)
        of_other = engine.why_waiting(of_c)
        self.assertEqual((of_other.forced_first.job, of_other.by_force), (of_b, None))
        placed, placing = engine.step_and_why()
        self.assertEqual(placing.by_force, why.by_force)
        self.assertEqual(tuple(placing.by_force.ends), placed.preempted)


class Rules(unittest.TestCase):
    def test_lines_are_named_by_their_resource(self):
        engine = mirab.Engine(["cpu", "memory"], "mlf-drs")
        engine.server_added("s", [4, 9])
        engine.job_submitted(engine.user_added("u"), [1, 1])
        _, why = engine.step_and_why()
        self.assertEqual(why.line.resource, "cpu")
        self.assertIsInstance(why.line.round, int)
        self.assertIsNone(why.kind)

    def test_the_key_of_ps_dsf_is_that_of_a_kind_of_server(self):
        engine = mirab.Engine(["cpu"], "ps-dsf")
        engine.server_added("s", [4])
        engine.job_submitted(engine.user_added("u"), [1])
        _, why = engine.step_and_why()
        self.assertEqual((why.kind, why.line), ((4,), None))

    def test_what_just_came_free_is_told(self):
        engine = mirab.Engine(["cpu"])
        engine.server_added("s", [1])
        engine.job_submitted(engine.user_added("u"), [1], 2)
        placed, why = engine.step_and_why()
        self.assertFalse(why.was_freed)
        self.assertIsNone(engine.step())
        engine.task_finished(placed.task)
        self.assertTrue(engine.step_and_why()[1].was_freed)


if __name__ == "__main__":
    unittest.main()
