// The runs of an overlay in numbers, and what tells them apart.

import {axisPercent} from './chart';
import {element} from './element';
import {figure, numberColumn, percent, percentColumn} from './format';
import type {Format} from './format';
import type {Overlay, OverlayRun} from './overlay_data';
import {columnsOf, differsMost} from './simulation_tables';
import type {Measure} from './simulation_tables';
import {sortableTable} from './sortable_table';
import {compact} from './time_panels';

export function runsTable({runs, tolerances}: Overlay): HTMLElement[] {
  const several_seeds = new Set(runs.map(({seed}) => seed)).size > 1;
  const measures: Measure<OverlayRun>[] = [
    {heading: 'seed', format: numberColumn, of: ({seed}) => several_seeds ? seed : undefined, explanation: 'All of the run follows from it.'},
    {heading: 'least share', format: percentColumn, of: ({min_share}) => min_share, explanation: 'The smallest dominant share of a user at the end.'},
    {heading: 'Gini', format: numberColumn, of: ({gini}) => gini, explanation: 'Of the dominant shares at the end: 0 when all are equal.'},
    {heading: 'placements', format: numberColumn, of: ({placements}) => placements, explanation: 'Turns that led to a running task.'},
    ...tolerances.map((tolerance, at): Measure<OverlayRun> => ({heading: axisPercent(tolerance), group: 'wrong turns, tolerating', format: numberColumn,
      of: ({wrong_within}) => wrong_within[at], explanation: tolerance === 0 ? 'Turns of a user that was not a poorest one.' :
        `Turns of a user whose share was more than ${axisPercent(tolerance)} above the least.`})),
    {heading: 'ticks', format: numberColumn, of: ({ticks}) => ticks, explanation: 'From the first allocation tick to the last placement.'},
    {heading: 'to central', format: values => numberColumn(values, 3), of: ({ratio}) => ratio ?? undefined,
      explanation: 'These ticks over those of the centralised scheduler.'},
    {heading: 'messages', format: () => short, of: ({messages}) => messages, explanation: 'Sent after the warm-up.'},
    {heading: 'bytes', format: () => size, of: ({bytes}) => bytes, explanation: 'Of these messages, as they were encoded.'},
    {heading: 'violations', format: numberColumn, of: ({violations}) => violations, explanation: 'Promises of safety that were broken.'},
  ];
  const meanings = element('dl', {}, ...measures.flatMap(({heading, group, explanation}) => [element('dt', {}, group ? `${group} ${heading}` : heading), element('dd', {}, explanation)]));
  return [
    sortableTable('The runs in numbers', [{heading: 'scheduler', key: ({scheduler}) => scheduler, text: ({scheduler}) => scheduler},
      ...columnsOf(runs, measures)], runs),
    element('details', {class: 'meanings'}, element('summary', {}, 'What these numbers mean'), meanings),
  ];
}

const short: Format = value => typeof value === 'number' ? compact(value) : figure(value);

/** `2.05 GB`, as disks and networks count. */
const size: Format = value => {
  const unit = ([['GB', 1e9], ['MB', 1e6], ['kB', 1e3]] as const).find(([, bytes]) => typeof value === 'number' && value >= bytes);
  return unit ? `${compact(value! / unit[1])} ${unit[0]}` : figure(value);
};

/** What differs most between the schedulers. */
export function runsDiffer({runs}: Overlay): string {
  const compared = (what: string, of: (run: OverlayRun) => number | null, write: (value: number) => string) => ({what, values: runs.map(of), write});
  return differsMost(runs.map(({label}) => label), [
    compared('the least share', ({min_share}) => min_share, percent),
    compared('the part of wrong turns', ({wrong_within, placements}) => placements > 0 ? wrong_within[0]! / placements : 0, percent),
  ]);
}
