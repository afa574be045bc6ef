// A figure of curves over numbers, each point with its 95 % interval where it is an estimate.

import {axisTooltip, mountChart, plainAxis, seriesColour, seriesFill, seriesLine, seriesMark, seriesSymbol, symbols_at_most, tooltipBody} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {element} from 'shared/element';
import {figure, shortened} from 'shared/format';
import type {Figure} from './simulation_data';
import {compact} from './time_panels';

export interface PlottedCurve {
  /** Its colour and mark. */
  series: number;
  name: string;
  x: readonly Figure[];
  y: readonly Figure[];
  /** Empty where nothing is estimated. */
  low: readonly Figure[];
  high: readonly Figure[];
  dashed: boolean;
  /** Points whose marks are hollow. */
  hollow?: readonly boolean[];
  /** What a paper prints for each x: rings. */
  printed?: readonly Figure[];
}

export interface Plotted {
  x_label: string;
  y_label: string;
  curves: PlottedCurve[];
  /** Where nothing could be measured; drawn as dashed lines. */
  unstable?: readonly number[];
}

export const plot_height = 300;  // px
const interval_room = 3;  // times the highest point

export function plotChart(host: HTMLElement, plotted: () => Plotted): Chart {
  return mountChart(host, () => draw(plotted()));
}

export function plotLegend(curves: readonly PlottedCurve[]): HTMLElement {
  const rings = curves.some(({printed = []}) => printed.some(value => value !== null));
  return element('ul', {class: 'legend'}, ...(rings ? [element('li', {}, element('span', {class: 'ring', 'aria-hidden': 'true'}), 'printed in the paper')] : []), ...curves.map(({series, name, dashed}) =>
    element('li', {}, dashed ? element('span', {class: `dash dash-${series % 8}`, 'aria-hidden': 'true'}) : seriesMark(series), name)),
  ...(cutsIntervals(curves) ? [element('li', {}, cut_interval)] : []));
}

export const cut_interval = 'An interval that reaches the edge goes on beyond it.';

/** Is an interval of some point larger than what is drawn of it? */
export function cutsIntervals(curves: readonly PlottedCurve[]): boolean {
  const {min = -Infinity, max = Infinity} = edges(curves);
  return curves.some(({low, high}) => low.some(value => value !== null && value < min) || high.some(value => value !== null && value > max));
}

/** The ends of the vertical axis, where the library does not choose them. Intervals of a few runs may be many times wider than
 * what they are of: they are cut there. */
function edges(curves: readonly PlottedCurve[]): {min?: number; max?: number} {
  const points = extent(known(curves.flatMap(({y, printed = []}) => [...y, ...printed])));
  if (points.least < 0) return {};
  const highest = extent(known(curves.flatMap(({high}) => high))).most;
  return {min: 0, ...(points.most > 0 && highest > interval_room * points.most ? {max: roundUp(points.most * 2)} : {})};
}

const known = (values: readonly Figure[]) => values.filter(value => value !== null);

function draw({x_label, y_label, curves, unstable = []}: Plotted): Drawing {
  const {least: from, most: to} = extent(known(curves.flatMap(({x}) => x)));
  const beyond = unstable.filter(load => load > to);  // the axis would end before them
  return {
    height: plot_height,
    option: {
      grid: {left: 4, right: 14, top: 34, bottom: 4},
      xAxis: plainAxis({
        type: 'value', ...(from >= 0 && from <= to / 2 ? {min: 0} : {scale: true}),
        ...(beyond.length > 0 ? {max: Math.max(...beyond)} : {}), name: x_label, nameLocation: 'middle', nameGap: 26,
        axisLine: {show: true, onZero: false, lineStyle: {color: 'var(--axis)'}}, splitLine: {show: false},
        axisLabel: {color: 'var(--muted)', fontSize: 12, hideOverlap: true, formatter: (value: number) => figure(+value.toPrecision(6))},
      }),
      yAxis: plainAxis({
        type: 'value', name: y_label, nameLocation: 'end', nameGap: 14, ...edges(curves),
        nameTextStyle: {color: 'var(--muted)', fontSize: 12, align: 'left', padding: [0, 0, 0, -28]},
        axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: compact},
      }),
      tooltip: axisTooltip('line', x => tooltipBody(`${shortened(x_label, 24)} ${figure(Number(x))}`, pointedRows(curves, Number(x)), figure)),
      series: [
        ...curves.map((curve, at) => ({...line(curve), ...(at === 0 ? {markLine: unstableLines(unstable)} : {})})),
        ...curves.filter(({low}) => low.length > 0).map(whiskers),
        ...curves.filter(({printed = []}) => printed.length > 0).map(rings),
      ],
    },
  };
}

