// What Mirab writes as JSON, from the schemas in docs/schema: `make generated` writes this file. A number that is
// not finite is null.

/** N users, m resources. Every object by resource has the keys of problem.resources. A number that is infinite is null. */
export interface Outcomes {
  version: 1;
  seed: number;
  problem: {resources: string[]; users: number; servers: number; server_classes: number; stands_for?: Record<string, string[]>};
  outcomes: Outcome[];
}

export interface Outcome {
  /** As asked for, with its options. */
  mechanism?: string;
  discipline?: string;
  placement?: string;
  tie?: 'first' | 'last' | 'random';
  seed?: number;
  /** How many tasks were placed. Task by task only. */
  placed?: number;
  /** How many tasks were placed for a user who did not have the lowest share per weight of the users that could be served. Task by task only. */
  errors?: number;
  /** Why a user has tasks left, by user. */
  unplaced?: Record<string, string>;
  label: string;
  status: 'exact' | 'converged' | 'not_converged';
  certificate: {kind: string; value: number | null};
  seconds: number;
  users: UserShare[];
  /** A row a team. */
  teams: Team[];
  /** Where the cluster has groups, or users with several task shapes: each of them, after its parent. */
  groups?: Group[];
  servers: ServerEntry[];
  /** Users who have all the tasks that they ask for; a user with task shapes is one, and has all when each shape has. */
  satisfied_users: number;
  /** Of how many users; a user with task shapes is one, unlike in problem.users. */
  satisfied_of: number;
  /** The fairness figures of metrics: min_dominant_share over those who are short of tasks, the others over these and those who hold more per weight than one of these; null when none is short or fewer than two are compared. */
  metrics_short: {min_dominant_share: number; lowest_share?: number; gini: number; jain: number; ratio_20_20: number | null; sample_standard_deviation: number} | null;
  /** The lowest dominant share of those who are short of tasks and may run somewhere, also of one alone; a user with task shapes is one. Null when none is short. */
  lowest_share_short: number | null;
  metrics: Metrics;
  notices: string[];
  /** Only where servers that are alike count together: how many as how many entries, the largest part of a resource of one of them that is left out, and, from the lowest, how far each level may be from that of the servers as they are, and the tasks of any one user at it; no levels where that is not known. */
  merged?: {nodes: number; classes: number; largest_difference: number; levels: {users: number; bound: number; user_bound: number}[]};
  /** One placed task each, with --trace. */
  steps?: Step[];
}

export interface UserShare {
  /** Of a task shape: its user. */
  user?: string;
  /** Of a task shape: its own name. */
  shape?: string;
  /** Whose member the user is. */
  group?: string;
  /** Where there are groups or quotas: what keeps the user from having more: all its tasks run; a limit; full resources; a reserve of others; or none of these. */
  held_back?: {by: 'tasks' | 'limit' | 'capacity' | 'reserve' | 'order'; words: string; of?: string; also?: string[]};
  name: string;
  weight?: number;
  /** How many tasks the user can run. */
  tasks: number;
  /** Of which the user's tasks take the largest part of the cluster, where they run. */
  dominant_resource: string;
  /** The largest part of any one resource that the user holds. */
  dominant_share: number;
  resources: Record<string, number>;
  /** How many tasks the user asks for; null: endless. Whole in a filling. */
  asked: number | null;
  /** The dominant share that these tasks would be; more than 1 when the cluster is too small for them. A task of a user with demand_on counts as much as its tasks take on average where they run. Null: endless. */
  asked_share?: number | null;
  /** Has the user all the tasks that it asks for? Never of endless tasks. */
  satisfied: boolean;
  /** Of a user who fits on no server and waits for one: the resources of which none of its servers has any; where each is on some of them, those that none has together; empty where it is allowed no server. */
  waits_for?: string[];
  /** With waits_for, where each of these resources is on some of its servers, and none has all; left out otherwise. */
  waits_for_together?: boolean;
  /** By server entry; only those on which the user has something. */
  servers: Record<string, {tasks: number; resources: Record<string, number>}>;
}

export interface Group {
  name: string;
  /** The group around it; null where that is the cluster. */
  parent: string | null;
  /** A user with several task shapes, which are its members. */
  is_user?: boolean;
  /** Among the members of the group around it. */
  weight?: number;
  /** The largest part of any one resource that its members use together. */
  share: number;
  /** As given, else that of its members together. */
  guarantee: Record<string, number>;
  /** The largest part of any one resource that it uses beyond its guarantee, per weight: siblings are compared by it. */
  beyond: number;
  used?: Record<string, number>;
  /** Of the guarantee. */
  unused?: Record<string, number>;
  /** The unused part of the guarantee that is not reserved: others may use it. */
  lent?: Record<string, number>;
  /** What it uses beyond its guarantee, which may be none; 0 of a resource of which nothing is guaranteed to any group or user. */
  borrowed?: Record<string, number>;
  /** Of the resources that have one. */
  limit?: Record<string, number>;
  /** Of a group of users. Of which it holds the largest part; where it holds nothing, asks for. */
  dominant_resource?: string;
  /** Of a group of users. The share that it holds now: the largest part of any one resource, of all below it together. Null where what runs now is not known. */
  now?: number | null;
  /** Of a group of users. The share that this outcome gives it; null where the outcome is what runs now. */
  fair?: number | null;
  /** Of a group of users. The share that all the tasks it asks for would hold; null: endless. */
  asked?: number | null;
  /** Of a group of users. That this outcome gives it, of all below it together. */
  tasks?: number;
  /** Of a group of users. Null: endless. */
  asked_tasks?: number | null;
  /** Of a group of users. Tasks that it asks for and this outcome does not give it; null: endless. */
  waiting?: number | null;
  /** Of a group of users. Tasks that it asks for and that do not run now; null: endless, or what runs now is not known. */
  waiting_now?: number | null;
  /** Of a group of users: all below it have all they ask for. */
  satisfied?: boolean;
  /** Of a group of users. What keeps the tasks that wait under this outcome from running, in words; null where none waits. */
  held_by?: string | null;
}

