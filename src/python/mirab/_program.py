"""What the program `mirab` does, for Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import mirab


def _program() -> str:
    """$MIRAB_PROGRAM, or the program of the interpreter's environment, or that of the PATH."""
    installed = Path(sys.executable).parent / "mirab"
    found = os.environ.get("MIRAB_PROGRAM") or (str(installed) if installed.is_file() else shutil.which("mirab"))
    if found is None:
        raise FileNotFoundError("the program mirab is needed, which is neither on the PATH nor in MIRAB_PROGRAM")
    return found


def _run(arguments: list[str], text: str) -> str:
    """What the program prints. What did not converge is a result. Raises Refused."""
    run = subprocess.run([_program(), *arguments], input=text, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        said = [line for line in run.stderr.splitlines() if not line.startswith("mirab: note: ")]
        raise mirab.Refused("\n".join(said).removeprefix("mirab: "))
    return run.stdout


def simulate(
    scenario: str | os.PathLike[str] | Mapping[str, Any], *, seed: int | None = None, threads: int = 1
) -> dict[str, Any]:
    """simulate(scenario: Path | Mapping[str, Any], *, seed: int | None = None, threads: int = 1) -> dict[str, Any]

    Runs a scenario (docs/reference/simulate.md) with the program `mirab`. Returns what
    `mirab simulate --format json` prints, as a dictionary (docs/schema/simulation.schema.json). The scenario
    is the path of a file, or a mapping with its keys, whose paths are relative to the current folder. What did
    not converge is a result and marked, see the schema. Raises Refused.
    """
    name, text = ("-", json.dumps(scenario)) if isinstance(scenario, Mapping) else (os.fspath(scenario), "")
    arguments = ["simulate", name, "--format", "json", "--threads", str(threads)]
    arguments += [] if seed is None else ["--seed", str(seed)]
    outcome: dict[str, Any] = json.loads(_run(arguments, text))
    return outcome


def _described(cluster: mirab.Cluster) -> str:
    """Without what runs, which stands last."""
    return str(cluster).partition("\nrunning:")[0].rstrip()


def _is_of_registry(allocation: mirab.Allocation) -> bool:
    """Is it what the mechanism of its name gives? A function may have any name."""
    try:
        again = mirab.allocate(allocation.cluster, allocation.mechanism)
    except mirab.Refused:
        return False
    return allocation.mechanism != "given" and bool(np.allclose(again.tasks, allocation.tasks, rtol=1e-6))


def page(allocation: mirab.Allocation, *others: mirab.Allocation, title: str = "allocation") -> str:
    """page(allocation: Allocation, *others: Allocation, title: str = "allocation") -> str

    The report page of `mirab allocate` with these allocations of one cluster, as HTML that needs nothing else.
    One of them may be an array of your own or of a function: the page calls it `given`. Runs the program
    `mirab`. Raises Refused.
    """
    cluster, arguments = allocation.cluster, []
    for each in (allocation, *others):
        if _described(each.cluster) != _described(allocation.cluster):
            raise mirab.Refused("the allocations are of different clusters")
        if _is_of_registry(each):
            arguments += ["-m", each.mechanism]
        elif "given" in arguments:
            raise mirab.Refused("only one of the allocations may be no mechanism's of mirab.mechanisms()")
        else:
            cluster = each.cluster.with_running(each.tasks_on)
            arguments += ["-m", "given"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        _run(["allocate", "-", *arguments, "--report", str(file), "--title", title], str(cluster))
        return file.read_text(encoding="utf-8")
