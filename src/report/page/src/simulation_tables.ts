// What the tables of simulations share: a row a contender, and the sentence about what tells contenders apart.

import {element} from 'shared/element';
import type {Format} from 'shared/format';
import {duration, figure, listed} from 'shared/format';
import type {Figure, Quantiles} from './simulation_data';
import {sortableTable} from 'shared/sortable_table';
import type {Column} from 'shared/sortable_table';

export interface Measure<Row> {
  heading: string;
  group?: string;
  explanation: string;
  of: (row: Row) => Figure | undefined;
  /** A format for the whole column. */
  format: (values: (Figure | undefined)[]) => Format;
}

export const durations = (): Format => value => value === undefined ? '–' : duration(value);

/** One row per contender, first in figures, then in those that have groups, if any; and below what the headings mean. */
export function contendersTable<Row>(caption: string, rows: readonly Row[], contender: Column<Row>,
    measures: readonly Measure<Row>[], others: readonly Column<Row>[] = []): HTMLElement[] {
  const grouped = measures.filter(({group}) => group !== undefined);
  const figures = measures.filter(({group}) => group === undefined);
  const shown = measures.filter(({of}) => rows.some(row => of(row) !== undefined));
  const meanings = element('dl', {}, ...shown.flatMap(({heading, group, explanation}) =>
    [element('dt', {}, group ? `${group}: ${heading}` : heading), element('dd', {}, explanation)]));
  return [
    sortableTable(caption, [contender, ...columnsOf(rows, figures), ...others], rows),
    ...(grouped.length === 0 ? [] :
      [sortableTable(`${caption}: ${listed([...new Set(grouped.map(({group}) => group!))])}`, [contender, ...columnsOf(rows, grouped)], rows)]),
    element('details', {class: 'meanings'}, element('summary', {}, 'What these numbers mean'), meanings),
  ];
}

export function columnsOf<Row>(rows: readonly Row[], measures: readonly Measure<Row>[]): Column<Row>[] {
  return measures.filter(({of}) => rows.some(row => of(row) !== undefined)).map(({heading, group, explanation, of, format}) => {
    const written = format(rows.map(of));
    return {
      heading, explanation, ...(group ? {group} : {}),
      key: (row: Row) => sortable(of(row)),
      text: (row: Row) => written(of(row)),
    };
  });
}

/** Half, nearly all and the longest of a time; of none there is none. */
export function quantileMeasures<Row>(group: string, what: string, of: (row: Row) => Quantiles,
    format: Measure<Row>['format'] = durations): Measure<Row>[] {
  const keys: [Exclude<keyof Quantiles, 'cdf'>, string][] = [['mean', 'mean'], ['p50', 'median'], ['p99', '99 %'], ['max', 'longest']];
  return keys.map(([key, heading]) => ({
    heading, group, explanation: `${what}.`, format,
    of: row => of(row).count > 0 ? of(row)[key] : undefined,
  }));
}

interface Compared {
  what: string;
  values: readonly Figure[];
  write: (value: number) => string;
}

/** Less than half a percent apart, or alike as they are written. */
export function hardlyDiffer(low: number, high: number, write: (value: number) => string): boolean {
  return high - low <= 0.005 * high || write(low) === write(high);
}

/** Which of the measures differs most between contenders, largest against smallest, and how. */
export function differsMost(names: readonly string[], measures: readonly Compared[]): string {
  if (names.length < 2) return '';
  const spread = ({values}: Compared): number => {
    const known = values.filter(value => value !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return known.length === values.length && high > 0 ? (high - low) / high : 0;
  };
  const most = measures.reduce((a, b) => spread(b) > spread(a) ? b : a);
  const order = [...names.keys()].sort((a, b) => most.values[a]! - most.values[b]!);
  const [low, high] = [order[0]!, order[order.length - 1]!];
  if (hardlyDiffer(most.values[low]!, most.values[high]!, most.write)) return 'The contenders hardly differ.';
  return `What differs most is ${most.what}: ${most.write(most.values[low]!)} under ${names[low]!}, ` +
    `${most.write(most.values[high]!)} under ${names[high]!}.`;
}

export function sortable(value: Figure | undefined): number {
  return value === undefined ? -Infinity : value ?? Infinity;
}

export const figures = (): Format => figure;