/** A user with all its task shapes, or a user without them. Those who are short come first: beside what runs now who lacks most of its fair share, else who gets the least part of what it asks for. */
export interface Team {
  name: string;
  /** Of the user. */
  weight: number;
  /** The names of its task shapes among `users`. */
  shapes: string[];
  /** Of which it holds the largest part; where it holds nothing, asks for. */
  dominant_resource: string;
  /** The share that it holds now: the largest part of any one resource, of all its shapes together. Null where what runs now is not known. */
  now: number | null;
  /** The share that this outcome gives it; null where the outcome is what runs now. */
  fair: number | null;
  /** The share that all the tasks it asks for would hold; null: endless. */
  asked: number | null;
  /** That this outcome gives it, of all its shapes together. */
  tasks: number;
  /** Null: endless. */
  asked_tasks: number | null;
  /** Tasks that it asks for and this outcome does not give it; null: endless. */
  waiting: number | null;
  /** Tasks that it asks for and that do not run now; null: endless, or what runs now is not known. */
  waiting_now: number | null;
  satisfied: boolean;
  /** What keeps the tasks that wait under this outcome from running, in words; null where none waits. */
  held_by: string | null;
}

/** An entry; with a count the figures are for all of its servers together. */
export interface ServerEntry {
  name: string;
  count: number;
  capacity: Record<string, number>;
  used: Record<string, number>;
  /** λ per unit, where the mechanism has prices. */
  prices?: Record<string, number>;
  /** Λ: for each resource, the mean demand of the tasks that it dominates there, over the capacity of one server (Hamzeh, 5.4). */
  consumption?: Record<string, number>;
  /** α: the largest less the smallest consumption. */
  penalty?: number;
}

export interface Metrics {
  /** The lowest dominant share, not per weight: the part that this user holds of the resource it needs most. */
  min_dominant_share: number;
  /** The Gini coefficient of the dominant shares per weight: 0 when all are equal, 1 − 1/N when one user has all. */
  gini: number;
  /** Jain's index of the dominant shares per weight: 1 when all are equal, 1/N when one user has all. */
  jain: number;
  /** What the fifth of the users with the highest shares holds over what the fifth with the lowest holds, per weight: 1 when all are equal, infinite when the lowest hold nothing. */
  ratio_20_20: number | null;
  /** The sample standard deviation of the dominant shares per weight: 0 when all are equal. */
  sample_standard_deviation: number;
  /** How differently the resources serve the users whom they dominate: the largest less the smallest part of a resource that such users hold. */
  beta_dominant: number;
  /** The same for the users whom the resource does not dominate. */
  beta_non_dominant: number;
  /** How much of the resource is in use, of its capacity. */
  utilization: Record<string, number>;
  /** Among the users whom the resource dominates, the most that one holds of it less a fair share C_r φ_n/Φ (Hamzeh, 7.9); null where it dominates none. */
  pareto_index: Record<string, number | null>;
  /** The part of the users who hold at least a fair share of their dominant resource (Hamzeh, 7.5.2). */
  sharing_incentive_index: number;
  /** Jain's index of what the users whom the resource dominates hold of it (Hamzeh, 4.26). */
  jain_dominant: Record<string, number>;
  /** Jain's index of what the users whom the resource does not dominate hold of it (Hamzeh, 4.27). */
  jain_non_dominant: Record<string, number>;
  /** The same as min_dominant_share. */
  lowest_share?: number;
}

export interface Step {
  step: number;
  user: string;
  server: string;
  /** Which of the entry's servers, from 0. */
  instance: number;
  /** The user's dominant share over its weight, after the placement. */
  share: number;
}

export interface Series {
  name: string;
  values: (number | null)[];
}

export interface Quantiles {
  /** Of how many; all else is 0 of none. */
  count: number;
  mean: number | null;
  p10: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  max: number | null;
  /** The empirical distribution function: parts[i] of the values are at most values[i]. Of many values, steps at evenly spaced ranks: at most 400, of a user or a team 40. */
  cdf: {values: number[]; parts: number[]};
}

export interface Traffic {
  kind: 'traffic';
  /** Arrivals and departures, all points together. */
  events: number;
  model: 'fluid' | 'tasks';
  /** The law of the sizes, as in the scenario file. */
  sizes: string;
  capacity: Record<string, number>;
  load_resource: string;
  /** Measured for each load and mechanism. */
  jobs: number;
  /** Model of tasks only. */
  tasks_per_job?: number;
  /** Model of tasks only. */
  blocking?: 'freeze' | 'skip';
  mechanisms: string[];
  classes: {name: string; demand: Record<string, number>; claims: Record<string, number>; arrivals: number; permanent: number}[];
  /** What must be known before the points are believed: divisions that did not converge, by mechanism. */
  notices: string[];
  /** By load, mechanism and class, in the order in which they were given. */
  points: TrafficPoint[];
}

