// The two tables: the outcomes in a few numbers each, and every user.

import {element} from 'shared/element';
import {figures} from './figures';
import {numberColumn, percentColumn, whole} from 'shared/format';
import type {Format} from 'shared/format';
import type {Outcome, Report} from './report_data';
import {asksForTasks} from './shares';
import {sortableTable} from 'shared/sortable_table';
import type {Column} from 'shared/sortable_table';

type Figure = number | null | undefined;

interface Measure {
  heading: string;
  explanation: string;
  of: (outcome: Outcome) => Figure;
  format: typeof numberColumn;
}

/** The figures of audit/figures.hpp that have a heading, those by resource once for each. */
function measures(report: Report): Measure[] {
  const shown = figures.flatMap(({heading, by_resource, unit, better, meaning, of}): Measure[] => {
    const format = unit === 'share' ? percentColumn : numberColumn;
    const explanation = better ? `${meaning} ${better === 'more' ? 'More' : 'Less'} is better.` : meaning;
    if (!by_resource) return [{heading, format, explanation, of: outcome => of(outcome, '')}];
    return report.problem.resources.map(resource =>
      ({heading: `${resource} ${heading}`, format, explanation, of: outcome => of(outcome, resource)}));
  });
  return shown.filter(measure => report.outcomes.some(outcome => measure.of(outcome) !== undefined));
}

/** One row per outcome, and below it what the headings mean. */
export function metricsTable(report: Report): HTMLElement[] {
  const shown = measures(report);
  const columns: Column<Outcome>[] = [
    {heading: 'outcome', key: outcome => outcome.label, text: outcome => outcome.label},
    ...(asksForTasks(report) ? [{
      heading: 'get all they ask for',
      explanation: 'Users who have all the tasks that they ask for; a user with task shapes is one.',
      key: ({satisfied_users}: Outcome) => satisfied_users,
      text: ({satisfied_users, satisfied_of}: Outcome) => `${satisfied_users} of ${satisfied_of}`,
    }] : []),
    ...shown.map((measure): Column<Outcome> => {
      const format = measure.format(report.outcomes.map(measure.of));
      return {
        heading: measure.heading,
        explanation: measure.explanation,
        key: outcome => sortable(measure.of(outcome)),
        text: outcome => format(measure.of(outcome)),
      };
    }),
  ];
  if (report.outcomes.some(outcome => outcome.status !== undefined)) {
    const status = (outcome: Outcome) => (outcome.status ?? '–').replace('_', ' ');
    columns.push({heading: 'status', key: status, text: status});
  }
  const meanings = element('dl', {}, ...shown.flatMap(measure =>
    [element('dt', {}, measure.heading), element('dd', {}, measure.explanation)]));
  return [
    sortableTable('The outcomes in numbers', columns, report.outcomes),
    element('details', {class: 'meanings'}, element('summary', {}, 'What these numbers mean'), meanings),
  ];
}

/** One row per user: its dominant resource, and its tasks and share under every outcome. */
export function usersTable(report: Report): HTMLElement {
  const users = report.outcomes[0]!.users.map((user, index) => ({user, index}));
  type Row = (typeof users)[number];
  const columns: Column<Row>[] = [
    {heading: 'user', key: ({user}) => user.name, text: ({user}) => user.name},
    {heading: 'dominant', key: ({user}) => user.dominant_resource, text: ({user}) => user.dominant_resource},
  ];
  if (users.some(({user}) => user.weight !== undefined)) {
    const format = numberColumn(users.map(({user}) => user.weight));
    columns.push({heading: 'weight', key: ({user}) => user.weight ?? 1, text: ({user}) => format(user.weight ?? 1)});
  }
  if (asksForTasks(report)) {
    const format = numberColumn(users.map(({user}) => user.asked ?? 0));
    columns.push({heading: 'asked', key: ({user}) => user.asked ?? Infinity,
      text: ({user}) => typeof user.asked === 'number' ? format(user.asked) : '∞'});
  }
  for (const outcome of report.outcomes) {
    const tasks = numberColumn(outcome.users.map(user => user.tasks));
    const share = percentColumn(outcome.users.map(user => user.dominant_share));
    columns.push(
        {heading: 'tasks', group: outcome.label, key: ({index}) => outcome.users[index]!.tasks,
          text: ({index}) => bareIfWhole(outcome.users[index]!.tasks, tasks) + (outcome.users[index]!.satisfied ? ' ✓' : '')},
        {heading: 'share', group: outcome.label, key: ({index}) => outcome.users[index]!.dominant_share,
          text: ({index}) => share(outcome.users[index]!.dominant_share)});
  }
  return sortableTable('Every user', columns, users);
}

const whole_within = 1e-9;  // which solvers leave

/** A whole number of tasks without decimals, in a column that has some. */
function bareIfWhole(tasks: number, format: Format): string {
  const nearest = Math.round(tasks);
  return Math.abs(tasks - nearest) <= whole_within * Math.max(1, nearest) ? whole(nearest) : format(tasks);
}

function sortable(value: Figure): number {
  return value === undefined ? -Infinity : value ?? Infinity;
}
