#!/usr/bin/env python3
"""Records what the command line prints as JSON, and holds a later program against it.

    commands.py --check  --program build/dev/mirab [GROUP...]
    commands.py --record --program build/dev/mirab [GROUP...]

The experiments of the group `reproduce` run all at once, and each is compared for itself.

Every group is a file in commands/: one JSON object, a command line to its exit status and what it printed.
Values are compared by key, recursively. Every recorded key must be there, with an equal value; what was added
since breaks nothing. Whole numbers, texts, and the order and number of the elements of a list are compared
exactly, other numbers to a relative 1e-12 (`equal_numbers` has the exceptions). Prose, times and the digits
of certificates are left out when recording (`LEFT_OUT`). Of a long list or object some elements are kept,
spread evenly, with the number of all (`thinned`).
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = HERE / "commands"

RELATIVE = 1e-12

# What a clock says, and texts for people.
LEFT_OUT = {
    "seconds", "notices", "title", "summary", "source", "meaning", "note", "remarks", "paper", "command",
    "reading", "provenance", "what", "x_label", "y_label", "data", "head", "yardstick", "alpha",
}

# Why a mechanism refuses a cluster, and the cells of a table that are no numbers: that a text stands there is
# recorded, and not which.
SOME_TEXT = {"refused", "rows"}

# Differences of nearly equal values, and sums of squares of such: the digits below a relative 1e-12 of what
# is subtracted are rounding, so that 0 may come out as 1e-17. Shares and rates are of the order of 1; the
# others have the key of what they are a difference of.
OF_ORDER_ONE = None
DIFFERENCES = {
    "gini": OF_ORDER_ONE, "sample_standard_deviation": OF_ORDER_ONE, "deviation": OF_ORDER_ONE,
    "beta_dominant": OF_ORDER_ONE, "beta_non_dominant": OF_ORDER_ONE, "penalty": OF_ORDER_ONE,
    "unfairness": OF_ORDER_ONE, "change": OF_ORDER_ONE, "ours": OF_ORDER_ONE, "y": OF_ORDER_ONE,
    "gain": "tasks",
}

# Lists whose elements are of one unit: bounds that are a mean less and plus half a width. One of them may be
# nearly 0.
BOUNDS = {"interval", "low", "high"}

# How many elements a long list keeps, by the depth of lists it stands in. An object with more members than
# MOST_MEMBERS is a list by name, and is thinned too.
MOST_KEPT = [24, 10, 4]
MOST_MEMBERS = 20


# --- What is run ----------------------------------------------------------------------------------

MECHANISMS = [
    "max-min", "drf", "asset", "pf", "alpha-fair:alpha=0.5", "alpha-fair:alpha=2",
    "alpha-fair:alpha=2,yardstick=dominant", "drfh", "tsf", "cmmf", "per-server-drf", "ps-dsf", "ps-dsf-tdm",
    "alpha-pf-vds:alpha=2", "alpha-pf-vds:alpha=2,algorithm=sweep", "baa", "mlf-drs", "ffmra",
    "ffmra:units=normalised,surplus=equal", "ffmra:spill=true", "h-ffmra",
    "h-ffmra:units=normalised,surplus=equal,spill=true", "hdrf", "hdrfh",
]
DISCIPLINES = ["fifo", "round-robin", "drf", "asset", "pf", "tsf", "ps-dsf", "mlf-drs", "mrfs"]
PLACEMENTS = ["first-fit", "best-fit", "worst-fit", "next-fit", "random", "least-fragmentation"]

SMALL = ["textbook", "team-cluster", "psdsf-fig1", "psdsf-fig2", "psdsf-two-solutions",
         "drfh-or-server-by-server", "tsf-sharing-incentive"]
SAMPLES = ["openb", "google2011-100x20"]
LARGE = ["google2011-200x40", "google2011-park", "google2011-platforms"]
ON_LARGE = ["pf", "drfh", "tsf", "cmmf", "per-server-drf", "ps-dsf", "alpha-pf-vds:alpha=2", "h-ffmra"]
SCENARIOS = ["traffic-fluid", "traffic-tasks", "trace-google2011", "trace-wagap2013", "reallocation",
             "demands", "overlay", "overlay-faults"]
EXAMPLE_SCENARIOS = ["demands-thesis", "traffic-two-classes", "traffic-liars", "traffic-permanent",
                     "traffic-tasks", "trace-wagap2013-week"]

# All but psdsf-time, which measures time.
EXPERIMENTS = [
    "pf-fig1a", "pf-fig1b", "pf-fig2a", "pf-fig2b", "pf-fig3a", "pf-fig3b", "pf-fig4", "pf-fig5a",
    "pf-fig5b", "pf-fig6a", "pf-fig6b", "psdsf-fig1", "psdsf-fig2", "psdsf-table1", "psdsf-bitbrains",
    "psdsf-google", "slides-table1", "slides-comparison", "slides-properties", "slides-two-servers",
    "hamzeh-4.2", "hamzeh-4.3", "hamzeh-4.4", "hamzeh-4.7", "hamzeh-7.4", "hamzeh-4.11", "hamzeh-mlf",
    "hamzeh-queue", "hamzeh-ffmra", "hamzeh-hffmra", "hamzeh-mrfs", "hamzeh-minikube", "ostman-table-3.1",
    "ostman-fig-3.1", "ostman-fig-3.2", "ostman-5.1", "ostman-5.4", "ostman-fig-5.6", "ostman-fig-5.7",
    "ostman-5.8", "ostman-5.9", "ostman-5.11", "ostman-5.12", "ostman-push-sum", "ostman-gradient",
    "ostman-beyond-ending", "ostman-beyond-churn", "ostman-beyond-pause", "ostman-beyond-fit",
    "ostman-beyond-level",
]

REPRODUCE = "reproduce %s --quick"
ALL_AT_ONCE = "reproduce --all --quick --times --threads 2 --format json"


def option(name, values):
    return "".join(" %s %s" % (name, value) for value in values)


def allocations(names, mechanisms):
    """Each mechanism for itself: one that refuses the cluster leaves the others alone."""
    return ["allocate examples/%s.yaml -m %s" % (name, mechanism)
            for name in names for mechanism in mechanisms]


def fillings(names, placements, options=""):
    return ["fill examples/%s.yaml -d %s%s%s" % (name, discipline, option("-p", placements), options)
            for name in names for discipline in DISCIPLINES]


def groups():
    """The command lines of each group, to which `--format json` is added where they name no format. {tmp} is
    a folder that is thrown away."""
    two_pods = "limits examples/pods/two-pods.yaml --capacity "
    minikube = "limits examples/pods/minikube.yaml --capacity cpu=2,memory=1800Mi -m "
    shop = "limits examples/pods/shop.yaml --node examples/pods/node.yaml"
    data = "tests/traces/data/"
    machines = data + "machine_events-excerpt.csv"
    inputs = "tests/recordings/inputs/"
    files = " -o {tmp}/%s.yaml --workload {tmp}/%s.workload"
    return {
        "allocate-small": allocations(SMALL, MECHANISMS),
        "allocate-samples": allocations(SAMPLES, MECHANISMS),
        "allocate-large": allocations(LARGE, ON_LARGE),
        "fill-small": fillings(SMALL, PLACEMENTS) +
        fillings(["psdsf-fig1"], ["best-fit"], " --tie last --trace") +
        fillings(["team-cluster", "psdsf-fig2"], ["worst-fit"], " --tie random --seed 5 --trace") +
        ["fill examples/%s.yaml -d %s:blocking=freeze -p best-fit" % (name, discipline)
         for name in SMALL for discipline in DISCIPLINES],
        "fill-large": fillings(["google2011-100x20"], PLACEMENTS[:4]) +
        fillings(["google2011-200x40"], ["best-fit"]) + fillings(["openb"], ["best-fit"]),
        "audit": ["audit examples/%s.yaml --budget 2000" % name for name in SMALL] + [
            "audit --random 40 -m drf -m drfh -m ps-dsf --budget 2000",
            "audit --random 40 -m pf --assume no-caps --assume same-demand --budget 2000 --seed 3",
            "audit --claims --random 20 --budget 2000 -m drf -m asset -m mlf-drs -m ffmra",
        ],
        "explain": ["explain examples/%s.yaml %s -m %s" % each for each in [
            ("textbook", "A", "drf"), ("textbook", "B", "pf"), ("textbook", "A", "alpha-fair:alpha=2"),
            ("psdsf-fig1", "1", "ps-dsf"), ("psdsf-fig1", "3", "tsf"), ("psdsf-fig2", "4", "drfh"),
            ("team-cluster", "training", "ps-dsf"), ("team-cluster", "website", "alpha-pf-vds:alpha=2"),
            ("tsf-sharing-incentive", "A", "tsf"), ("drfh-or-server-by-server", "A", "per-server-drf"),
            ("textbook", "", "drf"), ("teams/organisation", "", "hdrfh"), ("psdsf-fig1", "", "tsf")]] + [
            "explain examples/team-cluster.yaml -m ps-dsf --what-ifs 2"],
        "plan": ["plan examples/" + each for each in [
            "textbook.yaml --user A --tasks 10 --kind pool=7 -m drf", "textbook.yaml --user A --tasks 3 -m drf",
            "textbook.yaml --user A --tasks 4 --weights -m drf", "psdsf-fig1.yaml --user 1 --tasks 5 -m drfh",
            "team-cluster.yaml --user training --tasks 30 --kinds examples/prices/servers.yaml -m ps-dsf",
            "team-cluster.yaml --user training --tasks 60 --solves 20 -m ps-dsf"]],
        "diff": ["diff " + each for each in [
            "examples/textbook.yaml -m drf -m asset", "examples/psdsf-fig1.yaml -m ps-dsf -m tsf",
            "examples/psdsf-fig1.yaml examples/psdsf-fig2.yaml -m drfh",
            "examples/google2011-100x20.yaml -m drf -m pf",
            "examples/google2011-100x20.yaml examples/google2011-200x40.yaml -m drfh -m drf"]],
        "limits": [
            two_pods + "cpu=900m,memory=1800Mi", two_pods + "cpu=300m,memory=400Mi",
            two_pods + "cpu=900m,memory=1800Mi --only-when-exceeded",
            two_pods + "cpu=900m,memory=1800Mi --format patch", shop, shop + " -m drf",
            shop + " -m pf --default-request cpu=100m,memory=64Mi", shop + " --only-when-exceeded",
        ] + [minikube + name for name in ["mlf-drs", "drf", "asset", "pf", "max-min", "ffmra"]] + [
            minikube + "drf --weight frontend=2 --resource-weight memory=0.5"],
        "mechanisms": ["mechanisms"] + ["mechanisms " + name for name in
                                          ["drf", "alpha-fair", "ps-dsf", "best-fit"]],
        "import": [
            "import google2011 %s %stask_events-excerpt.csv --seed 4 -o {tmp}/g.yaml" % (machines, data),
            "import google2011 %s %stask_events.csv%s" % (machines, inputs, files % ("h", "h")),
            "import openb %sopenb/nodes-excerpt.csv %sopenb/pods-excerpt.csv -o {tmp}/o.yaml" % (data, data),
            "import openb %sopenb/nodes-excerpt.csv %spods.csv%s" % (data, inputs, files % ("p", "p")),
            "import wagap2013 {0}excerpt.swf {0}machines".format(data + "wagap2013/") + files % ("w", "w"),
            "import swf %slog.swf%s" % (inputs, files % ("s", "s")),
            "import bitbrains %sbitbrains/excerpt.csv%s" % (data, files % ("b", "b")),
            "import jobs examples/jobs/jobs.csv --servers examples/jobs/servers.csv" + files % ("j", "j"),
        ],
        "validate": ["validate examples/%s" % path.name
                     for path in sorted((ROOT / "examples").iterdir())
                     if path.suffix in (".yaml", ".workload")],
        "simulate": ["simulate tests/recordings/scenarios/%s.yaml" % name for name in SCENARIOS] + [
            "simulate examples/%s.yaml" % name for name in EXAMPLE_SCENARIOS],
        "reproduce": ["reproduce --list"] + [REPRODUCE % name for name in EXPERIMENTS],
    }


# --- Values ---------------------------------------------------------------------------------------

def kept(value, key="", depth=0):
    """The value without what is left out."""
    if key in SOME_TEXT and isinstance(value, str):
        return value if is_number(value) else {"$text": True}
    if isinstance(value, dict):
        if key == "certificate":
            return {"kind": value["kind"]} if "kind" in value else {}
        members = {name: each for name, each in value.items()
                   if name not in LEFT_OUT and not (name == "name" and key == "curves")}
        names = list(members)
        if len(names) > MOST_MEMBERS:
            names = [names[i] for i in spread(len(names), depth)]
            depth += 1
        return {name: kept(members[name], name, depth) for name in names}
    if isinstance(value, list):
        at = spread(len(value), depth)
        if len(at) == len(value):
            return [kept(each, key, depth + 1) for each in value]
        return {"$of": len(value), "$at": {str(i): kept(value[i], key, depth + 1) for i in at}}
    return value


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def spread(count, depth):
    """Which of `count` elements are kept."""
    most = MOST_KEPT[min(depth, len(MOST_KEPT) - 1)]
    return range(count) if count <= most else [i * (count - 1) // (most - 1) for i in range(most)]


def equal_numbers(recorded, now, tolerance):
    if isinstance(recorded, bool) or isinstance(now, bool):
        return recorded is now
    if isinstance(recorded, int) and isinstance(now, int):
        return recorded == now
    return recorded == now or math.isclose(recorded, now, rel_tol=RELATIVE, abs_tol=tolerance)


def tolerance_of(key, parent):
    """How far a number may be away, for being a difference, on top of the relative part."""
    if key in BOUNDS and isinstance(parent, list):
        return RELATIVE * max([abs(each) for each in parent if isinstance(each, (int, float))], default=0)
    if key not in DIFFERENCES:
        return 0
    of = DIFFERENCES[key]
    if of is OF_ORDER_ONE or not isinstance(parent, dict):
        return RELATIVE
    return RELATIVE * max(1, abs(parent.get(of) or 0))


def differences(recorded, now, path="", key="", parent=None):
    """Where `now` has not what was recorded, one text for each place."""
    other = ["%s: recorded %s, now %s" % (path, outline(recorded), outline(now))]
    if isinstance(recorded, dict) and "$text" in recorded:
        return [] if isinstance(now, str) else other
    if isinstance(recorded, dict) and "$of" in recorded:
        if not isinstance(now, list) or len(now) != recorded["$of"]:
            return other
        return [text for at, each in recorded["$at"].items()
                for text in differences(each, now[int(at)], "%s[%s]" % (path, at), key, now)]
    if isinstance(recorded, dict):
        if not isinstance(now, dict):
            return other
        found = []
        for name, each in recorded.items():
            if name not in now:
                found.append("%s.%s: gone" % (path, name))
            else:
                found += differences(each, now[name], "%s.%s" % (path, name), name, recorded)
        return found
    if isinstance(recorded, list):
        if not isinstance(now, list) or len(now) != len(recorded):
            return other
        return [text for i, each in enumerate(recorded)
                for text in differences(each, now[i], "%s[%d]" % (path, i), key, recorded)]
    if isinstance(recorded, (int, float)) and isinstance(now, (int, float)):
        same = equal_numbers(recorded, now, tolerance_of(key, parent))
    else:
        same = recorded == now and type(recorded) is type(now)
    return [] if same else other


def outline(value):
    if isinstance(value, dict) and "$of" in value:
        return "a list of %d" % value["$of"]
    if isinstance(value, list):
        return "a list of %d" % len(value)
    if isinstance(value, dict):
        return "an object with %s" % ", ".join(list(value)[:5])
    return json.dumps(value)


def text_of(value, indent=""):
    """JSON, with what fits on a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= 110 or not isinstance(value, (dict, list)) or not value:
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        inner = ["%s: %s" % (json.dumps(name, ensure_ascii=False), text_of(each, deeper))
                 for name, each in value.items()]
        return "{\n%s%s\n%s}" % (deeper, (",\n" + deeper).join(inner), indent)
    return "[\n%s%s\n%s]" % (deeper, (",\n" + deeper).join(text_of(each, deeper) for each in value), indent)