export interface TrafficPoint {
  load: number;
  mechanism: string;
  class: string;
  /** Arrivals over the mean number of jobs present; of permanent jobs the mean rate of one. */
  service_rate: number | null;
  /** The 95 % interval of service_rate. */
  interval: [number | null, number | null];
  /** The mean number of jobs present. */
  jobs: number | null;
  /** The pool could serve this load if jobs were divisible. Where it could not, nothing is simulated. */
  stable: boolean;
  /** The batches bear the interval out. False with too few jobs for the load, and while the number of jobs present grows. */
  settled: boolean;
}

export interface Trace {
  kind: 'trace';
  cluster: string;
  workload: string;
  resources: string[];
  scale: {machines: number; users: number; load: number};
  contenders: TraceContender[];
}

export interface TraceContender {
  discipline: string;
  placement: string;
  summary: TraceSummary;
  users: TraceUser[];
  /** The grid of all series, ascending. */
  times: number[];
  /** waiting and running (tasks), users (with demand), jain, gini, min_share, unfairness, fragmentation. */
  series: Series[];
  /** By resource: granted over capacity. */
  utilization: Series[];
  /** By resource: really used over capacity; empty when the workload does not tell. */
  used: Series[];
  /** Dominant shares of the users who ask for most. */
  shares: Series[];
  /** p10, p50 and p90 of the other users' dominant shares. */
  share_bands: Series[];
  /** The groups of the scenario's teams, each with all users below it; left out without teams. */
  teams?: TraceTeam[];
  /** Dominant shares of the teams; left out without teams. */
  team_shares?: Series[];
  notices: string[];
}

export interface TraceSummary {
  /** When the replay ended. */
  end: number;
  events: number;
  /** Starts of tasks. */
  placements: number;
  /** Granted over capacity, mean over time, by resource. */
  utilization: Record<string, number>;
  /** Really used over capacity; null when the workload does not tell. */
  used: null | Record<string, number>;
  /** Share-weighted, integrated over time. */
  unfairness: number | null;
  /** The same over the end: a part of the cluster. */
  mean_unfairness: number | null;
  /** The longest time for which a user had waiting tasks and none that ran. */
  starvation: number | null;
  /** Users who had waiting tasks, and never one that ran. */
  starved_users: number;
  /** Tasks, without the oversized ones: finished + still_running + still_waiting. */
  submitted: number;
  /** Ran at least once. */
  started: number;
  finished: number;
  /** At the end. */
  still_running: number;
  /** At the end. */
  still_waiting: number;
  /** Runs that ended with their server. */
  lost: number;
  /** Runs that ended so that another task could start. */
  preempted: number;
  /** Left out: they fit on no server, even an empty one. */
  oversized: number;
  /** Tasks whose runtime was drawn in part. */
  cut: number;
  /** Of finished and running tasks, from submission to the last start. */
  waiting: Quantiles;
  /** Completion over runtime, of finished tasks. */
  slowdown: Quantiles;
  /** From submission to end, of finished tasks. */
  completion: Quantiles;
  /** Of tasks that still wait at the end. */
  waiting_so_far: Quantiles;
  /** Each job counted once, however many tasks it has. */
  jobs: {submitted: number; started: number; finished: number; waiting: Quantiles; completion: Quantiles};
}

export interface TraceUser {
  name: string;
  /** Tasks, without the oversized ones: finished + still_running + still_waiting. */
  submitted: number;
  /** Ran at least once. */
  started: number;
  finished: number;
  /** At the end. */
  still_running: number;
  /** At the end. */
  still_waiting: number;
  /** Runs that ended with their server. */
  lost: number;
  /** Runs that ended so that another task could start. */
  preempted: number;
  /** Left out: they fit on no server, even an empty one. */
  oversized: number;
  /** Tasks whose runtime was drawn in part. */
  cut: number;
  /** Of finished and running tasks, from submission to the last start. */
  waiting: Quantiles;
  /** Completion over runtime, of finished tasks. */
  slowdown: Quantiles;
  /** From submission to end, of finished tasks. */
  completion: Quantiles;
  /** Of tasks that still wait at the end. */
  waiting_so_far: Quantiles;
  /** Dominant share, mean over time. */
  share: number | null;
  unfairness: number | null;
  starvation: number | null;
  starved: boolean;
}

export interface TraceTeam {
  name: string;
  /** The group around it; null: the cluster. */
  parent: string | null;
  weight: number;
  /** Tasks, without the oversized ones: finished + still_running + still_waiting. */
  submitted: number;
  /** Ran at least once. */
  started: number;
  finished: number;
  /** At the end. */
  still_running: number;
  /** At the end. */
  still_waiting: number;
  /** Runs that ended with their server. */
  lost: number;
  /** Runs that ended so that another task could start. */
  preempted: number;
  /** Left out: they fit on no server, even an empty one. */
  oversized: number;
  /** Tasks whose runtime was drawn in part. */
  cut: number;
  /** Of finished and running tasks, from submission to the last start. */
  waiting: Quantiles;
  /** Completion over runtime, of finished tasks. */
  slowdown: Quantiles;
  /** From submission to end, of finished tasks. */
  completion: Quantiles;
  /** Of tasks that still wait at the end. */
  waiting_so_far: Quantiles;
  /** Dominant share of what its users hold together, mean over time. */
  share: number | null;
}

