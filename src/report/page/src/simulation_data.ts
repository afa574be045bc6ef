// What the pages of simulations are given (docs/schema/simulation.schema.json), each checked once. A figure that is not
// finite arrives as null.

import {demand, isFigures, isFilled, isTexts} from './page_data';
import type {PageData} from './page_data';

export type Figure = number | null;
export type Amounts = Record<string, number>;

export interface Series {
  name: string;
  values: Figure[];
}

/** All is 0 when count is. */
export interface Quantiles {
  count: number;
  mean: Figure;
  p10: Figure;
  p50: Figure;
  p90: Figure;
  p99: Figure;
  max: Figure;
}

export interface TrafficPoint {
  load: number;
  mechanism: string;
  class: string;
  service_rate: Figure;
  interval: [Figure, Figure];
  jobs: Figure;
  stable: boolean;
  settled: boolean;
}

export interface Traffic extends PageData {
  model: 'fluid' | 'tasks';
  sizes: string;
  capacity: Amounts;
  load_resource: string;
  jobs: number;
  mechanisms: string[];
  classes: {name: string; demand: Amounts; claims: Amounts; arrivals: number; permanent: number}[];
  points: TrafficPoint[];
  notices: string[];
}

/** Of all users together, or of one. */
export interface Served {
  submitted: number;
  started: number;
  finished: number;
  still_running: number;
  still_waiting: number;
  waiting: Quantiles;
  slowdown: Quantiles;
  completion: Quantiles;
  waiting_so_far: Quantiles;
  unfairness: Figure;
  starvation: Figure;
}

export interface TraceUser extends Served {
  name: string;
  share: Figure;
  starved: boolean;
}

export interface TraceContender {
  discipline: string;
  placement: string;
  /** discipline/placement; added when read. */
  label: string;
  summary: Served & {end: number; utilization: Amounts; used: Amounts | null; starved_users: number};
  users: TraceUser[];
  times: number[];
  series: Series[];
  utilization: Series[];
  used: Series[];
  shares: Series[];
  share_bands: Series[];
  notices: string[];
}

export interface Trace extends PageData {
  cluster: string;
  workload: string;
  resources: string[];
  scale: {machines: number; users: number; load: number};
  contenders: TraceContender[];
}

export interface ReallocationContender {
  mechanism: string;
  status: string;
  /** Of the worst division; its kind is empty where all are exact. */
  certificate: {kind: string; value: Figure};
  divisions: number;
  solved: number;
  not_converged: number;
  summary: {
    jobs: number; completed: number; work: number; done: number; active: number; utilization: Amounts; completion: Quantiles;
  };
  servers: {name: string; count: number; mean: Amounts; series: Series[]}[];
  times: number[];
  series: Series[];
  notices: string[];
}

export interface Reallocation extends PageData {
  cluster: string;
  workload: string;
  resources: string[];
  interval: number;
  window: number;
  claimant: 'job' | 'user';
  new_jobs: 'wait' | 'reallocate';
  contenders: ReallocationContender[];
}

export interface DemandsContender {
  mechanism: string;
  summary: Record<string, Figure>;
  series: Series[];
  users: DemandsUser[];
}

export interface DemandsUser {
  name: string;
  bundle: Series[];
  tasks: Figure[];
}

export interface Demands extends PageData {
  resources: string[];
  iterations: number;
  repeats: number;
  times: number[];
  dominated: Series[];
  demands: {name: string; series: Series[]}[];
  contenders: DemandsContender[];
}

export function readTraffic(page: PageData): Traffic {
  const traffic = page as Traffic;
  demand(isTexts(traffic.mechanisms), 'its data names no mechanism');
  demand(isFilled(traffic.classes), 'its data has no class of jobs');
  demand(Array.isArray(traffic.points), 'its data has no points');
  demand(Array.isArray(traffic.notices), 'its data has no notices');
  for (const point of traffic.points) {
    demand(Number.isFinite(point.load) && isFigures(point.interval, 2), 'a point needs a load, and an interval of two numbers');
  }
  return traffic;
}

export function readTrace(page: PageData): Trace {
  const trace = page as Trace;
  demand(isTexts(trace.resources), 'its data names no resources');
  demand(isFilled(trace.contenders), 'its data holds no contender');
  for (const contender of trace.contenders) {
    contender.label = `${contender.discipline}/${contender.placement}`;
    demand(contender.summary instanceof Object && Array.isArray(contender.users), `${contender.label} has no summary or no users`);
    const {series, utilization, used, shares, share_bands} = contender;
    checkSeries(contender.times, [series, utilization, used, shares, share_bands].flat(), contender.label);
  }
  return trace;
}

export function readReallocation(page: PageData): Reallocation {
  const reallocation = page as Reallocation;
  demand(isTexts(reallocation.resources), 'its data names no resources');
  demand(isFilled(reallocation.contenders), 'its data holds no contender');
  for (const {mechanism, summary, servers, times, series} of reallocation.contenders) {
    demand(summary instanceof Object && isFilled(servers), `${mechanism} has no summary or no servers`);
    checkSeries(times, [series, ...servers.map(server => server.series)].flat(), mechanism);
  }
  return reallocation;
}

export function readDemands(page: PageData): Demands {
  const demands = page as Demands;
  demand(isTexts(demands.resources), 'its data names no resources');
  demand(isFilled(demands.contenders), 'its data holds no contender');
  checkSeries(demands.times, demands.dominated, 'dominated');
  for (const {mechanism, summary, series, users} of demands.contenders) {
    demand(summary instanceof Object && Array.isArray(users), `${mechanism} has no summary or no users`);
    checkSeries(demands.times, series, mechanism);
  }
  return demands;
}

function checkSeries(times: unknown, series: readonly Series[], of: string): void {
  demand(isFigures(times) && times.every(time => time !== null), `${of} has no times`);
  for (const each of series) {
    demand(isFigures(each?.values, times.length), `${of}: the series ${JSON.stringify(each?.name)} has not as many values as times`);
  }
}