/** To 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(times => times * power).find(round => round >= value * (1 - 1e-9)) ?? value;
}

function extent(values: readonly number[]): {least: number; most: number} {
  return {least: values.reduce((a, b) => Math.min(a, b), Infinity), most: values.reduce((a, b) => Math.max(a, b), -Infinity)};
}

function line({series, name, x, y, dashed, hollow = []}: PlottedCurve): object {
  const marked = x.length <= symbols_at_most;
  return {
    type: 'line', name, data: x.map((value, at) => hollow[at] ? {value: [value, y[at] ?? '-'], itemStyle: seriesFill(series, true)} : [value, y[at] ?? '-']),
    sampling: 'lttb', symbol: seriesSymbol(series), symbolSize: dashed ? 4 : 7, showSymbol: marked, silent: true,
    itemStyle: seriesFill(series),
    lineStyle: {...seriesLine(series), width: marked ? 2 : 1.6, ...(dashed ? {type: [4, 4]} : {})},
    emphasis: {disabled: true},
  };
}

/** What is printed, in the curve's colour. */
function rings({series, name, x, printed = []}: PlottedCurve): object {
  return {
    type: 'scatter', name: `${name}, printed`, data: x.flatMap((value, at) => value === null || printed[at] == null ? [] : [[value, printed[at]]]),
    symbol: 'circle', symbolSize: 13, silent: true, tooltip: {show: false}, z: 1, emphasis: {disabled: true},
    itemStyle: {color: 'transparent', borderColor: seriesColour(series), borderWidth: 1.5, opacity: 1},
  };
}

interface Painter {
  value(dimension: number): number;
  coord(point: [number, number]): [number, number];
}

/** The 95 % interval of every point; close together they are a band. */
function whiskers({series, name, x, low, high}: PlottedCurve): object {
  const stroke = seriesColour(series);
  const cap = x.length <= symbols_at_most ? 4 : 0;  // px
  return {
    type: 'custom', name: `${name}, 95 %`, silent: true, clip: true, tooltip: {show: false}, encode: {x: 0, y: [1, 2]}, z: 1,
    data: x.flatMap((value, at) => low[at] == null || high[at] == null || value === null ? [] : [[value, low[at], high[at]]]),
    renderItem: (_: unknown, painter: Painter) => {
      const [at, bottom] = painter.coord([painter.value(0), painter.value(1)]);
      const top = painter.coord([painter.value(0), painter.value(2)])[1];
      const stroked = (x1: number, y1: number, x2: number, y2: number) =>
        ({type: 'line', shape: {x1, y1, x2, y2}, style: {stroke, lineWidth: cap > 0 ? 1.5 : 1, opacity: cap > 0 ? 1 : 0.35}});
      return {type: 'group', children: [stroked(at, bottom, at, top),
        ...(cap > 0 ? [stroked(at - cap, bottom, at + cap, bottom), stroked(at - cap, top, at + cap, top)] : [])]};
    },
  };
}

function unstableLines(loads: readonly number[]): object {
  return {
    silent: true, symbol: 'none', data: loads.map(xAxis => ({xAxis})), precision: 15,
    lineStyle: {color: 'var(--muted)', type: [3, 4], width: 1},
    label: {position: 'insideEndTop', color: 'var(--muted)', fontSize: 11, formatter: 'cannot be served'},
  };
}

/** What every curve says at the x that is nearest; with its interval. */
function pointedRows(curves: readonly PlottedCurve[], pointed: number): TooltipRow[] {
  return curves.flatMap(({series, name, x, y, low, high, printed = []}) => {
    const at = x.findIndex(value => value !== null && Math.abs(value - pointed) <= 1e-9 * Math.max(1, Math.abs(pointed)));
    const share = y[at];
    if (share === undefined || share === null) return [];
    const [from, to] = [low[at], high[at]];
    const given = printed[at];
    return [{series, name: typeof from === 'number' && typeof to === 'number' ? `${name} (${figure(from)} to ${figure(to)})` : name, share},
      ...(typeof given === 'number' ? [{name: `${name}, printed`, share: given}] : [])];
  });
}
