// How a time is spread over tasks or jobs: its distribution function, one line a contender, as steps. The axis of the time is
// logarithmic where the longest is many times the shortest; what took no time at all then stands at its left end, labelled 0.

import {axisPercent, axisTooltip, mountChart, plainAxis, seriesColour, seriesLine, seriesMark, tooltipBody} from './chart';
import type {Chart, Drawing} from './chart';
import {element} from 'shared/element';
import {count, duration, figure} from 'shared/format';
import type {Quantiles} from './simulation_data';

export interface Spread {
  series: number;
  name: string;
  of: Quantiles;
  /** Of how many a line shows the part: those that were submitted. */
  all: number;
}

export const distribution_height = 280;  // px
const skew = 20;  // from here on, largest over smallest positive, small ones need a logarithm to be seen

export interface Measure {
  title: string;
  /** What has it: `task`. */
  what: string;
  write: (value: number) => string;
  /** Where a logarithmic axis has its ticks. */
  ticks: readonly number[];
}

const powers = Array.from({length: 16}, (_, at) => 10 ** (at - 3));
export const seconds: Pick<Measure, 'write' | 'ticks'> =
  {write: duration, ticks: [1e-3, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 86400, 864000, 8640000]};
export const times: Pick<Measure, 'write' | 'ticks'> = {write: value => `${figure(value)} ×`, ticks: powers};

export function distributionChart(host: HTMLElement, measure: Measure, spreads: () => Spread[]): Chart {
  return mountChart(host, () => draw(spreads().filter(({of}) => of.count > 0), measure));
}

/** The marks of the lines, and of how many tasks each is. */
export function distributionLegend(spreads: readonly Spread[], what: string): HTMLElement[] {
  return spreads.map(({series, name, of, all}) =>
    element('li', {}, seriesMark(series), `${name}: ${count(of.count, what)}${of.count < all ? ` of ${all.toLocaleString('en-US')}` : ''}`));
}

/** The part of all that took at most this time. */
export function partAt({of: {count, cdf}, all}: Spread, time: number): number {
  let part = 0;
  cdf.values.forEach((value, at) => {
    if (value <= time * (1 + 1e-9)) part = cdf.parts[at]!;
  });
  return all > 0 ? part * count / all : 0;
}

function draw(spreads: readonly Spread[], {what, write, ticks}: Measure): Drawing {
  const values = spreads.flatMap(({of}) => of.cdf.values);
  const positive = values.filter(value => value > 0);
  const [low, high] = [positive.reduce((a, b) => Math.min(a, b), Infinity), positive.reduce((a, b) => Math.max(a, b), 0)];
  const logarithmic = positive.length > 0 && high >= skew * low;
  const nothing = positive.length < values.length;
  const floor = logarithmic ? nothing ? low / 3 : low : 0;  // what took no time stands at its left end
  const place = (value: number) => Math.max(value, floor);
  const from = logarithmic ? floor : Math.min(...values, 0);
  const marks = [...(nothing ? [floor] : []), ...ticks.filter(tick => tick >= (nothing ? floor * 2 : floor) && tick <= high)];
  const points = (spread: Spread): [number, number][] => {
    const {of: {cdf, count}, all} = spread;
    const scale = all > 0 ? count / all : 0;
    const steps = cdf.values.map((value, at): [number, number] => [place(value), cdf.parts[at]! * scale]);
    return [[from, 0], ...steps, [high, scale]];
  };
  return {
    height: distribution_height,
    option: {
      grid: {left: 4, right: 26, top: 12, bottom: 4},
      xAxis: plainAxis({
        type: logarithmic ? 'log' : 'value', ...(logarithmic ? {min: floor, max: high} : {min: from}),
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}}, splitLine: {show: false},
        ...(logarithmic ? {axisTick: {show: true, lineStyle: {color: 'var(--axis)'}, customValues: marks}} : {}),
        axisLabel: {color: 'var(--muted)', fontSize: 12, hideOverlap: true, showMaxLabel: false, ...(logarithmic ? {customValues: marks} : {}),
          formatter: (value: number) => logarithmic && nothing && value < floor * 2 ? '0' : write(value)},
      }),
      yAxis: plainAxis({
        type: 'value', min: 0, max: 1, interval: 0.25, axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: axisPercent},
      }),
      tooltip: axisTooltip('line', value => tooltipBody(`${what[0]!.toUpperCase()}${what.slice(1)}s that took at most ${write(Number(value))}`,
          spreads.map(spread => ({series: spread.series, name: spread.name, share: partAt(spread, Number(value))})))),
      series: spreads.map(spread => ({
        type: 'line', name: spread.name, step: 'end', showSymbol: false, silent: true, data: points(spread),
        itemStyle: {color: seriesColour(spread.series)}, lineStyle: {...seriesLine(spread.series), width: 2}, emphasis: {disabled: true},
      })),
    },
  };
}
