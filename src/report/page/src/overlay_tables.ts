// The runs of an overlay in numbers, and what tells them apart.

import {axisPercent} from './chart';
import {figure, numberColumn, percent, percentColumn} from 'shared/format';
import type {Overlay, OverlayRun} from './overlay_data';
import {contendersTable, differsMost} from './simulation_tables';
import type {Measure} from './simulation_tables';

export function runsTable({runs, tolerances}: Overlay): HTMLElement[] {
  const several_seeds = new Set(runs.map(({seed}) => seed)).size > 1;
  const measures: Measure<OverlayRun>[] = [
    {heading: 'seed', format: numberColumn, of: ({seed}) => several_seeds ? seed : undefined, explanation: 'All of the run follows from it.'},
    {heading: 'lowest share', format: numberColumn, of: ({min_share}) => min_share, explanation: 'The lowest dominant share of a user at the end.'},
    {heading: 'gini', format: numberColumn, of: ({gini}) => gini, explanation: 'Of the dominant shares at the end: 0 when all are equal.'},
    {heading: 'deviation', format: numberColumn, of: ({deviation}) => deviation, explanation: 'The sample standard deviation of the dominant shares at the end.'},
    {heading: 'placed', format: numberColumn, of: ({placements}) => placements, explanation: 'Turns that led to a running task: placements.'},
    {heading: 'out of turn', format: percentColumn, of: run => wrongPart(run, 0), explanation: 'Part of the placements whose user did not have the lowest share.'},
    {heading: 'ticks', format: numberColumn, of: ({ticks}) => ticks, explanation: 'From the first allocation tick to the last placement.'},
    {heading: 'ticks ratio', format: values => numberColumn(values, 3), of: ({ratio}) => ratio ?? undefined,
      explanation: 'These ticks over those of centralised-drf.'},
    {heading: 'messages a tick', format: values => numberColumn(values, 3), of: run => run.messages_per_tick_and_node, explanation: 'That a node sends.'},
    {heading: 'bytes a tick', format: values => numberColumn(values, 3), of: run => run.bytes_per_tick_and_node, explanation: 'Of these messages, as they are encoded.'},
    {heading: 'broken', format: numberColumn, of: ({violations}) => violations, explanation: 'Promises that were broken (docs/explanation/overlay-faults.md).'},
    ...tolerances.map((tolerance, at): Measure<OverlayRun> => ({heading: axisPercent(tolerance), group: 'out of turn, tolerating', format: percentColumn,
      of: run => wrongPart(run, at), explanation: `Part of the placements whose user had a share more than ${axisPercent(tolerance)} above the lowest.`})).slice(1),
  ];
  return contendersTable('The runs in numbers', runs,
    {heading: 'scheduler', key: ({scheduler}) => scheduler, text: ({scheduler}) => scheduler}, measures);
}

const wrongPart = ({wrong_within, placements}: OverlayRun, tolerance: number): number => wrong_within[tolerance]! / Math.max(placements, 1);

/** What differs most between the schedulers. */
export function runsDiffer({runs}: Overlay): string {
  const compared = (what: string, of: (run: OverlayRun) => number | null, write: (value: number) => string) => ({what, values: runs.map(of), write});
  return differsMost(runs.map(({label}) => label), [
    compared('the lowest share', ({min_share}) => min_share, figure),
    compared('the part of placements out of turn', run => wrongPart(run, 0), percent),
  ]);
}
