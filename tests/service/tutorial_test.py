"""The commands of docs/tutorials/service.md."""

import sys
import unittest

from document import run

PROGRAM, DOCUMENT = sys.argv.pop(1), sys.argv.pop(1)


class Tutorial(unittest.TestCase):
    def test_its_commands_work(self):
        said = run(DOCUMENT, PROGRAM)
        self.assertEqual(said.count('"running":12'), 2, said)
        self.assertIn('"verdict":"no-room"', said)
        self.assertRegex(said, r"(?m)^training on GPU [0-7]$")
        self.assertRegex(said, '"state":"succeeded","submitted":"[^"]*","succeeded":1')


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
