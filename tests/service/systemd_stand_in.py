"""Stands in for `systemctl` and `systemd-run` as examples/executor.py calls them: a unit is a file, with its process or,
once it has ended, its exit code. `systemd_stand_in.py systemctl|systemd-run FOLDER ARGUMENT…`"""

import fnmatch
import json
import os
import pathlib
import signal
import subprocess
import sys
import time


def keep(unit, value):
    new = unit.with_suffix(".new")
    new.write_text(json.dumps(value), encoding="utf-8")
    os.replace(new, unit)


def run(folder, arguments):
    at = arguments.index("--")
    name = next(each for each in arguments[:at] if each.startswith("--unit=")).split("=", 1)[1]
    variables = dict(each.split("=", 2)[1:] for each in arguments[:at] if each.startswith("--setenv="))
    unit = folder / (name + ".service")
    if os.fork():
        while not unit.exists():
            time.sleep(0.01)
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):  # who called waits for the end of its pipes
        os.dup2(nothing, standard)
    process = subprocess.Popen(arguments[at + 1:], env=variables, start_new_session=True)
    keep(unit, {"process": process.pid})
    code = process.wait()
    if unit.exists():
        keep(unit, {"code": code})


def show(folder, pattern):
    shown = []
    for unit in sorted(folder.glob("*.service")):
        if fnmatch.fnmatch(unit.name, pattern):
            is_over = "code" in (known := json.loads(unit.read_text(encoding="utf-8")))
            code = known.get("code", 0)
            shown.append(f"Id={unit.name}\nActiveState={'failed' if code else 'active'}\n"
                         f"SubState={'exited' if is_over else 'running'}\nResult={'exit-code' if code else 'success'}\n"
                         f"ExecMainCode={1 if is_over else 0}\nExecMainStatus={code}\nCPUUsageNSec=1000\nMemoryPeak=[not set]\n")
    print("\n".join(shown), end="")


def stop(unit):
    if unit.exists():
        process = json.loads(unit.read_text(encoding="utf-8")).get("process")
        unit.unlink()  # systemd forgets a unit that was stopped
        if process:
            os.killpg(process, signal.SIGTERM)


def main():
    program, folder, arguments = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    if program == "systemd-run":
        run(folder, arguments)
    elif arguments[0] == "show":
        show(folder, arguments[1])
    elif arguments[0] == "stop":
        stop(folder / arguments[-1])


if __name__ == "__main__":
    main()