# --- Running --------------------------------------------------------------------------------------

def run(program, line, folder):
    """The exit status and what was printed as JSON; nothing of it when the command was refused."""
    arguments = [word.replace("{tmp}", folder) for word in shlex.split(line)]
    if arguments[0] not in ("import", "validate") and "--format" not in arguments:
        arguments += ["--format", "json"]
    start = time.monotonic()
    ran = subprocess.run([program] + arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    took = time.monotonic() - start
    value = {"status": ran.returncode}
    if "json" in arguments and ran.stdout:
        value["printed"] = json.loads(ran.stdout)
    elif "--format" in arguments:
        value["printed"] = [text for text in ran.stdout.decode().splitlines() if not text.startswith("#")]
    for option_name in ("-o", "--workload"):
        if option_name in arguments:
            value[option_name] = written(arguments[arguments.index(option_name) + 1])
    return value, took


def reproduced(program, lines, keep):
    """The values of the group `reproduce`, all experiments in one run; what was printed is kept in a file."""
    values = {lines[0]: run(program, lines[0], "")}
    value, took = run(program, ALL_AT_ONCE, "")
    if keep:
        pathlib.Path(keep).unlink(missing_ok=True)
        if value["status"] == 0:
            new = pathlib.Path(keep + ".new")
            new.write_text(json.dumps(value["printed"]), encoding="utf-8")
            new.replace(keep)
    results = value.get("printed", {}).pop("results", [])
    print("%d experiments in %.0f s" % (len(results), took))
    for result in results:
        if result["id"] in EXPERIMENTS:
            values[REPRODUCE % result["id"]] = ({**value, "printed": {**value["printed"], "results": [result]}}, took)
    return values


def written(path):
    """The lines of a file that a command wrote, but for comments; of a workload file what they say."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return [json.loads(line) for line in lines] if path.endswith(".workload") else lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--record", action="store_true")
    parser.add_argument("--program", required=True, help="the program mirab")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--times", action="store_true", help="tell which commands took longest")
    parser.add_argument("--part", choices=["commands", "reproduce"],
                        help="only reproduce, which takes as long as all others, or only the others")
    parser.add_argument("--keep", metavar="FILE", help="where to keep what reproduce printed")
    parser.add_argument("groups", nargs="*", metavar="GROUP")
    asked = parser.parse_args()
    asked.program = str(pathlib.Path(asked.program).resolve())
    chosen = {name: lines for name, lines in groups().items()
              if (not asked.groups or name in asked.groups)
              and (asked.part is None or (asked.part == "reproduce") == (name == "reproduce"))}
    if not chosen:
        parser.error("there are the groups " + ", ".join(groups()))

    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        futures = {name: [pool.submit(run, asked.program, line, folder) for line in lines]
                   for name, lines in chosen.items() if name != "reproduce"}
        values = {name: {line: future.result() for line, future in zip(chosen[name], each)}
                  for name, each in futures.items()}
    if "reproduce" in chosen:
        values["reproduce"] = reproduced(asked.program, chosen["reproduce"], asked.keep)
    if asked.times:
        spent = sorted(((took, line) for each in values.values() for line, (_, took) in each.items()),
                       reverse=True)
        for took, line in spent[:15]:
            print("%6.2f s  %s" % (took, line))
    if asked.record:
        return record(values)
    return check(values)


def record(values):
    FOLDER.mkdir(exist_ok=True)
    for name, lines in values.items():
        recorded = {line: kept(value) for line, (value, _) in lines.items()}
        (FOLDER / (name + ".json")).write_text(text_of(recorded) + "\n", encoding="utf-8")
    print("%d groups recorded" % len(values))
    return 0


def check(values):
    most_commands, most_places = 20, 5  # that are shown
    count = different = 0
    for name, lines in values.items():
        path = FOLDER / (name + ".json")
        recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for line in [line for line in lines if line not in recorded]:
            print("%s: 'mirab %s' is not recorded" % (path.name, line))
            different += 1
        for line, was in recorded.items():
            count += 1
            if line not in lines:
                print("%s: 'mirab %s' is recorded, and no longer run or without a result" % (path.name, line))
                different += 1
                continue
            found = differences(was, lines[line][0])
            if not found:
                continue
            different += 1
            if different > most_commands:
                continue
            print("mirab %s\n  differs from %s:" % (line, path.relative_to(ROOT)))
            for text in found[:most_places]:
                print("    " + text.lstrip("."))
            if len(found) > most_places:
                print("    and in %d other places" % (len(found) - most_places))
    print("%d commands, %d differ" % (count, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