export interface Reallocation {
  kind: 'reallocation';
  cluster: string;
  workload: string;
  resources: string[];
  /** Seconds. */
  interval: number;
  /** Of the moving averages, seconds. */
  window: number;
  claimant: 'job' | 'user';
  new_jobs: 'wait' | 'reallocate';
  contenders: ReallocationContender[];
}

export interface ReallocationContender {
  /** As asked for, with its options. */
  mechanism: string;
  /** Of the worst division. */
  status: 'exact' | 'converged' | 'not_converged';
  /** The largest. */
  certificate: {kind: string; value: number | null};
  not_converged: number;
  /** Moments at which somebody's share was decided. */
  divisions: number;
  /** Of them, those that were computed. */
  solved: number;
  /** Spent in the mechanism. */
  seconds: number;
  summary: {jobs: number; completed: number; work: number; done: number; active: number; utilization: Record<string, number>; completion: Quantiles};
  /** By entry of the cluster: used over capacity. */
  servers: {name: string; count: number; mean: Record<string, number>; series: Series[]}[];
  /** The grid of all series, ascending: every interval's end. */
  times: number[];
  /** active: claimants with work. */
  series: Series[];
  notices: string[];
}

export interface Demands {
  kind: 'demands';
  /** Of mechanisms whose divisions did not all converge. */
  notices: string[];
  resources: string[];
  iterations: number;
  repeats: number;
  /** The grid of all series: iterations, from 0. */
  times: number[];
  /** By resource: users whom it dominates. */
  dominated: Series[];
  /** Of the shown users in the first repeat, by resource. */
  demands: {name: string; series: Series[]}[];
  contenders: DemandsContender[];
}

export interface DemandsContender {
  /** As asked for, with its options. */
  mechanism: string;
  /** The mean of each series over the iterations. */
  summary: Record<string, number | null>;
  /** granted and run by resource, tasks, counted tasks, Jain's indices, … */
  series: Series[];
  /** The shown users in the first repeat. */
  users: DemandsUser[];
}

export interface DemandsUser {
  name: string;
  /** By resource. */
  bundle: Series[];
  tasks: (number | null)[];
}

export interface Overlay {
  kind: 'overlay';
  cluster: string;
  resources: string[];
  /** By their number, every copy for itself. */
  servers: string[];
  users: number;
  /** Seconds. */
  tick: number;
  /** Ascending, the first is 0. */
  tolerances: number[];
  /** One for each scheduler, in the order of the scenario. */
  runs: OverlayRun[];
  /** What must be known before the figures are believed: what the scenario says without effect, room that was left since the user with the lowest share had no task, broken promises. */
  notices: string[];
}

export interface OverlayRun {
  /** As the scenario calls it. */
  scheduler: string;
  /** Which of the schedulers that Mirab has. */
  rule: string;
  seed: number;
  /** The lowest dominant share of a user at the end. */
  min_share: number | null;
  /** Of the shares at the end. */
  gini: number | null;
  /** Sample standard deviation of the shares at the end. */
  deviation: number | null;
  /** Mean of the lowest share over the time after the first tenth. */
  mean_min_share: number | null;
  /** Placements whose user did not have the lowest share. */
  wrong: number;
  /** By tolerance: of a user that was more than so much above the lowest share. */
  wrong_within: number[];
  /** By tolerance: part of the placements so far, at evenly spread moments. */
  wrong_over_time: ((number | null)[])[];
  placements: number;
  /** From the first tick to the last placement. */
  ticks: number;
  /** Of the ticks to those of centralised-drf; null where that is not among the schedulers. */
  ratio: number | null;
  /** Sent after the warm-up. */
  messages: number;
  bytes: number;
  messages_per_tick_and_node: number;
  bytes_per_tick_and_node: number;
  /** By kind of message. */
  kinds: {kind: string; messages: number; bytes: number}[];
  /** Messages, by the network. */
  lost: number;
  /** Messages that nodes did not take, by reason. */
  dropped: Record<string, number>;
  /** Users that went to another home. */
  moved: number;
  /** Tasks that were lost with their host. */
  restarted: number;
  /** Part of the cluster at the end, by resource. */
  used: Record<string, number>;
  /** At the end, by user. */
  shares: Record<string, number | null>;
  /** Promises that were broken. */
  violations: number;
  /** The first few. */
  violated: {promise: string; what: string; at: number}[];
  /** Where the scenario asks for some, and on the page: F pictures of K servers. */
  frames?: OverlayFrames;
}

/** Where the scenario asks for some, and on the page: F pictures of K servers. */
export interface OverlayFrames {
  /** Below 0: warm-up. */
  ticks: number[];
  /** The negated lowest share of the server's users; null without users. [F][K] */
  utility: ((number | null)[])[];
  /** Neighbours, by number. [F][K][P] */
  view: number[][][];
  /** Dominant part of the server's capacity in use. [F][K] */
  used: number[][];
  placements: number[];
}

