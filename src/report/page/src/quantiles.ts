// How a time is spread over tasks or jobs: its quantiles, one line a contender, on a logarithmic axis where the longest is
// many times the shortest. On that axis, what took no time at all stands at the floor, which is then labelled 0.

import {mountChart, plainAxis, seriesFill, seriesLine, seriesSymbol, axisTooltip, tooltipBody} from './chart';
import type {Chart, Drawing} from './chart';
import {count, duration, figure} from './format';
import type {Quantiles} from './simulation_data';

export interface Spread {
  series: number;
  name: string;
  of: Quantiles;
}

export const quantiles_height = 260;  // px
const quantile_keys = ['p10', 'p50', 'p90', 'p99', 'max'] as const;
const axis_names: Record<string, string> = {p10: '10 %', p50: 'half', p90: '90 %', p99: '99 %', max: 'all'};
const skew = 20;  // from here on, largest over smallest positive, small ones need a logarithm to be seen

export interface Measure {
  title: string;
  /** What has it: `task`. */
  what: string;
  write: (value: number) => string;
  tick: (value: number) => string;
}

export const seconds: Pick<Measure, 'write' | 'tick'> = {write: duration, tick: value => `${figure(value)} s`};
export const times: Pick<Measure, 'write' | 'tick'> = {write: value => `${figure(value)} ×`, tick: value => `${figure(value)} ×`};

export function quantilesChart(host: HTMLElement, measure: Measure, spreads: () => Spread[]): Chart {
  return mountChart(host, () => draw(spreads().filter(({of}) => of.count > 0), measure));
}

function draw(spreads: readonly Spread[], {what, write, tick}: Measure): Drawing {
  const values = spreads.flatMap(({of}) => quantile_keys.map(key => of[key] ?? 0));
  const {axis, height} = vertical(values, tick);
  return {
    height: quantiles_height,
    option: {
      grid: {left: 4, right: 16, top: 12, bottom: 4},
      xAxis: plainAxis({
        type: 'category', data: quantile_keys, boundaryGap: false, name: `of the ${what}s took at most`, nameLocation: 'middle', nameGap: 28,
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}}, splitLine: {show: true, lineStyle: {color: 'var(--rule)'}},
        axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: (key: string) => axis_names[key]!},
      }),
      yAxis: axis,
      tooltip: axisTooltip('line', key => tooltipBody(title(String(key), what), spreads.map(({series, name, of}) => ({
        series, name: `${name} (${count(of.count, what)})`, share: of[key as 'p10'] ?? Infinity,
      })), write)),
      series: spreads.map(({series, name, of}) => ({
        type: 'line', name, symbol: seriesSymbol(series), symbolSize: 8, silent: true,
        data: quantile_keys.map(key => height(of[key] ?? 0)),
        itemStyle: {...seriesFill(series), opacity: 1}, lineStyle: {...seriesLine(series), width: 2},
        emphasis: {disabled: true},
      })),
    },
  };
}

function title(key: string, what: string): string {
  return key === 'max' ? `All ${what}s took at most` : `${axis_names[key]} of the ${what}s took at most`;
}

function vertical(values: readonly number[], tick: (value: number) => string): {axis: object; height: (value: number) => number} {
  const label = (formatter: (value: number) => string) => ({color: 'var(--muted)', fontSize: 12, formatter});
  const positive = values.filter(value => value > 0);
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  if (positive.length === 0 || high < skew * low) {
    return {axis: plainAxis({type: 'value', min: 0, splitNumber: 4, axisLabel: label(tick)}), height: value => value};
  }
  const floor = 10 ** Math.floor(Math.log10(low / 3));
  const nothing = positive.length < values.length;
  return {
    axis: plainAxis({type: 'log', min: floor, axisLabel: label(value => nothing && value < floor * 2 ? '0' : tick(value))}),
    height: value => Math.max(value, floor),
  };
}
