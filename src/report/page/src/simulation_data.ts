// What the pages of simulations are given (docs/schema/simulation.schema.json), each checked once. A figure that is not
// finite arrives as null.

import {demand, isFigures, isFilled, isTexts} from './page_data';
import type {PageData} from './page_data';
import type {Series} from './schema_types';
import type * as types from './schema_types';

export type Figure = number | null;
export type Amounts = Record<string, number>;

export type {
  DemandsContender, DemandsUser, Quantiles, ReallocationContender, Series, TrafficPoint, TraceUser,
} from './schema_types';

export type Traffic = PageData & types.Traffic;
export type Reallocation = PageData & types.Reallocation;
export type Demands = PageData & types.Demands;

/** Of all users together, or of one. */
export type Served = Pick<types.TraceSummary, keyof types.TraceSummary & keyof types.TraceUser>;

/** With its label, discipline/placement, added when read. */
export type TraceContender = types.TraceContender & {label: string};
export type Trace = PageData & Omit<types.Trace, 'contenders'> & {contenders: TraceContender[]};

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
    const {series, utilization, used, shares, share_bands, team_shares} = contender;
    checkSeries(contender.times, [series, utilization, used, shares, share_bands, team_shares ?? []].flat(), contender.label);
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
