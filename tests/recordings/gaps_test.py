#!/usr/bin/env python3
"""What is not recorded is a difference: a case, a log, a discipline. Usage: gaps_test.py RECORDINGS"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parent
RECORDINGS = sys.argv.pop()
LOG = "mrfs.first-fit.ends.log"  # of the fourteenth case, so that every thirteenth has it


def recordings(*words):
    """Exit status and output."""
    run = subprocess.run([RECORDINGS, *words], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout


class Gaps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        for part in ("engine/mrfs.digest", "fill/mrfs.digest"):
            (self.at / part).parent.mkdir()
            shutil.copy(SOURCE / part, self.at / part)
        shutil.copytree(SOURCE / "logs", self.at / "logs")

    def check(self):
        return recordings("--every", "13", "--check", str(self.at), "mrfs")

    def leave_out(self, part, case):
        path = self.at / part
        text = path.read_text()
        rest = re.sub(rf"^case {case}\n(?!case)(?:(?!case ).*\n)*", "", text, flags=re.M)
        self.assertNotEqual(text, rest)
        path.write_text(rest)

    def test_the_recordings_as_they_are_have_none(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"engine/mrfs.digest: \d+ cases compared, 0 differ")
        self.assertEqual(recordings("--replay", str(self.at))[0], 0)

    def test_a_case_that_is_not_recorded_differs(self):
        self.leave_out("engine/mrfs.digest", "mrfs/first-fit/plain")
        self.leave_out("fill/mrfs.digest", "mrfs/first-fit/pool")
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn("mrfs/first-fit/plain: the case is not recorded", output)
        self.assertIn("fill/mrfs/first-fit/pool: the case is not recorded", output)

    def test_a_log_that_has_gone_differs(self):
        (self.at / "logs" / LOG).unlink()
        for status, output in (self.check(), recordings("--replay", str(self.at))):
            self.assertEqual(status, 1, output)
            self.assertIn(f"{LOG}: gone", output)

    def test_a_log_of_no_case_fails(self):
        shutil.copy(SOURCE / "logs" / LOG, self.at / "logs" / "mrfs.first-fit.old.log")
        status, output = recordings("--replay", str(self.at))
        self.assertEqual(status, 1, output)
        self.assertIn("mrfs.first-fit.old.log: no case keeps this log", output)

    def test_a_discipline_that_no_test_checks_fails(self):
        disciplines = recordings("--list")[1].split()
        self.assertEqual(recordings("--all", *disciplines)[0], 0)
        status, output = recordings("--all", *disciplines[1:], "dfr")
        self.assertEqual(status, 1, output)
        self.assertIn(f"{disciplines[0]}: no test checks it", output)
        self.assertIn("dfr: there is no such discipline", output)


if __name__ == "__main__":
    unittest.main()
