// Several seeds: how far the figures are spread over the runs, of which the page shows the first. A row a contender: a line
// from the lowest to the highest run, a tick for each run, and a mark at the mean.

import {seriesMark} from './chart';
import {element} from 'shared/element';
import {count, duration, figure, listed, percent, whole} from 'shared/format';
import {section} from './layout';
import type {PageData} from './page_data';

/** A figure over all runs; what it is of stands beside it. */
export interface SpreadEntry {
  figure: string;
  mean: number | null;
  values: readonly (number | null)[];
  [of: string]: unknown;
}

const titles: Record<string, [title: string, write: (value: number) => string]> = {
  started: ['tasks started', whole],
  starved_users: ['users who never ran anything', figure],
  mean_unfairness: ['unfairness, mean over time', percent],
  waiting: ['waiting, mean', duration],
  slowdown: ['slowdown, mean', figure],
  utilization: ['granted', percent],
  service_rate: ['service rate', figure],
  min_share: ['lowest share', figure],
  mean_min_share: ['lowest share, mean over time', figure],
  wrong: ['placements out of turn', percent],
};
const left_out = new Set(['unfairness']);  // the same as its mean, in another unit
const of_contender = ['mechanism', 'discipline', 'placement', 'scheduler'];

/** Nothing on the page of one run. */
export function seedsSection({seeds, spread}: PageData): HTMLElement[] {
  if (!seeds || !spread || seeds.length < 2) return [];
  const figures = new Map<string, SpreadEntry[]>();
  for (const entry of spread) {
    if (left_out.has(entry.figure)) continue;
    const what = [entry['resource'], entry['class'], titles[entry.figure]?.[0] ?? entry.figure, entry['load'] === undefined ? undefined : `at load ${String(entry['load'])}`]
        .filter(part => part !== undefined).join(' ');
    figures.set(what, [...figures.get(what) ?? [], entry]);
  }
  const contenders = [...new Set(spread.map(contenderOf))];
  const same = [...figures].filter(([, entries]) => new Set(entries.flatMap(({values}) => values)).size === 1);
  for (const [what] of same) figures.delete(what);
  const constant = same.map(([what, entries]) => `${what} (${writerOf(entries[0]!)(entries[0]!.mean ?? 0)})`);
  return [section(`Over ${count(seeds.length, 'seed')}`,
      `The same scenario with the seeds ${listed(seeds.map(String))}: a whisker runs from the lowest run to the highest, each tick is a run, the mark is the mean. ` +
      `All else on this page is of seed ${String(seeds[0])}.`,
      element('div', {class: 'side-by-side'}, ...[...figures].map(([what, entries]) => whiskers(what, entries, contenders))),
      ...(constant.length > 0 ? [element('p', {class: 'quiet'}, `The same in every run: ${listed(constant)}.`)] : []))];
}

const writerOf = ({figure: name}: SpreadEntry): (value: number) => string => titles[name]?.[1] ?? figure;

const contenderOf = (entry: SpreadEntry): string => of_contender.map(key => entry[key]).filter(part => part !== undefined).join('/');

function whiskers(what: string, entries: readonly SpreadEntry[], contenders: readonly string[]): HTMLElement {
  const write = writerOf(entries[0]!);
  const known = entries.flatMap(({values}) => values.filter(value => value !== null));
  const [low, high] = [Math.min(0, ...known), Math.max(...known, 0)];
  const place = (value: number): string => `${(high > low ? 100 * (value - low) / (high - low) : 0).toFixed(2)}%`;
  const rows = entries.map(entry => {
    const runs = entry.values.filter(value => value !== null);
    const [least, most, mean] = [Math.min(...runs), Math.max(...runs), entry.mean ?? 0];
    const words = `${write(least)} to ${write(most)}`;
    const series = contenders.indexOf(contenderOf(entry));
    const track = runs.length === 0 ? [] : [
      element('span', {class: 'whisker-line', style: `left: ${place(least)}; right: calc(100% - ${place(most)})`}),
      ...runs.map(run => element('span', {class: 'whisker-run', style: `left: ${place(run)}`})),
      element('span', {class: 'whisker-mean', style: `left: ${place(mean)}`}, seriesMark(series)),
    ];
    return element('tr', {},
        element('th', {scope: 'row'}, contenderOf(entry)),
        element('td', {class: 'whisker-cell'}, element('div', {class: 'whisker', role: 'img', 'aria-label': words}, ...track)),
        element('td', {class: 'number'}, write(mean)),
        element('td', {class: 'number'}, words));
  });
  const head = ['contender', `0 to ${write(high)}`, 'mean', 'lowest to highest'];
  return element('div', {class: 'whiskers'}, element('h3', {}, what), element('table', {},
      element('thead', {}, element('tr', {}, ...head.map((heading, at) => element('th', {scope: 'col', class: at > 1 ? 'number' : ''}, heading)))),
      element('tbody', {}, ...rows)));
}
