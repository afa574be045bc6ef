#!/usr/bin/env python3
"""Runs on this machine what `mirab serve` assigns to it. docs/how-to/executors.md has the contract.

Under systemd a task is a transient unit, with its demand as limits. Elsewhere it is the child of a small runner, which
outlives the executor. What runs is kept in the state folder: the executor may be killed and started again at any time,
tasks go on, and none is started twice.
"""

import argparse
import fcntl
import http.client
import json
import os
import pathlib
import pwd
import resource
import select
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.parse

GRACE_S = 10  # between SIGTERM and SIGKILL
LONGEST_REST_S = 300  # between two attempts of a task that is lost again and again
PATH = "/usr/local/bin:/usr/bin:/bin"
OUTPUTS = 1000  # of ended tasks that are kept


def say(text):
    print(text, file=sys.stderr, flush=True)


def boot_s():
    """Seconds since the machine started, sleep included: no clock that people set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def seconds(text):
    """`90s`, `10m`, `2h`, `7d`."""
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[text[-1]]


def save(path, value):
    """Whole at any time, and on the disk when it returns."""
    new = path.with_suffix(".new")
    with open(new, "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def environment_of(folder, task):
    return {"PATH": PATH, **task["spec"].get("env", {}), "MIRAB_TASK": task["task"], "MIRAB_JOB": task["job"],
            **({"MIRAB_ROLE": task["role"]} if "role" in task else {}), "MIRAB_TASK_FOLDER": str(folder), **({"CUDA_VISIBLE_DEVICES": ",".join(map(str, task["gpus"]))}
                                                 if task["gpus"] else {})}


def ended(code, reason="", **usage):
    outcome = {"outcome": "succeeded" if code == 0 and not reason else "failed", "exit_code": code, "usage": usage}
    return {**outcome, "reason": reason} if reason else outcome


class Systemd:
    """Each task is the transient unit mirab-TASK.service."""

    def __init__(self, users):
        self.users = users
        self.units = {}

    def look(self):
        """At the units of all tasks: an id is t-77, or t1-77 and t2-77 after changes of the policy."""
        shown = subprocess.run(["systemctl", "show", "mirab-t*.service", "--property=Id,ActiveState,SubState,Result,"
                                "ExecMainCode,ExecMainStatus,CPUUsageNSec,MemoryPeak"], capture_output=True, text=True, check=True)
        units = [dict(line.split("=", 1) for line in unit.splitlines()) for unit in shown.stdout.split("\n\n")]
        self.units = {unit["Id"]: unit for unit in units if "Id" in unit}

    def start(self, folder, task):
        save(folder / "started", {})
        demand, limit = task["demand"], task["spec"].get("time_limit")
        user = self.users.get(task["tenant"])
        limits = [f"User={user}" if user else "DynamicUser=yes", "RemainAfterExit=yes", "NoNewPrivileges=yes",
                  "CPUAccounting=yes", "MemoryAccounting=yes", f"TimeoutStopSec={GRACE_S}",
                  *([f"MemoryMax={int(float(demand['memory']))}"] if float(demand.get("memory", 0)) else []),
                  *([f"CPUQuota={max(1, round(float(demand['cpu']) * 100))}%"] if float(demand.get("cpu", 0)) else []),
                  *([f"RuntimeMaxSec={seconds(limit)}"] if limit else [])]
        done = subprocess.run(["systemd-run", "--quiet", f"--unit=mirab-{task['task']}",
                               *(f"--property={each}" for each in limits),
                               *(f"--setenv={name}={value}" for name, value in environment_of(folder, task).items()),
                               "--", *task["spec"]["argv"]], capture_output=True, text=True)
        if done.returncode != 0:
            save(folder / "outcome", ended(127, done.stderr.strip()[-200:] or "systemd-run failed"))

    def state(self, folder):
        unit = self.units.get(f"mirab-{folder.name}.service")
        if unit is None:
            return load(folder / "outcome") or (
                {"outcome": "lost", "reason": "its unit is gone"} if (folder / "started").exists() else "new")
        if unit["ActiveState"] in ("activating", "deactivating") or unit["SubState"] == "running":
            return "running"
        usage = {name: int(unit[key]) for name, key in (("cpu_ns", "CPUUsageNSec"), ("memory_peak", "MemoryPeak"))
                 if unit.get(key, "").isdigit() and int(unit[key]) < 2**63}
        code = int(unit["ExecMainStatus"]) * (1 if unit["ExecMainCode"] == "1" else -1)  # 1: it exited by itself
        return ended(code, "" if unit["Result"] in ("success", "exit-code") else unit["Result"], **usage)

    def stop(self, folder):
        subprocess.run(["systemctl", "stop", "--no-block", f"mirab-{folder.name}.service"], check=False)

    def forget(self, folder):
        for verb in ("stop", "reset-failed"):
            subprocess.run(["systemctl", verb, f"mirab-{folder.name}.service"], stderr=subprocess.DEVNULL, check=False)


class Plain:
    """Each task is the child of a runner, which holds the lock of the task's folder as long as it lives."""

    def __init__(self, users):
        self.users = users

    def look(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass

    def start(self, folder, task):
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fork():
            os.close(lock)
            return
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            os.closerange(3, lock)
            os.closerange(lock + 1, 1024)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
            os.pwrite(lock, str(os.getpid()).encode(), 0)  # from here on it may be told to stop
            save(folder / "started", {})
            save(folder / "outcome", self.run(folder, task))
        except BaseException as error:
            say(f"{task['task']}: {error!r}")
        finally:
            os._exit(0)

    def run(self, folder, task):
        """The runner: starts the task, waits for its end and makes it end in time."""
        demand, limit, runner = task["demand"], task["spec"].get("time_limit"), os.getpid()
        user = self.users.get(task["tenant"])
        as_user, home = {}, "/"
        if user and os.geteuid() == 0:
            entry = pwd.getpwnam(user)
            as_user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": os.getgrouplist(user, entry.pw_gid)}
            home = entry.pw_dir if os.path.isdir(entry.pw_dir) else "/"

        def prepare():
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if float(demand.get("memory", 0)):  # of each process: private memory that it may write
                resource.setrlimit(resource.RLIMIT_DATA, (int(float(demand["memory"])),) * 2)
            if limit and float(demand.get("cpu", 0)):
                resource.setrlimit(resource.RLIMIT_CPU, (1 + int(seconds(limit) * float(demand["cpu"])),) * 2)
            if os.getppid() != runner:
                os._exit(127)

        try:
            output = os.open(folder.parent.parent / "output" / folder.name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            child = subprocess.Popen(task["spec"]["argv"], cwd=home, env=environment_of(folder, task), stdout=output,
                                     stdin=subprocess.DEVNULL, stderr=output, start_new_session=True,
                                     preexec_fn=prepare, **as_user)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return ended(127, str(error)[:200])
        until = time.monotonic() + seconds(limit) if limit else float("inf")
        reason = ""
        while True:
            event = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, min(max(0, until - time.monotonic()), 1e6))
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            is_late = time.monotonic() >= until
            if is_late and reason:
                end_processes(folder, signal.SIGKILL)
                until = float("inf")
            elif is_late or event is not None and event.si_signo == signal.SIGTERM and not reason:
                end_processes(folder, signal.SIGTERM)
                reason = "over its time limit" if is_late else "stopped"
                until = time.monotonic() + GRACE_S
        while end_processes(folder, signal.SIGKILL):  # what it left behind
            time.sleep(0.01)
        code = os.waitstatus_to_exitcode(status)
        reason = reason or (f"signal {-code}" if code < 0 else "")
        return ended(code, reason, cpu_ns=round((used.ru_utime + used.ru_stime) * 1e9), memory_peak=used.ru_maxrss * 1024)

    def runner(self, folder):
        """The process of the runner, 0 while it begins, none when there is none."""
        try:
            lock = os.open(folder / "lock", os.O_RDWR)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        except BlockingIOError:
            return int(os.pread(lock, 20, 0) or b"0")
        finally:
            os.close(lock)

    def state(self, folder):
        if self.runner(folder) is not None:
            return "running"
        if (outcome := load(folder / "outcome")) is not None:
            return outcome
        if not (folder / "started").exists():
            return "new"
        if end_processes(folder, signal.SIGKILL):
            return "running"
        return {"outcome": "lost", "reason": "its runner is gone"}

    def stop(self, folder):
        if runner := self.runner(folder):
            os.kill(runner, signal.SIGTERM)

    def forget(self, folder):
        outputs = sorted((folder.parent.parent / "output").iterdir(), key=os.path.getmtime)
        for output in outputs[:-OUTPUTS]:
            output.unlink()


def end_processes(folder, number):
    """Sends a signal to all processes of a task, wherever they went. Returns how many there are."""
    mark, count = f"MIRAB_TASK_FOLDER={folder}".encode(), 0
    for process in os.listdir("/proc"):
        try:
            if process.isdigit() and mark in pathlib.Path("/proc", process, "environ").read_bytes().split(b"\0"):
                os.kill(int(process), number)
                count += 1
        except OSError:  # it has ended, or is another user's
            pass
    return count


def may_say_that_it_is_lost(task):
    """At once of a first attempt. The service places a lost task again at once, so each further attempt is reported
    later, counted from its begin: 1 s, 3 s, 7 s and so on."""
    passed = boot_s() - task.get("begun", 0)
    return not 0 <= passed < min(2 ** min(task["attempt"] - 1, 16) - 1, LONGEST_REST_S)


class Service:
    """A connection. Asking fails with OSError or HTTPException; what was asked is then asked again."""

    def __init__(self, options):
        self.options, self.connection = options, None

    def send(self, method, path, body=None):
        url = urllib.parse.urlsplit(self.options.url)
        if self.connection is None:
            timeout = self.options.interval + 5
            self.connection = (
                http.client.HTTPConnection(url.hostname, url.port or 80, timeout=timeout) if url.scheme == "http" else
                http.client.HTTPSConnection(url.hostname, url.port or 443, timeout=timeout,
                                            context=ssl.create_default_context(cafile=self.options.ca)))
        token = pathlib.Path(self.options.token).read_text(encoding="ascii").strip()
        self.connection.request(method, url.path.rstrip("/") + path, None if body is None else json.dumps(body),
                                {"Authorization": f"Bearer {token}"})

    def receive(self):
        response = self.connection.getresponse()
        content = response.read()
        if response.status in (429, 503):
            raise http.client.HTTPException(f"status {response.status}")
        return response.status, json.loads(content) if content else {}

    def ask(self, method, path, body=None):
        if self.connection is not None:
            try:
                self.send(method, path, body)
                return self.receive()
            except (ConnectionError, http.client.HTTPException):  # the service closes what is idle
                self.close()
        self.send(method, path, body)
        return self.receive()

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Machine:
    """What runs here, and what should."""

    def __init__(self, options, users):
        self.options = options
        self.has_systemd = os.path.isdir("/run/systemd/system") and os.geteuid() == 0 and not options.plain
        self.ways = Systemd(users) if self.has_systemd else Plain(users)
        self.reports = Service(options)
        self.tasks = pathlib.Path(options.state).resolve() / "tasks"
        for folder in (self.tasks, self.tasks.parent / "output"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.contact = load(self.tasks.parent / "contact") or {"at": boot_s(), "lost_after": "10m"}
        self.answer, self.told = None, set()

    def hear(self, asked_s, answer):
        self.answer, self.told = answer, set()
        self.contact = {"at": asked_s, "lost_after": answer["lost_after"]}
        (self.tasks.parent / "contact").write_text(json.dumps(self.contact), encoding="utf-8")

    def is_cut_off(self):
        """For half of the time after which the service gives this machine up."""
        return not 0 <= boot_s() - self.contact["at"] < seconds(self.contact["lost_after"]) / 2

    def turn(self):
        """Stops, starts and reports what is due. Without an answer since the connection began, it only stops."""
        self.ways.look()
        states = {folder: self.ways.state(folder) for folder in self.tasks.iterdir()}
        if self.is_cut_off():
            for folder, state in states.items():
                task = load(folder / "task")
                if state == "running" and task and task["spec"].get("when_lost") == "stop":
                    (folder / "cut-off").touch()
                    self.ways.stop(folder)
        if self.answer is not None:
            self.follow_answer(states)

    def follow_answer(self, states):
        run = {task["task"]: task for task in self.answer["run"]}
        stop = {task["task"]: task["why"] for task in self.answer["stop"]}
        for folder, state in states.items():
            task, wish = load(folder / "task"), run.get(folder.name)
            if task and wish and any(task[key] != wish[key] for key in ("job", "attempt", "spec")):
                # The service was set back to a backup, and gave the id again.
                if state == "running":
                    self.ways.stop(folder)
                else:
                    self.forget(folder)
                    states[folder] = "new"
            elif state == "running":
                if wish is None:
                    self.ways.stop(folder)
            elif state == "new" and (wish is None or task is None):
                shutil.rmtree(folder)
        for task in run.values():
            folder = self.tasks / task["task"]
            is_new = states.get(folder, "new") == "new"
            if is_new and not self.is_cut_off() and not any(
                    states.get(self.tasks / other) == "running" for other in task.get("after", [])):
                self.start(folder, task, states)
        try:
            self.report(states, run, stop)
        except (OSError, http.client.HTTPException) as error:
            self.reports.close()
            say(f"no outcome could be reported: {error!r}")

    def forget(self, folder):
        self.ways.forget(folder)
        shutil.rmtree(folder)

    def start(self, folder, task, states):
        running = [load(each / "task") for each, state in states.items() if state == "running"]
        taken = {gpu for other in running if other for gpu in other["gpus"]}
        free = [gpu for gpu in range(int(float(self.options.capacity.get("gpu", 0)))) if gpu not in taken]
        wanted = int(float(task["demand"].get("gpu", 0)))
        if wanted > len(free):  # something that is to stop has them still
            return
        task = {**task, "gpus": free[:wanted], "begun": boot_s()}
        states[folder] = "running"
        folder.mkdir(exist_ok=True, mode=0o700)
        save(folder / "task", task)
        if not task["spec"].get("argv"):
            save(folder / "outcome", ended(127, "its spec has no argv"))
        elif not self.has_systemd and os.geteuid() == 0 and not self.options.as_root and task["tenant"] not in self.ways.users:
            save(folder / "outcome", ended(127, f"no Unix user for tenant {task['tenant']}"))
        else:
            say(f"start {task['task']} of {task['job']}")
            self.ways.start(folder, task)

    def report(self, states, run, stop):
        for folder, state in states.items():
            if not isinstance(state, dict):
                continue
            if not (folder / "reported").exists() or folder.name in stop and folder.name not in self.told:
                if folder.name in stop:
                    state = {**state, "outcome": stop[folder.name]}
                elif (folder / "cut-off").exists():
                    state = {**state, "outcome": "lost", "reason": "cut off from the service"}
                elif state["outcome"] == "lost" and not may_say_that_it_is_lost(load(folder / "task")):
                    continue
                status, body = self.reports.ask("PUT", f"/v1/tasks/{folder.name}/outcome", state)
                say(f"{folder.name}: {state['outcome']} {state.get('reason', '')}, answered {status} "
                    f"{body.get('ignored') or body.get('detail') or ''}")
                if status not in (200, 404):
                    continue
                save(folder / "reported", {})
                self.told.add(folder.name)
            elif folder.name not in run and folder.name not in stop:
                self.forget(folder)
        for task, why in stop.items():  # what never ran here, or was reported before
            if task not in self.told and not (self.tasks / task / "task").exists():
                if self.reports.ask("PUT", f"/v1/tasks/{task}/outcome", {"outcome": why})[0] in (200, 404):
                    self.told.add(task)


def follow(options, machine):
    service, asked_s, after = Service(options), None, ""
    woken, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    while True:
        try:
            if service.connection is None:
                status, body = service.ask("PUT", f"/v1/servers/{options.name}", {"capacity": options.capacity,
                                                                                "labels": options.label})
                if status >= 400:
                    say(f"the server is not as wished: {status} {body.get('title')}: {body.get('detail')}")
                after = ""
            if asked_s is None:
                asked_s = boot_s()
                wait = 0 if options.once else max(1, round(options.interval))
                service.send("GET", f"/v1/servers/{options.name}/assignments?wait={wait}s{after}")
            ready = select.select([service.connection.sock, woken], [], [], min(options.interval, 1))[0]
            if service.connection.sock in ready:
                status, answer = service.receive()
                if status != 200:
                    raise http.client.HTTPException(f"{status} {answer.get('title')}")
                machine.hear(asked_s, answer)
                asked_s, after = None, f"&after={answer['revision']}"
                if answer["state"] == "lost":
                    service.close()  # and say that it is there
            elif boot_s() > asked_s + options.interval + 5:
                raise TimeoutError("no answer")
        except (OSError, http.client.HTTPException) as error:
            say(f"the service does not answer: {error!r}")
            service.close()
            machine.answer = asked_s = None
            select.select([woken], [], [], min(options.interval, 1))
        try:
            os.read(woken, 4096)
        except BlockingIOError:
            pass
        machine.turn()
        if options.once:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    pair = lambda text: text.split("=", 1)
    parser.add_argument("url", help="of the service: http://127.0.0.1:7417")
    parser.add_argument("name", help="of this server")
    parser.add_argument("--token", required=True, help="file with a token of scope executor for this server")
    parser.add_argument("--state", default="/var/lib/mirab-executor", help="folder in which it keeps what runs")
    parser.add_argument("--capacity", type=pair, action="append", metavar="RESOURCE=AMOUNT",
                        help="what the machine has: cpu=64, memory=512Gi, gpu=8; default: its processors and memory")
    parser.add_argument("--label", type=pair, action="append", default=[], metavar="LABEL=VALUE")
    parser.add_argument("--users", help="JSON file that gives the Unix user of each tenant: {\"vision\": \"alice\"}")
    parser.add_argument("--ca", help="file with the authority that signed the service's certificate")
    parser.add_argument("--interval", type=float, default=10, help="seconds between two signs of life")
    parser.add_argument("--once", action="store_true", help="do what is due and end; tasks go on")
    parser.add_argument("--plain", action="store_true", help="child processes, although systemd is there")
    parser.add_argument("--as-root", action="store_true", help="run tasks as root where a tenant has no user; for tests")
    options = parser.parse_args()
    options.label = dict(options.label)
    options.capacity = dict(options.capacity or [
        ("cpu", str(os.cpu_count())), ("memory", str(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))])
    users = json.loads(pathlib.Path(options.users).read_text(encoding="utf-8")) if options.users else {}
    machine = Machine(options, users)
    if os.geteuid() == 0 and not (machine.has_systemd or users or options.as_root):
        sys.exit("as root it needs --users: whose processes are the tasks of a tenant to be?")
    alone = open(machine.tasks.parent / "lock", "w", encoding="ascii")
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another executor has {machine.tasks.parent}")
    follow(options, machine)


if __name__ == "__main__":
    main()