/** A number that is infinite or none is null. The page of --report holds the same, with `kind` ("reproduce"), `title` and `command`. */
export interface Reproduction {
  version: 1;
  seed: number;
  effort: 'quick' | 'full';
  /** In the order of the papers. */
  results: Result[];
}

export interface Result {
  id: string;
  /** The paper, and its table, figure or section. */
  paper: string;
  /** What it shows. */
  title: string;
  /** agrees: every printed number is found, on the paper's own data; shape agrees: what must hold holds, where no number is printed, the data were never published, or a printed number is wrong; undecided: nothing contradicts it, and intervals leave some of it open; differs: something is not found. */
  verdict: Verdict;
  data: string;
  /** How long it took; with --times only. */
  seconds?: number;
  checks: Check[];
  figures: Plot[];
  tables: {title: string; head: string[]; rows: string[][]}[];
  /** Where our result contradicts the paper, with the evidence. */
  remarks: string[];
}

export type Verdict = 'agrees' | 'shape agrees' | 'undecided' | 'differs';

export interface Check {
  what: string;
  /** What the paper prints; null where it prints no number. */
  printed: number | null;
  ours: number | null;
  /** Of ours, 95 %; null where it is no estimate. */
  interval: [number | null, number | null] | null;
  holds: boolean;
  /** The interval has both sides, so that neither is shown; `holds` is false then. */
  undecided: boolean;
  /** What holds is not what is printed, which is wrong: the note says why. */
  corrected: boolean;
  /** How the numbers are meant: of yes-no, 1 is yes and 0 is no. */
  reading: 'number' | 'yes-no';
  /** Why it differs; empty mostly. */
  note: string;
}

export interface Plot {
  title: string;
  x_label: string;
  y_label: string;
  curves: Curve[];
}

export interface Curve {
  name: string;
  x: (number | null)[];
  /** As many as x. */
  y: (number | null)[];
  /** Of the 95 % intervals; empty where nothing is estimated. */
  low: (number | null)[];
  high: (number | null)[];
  /** What the paper prints for each x, null where it prints no number; left out where it prints none. */
  printed?: (number | null)[];
}

/** A number that is infinite is null. */
export interface Explained {
  version: 1;
  cluster: string;
  /** As asked for, with its options. */
  mechanism: string;
  status: 'exact' | 'converged' | 'not_converged';
  certificate: {kind: string; value: number | null};
  seconds: number;
  user: {name: string; weight: number; demand: Record<string, number>; limit: number | null; tasks: number; dominant_resource: string; dominant_share: number; held_back?: {by: 'tasks' | 'limit' | 'capacity' | 'reserve' | 'order'; words: string; of?: string; also?: string[]}; has_all_tasks: boolean; servers: Record<string, number>};
  /** Full resources that the user needs where it may run; of which it holds the largest part first. */
  bindings: {servers: string[]; resource: string; capacity: number; held: number; level: number; price?: number; others: {user: string; held: number}[]}[];
  /** Changes that were tried, each by solving the changed cluster; the greatest gain first. */
  what_ifs: ({change: 'server' | 'unit' | 'weight' | 'task' | 'group-weight' | 'limit' | 'guarantee' | 'reserve'; servers: string[]; resource?: string; of?: string; also?: string[]; with?: {resource: string; of: string; also?: string[]; amount: number}[]; amount: number; guarantee?: Record<string, number>; tasks: number; gain: number; losers: {count: number; most: {user: string; share_before: number; share_after: number; tasks_before: number; tasks_after: number}[]; words: string}; status: 'exact' | 'converged' | 'not_converged'; words: string})[];
  /** Changes beyond --what-ifs. */
  untried: number;
  /** With groups: those around the user, from the top, then the user. */
  path?: ({name: string; weight: number; share: number; beyond: number | null; lowest_sibling: {name: string; beyond: number | null; last: boolean} | null})[];
  /** With groups, of a user who is short: the group on its path, or the user, at which it is held back. */
  holder?: {name: string; by: 'limit' | 'reserve' | 'no-weight' | 'guarantee' | 'sibling' | 'capacity' | 'order'; resources: string[]; part: number; sibling: string | null; words: string};
  notices: string[];
  /** Only where servers that are alike count together: how many as how many entries, the largest part of a resource of one of them that is left out, and, from the lowest, how far each level may be from that of the servers as they are, and the tasks of any one user at it; no levels where that is not known. */
  merged?: {nodes: number; classes: number; largest_difference: number; levels: {users: number; bound: number; user_bound: number}[]};
}

