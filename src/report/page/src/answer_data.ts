// What the pages of answers are given (docs/schema), checked once: explanations, differences, audits, limits and plans.

import {demand, isFilled} from './page_data';
import type {PageData} from './page_data';
import type * as types from './schema_types';

export type {AuditedMechanism, AuditVerdict, ComparedUser, FullResource, LimitedPod, PlannedKind, SurveyedUser, TriedChange,
  Violation} from './schema_types';

export type Explained = PageData & types.Explained;
export type Surveyed = PageData & types.Surveyed;
export type Compared = PageData & types.Compared;
export type Audited = PageData & types.Audited;
export type Limited = PageData & types.Limited;
export type Planned = PageData & types.Planned;

export function readExplained(page: PageData): Explained {
  const explained = page as Explained;
  demand(typeof explained.user?.name === 'string', 'its data names no user');
  demand([explained.bindings, explained.what_ifs, explained.notices].every(Array.isArray), 'its data lacks bindings, what_ifs or notices');
  return explained;
}

export function readSurveyed(page: PageData): Surveyed {
  const surveyed = page as Surveyed;
  demand(isFilled(surveyed.users), 'its data holds no users');
  demand(isFilled(surveyed.teams) && Array.isArray(surveyed.together), 'its data lacks teams');
  for (const {name, groups, held_back, what_ifs} of surveyed.users)
    demand(typeof name === 'string' && Array.isArray(groups) && typeof held_back?.words === 'string' && Array.isArray(what_ifs), `the user ${JSON.stringify(name)} lacks a part`);
  return surveyed;
}

export function readCompared(page: PageData): Compared {
  checkCompared(page as Compared);
  return page as Compared;
}

export function checkCompared(compared: types.Compared): void {
  demand([compared?.users, compared?.only_before, compared?.only_after].every(Array.isArray), 'its data lacks users');
  demand(Array.isArray(compared.teams), 'its data lacks teams');
  demand([compared.before, compared.after].every(side => typeof side?.mechanism === 'string'), 'its data lacks a side');
}

export function readAudited(page: PageData): Audited {
  const audited = page as Audited;
  demand(isFilled(audited.outcomes), 'its data holds no outcome');
  for (const {mechanism, properties} of audited.outcomes)
    demand(typeof mechanism === 'string' && Array.isArray(properties), `${JSON.stringify(mechanism)} has no properties`);
  return audited;
}

export function readLimited(page: PageData): Limited {
  const limited = page as Limited;
  demand(isFilled(limited.pods), 'its data holds no pods');
  demand(typeof limited.allocatable === 'object' && Object.keys(limited.allocatable).length > 0, 'its data names no resources');
  return limited;
}

export function readPlanned(page: PageData): Planned {
  const planned = page as Planned;
  demand(typeof planned.user === 'string' && Number.isFinite(planned.wanted), 'its data names no user or no tasks');
  checkCompared(planned.difference as types.Compared);
  return planned;
}
