// Charts with a row for each user, change or amount: bullet bars, bars about zero, dumbbells and stacked bars. Names stand
// at the left, as long as there is room for them.

import {axisPercent, axisTooltip, mountChart, plainAxis, seriesFill, seriesMark, tooltipBody} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {element} from 'shared/element';
import {inTwoLines, percent, shortenedApart} from 'shared/format';

const row_height = 26;  // px
const narrow = 600;  // px; below, a long name takes two lines

/** Letters of a name that fit into a third of the width, of at most `most`. */
const nameLength = (width: number, most: number) => Math.max(10, Math.min(most, Math.floor(width / 3 / 7)));

export function horizontal(width: number, names: readonly string[], value: object, rest: object, write: (value: number) => string,
    rows: (at: number) => TooltipRow[], top = 4, tick = write === percent ? axisPercent : write, longest = 48): Drawing {
  const length = nameLength(width, longest);
  const two_lines = width < narrow && names.some(name => name.length > length);
  const labels = two_lines ? shortenedApart(names, 2 * length).map(name => inTwoLines(name, length)) : shortenedApart(names, length);
  return {
    height: 62 + top + names.length * (two_lines ? 38 : row_height),
    option: {
      grid: {left: 4, right: 56, top, bottom: 4},
      xAxis: plainAxis({type: 'value', nameLocation: 'middle', nameGap: 26, ...value,
        axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: tick, hideOverlap: true}}),
      yAxis: plainAxis({
        type: 'category', inverse: true, data: names.map((_, at) => String(at)),
        axisLine: {show: true, onZero: false, lineStyle: {color: 'var(--axis)'}},
        axisLabel: {color: 'var(--ink)', fontSize: 13, interval: 0, formatter: (at: string) => labels[Number(at)]!,
          ...(two_lines ? {lineHeight: 15, fontSize: 12} : {})},
        splitLine: {show: false},
      }),
      tooltip: axisTooltip('shadow', at => tooltipBody(names[Number(at)]!, rows(Number(at)), write)),
      ...rest,
    },
  };
}

export interface Bullet {
  name: string;
  got: number;
  /** Undefined: endless. */
  asked: number | undefined;
  /** An equal part; drawn as a tick where it is known. */
  fair: number | undefined;
}

/** What a user gets (solid), what it asks for beyond that (hollow), and an equal part of the cluster (tick). */
export function bulletBars(host: HTMLElement, of: () => {bullets: readonly Bullet[]; axis: string}, write: (value: number) => string): Chart {
  return mountChart(host, width => {
    const {bullets, axis} = of();
    const most = Math.max(...bullets.flatMap(({got, asked}) => [got, asked ?? 0]));
    return horizontal(width, bullets.map(bullet => bullet.name), {name: axis, min: 0}, {series: [
      {type: 'bar', stack: 'asked', barMaxWidth: 14, itemStyle: seriesFill(0), emphasis: {disabled: true}, data: bullets.map(({got}) => got),
        label: {show: bullets.every(({got, asked, fair}) => fair === undefined && (asked === undefined || got >= asked * (1 - 1e-6))), position: 'right', color: 'var(--ink)', fontSize: 12,
          formatter: ({value}: {value: number}) => write(value)}},
      {type: 'bar', stack: 'asked', barMaxWidth: 14, silent: true, emphasis: {disabled: true},
        itemStyle: {color: 'transparent', borderColor: 'var(--series-0)', borderWidth: 1.5},
        data: bullets.map(({got, asked}) => asked !== undefined && asked > got * (1 + 1e-6) ? asked - got : '-')},
      {type: 'scatter', symbol: 'rect', symbolSize: [3, 20], silent: true, itemStyle: {color: 'var(--series-1)', opacity: 1}, emphasis: {disabled: true},
        data: bullets.map(({fair}) => fair !== undefined && fair <= most * 1.5 ? fair : '-')},
    ]}, write, at => {
      const {got, asked, fair} = bullets[at]!;
      return [{series: 0, name: 'gets', share: got}, ...(asked === undefined ? [] : [{name: 'asks for', share: asked}]),
        ...(fair === undefined ? [] : [{name: 'an equal part', share: fair}])];
    });
  });
}

