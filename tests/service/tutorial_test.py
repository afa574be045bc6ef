"""The commands of docs/tutorials/service.md."""

import re
import sys
import unittest

from document import run

PROGRAM, DOCUMENT = sys.argv.pop(1), sys.argv.pop(1)


class Tutorial(unittest.TestCase):
    def test_its_commands_work(self):
        said = run(DOCUMENT, PROGRAM)
        self.assertEqual(len(re.findall("(?m)^running +12$", said)), 2, said)
        self.assertRegex(said, "(?m)^no-room: no server has room")
        self.assertRegex(said, "(?m)^vision/large +0 +1$")
        self.assertRegex(said, r"(?m)^training on GPU [0-7]$")
        self.assertRegex(said, "(?m)^state +succeeded$")
        self.assertRegex(said, "(?m)^42$")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
