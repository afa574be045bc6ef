#!/usr/bin/env python3
"""Some days of the workload file that `mirab import openb` makes, and their cluster beside it, with `.yaml`.

Usage: openb_days.py openb.workload FIRST_DAY DAYS --workload FILE

What runs when the days begin is submitted then, for the rest of its runtime. Pods that a server of eight GPUs
cannot hold are left out.
"""

import json
import sys

HEAD = """\
# Twelve servers like the most frequent GPU node of the list `openb` of cluster-trace-gpu-v2023, published by
# Alibaba for study and research (https://github.com/alibaba/clusterdata). Cite: Q. Weng, L. Yang, Y. Yu, W. Wang,
# X. Tang, G. Yang and L. Zhang, Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation
# Gradient Descent, USENIX ATC 2023. Goes with openb-days.workload.
version: 1
resources: [cpu, memory, gpu]
servers:
  - {name: gpu, capacity: {cpu: 96, memory: 384Gi, gpu: 8}, count: 12, labels: {gpu-model: G2}}
users:
"""
ROOM = {"cpu": 96, "memory": 384 * 2**30, "gpu": 8}

if len(sys.argv) != 6 or sys.argv[4] != "--workload":
    sys.exit(__doc__)
source, first, days, out = sys.argv[1], int(sys.argv[2]) * 86400, int(sys.argv[3]) * 86400, sys.argv[5]
head, users, requests, jobs = None, {}, {}, []
with open(source, encoding="utf-8") as file:
    for line in map(json.loads, file):
        if "mirab" in line:
            head = line
        elif "job" in line:
            jobs.append(line)
        elif "request" in line:
            requests[line["request"]] = line
        elif "user" in line:
            users[line["user"]] = line

kept = []
for job in jobs:
    end = job["at"] + job["runtime"]
    fits = all(amount <= ROOM[name] for name, amount in requests[job["request"]]["demand"].items())
    if job["at"] < first + days and end > first and fits:
        at = max(0, job["at"] - first)
        kept.append({**job, "at": at, "runtime": end - max(job["at"], first)})
places = {old: new for new, old in enumerate(sorted({job["request"] for job in kept}))}
head["span"] = days
head["provenance"][-1:] = [f"Of these {len(kept)} pods: those of days {first // 86400} to {(first + days) // 86400}; what ran",
                           "when they begin is submitted then, for the rest of its runtime.",
                           f"Made by: {' '.join(sys.argv)}, of what `mirab import openb --workload` made of both lists."]
lines = [head, *(users[name] for name in dict.fromkeys(job["user"] for job in kept)),
         *({**requests[old], "request": new} for old, new in places.items()),
         *({**job, "request": places[job["request"]]} for job in kept)]
with open(out, "w", encoding="utf-8") as file:
    file.writelines(json.dumps(line) + "\n" for line in lines)
with open(out.removesuffix(".workload") + ".yaml", "w", encoding="utf-8") as file:
    file.write(HEAD)
    for name in dict.fromkeys(job["user"] for job in kept):
        mine = [job for job in kept if job["user"] == name]
        demand = ", ".join(f"{key}: {amount}" for key, amount in requests[mine[0]["request"]]["demand"].items())
        file.write(f"  - {{name: {name}, demand: {{{demand}}}, tasks: {len(mine)}}}\n")
