// The runs of an overlay in numbers, and what tells them apart.

import {numberColumn, percent, percentColumn} from './format';
import type {Overlay, OverlayRun} from './overlay_data';
import {columnsOf, differsMost} from './simulation_tables';
import type {Measure} from './simulation_tables';
import {element} from './element';
import {sortableTable} from './sortable_table';

export function runsTable({runs, tolerances}: Overlay): HTMLElement[] {
  const measures: Measure<OverlayRun>[] = [
    {heading: 'seed', format: numberColumn, of: ({seed}) => seed, explanation: 'All of the run follows from it.'},
    {heading: 'least share', format: percentColumn, of: ({min_share}) => min_share, explanation: 'The smallest dominant share of a user at the end.'},
    {heading: 'Gini', format: numberColumn, of: ({gini}) => gini, explanation: 'Of the dominant shares at the end: 0 when all are equal.'},
    {heading: 'placements', format: numberColumn, of: ({placements}) => placements, explanation: 'Turns that led to a running task.'},
    ...tolerances.map((tolerance, at): Measure<OverlayRun> => ({heading: at === 0 ? 'wrong' : `within ${percent(tolerance)}`, format: numberColumn,
      of: ({wrong}) => wrong[at], explanation: at === 0 ? 'Turns of a user that was not a poorest one.' :
        `Turns of a user whose share was more than ${percent(tolerance)} above the least.`})),
    {heading: 'ticks', format: numberColumn, of: ({ticks}) => ticks, explanation: 'From the first allocation tick to the last placement.'},
    {heading: 'messages', format: numberColumn, of: ({messages}) => messages, explanation: 'Sent after the warm-up.'},
    {heading: 'bytes', format: numberColumn, of: ({bytes}) => bytes, explanation: 'Of these messages, as they were encoded.'},
    {heading: 'per tick and server', format: values => numberColumn(values, 3), of: ({bytes_per_tick_and_node}) => bytes_per_tick_and_node, explanation: 'Bytes sent by a server in a tick.'},
    {heading: 'violations', format: numberColumn, of: ({violation_count}) => violation_count, explanation: 'Promises of safety that were broken.'},
  ];
  const meanings = element('dl', {}, ...measures.flatMap(({heading, explanation}) => [element('dt', {}, heading), element('dd', {}, explanation)]));
  return [
    sortableTable('The runs in numbers', [{heading: 'scheduler', key: ({scheduler}) => scheduler, text: ({scheduler}) => scheduler},
      ...columnsOf(runs, measures)], runs),
    element('details', {class: 'meanings'}, element('summary', {}, 'What these numbers mean'), meanings),
  ];
}

/** What differs most between the schedulers. */
export function runsDiffer({runs}: Overlay): string {
  const compared = (what: string, of: (run: OverlayRun) => number | null, write: (value: number) => string) => ({what, values: runs.map(of), write});
  return differsMost(runs.map(({label}) => label), [
    compared('the least share', ({min_share}) => min_share, percent),
    compared('the part of wrong turns', ({wrong, placements}) => placements > 0 ? wrong[0]! / placements : 0, percent),
  ]);
}
