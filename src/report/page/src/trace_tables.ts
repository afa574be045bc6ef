// The tables of a trace replayed: the contenders in a few numbers each, and every user under each of them.

import {numberColumn, percentColumn} from 'shared/format';
import type {Trace, TraceContender, TraceUser} from './simulation_data';
import {columnsOf, contendersTable, durations, quantileMeasures} from './simulation_tables';
import type {Measure} from './simulation_tables';
import {sortableTable} from 'shared/sortable_table';
import type {Column} from 'shared/sortable_table';

const counts = (values: (number | null | undefined)[]) => numberColumn(values);
const slowdowns = (values: (number | null | undefined)[]) => numberColumn(values, 3);

export function traceTable({resources, contenders}: Trace): HTMLElement[] {
  type Row = TraceContender;
  const measures: Measure<Row>[] = [
    {heading: 'started', format: counts, of: ({summary}) => summary.started, explanation: 'Tasks that ran at least once.'},
    {heading: 'finished', format: counts, of: ({summary}) => summary.finished, explanation: 'Tasks that came to their end.'},
    {heading: 'waiting at the end', format: counts, of: ({summary}) => summary.still_waiting, explanation: 'Tasks that still wait at the end.'},
    ...resources.map((resource): Measure<Row> => ({heading: `${resource} granted`, format: percentColumn,
      of: ({summary}) => summary.utilization[resource] ?? 0, explanation: `Granted over capacity of ${resource}, mean over time.`})),
    ...resources.map((resource): Measure<Row> => ({heading: `${resource} used`, format: percentColumn,
      of: ({summary}) => summary.used?.[resource], explanation: `Really used over capacity of ${resource}, mean over time.`})),
    {heading: 'unfairness', format: percentColumn, of: ({summary}) => summary.mean_unfairness,
      explanation: 'The part of the cluster that users who wait lack of what they are promised, mean over time. Less is fairer.'},
    {heading: 'users starved', format: counts, of: ({summary}) => summary.starved_users,
      explanation: 'Users who had waiting tasks, and never one that ran.'},
    {heading: 'longest starvation', format: durations, of: ({summary}) => summary.starvation,
      explanation: 'The longest time for which a user had waiting tasks and none that ran.'},
    ...quantileMeasures<Row>('waiting', 'From submission to the last start, of tasks that ran', ({summary}) => summary.waiting),
    ...quantileMeasures<Row>('completion', 'From submission to end, of finished tasks', ({summary}) => summary.completion),
    ...quantileMeasures<Row>('slowdown', 'Completion over runtime, of finished tasks', ({summary}) => summary.slowdown, slowdowns),
  ];
  return contendersTable('The contenders in numbers', contenders,
      {heading: 'contender', key: ({label}) => label, text: ({label}) => label}, measures);
}

/** One row per user: its tasks, and under every contender how it was served. */
export function traceUsersTable({contenders}: Trace): HTMLElement {
  const rows = contenders[0]!.users.map(({name, submitted}) => ({
    name, submitted, under: contenders.map(({users}) => users.find(user => user.name === name)),
  }));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    {heading: 'user', key: ({name}) => name, text: ({name}) => name},
    ...columnsOf(rows, [{heading: 'tasks', format: counts, of: ({submitted}: Row) => submitted, explanation: 'Tasks submitted.'}]),
  ];
  contenders.forEach(({label}, at) => {
    const of = (key: (user: TraceUser) => number | null | undefined) => ({under}: Row) => under[at] && key(under[at]);
    columns.push(...columnsOf<Row>(rows, [
      {heading: 'started', group: label, format: counts, of: of(user => user.started), explanation: 'Tasks that ran at least once.'},
      {heading: 'mean share', group: label, format: percentColumn, of: of(user => user.share), explanation: 'Dominant share, mean over time.'},
      {heading: 'median wait', group: label, format: durations, of: of(({waiting}) => waiting.count > 0 ? waiting.p50 : undefined),
        explanation: 'From submission to the last start, of tasks that ran.'},
      {heading: 'longest starvation', group: label, format: durations, of: of(user => user.starvation),
        explanation: 'The longest time with waiting tasks and none that ran.'},
    ]));
  });
  return sortableTable('Every user', columns, rows);
}

/** One row per team, with the teams within it below: its tasks, and under every contender what it held. */
export function traceTeamsTable({contenders}: Trace): HTMLElement {
  const rows = contenders[0]!.teams!.map(({name, parent, weight, submitted}, at) => ({
    name, parent, weight, submitted, under: contenders.map(({teams}) => teams![at]!),
  }));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    {heading: 'team', key: ({name}) => name, text: ({name}) => name},
    {heading: 'within', key: ({parent}) => parent ?? '', text: ({parent}) => parent ?? '–'},
    ...columnsOf(rows, [
      {heading: 'weight', format: counts, of: ({weight}: Row) => weight, explanation: 'How much it counts among its siblings.'},
      {heading: 'tasks', format: counts, of: ({submitted}: Row) => submitted, explanation: 'Tasks that its users submitted.'},
    ]),
  ];
  contenders.forEach(({label}, at) => {
    columns.push(...columnsOf<Row>(rows, [
      {heading: 'started', group: label, format: counts, of: ({under}) => under[at]!.started, explanation: 'Tasks that ran at least once.'},
      {heading: 'mean share', group: label, format: percentColumn, of: ({under}) => under[at]!.share,
        explanation: 'Dominant share of what its users held together, mean over time.'},
      {heading: 'median wait', group: label, format: durations, of: ({under}) => under[at]!.waiting.count > 0 ? under[at]!.waiting.p50 : undefined,
        explanation: 'From submission to the last start, of tasks that ran.'},
    ]));
  });
  return sortableTable('Every team', columns, rows);
}