/** Why every user has what it has. A number that is infinite is null. */
export interface Surveyed {
  version: 1;
  /** What it is called, or its file. */
  cluster: string;
  /** Of whom the survey is alone: a user with its task shapes, or a group; null: of all. */
  team: string | null;
  /** As asked for, with its options. */
  mechanism: string;
  status: 'exact' | 'converged' | 'not_converged';
  certificate: {kind: string; value: number | null};
  seconds: number;
  /** Users who have all the tasks that they ask for; one with task shapes is one. */
  satisfied_users: number;
  /** Of how many users. */
  satisfied_of: number;
  /** Only of a survey of a group of users: the group itself, as a row. */
  group?: {name: string; weight: number; shapes: string[]; dominant_resource: string; now: number | null; fair: number | null; asked: number | null; tasks: number; asked_tasks: number | null; waiting: number | null; waiting_now: number | null; satisfied: boolean; held_by: string | null};
  /** Where there are groups of users: of a survey of all, all of them; of one of them, it and those in it. Each stands before those in it. */
  groups?: ({name: string; parent: string | null; weight: number; dominant_resource: string; now: number | null; fair: number | null; asked: number | null; tasks: number; asked_tasks: number | null; waiting: number | null; waiting_now: number | null; satisfied: boolean; held_by: string | null})[];
  /** A row a team. */
  teams: ({name: string; weight: number; shapes: string[]; dominant_resource: string; now: number | null; fair: number | null; asked: number | null; tasks: number; asked_tasks: number | null; waiting: number | null; waiting_now: number | null; satisfied: boolean; held_by: string | null})[];
  /** Those who are short first, of these the least part of what it asks for; then those who ask without end, the lowest share first. */
  users: SurveyedUser[];
  /** What each change would bring all tasks of the team together, the greatest gain of its share first, without changes of one user's own weight; empty in a survey of all. */
  together: TriedChange[];
  /** Changed clusters that were divided; one serves all the users whom it may help. */
  solved: number;
  notices: string[];
  /** Only where servers that are alike count together: how many as how many entries, the largest part of a resource of one of them that is left out, and, from the lowest, how far each level may be from that of the servers as they are, and the tasks of any one user at it; no levels where that is not known. */
  merged?: {nodes: number; classes: number; largest_difference: number; levels: {users: number; bound: number; user_bound: number}[]};
}

export interface SurveyedUser {
  name: string;
  /** Of a task shape: its user. */
  user?: string;
  /** Of a task shape: its own name. */
  shape?: string;
  /** Those around it, the outermost first. */
  groups: string[];
  weight: number;
  /** How many tasks it asks for; null: endless. */
  asked: number | null;
  tasks: number;
  /** It has all that it asks for. */
  satisfied: boolean;
  /** The largest part of any one resource that it holds. */
  dominant_share: number;
  /** What keeps the user from having more: all its tasks run; a limit; full resources; a reserve of others; or none of these. */
  held_back: {by: 'tasks' | 'limit' | 'capacity' | 'reserve' | 'order'; words: string; of?: string; also?: string[]; placement?: boolean};
  /** Full resources that it needs where it may run; none of a satisfied user. */
  bindings: FullResource[];
  /** The best of what_ifs: the cheapest that brings all it asks for, else the cheapest of those that bring most; what takes from others is the dearest. Null: none helps. */
  remedy: TriedChange | null;
  /** Other what_ifs of the same cost as the remedy that bring as much. */
  ties?: number;
  /** Where others have less with the remedy: the best of what_ifs with which nobody has. Else, and where there is none, null. */
  free_remedy: TriedChange | null;
  /** The greatest gain first; none of a satisfied user. */
  what_ifs: TriedChange[];
  /** Changes beyond --what-ifs. */
  untried: number;
}

export interface FullResource {
  /** Entries of equal servers, taken together. */
  servers: string[];
  resource: string;
  capacity: number;
  /** By the user. */
  held: number;
  /** The highest share per weight of those who hold some of it: the dominant share, or where every server stands for itself the tasks over those that the user could run alone on these servers. */
  level: number;
  /** λ per unit, where the mechanism has prices. */
  price?: number;
  /** Who else holds most of it. */
  others: {user: string; held: number}[];
}

export interface TriedChange {
  change: 'server' | 'unit' | 'weight' | 'task' | 'group-weight' | 'limit' | 'guarantee' | 'reserve';
  /** Entries to which it applies alike; it was tried on the first. Empty for the pool, a weight, a task. */
  servers: string[];
  /** Of a unit, limit, guarantee or reserve. */
  resource?: string;
  /** The group, or user, of a group-weight, limit, guarantee or reserve. */
  of?: string;
  /** Of a limit: groups around it whose limits rise by as much. */
  also?: string[];
  /** Of a limit: the limits on other resources that rise with it. */
  with?: {resource: string; of: string; also?: string[]; amount: number}[];
  /** How many servers, or how much more of the resource; the new weight, number of tasks, limit, or guarantee of the resource; how much of it was reserved. */
  amount: number;
  /** The new guarantee, of every resource. */
  guarantee?: Record<string, number>;
  /** Of the user, after the change. */
  tasks: number;
  /** Over its tasks now; negative when the change hurts; 0 within a millionth. */
  gain: number;
  /** Only of several users together: the largest part of any one resource of the cluster as it is that they hold after the change. */
  share?: number;
  /** Over their share now; 0 within a millionth. */
  share_gain?: number;
  /** Who has less after the change, a user with all its task shapes; of those who lose most of their share of the cluster as it is at most three. */
  losers: {count: number; most: {user: string; share_before: number; share_after: number; tasks_before: number; tasks_after: number}[]; words: string};
  status: 'exact' | 'converged' | 'not_converged';
  /** The change in words. */
  words: string;
}

