// The two tables: the outcomes in a few numbers each, and every user.

import {element} from './element';
import {numberColumn, percentColumn} from './format';
import type {Outcome, Report} from './report_data';
import {sortableTable} from './sortable_table';
import type {Column} from './sortable_table';

type Figure = number | null | undefined;

interface Measure {
  heading: string;
  explanation: string;
  of: (outcome: Outcome) => Figure;
  format: typeof numberColumn;
}

function measures(report: Report): Measure[] {
  const shown: Measure[] = [
    {heading: 'lowest share', format: percentColumn, of: outcome => outcome.metrics.min_dominant_share,
      explanation: 'The lowest dominant share: the part that this user holds of the resource it needs most. More is fairer.'},
    ...report.problem.resources.map((resource): Measure => ({heading: `${resource} used`, format: percentColumn,
      of: outcome => outcome.metrics.utilization[resource] ?? 0, explanation: `How much of the ${resource} is in use.`})),
    {heading: 'Jain', format: numberColumn, of: outcome => outcome.metrics.jain,
      explanation: "Jain's index of the dominant shares per weight: 1 when all are equal, 1/N when one user has all."},
    {heading: 'Gini', format: numberColumn, of: outcome => outcome.metrics.gini,
      explanation: 'The Gini coefficient of the dominant shares per weight: 0 when all are equal, near 1 when one user has all.'},
    {heading: '20:20 ratio', format: numberColumn, of: outcome => outcome.metrics.ratio_20_20,
      explanation: 'The shares of the fifth of the users with the highest shares over those of the fifth with the lowest: 1 when all are equal, ∞ when the lowest are 0.'},
    {heading: 'std deviation', format: numberColumn, of: outcome => outcome.metrics.sample_standard_deviation,
      explanation: 'The sample standard deviation of the dominant shares per weight: 0 when all are equal.'},
    {heading: 'β dominant', format: numberColumn, of: outcome => outcome.metrics.beta_dominant,
      explanation: 'How differently the resources serve the users whom they dominate: the largest less the smallest part held by such users.'},
    {heading: 'β non-dominant', format: numberColumn, of: outcome => outcome.metrics.beta_non_dominant,
      explanation: 'The same for the users whom the resource does not dominate.'},
    {heading: 'placed tasks', format: numberColumn, of: outcome => outcome.placed,
      explanation: 'How many tasks were placed. Task by task only.'},
    {heading: 'wrong placements', format: numberColumn, of: outcome => outcome.errors,
      explanation: 'How many tasks were placed for a user who did not have the lowest share per weight. Task by task only.'},
  ];
  return shown.filter(measure => report.outcomes.some(outcome => measure.of(outcome) !== undefined));
}

/** One row per outcome, and below it what the headings mean. */
export function metricsTable(report: Report): HTMLElement[] {
  const shown = measures(report);
  const columns: Column<Outcome>[] = [
    {heading: 'outcome', key: outcome => outcome.label, text: outcome => outcome.label},
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
  for (const outcome of report.outcomes) {
    const tasks = numberColumn(outcome.users.map(user => user.tasks));
    const share = percentColumn(outcome.users.map(user => user.dominant_share));
    columns.push(
        {heading: 'tasks', group: outcome.label, key: ({index}) => outcome.users[index]!.tasks,
          text: ({index}) => tasks(outcome.users[index]!.tasks)},
        {heading: 'share', group: outcome.label, key: ({index}) => outcome.users[index]!.dominant_share,
          text: ({index}) => share(outcome.users[index]!.dominant_share)});
  }
  return sortableTable('Every user', columns, users);
}

function sortable(value: Figure): number {
  return value === undefined ? -Infinity : value ?? Infinity;
}
