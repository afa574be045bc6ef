"""The commands of a document, run one after the other as a reader types them."""

import os
import re
import socket
import subprocess
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def blocks_of(document, language):
    with open(document, encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def run(document, program):
    """What its `sh` blocks print, in an empty folder. The port 7417 is another, and the package's files are the source's."""
    text = "".join(blocks_of(document, "sh")).replace("7417", str(free_port()))
    text = text.replace("/usr/share/doc/mirab/", SOURCE + "/")
    script = "set -eum\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + text
    environment = {**os.environ, "PATH": os.path.dirname(os.path.abspath(program)) + ":" + os.environ["PATH"]}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    return done.stdout
