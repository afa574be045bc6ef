"""A scheduler: alice and bob, who counts twice, share two servers by DRF while tasks come and go."""

from datetime import timedelta

import mirab

now = timedelta()  # the caller's clock
engine = mirab.Engine(["millicpu", "MiB"], discipline="drf", placement="best-fit")
for _ in range(2):
    engine.server_added("node", [4_000, 16_384])
alice = engine.user_added("alice")
bob = engine.user_added("bob", weight=2)
large = engine.job_submitted(alice, [1_000, 6_144], tasks=9)
small = engine.job_submitted(bob, [1_000, 1_024], tasks=9)

names = {alice: "alice", bob: "bob"}
running = []


def serve():
    while placed := engine.step(now):
        running.append(placed.task)
        share = engine.user(placed.user).dominant_share
        print(f"{names[placed.user]} gets a task, and has {share:g} of its dominant resource")


serve()
if why := engine.why_waiting(large, now):
    print(why.text, end="")
now += timedelta(seconds=10)
print("the first task ends")
engine.task_finished(running[0], now=now)
serve()
try:
    engine.task_finished(running[0], now=now)
except mirab.Refused as refused:
    print(refused)