export function bulletLegend(fair: boolean): HTMLElement {
  return element('ul', {class: 'legend'}, element('li', {}, seriesMark(0), 'gets'),
      element('li', {}, element('span', {class: 'outline', 'aria-hidden': 'true'}), 'asks for beyond that'),
      ...(fair ? [element('li', {}, element('span', {class: 'tick', 'aria-hidden': 'true'}), 'an equal part of the cluster, by weight')] : []));
}

export interface Gain {
  name: string;
  gain: number;
  then: number;
}

/** What each change brings, to the right of zero, or costs, to the left. */
export function gainBars(host: HTMLElement, of: () => readonly Gain[], name: string, write: (value: number) => string): Chart {
  const signed = (value: number) => (value > 0 ? '+' : '') + write(value);
  return mountChart(host, width => {
    const gains = of();
    return horizontal(width, gains.map(gain => gain.name), {name}, {series: [{
    type: 'bar', barMaxWidth: 14, emphasis: {disabled: true},
    label: {show: true, position: 'right', color: 'var(--ink)', fontSize: 12, formatter: ({value}: {value: number}) => signed(value)},
    data: gains.map(({gain}) => ({value: gain, itemStyle: seriesFill(gain < 0 ? 1 : 0), label: {position: gain < 0 ? 'left' : 'right'}})),
  }]}, write, at => [{series: 0, name: 'gain', share: gains[at]!.gain}, {name: 'then gets', share: gains[at]!.then}]);
  });
}

export interface Change {
  name: string;
  before: number | undefined;
  after: number | undefined;
}

const isLess = (before: number, after: number) => after < before - 1e-6 * Math.max(before, after);

/** Before (hollow) and after (solid), with a line between them. */
export function dumbbells(host: HTMLElement, changes: readonly Change[], name: string, write: (value: number) => string): Chart {
  return mountChart(host, width => horizontal(width, changes.map(change => change.name), {name, min: 0}, {series: [
    {type: 'custom', silent: true, tooltip: {show: false}, encode: {x: [0, 1], y: 2}, z: 1,
      data: changes.flatMap(({before, after}, at) => before === undefined || after === undefined ? [] : [[before, after, at]]),
      renderItem: (_: unknown, painter: {value(dimension: number): number; coord(point: [number, number]): [number, number]}) => {
        const [x1, y] = painter.coord([painter.value(0), painter.value(2)]);
        const [x2] = painter.coord([painter.value(1), painter.value(2)]);
        return {type: 'line', shape: {x1, y1: y, x2, y2: y}, style: {stroke: isLess(painter.value(0), painter.value(1)) ? 'var(--series-1)' : 'var(--series-0)', lineWidth: 3}};
      }},
    {type: 'scatter', symbol: 'circle', symbolSize: 11, emphasis: {disabled: true}, z: 2,
      itemStyle: {color: 'var(--paper)', borderColor: 'var(--muted)', borderWidth: 2, opacity: 1}, data: changes.map(({before}) => before ?? '-')},
    {type: 'scatter', symbol: 'circle', symbolSize: 11, emphasis: {disabled: true}, z: 3, itemStyle: {opacity: 1},
      data: changes.map(({before, after}) => after === undefined ? '-' :
        {value: after, itemStyle: {...seriesFill(before !== undefined && isLess(before, after) ? 1 : 0), opacity: 1}})},
  ]}, write, at => [{name: 'before', share: changes[at]!.before ?? 0}, {series: 0, name: 'after', share: changes[at]!.after ?? 0}]));
}

export function dumbbellLegend(): HTMLElement {
  return element('ul', {class: 'legend'}, element('li', {}, element('span', {class: 'ring', 'aria-hidden': 'true'}), 'before'),
      element('li', {}, seriesMark(0), 'after: not less'), element('li', {}, element('span', {class: 'mark round mark-1', 'aria-hidden': 'true'}), 'after: less'));
}