/** A number that is infinite is null. */
export interface Compared {
  version: 1;
  before: ComparedSide;
  after: ComparedSide;
  /** Entries of `users` whose tasks grow by more than 0.005 %. Each task shape is an entry. */
  gainers: number;
  losers: number;
  /** How many of `teams` on both sides have each direction. */
  changed_users: {gain: number; lose: number; mixed: number; unchanged: number};
  /** Each user once, with all its task shapes: those of both sides by the change of their share for their weight, the greatest gain first, then those of one side. */
  teams: ({name: string; before: {tasks: number; dominant_share: number; share_of_before: number; asked: number | null; satisfied: boolean} | null; after: {tasks: number; dominant_share: number; share_of_before: number; asked: number | null; satisfied: boolean} | null; direction: 'gain' | 'lose' | 'mixed' | 'unchanged'; shapes: string[]; now: number | null; fair: number | null; asked: number | null; waiting: number | null; held_by: string | null; may_be_none?: true})[];
  /** Users of both sides, the greatest gain in tasks first; each task shape is an entry. */
  users: ComparedUser[];
  only_before: {name: string; tasks: number; dominant_share: number; share_of_before?: number}[];
  only_after: {name: string; tasks: number; dominant_share: number; share_of_before?: number}[];
  /** Where a side has groups, or users with several task shapes: those of before, then those that only after has. */
  groups?: ComparedGroup[];
  /** Used over capacity by resource; null on a side that lacks the resource. */
  utilization: Record<string, {before: number | null; after: number | null}>;
}

export interface ComparedSide {
  cluster: string;
  /** As asked for, with its options. */
  mechanism: string;
  status: 'exact' | 'converged' | 'not_converged';
  certificate: {kind: string; value: number | null};
  seconds: number;
  users: number;
  servers: number;
  /** Of all users together. */
  tasks: number;
  /** Users who have all the tasks that they ask for; one with task shapes counts once. */
  satisfied_users?: number;
  /** Of how many users; one with task shapes counts once. */
  satisfied_of?: number;
  /** The fewest tasks and the lowest share of those who are short of tasks and may run somewhere; for the share a user with task shapes is one. Null when no user is short. */
  lowest_short?: unknown;
  /** The fewest tasks and the lowest share of any user who may run somewhere; for the share a user with task shapes is one. */
  lowest: {tasks: number; dominant_share: number; share_of_before?: number};
  notices: string[];
  /** Only where servers that are alike count together: how many as how many entries, the largest part of a resource of one of them that is left out, and, from the lowest, how far each level may be from that of the servers as they are, and the tasks of any one user at it; no levels where that is not known. */
  merged?: {nodes: number; classes: number; largest_difference: number; levels: {users: number; bound: number; user_bound: number}[]};
}

export interface ComparedUser {
  name: string;
  before: {tasks: number; dominant_share: number; share_of_before: number; asked: number | null; satisfied: boolean};
  after: {tasks: number; dominant_share: number; share_of_before: number; asked: number | null; satisfied: boolean};
  /** Tasks after over tasks before, less 1; null from nothing. */
  change: number | null;
  /** A task demands the same on both sides. */
  same_task: boolean;
  /** Only where it is so: the change is within what counting alike servers together may cost. */
  may_be_none?: true;
}

export interface ComparedGroup {
  name: string;
  /** A user with several task shapes. */
  is_user: boolean;
  /** Null: it was added. */
  before: ComparedGroupShare | null;
  /** Null: it was removed. */
  after: ComparedGroupShare | null;
  /** Of share_of_before; 0 within 0.005 % of the cluster, and where it is on one side only. */
  gain: number;
  /** It has another parent. */
  moved: boolean;
  /** Which of its settings differ, as they are given. */
  settings: ('weight' | 'guarantee' | 'limit' | 'reserved')[];
}

export interface ComparedGroupShare {
  /** The group around it; null: the cluster. */
  parent: string | null;
  weight: number;
  /** The largest part of any one resource that its users have. */
  share: number;
  /** The same in parts of the cluster before. */
  share_of_before: number;
  /** The share of what it uses beyond its guarantee, per weight. */
  beyond: number;
  used: Record<string, number>;
  /** The effective one. */
  guarantee: Record<string, number>;
  /** What it uses beyond its guarantee, which may be none; 0 of a resource of which nothing is guaranteed to any group or user. */
  borrowed: Record<string, number>;
  /** What others may use of its guarantee. */
  lent: Record<string, number>;
  /** Of the resources that have one. */
  limit?: Record<string, number>;
}

/** With --claims, claims.schema.json. A number that is infinite is null. */
export interface Audited {
  version: 1;
  /** The cluster file, or how many random clusters. */
  audited: string;
  /** Attempts in all. */
  budget: number;
  seed: number;
  /** That the searches might take in all; absent where they had no end. */
  seconds?: number;
  outcomes: AuditedMechanism[];
}

export interface AuditedMechanism {
  /** As asked for, with its options. */
  mechanism: string;
  status?: 'exact' | 'converged' | 'not_converged';
  /** Why the mechanism cannot divide this cluster; then there are no properties. */
  refused?: string;
  /** Those asked for; without --properties those of groups only where there are groups. */
  properties: AuditVerdict[];
}

export interface AuditVerdict {
  property: string;
  /** When false, nothing can be said, and `note` says why. */
  decided: boolean;
  /** Null when not decided. */
  holds: boolean | null;
  /** It asks for nothing here; `note` says why. */
  vacuous: boolean;
  /** `searched`: no counterexample was found in `tried` attempts, which is not a proof. */
  scope: 'instance' | 'searched';
  /** Divisions that were looked at, or compared with the cluster's own; none when vacuous or not decided. */
  tried: number;
  /** The time of the search was over before all its attempts were made. */
  ended_early?: true;
  note?: string;
  /** Why it does not hold here. */
  witness?: Violation;
  /** The same on the smallest cluster that was found to show it. */
  smallest?: Violation;
}

