// What the page of outcomes is given, checked once.

import {demand, isFilled, isTexts} from './page_data';
import type {PageData} from './page_data';
import type {Outcome, Outcomes} from './schema_types';

export type {Outcome, ServerEntry, Step, UserShare} from './schema_types';

export type Report = PageData & Outcomes;

/** Throws an Error that says what is wrong with the data, in words for the page's reader. */
export function readReport(page: PageData): Report {
  const report = page as PageData & Report;
  demand(isTexts(report.problem?.resources), 'its data names no resources');
  demand(Array.isArray(report.outcomes) && report.outcomes.length > 0, 'its data holds no outcome');
  report.outcomes.forEach((outcome, index) => checkOutcome(outcome, `outcome ${index + 1}`));
  const users = names(report.outcomes[0]!);
  for (const outcome of report.outcomes) {
    demand(names(outcome) === users, `outcome ${JSON.stringify(outcome.label)} is about other users than the first`);
  }
  return report;
}

function checkOutcome(outcome: Outcome, where: string): void {
  demand(typeof outcome?.label === 'string', `${where} has no label`);
  demand(Array.isArray(outcome.users) && outcome.users.length > 0, `${where} has no users`);
  for (const user of outcome.users) {
    demand(typeof user.name === 'string', `${where} has a user without a name`);
    demand(Number.isFinite(user.tasks) && Number.isFinite(user.dominant_share),
        `${where}: user ${JSON.stringify(user.name)} needs finite tasks and dominant_share`);
  }
  demand(typeof outcome.metrics?.utilization === 'object', `${where} has no metrics.utilization`);
  demand(isFilled(outcome.teams), `${where} has no teams`);
  outcome.servers ??= [];
  outcome.notices ??= [];
}

function names(outcome: Outcome): string {
  return JSON.stringify(outcome.users.map(user => user.name));
}
