"""Compares the shares of namespaces on a real API server with those that `mirab fill` computes."""

import copy
import html
import json
import pathlib
import subprocess
import time

from kubernetes import node, pod
from kubelet import amount
from trial import Trial, demand

CAPACITY = {"cpu": "8", "memory": "32Gi", "pods": "110"}
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #333 }
  .small { font-size: 12px; fill: #666 }
  .upstream { fill: #b9c4cf }
  .mirab { fill: #1f6fb2 }
  .fill { stroke: #c8501e; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .small { fill: #aaa } .upstream { fill: #56616c } .mirab { fill: #58a6e8 } .fill { stroke: #f08b5b }
  }
"""


def filled(program, shapes, wanted, capacity, nodes):
    """Tasks of each user by `mirab fill`. `shapes`: user → resource → amount; `wanted`: user → pods. Users in the order in
    which lists of the API server have them, by which ties are broken."""
    cluster = {"resources": list(capacity), "servers": [{"name": "n", "count": nodes, "capacity": capacity}],
               "users": [{"name": user, "tasks": wanted[user], "demand": {**dict.fromkeys(capacity, 0), **shape, "pods": 1}}
                         for user, shape in sorted(shapes.items())]}
    answer = subprocess.run([program, "fill", "-", "-d", "drf", "-p", "best-fit", "--format", "json"],
                            check=True, text=True, input=json.dumps(cluster), capture_output=True).stdout
    return {user["name"]: user["tasks"] for user in json.loads(answer)["outcomes"][0]["users"]}


def placed(trial, shapes):
    """Pods of each user that were bound, once no more are."""
    bound = 0
    trial.wait(lambda: trial.count_bound() > 0, 30, "no pod was bound")
    while trial.count_bound() > bound:
        bound = trial.count_bound()
        time.sleep(2)
    trial.check_referee()
    return {user: sum(1 for each in trial.pods() if each["spec"].get("nodeName") and each["metadata"]["namespace"] == user)
            for user in shapes}


def check_shares(tasks, expected):
    far = {user: (tasks[user], expected[user]) for user in tasks if abs(tasks[user] - expected[user]) > 1}
    demand(not far, f"users have another number of tasks than `mirab fill` gives them: {far}")


def shares(choice):
    """K1-shares: 5 users of one shape each and more pods than there is room for; final shares are those of `mirab fill`."""
    shapes = {"u1": ("1", "1Gi"), "u2": ("500m", "4Gi"), "u3": ("2", "2Gi"), "u4": ("250m", "512Mi"), "u5": ("1", "6Gi")}
    shapes = {user: {"cpu": cpu, "memory": memory} for user, (cpu, memory) in shapes.items()}
    nodes, wanted = 10, 200
    with Trial(choice) as trial:
        trial.make_nodes(node(f"n{number}", **CAPACITY) for number in range(nodes))
        trial.make_pods(pod(f"{user}-{number}", user, requests=shape)
                        for number in range(wanted) for user, shape in shapes.items())
        trial.start_scheduler()
        tasks = placed(trial, shapes)
        figures = {"bound": sum(tasks.values()), **tasks}
        if trial.is_mirab:
            expected = filled(choice.program, shapes, dict.fromkeys(shapes, wanted), CAPACITY, nodes)
            figures["fill"] = expected
            check_shares(tasks, expected)
        return figures


def complementary(choice):
    """K1-greedy: three namespaces whose demands complement one another, and one that asks first and for everything. The
    shares must equal those of `mirab fill`. With --picture it draws them next to kube-scheduler's, measured in the same run."""
    shapes = {"greedy": {"cpu": "1", "memory": "4Gi"}, "compute": {"cpu": "2", "memory": "1Gi"},
              "caches": {"cpu": "250m", "memory": "8Gi"}, "training": {"cpu": "500m", "memory": "2Gi", "nvidia.com/gpu": "1"}}
    wanted = {"greedy": 400, "compute": 60, "caches": 60, "training": 60}
    capacity, nodes = {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": "4", "pods": "110"}, 10

    def run(scheduler):
        chosen = copy.copy(choice)
        chosen.scheduler = scheduler
        with Trial(chosen) as trial:
            for name in shapes:
                trial.api.create("namespaces", {"metadata": {"name": name}})
            trial.make_nodes(node(f"n{number}", **{key.replace("/", "__"): value for key, value in capacity.items()})
                             for number in range(nodes))
            for user, shape in shapes.items():
                trial.make_pods(pod(f"{user}-{number}", user, requests=shape) for number in range(wanted[user]))
            trial.start_scheduler()
            return placed(trial, shapes)

    def share(user, tasks):
        return max(float(tasks * amount(value) / (nodes * amount(capacity[resource])))
                   for resource, value in shapes[user].items())

    by_mirab, by_upstream = run("mirab"), run("kube-scheduler")
    expected = filled(choice.program, shapes, wanted, capacity, nodes)
    check_shares(by_mirab, expected)
    rows = [(user, share(user, by_upstream[user]), share(user, by_mirab[user]), share(user, expected[user])) for user in shapes]
    if choice.picture:
        pathlib.Path(choice.picture).write_text(picture(rows), encoding="utf-8")
    return {"mirab": by_mirab, "fill": expected, "kube-scheduler": by_upstream}


def picture(rows):
    """SVG: of each namespace its dominant share by kube-scheduler, by Mirab, and by `mirab fill` as a line."""
    left, width, row, top = 90, 420, 44, 58
    drawn = ['<text x="0" y="18" font-weight="600">Dominant share of each namespace; greedy asked first</text>']
    for x, name, text in ((0, "upstream", "kube-scheduler"), (150, "mirab", "mirab kube")):
        drawn.append(f'<rect class="{name}" x="{x}" y="31" width="24" height="12"/>'
                     f'<text class="small" x="{x + 32}" y="42">{text}</text>')
    drawn.append('<line class="fill" x1="290" y1="30" x2="290" y2="46"/><text class="small" x="300" y="42">mirab fill</text>')
    for number, (user, upstream, mirab, fill) in enumerate(rows):
        y = top + number * row
        drawn.append(f'<text x="0" y="{y + 19}">{html.escape(user)}</text>')
        for at, name, value in ((y, "upstream", upstream), (y + 14, "mirab", mirab)):
            drawn.append(f'<rect class="{name}" x="{left}" y="{at}" width="{max(width * value, 1):.1f}" height="12"/>'
                         f'<text class="small" x="{left + width * value + 8:.1f}" y="{at + 11}">{value:.0%}</text>')
        x = left + width * fill
        drawn.append(f'<line class="fill" x1="{x:.1f}" y1="{y + 12}" x2="{x:.1f}" y2="{y + 28}"/>')
    height = top + row * len(rows)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 {height}" width="560" height="{height}" role="img" '
            f'aria-label="Dominant shares of namespaces by kube-scheduler and by mirab kube">\n<style>{STYLE}</style>\n'
            + "\n".join(drawn) + "\n</svg>\n")
