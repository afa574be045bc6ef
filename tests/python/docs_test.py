"""What the documents show in ```pycon blocks is what Python prints. Those of one document go on from each other."""

import doctest
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["MIRAB_SOURCE_DIR"])
DOCUMENTS = ["docs/reference/engine.md", "docs/reference/python.md", "docs/tutorials/check-a-claim.md",
             "docs/tutorials/first-engine.md", "docs/tutorials/replay-a-log.md"]


def sessions(text):
    """The document without its other lines: what is printed ends where the block does."""
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line == "```pycon"
            line = ""
        lines.append(line if inside else "")
    return "\n".join(lines) + "\n"


class Documents(unittest.TestCase):
    def test_they_show_what_python_prints(self):
        os.chdir(SOURCE)
        for document in DOCUMENTS:
            text = sessions((SOURCE / document).read_text())
            test = doctest.DocTestParser().get_doctest(text, {}, document, document, 0)
            self.assertGreater(len(test.examples), 0, document)
            said = []
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            failed = runner.run(test, out=said.append).failed
            self.assertEqual(failed, 0, "".join(said))

    def test_every_document_with_such_a_block_is_tested(self):
        shown = {str(path.relative_to(SOURCE)) for path in [SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]
                 if re.search("^```pycon$", path.read_text(), re.MULTILINE)}
        self.assertEqual(shown, set(DOCUMENTS))

    def test_what_is_printed_wrongly_is_seen(self):
        wrong = sessions("```pycon\n>>> 1 + 1\n3\n```\n")
        test = doctest.DocTestParser().get_doctest(wrong, {}, "wrong", "wrong", 0)
        self.assertEqual(doctest.DocTestRunner().run(test, out=lambda said: None).failed, 1)


if __name__ == "__main__":
    unittest.main()