/** What happened, in words and numbers; which numbers depends on the property. */
export interface Violation {
  words: string;
  /** Who loses, envies or lies. */
  user?: string;
  /** Whom it envies, or who left. */
  other?: string;
  /** Of the violation, relative. */
  size: number | null;
  /** A cluster file (cluster.schema.json), with its groups, guarantees, limits, reserves and task shapes. */
  cluster?: unknown;
  /** The cluster with which it is compared. */
  changed?: unknown;
}

/** Amounts are quantities as Kubernetes writes them: 720m, 2, 81Mi. */
export interface Limited {
  version: 1;
  /** As asked for, with its options. */
  mechanism: string;
  status: 'exact' | 'converged' | 'not_converged';
  certificate: {kind: string; value: number | null};
  /** False when the present limits fit and were to be left then. */
  recalculated: boolean;
  /** Its name; empty with --capacity and for several. */
  node: string;
  /** On how many nodes the pods run; allocatable is what all have together. */
  nodes: number;
  /** Only its pods are shown; the sums are those of all pods. Null: all are shown. */
  namespace?: string | null;
  allocatable: Record<string, string>;
  /** By all pods together. */
  requested: Record<string, string>;
  /** Of all pods together; null where a container has none. */
  old_limits: Record<string, string | null>;
  /** Of all pods together, at most what is allocatable. */
  limits: Record<string, string>;
  /** In the order of the file. */
  pods: LimitedPod[];
  /** Of several nodes: each, and how many pods of each template run there; empty for one. */
  on_nodes?: {name: string; allocatable: Record<string, string>; pods: Record<string, number>}[];
  /** Who would go, and in which order, if all used what their old limits allow. */
  evictions: ({name: string; pods: number; resource: string; above_request: string; qos: 'Guaranteed' | 'Burstable' | 'BestEffort'; priority: number})[];
  notices: string[];
}

export interface LimitedPod {
  /** As in the table: frontend, deployment/web. */
  name: string;
  kind: string;
  namespace: string;
  /** How many of them there are. */
  pods: number;
  /** With what --resource-weight makes of it. */
  weight: number;
  /** What one of the pods requests of resources by vendor, such as nvidia.com/gpu. */
  devices: Record<string, number>;
  /** What one of the pods has before rounding: CPUs, or bytes. */
  share: Record<string, number>;
  containers: LimitedContainer[];
  /** Only of templates in a cluster: of each resource of which it gets no more than its request, the first node that leaves no more. */
  full_node?: Record<string, string>;
}

export interface LimitedContainer {
  name: string;
  role: 'main' | 'init' | 'sidecar';
  request: Record<string, string>;
  old_limit: Record<string, string | null>;
  limit: Record<string, string>;
}

/** What to buy, or which weight to give, so that a user gets its tasks. */
export interface Planned {
  version: 1;
  /** What it is called, or its file. */
  cluster: string;
  /** As asked for, with its options. */
  mechanism: string;
  /** Of the cluster after the change. */
  status: 'exact' | 'converged' | 'not_converged';
  certificate: {kind: string; value: number | null};
  user: string;
  /** How many tasks it should get, of all its task shapes together. */
  wanted: number;
  /** Of a user with task shapes each of them; else empty. */
  shapes: {name: string; wanted: number; tasks_before: number; tasks_after: number}[];
  tasks_before: number;
  tasks_after: number;
  /** With --weights. */
  weight?: {before: number; after: number; too_little: number | null; steady: boolean};
  /** Those that could be bought; without --weights. */
  kinds?: PlannedKind[];
  /** Of all that is bought. */
  price?: number;
  /** No purchase below it is enough; the price where the plan is exact. */
  least_price?: number;
  /** Cheaper purchases that could not be divided, or did not converge, so that the plan is not exact. */
  uncertain?: number;
  /** No cheaper purchase is enough. False where servers count together, and with --weights, which are sampled. */
  exact: boolean;
  /** Of one kind: a count after which one more brings the user less; null where there is none. */
  falls_after: number | null;
  /** Changed clusters that were divided. */
  solved: number;
  /** Only with --alike: it was searched on servers that count together, and then divided on all servers as they are, where it is enough, and a purchase with one server less of a kind is not. All figures before and after are of these. */
  checked?: true;
  /** How good the plan is. */
  words: string;
  /** Of the cluster after the change, and which mechanism was chosen. */
  notices: string[];
  /** Only where servers that are alike count together: how many as how many entries, the largest part of a resource of one of them that is left out, and, from the lowest, how far each level may be from that of the servers as they are, and the tasks of any one user at it; no levels where that is not known. */
  merged?: {nodes: number; classes: number; largest_difference: number; levels: {users: number; bound: number; user_bound: number}[]};
  /** Before and after, as in difference.schema.json. */
  difference: unknown;
}

export interface PlannedKind {
  name: string;
  /** No server entry of the cluster. */
  is_new: boolean;
  /** Of one, by resource. */
  capacity: Record<string, number>;
  price_of_one: number;
  /** How many to buy. */
  count: number;
  price: number;
}
