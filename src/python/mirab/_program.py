"""What the program `mirab` does, for Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mirab


def _program() -> str:
    """$MIRAB_PROGRAM, or the program of the interpreter's environment, or that of the PATH."""
    installed = Path(sys.executable).parent / "mirab"
    found = os.environ.get("MIRAB_PROGRAM") or (str(installed) if installed.is_file() else shutil.which("mirab"))
    if found is None:
        raise FileNotFoundError("simulate runs the program mirab, which is neither on the PATH nor in MIRAB_PROGRAM")
    return found


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
    arguments = [_program(), "simulate", name, "--format", "json", "--threads", str(threads)]
    arguments += [] if seed is None else ["--seed", str(seed)]
    run = subprocess.run(arguments, input=text, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        said = [line for line in run.stderr.splitlines() if not line.startswith("mirab: note: ")]
        raise mirab.Refused("\n".join(said).removeprefix("mirab: "))
    outcome: dict[str, Any] = json.loads(run.stdout)
    return outcome