export interface Compared {
  name: string;
  printed: number;
  ours: number;
  interval: readonly [number, number] | null;
}

/** What is printed (hollow) and ours (solid, within it where they agree), with a line over our interval. */
export function printedMarks(host: HTMLElement, compared: readonly Compared[], axis: string, write: (value: number) => string): Chart {
  return mountChart(host, width => horizontal(width, compared.map(each => each.name), {name: axis, min: (value: {min: number}) => Math.min(0, value.min)}, {series: [
    {type: 'custom', silent: true, tooltip: {show: false}, encode: {x: [0, 1], y: 2}, z: 1,
      data: compared.flatMap(({interval}, at) => interval ? [[...interval, at]] : []),
      renderItem: (_: unknown, painter: {value(dimension: number): number; coord(point: [number, number]): [number, number]}) => {
        const [x1, y] = painter.coord([painter.value(0), painter.value(2)]);
        const [x2] = painter.coord([painter.value(1), painter.value(2)]);
        return {type: 'line', shape: {x1, y1: y, x2, y2: y}, style: {stroke: 'var(--series-0)', lineWidth: 2}};
      }},
    {type: 'scatter', symbol: 'circle', symbolSize: 14, emphasis: {disabled: true}, z: 2,
      itemStyle: {color: 'transparent', borderColor: 'var(--ink)', borderWidth: 1.5, opacity: 1}, data: compared.map(({printed}) => printed)},
    {type: 'scatter', symbol: 'circle', symbolSize: 7, emphasis: {disabled: true}, z: 3, itemStyle: {...seriesFill(0), opacity: 1},
      data: compared.map(({ours}) => ours)},
  ]}, write, at => [{name: 'printed', share: compared[at]!.printed}, {series: 0, name: 'ours', share: compared[at]!.ours}], 4, write, 60));
}

export function printedLegend(): HTMLElement {
  return element('ul', {class: 'legend'}, element('li', {}, element('span', {class: 'ring', 'aria-hidden': 'true'}), 'printed in the paper'),
      element('li', {}, seriesMark(0), 'ours'));
}

export interface Stack {
  name: string;
  /** Of each series. */
  parts: readonly number[];
  total: number;
}

/** Rows of stacked parts, and a line at what there is. */
export function stackedBars(host: HTMLElement, names: readonly string[], stacks: readonly Stack[], available: number, axis: string,
    write: (value: number) => string): Chart {
  const fill = (at: number) => at === names.length - 1 && names.length > 7 ? {color: 'var(--rest)'} : seriesFill(at);
  const most = Math.max(available, ...stacks.map(({total}) => total)) * 1.02;
  return mountChart(host, width => horizontal(width, stacks.map(stack => stack.name), {name: axis, min: 0, max: most}, {series: names.map((name, at) => ({
        type: 'bar', name, stack: 'all', barMaxWidth: 16, emphasis: {disabled: true},
        itemStyle: {...fill(at), borderColor: 'var(--paper)', borderWidth: 1},
        data: stacks.map(({parts}) => parts[at] ?? 0),
        ...(at === 0 ? {markLine: {
          silent: true, symbol: 'none', precision: 15, data: [{xAxis: available}],
          lineStyle: {color: 'var(--bad)', type: [5, 4], width: 1.5},
          label: {position: 'start', color: 'var(--bad)', fontSize: 11, formatter: `allocatable ${write(available)}`},
        }} : {}),
      }))}, write, at => [{name: 'all', share: stacks[at]!.total}, ...names.flatMap((name, part) =>
        (stacks[at]!.parts[part] ?? 0) > 0 ? [{...(part < 8 ? {series: part} : {}), name, share: stacks[at]!.parts[part]!}] : [])], 22, value => value >= most * (1 - 1e-9) ? '' : write(value)));
}
