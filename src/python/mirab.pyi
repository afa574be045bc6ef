"""Fair sharing of a cluster's resources among its users. See docs/reference/python.md."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd  # type: ignore # has no types of its own
from numpy.typing import ArrayLike, NDArray

__version__: str
NO_LIMIT: int
DECISION_VERSION: int

Number = int | float | str | Decimal
Time = int | timedelta
Amounts = Sequence[int] | NDArray[np.integer[Any]]
Path = str | os.PathLike[str]
Status = Literal["exact", "converged", "not_converged"]

class Refused(ValueError):
    key: str
    file: str
    line: int

def mechanisms() -> dict[str, str]: ...
def disciplines() -> dict[str, str]: ...
def placements() -> dict[str, str]: ...

class Companion(NamedTuple):
    task: int
    server: int
    role: int

class Lost(NamedTuple):
    task: int
    job: int

class Preempted(NamedTuple):
    task: int
    job: int
    right: Literal["share", "guarantee", "rank", "tier"]

class Placed(NamedTuple):
    task: int
    job: int
    user: int
    server: int
    others: tuple[Companion, ...]
    preempted: tuple[Preempted, ...]
    role: int

class Reserving:
    def __init__(self, after: Time, servers: int = 1, at_most: Time | None = None) -> None: ...
    @property
    def after(self) -> int: ...
    @property
    def servers(self) -> int: ...
    @property
    def at_most(self) -> int | None: ...

class Preempting:
    def __init__(self, tasks: int, per: Time) -> None: ...
    @property
    def tasks(self) -> int: ...
    @property
    def per(self) -> int: ...

class Reservation(NamedTuple):
    server: int
    job: int
    user: int
    since: int

class UserState(NamedTuple):
    used: tuple[int, ...]
    running: int
    dominant_share: float
    decayed_share: float | None

class GroupState(NamedTuple):
    name: str
    parent: int | None
    used: tuple[int, ...]
    running: int
    guarantee: tuple[int, ...]
    unused: tuple[int, ...]
    lent: tuple[int, ...]
    share: float
    key: float

class JobState(NamedTuple):
    user: int
    waiting: int
    running: int

class TaskState(NamedTuple):
    task: int
    job: int
    server: int
    started: int
    role: int

class ServerState(NamedTuple):
    capacity: tuple[int, ...]
    free: tuple[int, ...]
    drained: bool

class Other(NamedTuple):
    user: int
    user_name: str
    job: int
    key: float

class ServersFor(NamedTuple):
    with_room: int
    not_allowed: int
    too_small: int
    drained: int
    kept: int
    pack: int
    per_server: int
    spread: int
    full: int
    lacking: tuple[int, ...]
    too_small_in: tuple[int, ...]

class KeptServer(NamedTuple):
    server: int
    server_name: str
    user: int
    user_name: str
    job: int
    since: int

class KeptForIt(NamedTuple):
    server: int
    name: str
    since: int
    missing: tuple[int, ...]
    others: list[int]

class RoleRoom(NamedTuple):
    together: int
    room: int

class Gang(NamedTuple):
    together: int
    room: int
    roles: list[RoleRoom]

class Loser(NamedTuple):
    user: int
    user_name: str
    key_before: float
    key_after: float
    tasks: int
    right: Literal["share", "guarantee", "rank", "tier"]
    standing_before: list[float]
    standing_after: list[float]

class ByForce(NamedTuple):
    server: int
    server_name: str
    key_before: float
    key_after: float
    losers: list[Loser]
    ends: list[Preempted]
    standing_before: list[float]
    standing_after: list[float]

class TreeLevel(NamedTuple):
    name: str
    key: float
    whole: float
    held: float
    is_last: bool

class TreeBound(NamedTuple):
    name: str
    resource: str
    held: int
    allowed: int

class TreeParting(NamedTuple):
    group: str
    own: TreeLevel
    other: TreeLevel

class InTree(NamedTuple):
    path: list[TreeLevel]
    covered_by: str
    limit: TreeBound | None
    reserve: TreeBound | None
    parting: TreeParting | None

class Constraint(NamedTuple):
    label: str
    excludes: int
    alone: int
    set: str | None

class NearestMiss(NamedTuple):
    server: int
    name: str
    to_free: tuple[int, ...]

class OverBudget(NamedTuple):
    first: Other
    tasks: int
    left: int
    free_at: int | None

class WhyWaiting(NamedTuple):
    text: str
    waiting: int
    servers: ServersFor
    kept_for_others: list[KeptServer]
    kept_for_it: KeptForIt | None
    gang: Gang | None
    constraints: list[Constraint]
    nearest_miss: NearestMiss | None
    key: float | None
    older_jobs: int
    own_ahead: int
    users_ahead: int
    users_tied: int
    next: Other | None
    with_weight: float | None
    blocked_by: Other | None
    served_first: KeptServer | None
    forced_first: Other | None
    by_force: ByForce | None
    over_budget: OverBudget | None
    tree: InTree | None
    is_next: bool

class WhyNotOn(NamedTuple):
    text: str
    reason: Literal[
        "nothing", "name", "label", "too_small", "drained", "kept", "pack", "per_server", "spread", "full", "set"
    ]
    label: str
    missing: tuple[int, ...]
    running: int
    at_most: int
    kept: KeptServer | None

class Line(NamedTuple):
    resource: str
    round: int

class Measure(NamedTuple):
    what: str
    chosen: float
    runner_up: float | None

class WhyPlaced(NamedTuple):
    text: str
    key: float
    users_waiting: int
    users_fitting: int
    users_tied: int
    runner_up: Other | None
    line: Line | None
    kind: tuple[int, ...] | None
    tree: InTree | None
    kept_since: int | None
    by_force: ByForce | None
    together: int
    servers_with_room: int
    runner_up_server: int | None
    measure: Measure | None
    free_before: tuple[int, ...]
    free_after: tuple[int, ...]
    was_freed: bool

class Engine:
    def __init__(
        self,
        resources: Sequence[str],
        discipline: str = "drf",
        placement: str = "first-fit",
        *,
        tie: Literal["first", "last", "random"] = "first",
        oversized: Literal["refuse", "wait"] = "refuse",
        share_scale: Sequence[Number] = (),
        half_life: Time | None = None,
        reservations: Reserving | None = None,
        preemption: Preempting | None = None,
        seed: int = 0,
    ) -> None: ...
    @staticmethod
    def restore(snapshot: bytes, *, seed: int = 0) -> Engine: ...
    @staticmethod
    def replay(log: Path, *, seed: int = 0) -> Engine: ...
    def snapshot(self) -> bytes: ...
    def copy(self) -> Engine: ...
    def seed(self, seed: int) -> None: ...
    def server_added(
        self, name: str, capacity: Amounts, *, labels: Mapping[str, str] = {}, now: Time | None = None
    ) -> int: ...
    def server_changed(
        self, server: int, capacity: Amounts, *, allow_below_use: bool = False, now: Time | None = None
    ) -> None: ...
    def server_drained(self, server: int, *, now: Time | None = None) -> None: ...
    def server_reopened(self, server: int, *, now: Time | None = None) -> None: ...
    def server_removed(self, server: int, *, now: Time | None = None) -> None: ...
    def server_failed(self, server: int, *, now: Time | None = None) -> list[Lost]: ...
    def user_added(
        self,
        name: str,
        weight: Number = 1,
        *,
        group: int = 0,
        guarantee: Amounts | None = None,
        limit: Amounts | None = None,
        reserved: Amounts | None = None,
        tier: int = 0,
        now: Time | None = None,
    ) -> int: ...
    def user_reweighted(self, user: int, weight: Number, *, now: Time | None = None) -> None: ...
    def user_removed(self, user: int, *, now: Time | None = None) -> None: ...
    def job_submitted(
        self,
        user: int,
        demand: Amounts = [],
        tasks: int = 1,
        *,
        servers: Sequence[str] | None = None,
        select: Mapping[str, Sequence[str]] = {},
        demand_on: Mapping[str, Amounts] = {},
        gang: int = 1,
        per_server: int | None = None,
        spread: str | tuple[str, int] | None = None,
        pack: str | None = None,
        within: str | None = None,
        rank: int | tuple[int, Time, int] | None = None,
        may_be_preempted: bool = True,
        roles: Sequence[tuple[int, Amounts]] = [],
        now: Time | None = None,
    ) -> int: ...
    def job_cancelled(self, job: int, *, now: Time | None = None) -> list[Lost]: ...
    def task_finished(self, task: int, *, now: Time | None = None) -> None: ...
    def task_failed(self, task: int, *, now: Time | None = None) -> None: ...
    def server_held(self, server: int, amounts: Amounts, *, now: Time | None = None) -> None: ...
    def server_relabelled(
        self, server: int, *, labels: Mapping[str, str] = {}, now: Time | None = None
    ) -> None: ...
    def set_changed(
        self, set: str, *, add: Sequence[int] = (), remove: Sequence[int] = (), now: Time | None = None
    ) -> None: ...
    def task_adopted(
        self, job: int, server: int, since: Time, *, role: int = 0, now: Time | None = None
    ) -> int: ...
    def group_added(
        self,
        name: str,
        weight: Number = 1,
        *,
        parent: int = 0,
        guarantee: Amounts | None = None,
        limit: Amounts | None = None,
        reserved: Amounts | None = None,
        now: Time | None = None,
    ) -> int: ...
    def group_changed(
        self,
        group: int,
        weight: Number,
        *,
        guarantee: Amounts | None = None,
        limit: Amounts | None = None,
        reserved: Amounts | None = None,
        now: Time | None = None,
    ) -> None: ...
    def group_moved(self, group: int, *, parent: int = 0, now: Time | None = None) -> None: ...
    def group_removed(self, group: int, *, now: Time | None = None) -> None: ...
    def user_changed(
        self,
        user: int,
        weight: Number,
        *,
        guarantee: Amounts | None = None,
        limit: Amounts | None = None,
        reserved: Amounts | None = None,
        now: Time | None = None,
    ) -> None: ...
    def user_moved(self, user: int, *, group: int = 0, now: Time | None = None) -> None: ...
    def step(self, now: Time | None = None) -> Placed | None: ...
    def step_and_why(self, now: Time | None = None) -> tuple[Placed, WhyPlaced] | None: ...
    def step_all(self, now: Time | None = None, most: int | None = None) -> NDArray[np.void]: ...
    def user(self, user: int) -> UserState | None: ...
    def group(self, group: int) -> GroupState | None: ...
    def job(self, job: int) -> JobState | None: ...
    def server(self, server: int) -> ServerState | None: ...
    def task(self, task: int) -> TaskState | None: ...
    def tasks_of(self, job: int) -> list[TaskState]: ...
    def tasks_on(self, server: int) -> list[TaskState]: ...
    def jobs_of(self, user: int) -> dict[int, JobState]: ...
    def reservations(self) -> list[Reservation]: ...
    def fits(self, job: int) -> bool: ...
    def why_waiting(self, job: int, now: Time | None = None) -> WhyWaiting | None: ...
    def why_not_on(self, job: int, server: int) -> WhyNotOn | None: ...
    @property
    def resources(self) -> list[str]: ...
    @property
    def now(self) -> int | None: ...
    @property
    def server_count(self) -> int: ...
    @property
    def user_count(self) -> int: ...
    @property
    def group_count(self) -> int: ...
    @property
    def job_count(self) -> int: ...
    @property
    def running_count(self) -> int: ...

class Cluster:
    def __init__(
        self,
        capacities: ArrayLike,
        demands: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        tasks: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        eligible: NDArray[np.bool_] | None = None,
        may_fit_nowhere: NDArray[np.bool_] | None = None,
        resources: Sequence[str] | None = None,
        servers: Sequence[str] | None = None,
        users: Sequence[str] | None = None,
        group_parents: ArrayLike | None = None,
        group_weights: ArrayLike | None = None,
        group_guarantees: ArrayLike | None = None,
        group_limits: ArrayLike | None = None,
        group_reserved: ArrayLike | None = None,
        groups: Sequence[str] | None = None,
        user_groups: ArrayLike | None = None,
        user_guarantees: ArrayLike | None = None,
        user_limits: ArrayLike | None = None,
        user_reserved: ArrayLike | None = None,
    ) -> None: ...
    @staticmethod
    def read(path: Path) -> Cluster: ...
    @staticmethod
    def parse(text: str) -> Cluster: ...
    @property
    def resources(self) -> list[str]: ...
    @property
    def servers(self) -> list[str]: ...
    @property
    def users(self) -> list[str]: ...
    @property
    def groups(self) -> list[str]: ...
    @property
    def capacities(self) -> NDArray[np.float64]: ...
    @property
    def counts(self) -> NDArray[np.float64]: ...
    @property
    def demands(self) -> NDArray[np.float64]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def tasks(self) -> NDArray[np.float64]: ...
    @property
    def eligible(self) -> NDArray[np.bool_]: ...
    @property
    def running(self) -> NDArray[np.float64] | None: ...
    def with_running(self, tasks_on: ArrayLike) -> Cluster: ...

Mechanism = str | Callable[[Cluster], ArrayLike]

class Certificate(NamedTuple):
    kind: str
    value: float

class Metrics(NamedTuple):
    min_dominant_share: float
    gini: float
    jain: float
    ratio_20_20: float
    sample_standard_deviation: float
    beta_dominant: float
    beta_non_dominant: float
    utilization: dict[str, float]
    pareto_index: dict[str, float | None]
    sharing_incentive_index: float
    jain_dominant: dict[str, float]
    jain_non_dominant: dict[str, float]

class Allocation:
    @property
    def cluster(self) -> Cluster: ...
    @property
    def mechanism(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def seconds(self) -> float: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def servers(self) -> list[str]: ...
    @property
    def tasks(self) -> NDArray[np.float64]: ...
    @property
    def shares(self) -> NDArray[np.float64]: ...
    @property
    def tasks_on(self) -> NDArray[np.float64]: ...
    @property
    def bundles(self) -> NDArray[np.float64]: ...
    @property
    def capacity(self) -> NDArray[np.float64]: ...
    @property
    def used(self) -> NDArray[np.float64]: ...
    @property
    def prices(self) -> NDArray[np.float64] | None: ...
    def to_frame(self) -> pd.DataFrame: ...
    def _repr_html_(self) -> str: ...

def allocate(cluster: Cluster | Path, mechanism: Mechanism = "drf", *, threads: int = 1) -> Allocation: ...

class Verdict(NamedTuple):
    property: str
    holds: bool | None
    searched: bool
    tried: int
    note: str
    witness: str | None
    smallest: Cluster | None

def audit(
    cluster: Cluster | Path,
    mechanism: Mechanism = "given",
    *,
    properties: Sequence[str] | None = None,
    budget: int = 1000,
    seed: int = 1,
) -> list[Verdict]: ...

class Holding(NamedTuple):
    user: str
    amount: float

class Binding(NamedTuple):
    servers: list[str]
    resource: str
    capacity: float
    held: float
    level: float
    price: float | None
    others: list[Holding]

class WhatIf(NamedTuple):
    change: Literal["server", "unit", "weight", "task", "group-weight", "limit", "guarantee", "reserve"]
    servers: list[str]
    resource: str | None
    amount: float
    tasks: float
    gain: float
    status: Status

class Explanation(NamedTuple):
    user: str
    mechanism: str
    status: Status
    tasks: float
    dominant_share: float
    has_all_tasks: bool
    bindings: list[Binding]
    what_ifs: list[WhatIf]
    untried: int
    notices: list[str]

def explain(
    cluster: Cluster | Path, user: str, mechanism: str = "drf", *, what_ifs: int = 20, threads: int = 1
) -> Explanation: ...

class UserShare(NamedTuple):
    tasks: float
    share: float
    share_of_before: float

class UserChange(NamedTuple):
    user: str
    before: UserShare | None
    after: UserShare | None
    change: float
    same_task: bool

class UseChange(NamedTuple):
    resource: str
    before: float | None
    after: float | None

class Difference(NamedTuple):
    users: list[UserChange]
    gone: list[UserChange]
    come: list[UserChange]
    gainers: int
    losers: int
    tasks_before: float
    tasks_after: float
    used: list[UseChange]

def diff(before: Allocation, after: Allocation) -> Difference: ...
def page(allocation: Allocation, *others: Allocation, title: str = "allocation") -> str: ...
def simulate(
    scenario: Path | Mapping[str, Any], *, seed: int | None = None, threads: int = 1
) -> dict[str, Any]: ...
