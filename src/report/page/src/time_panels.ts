// Series over time, one panel under the other, with one cursor and one zoom for all of them. What every line says at the
// cursor is written above its panel; the zoom is the library's, which connects the charts of a group. A line is thinned to
// the width by the library, so that thousands of points cost no more than the screen shows.

import * as echarts from 'echarts/core';
import {axisPercent, mountChart, plainAxis, seriesFill, seriesLine, seriesMark, seriesSymbol, symbols_at_most} from './chart';
import type {Canvas, Drawing} from './chart';
import {dropDown} from './choices';
import {element} from 'shared/element';
import {clock, duration, figure, listed, percent} from 'shared/format';
import {chartHost, whenNear} from './layout';
import type {Figure} from './simulation_data';
import {followCursor} from './time_cursor';
import {margin, placeAt, timeAt, timeAxis, zoomed, zoomParts, zoomStrip} from './time_zoom';
import type {TimeAxis, Zoom} from './time_zoom';

export interface Line {
  /** Its colour and mark. */
  series: number;
  name: string;
  times: readonly number[];
  values: readonly Figure[];
}

export interface Panel {
  title: string;
  /** Parts of one are written as percentages, on an axis up to 100 % where they cannot be more. */
  scale: 'whole' | 'part' | 'index' | 'number';
  /** Asked again at each redrawing: what is shown may have changed. */
  lines: () => Line[];
  /** What chooses the lines, next to the title. */
  choices?: HTMLElement[];
}

const panel_height = 126;  // px
const hint = 'Move over a panel to read all of them at one moment.';

let groups = 0;

export interface TimePanels {
  host: HTMLElement;
  /** When the lines, or the ends of the axis, have changed. */
  redraw(): void;
  /** Puts the cursor at a time; from then on it stays where it was put or pointed last. */
  rest(time: number): void;
}

/** The panels under their zoom; `pointed` receives the time that the reader points at. */
export function timePanels(axis: TimeAxis, panels: readonly Panel[], pointed: (time: number) => void = () => {}): TimePanels {
  const group = `time-${groups++}`;
  const zoom: Zoom = {start: 0, end: 100};
  const join = (canvas: Canvas): void => {
    canvas.group = group;
    echarts.connect(group);
  };
  let relative = false;
  const drawn = panels.map(panel => drawnPanel(panel, axis, zoom, join, () => relative));
  const legend = element('ul', {class: 'legend', 'aria-label': 'Lines in all panels'});
  const flat = element('p', {class: 'quiet'});
  const moment = element('p', {class: 'moment', 'aria-live': 'polite'}, hint);
  let resting: number | undefined;
  const strip = zoomStrip(axis, zoom, canvas => {
    join(canvas);
    canvas.on('datazoom', event => {
      Object.assign(zoom, zoomed(event));
      settle();
    });
  });
  const host = element('div', {class: 'panels', role: 'group', tabindex: 0, 'aria-label': 'Panels over time; the arrow keys move the cursor'},
      element('div', {class: 'strip'}, legend, moment, strip.host), element('div', {class: 'panel-grid'}, ...drawn.map(panel => panel.host)), flat);
  // All panels are as wide as the first that is seen.
  const span = () => ({left: margin.left, right: (drawn.find(({host}) => !host.hidden)?.host.clientWidth ?? 0) - margin.right});
  const namesOf = (lines: readonly Line[]): string => lines.map(({name}) => name).join('\n');
  const many = panels.length > 2 && drawn[0]!.lines().length > 1 && drawn.every(({lines}) => namesOf(lines()) === namesOf(drawn[0]!.lines()));
  const first = drawn[0]?.lines()[0]?.name ?? '';
  const choice = dropDown('Show', [['values', 'values'], ['relative', `differences from ${first}`]], 'values', value => {
    relative = value === 'relative';
    redraw();
  });
  if (many) host.prepend(element('div', {class: 'choices'}, choice));

  /** One legend for the panels that have the same lines; panels with others name their own. What is level and alike is named in words. */
  function arrange(): void {
    const common = drawn[0]?.lines() ?? [];
    const known = new Set(common.map(({series, name}) => `${series} ${name}`));
    legend.replaceChildren(...common.map(({series, name}) => element('li', {}, seriesMark(series), name)));
    const level: string[] = [];
    drawn.forEach(({host, lines, title}, at) => {
      const range = panels.length > 2 && panels[at]!.choices === undefined ? levelOf(lines()) : undefined;
      host.hidden = range !== undefined;
      host.classList.toggle('common', lines().every(({series, name}) => known.has(`${series} ${name}`)));
      if (range) level.push(`${title} (${written(range[0], drawn[at]!.write)}${range[0] === range[1] ? '' : ` to ${written(range[1], drawn[at]!.write)}`})`);
    });
    flat.textContent = level.length === 0 ? '' : `Level and alike, not drawn: ${listed(level)}.`;
    flat.hidden = level.length === 0;
  }
  function redraw(): void {
    strip.chart.redraw();
    drawn.forEach(panel => panel.redraw());
    arrange();
    settle();
  }
  arrange();
  const tell = (time: number | undefined): void => {
    moment.textContent = time === undefined ? hint : axis.moment(time);
    drawn.forEach(({tell}) => tell(time));
  };
  const put = followCursor(host, drawn.map(({line}) => line), span, place => {
    if (place === undefined) return settle();
    const time = timeAt(place, span(), axis, zoom);
    if (resting !== undefined) resting = time;
    tell(time);
    pointed(time);
  });
  function settle(): void {
    put(resting === undefined ? undefined : placeAt(resting, span(), axis, zoom));
    tell(resting);
  }
  new ResizeObserver(settle).observe(strip.host);
  return {
    host,
    redraw,
    rest: time => {
      resting = time;
      settle();
    },
  };
}

/** One line for each contender that is shown and has the series. */
export function linesOf(shown: ReadonlySet<number>,
    contenders: readonly {name: string; times: readonly number[]; values: readonly Figure[] | undefined}[]): Line[] {
  return contenders.flatMap(({name, times, values}, series) => shown.has(series) && values ? [{series, name, times, values}] : []);
}

/** The axis of times in seconds since the start. */
export function secondsFrom(times: readonly number[]): TimeAxis {
  const to = times.reduce((a, b) => Math.max(a, b), 1);
  // In the unit in which round numbers of ticks are round times: 20 minutes, half an hour, 6 hours, 2 days.
  const [unit, tick] = to < 120 ? [1, (value: number) => `${+value.toPrecision(6)} s`] as const :
    to < 200 * 60 ? [60, (value: number) => clock(value * 60)] as const :
    to < 2 * 86400 ? [3600, (value: number) => clock(value * 3600)] as const :
    [86400, (value: number) => `${+value.toPrecision(6)} d`] as const;
  return {from: 0, to, unit, tick, moment: time => `${duration(time)} after the start`};
}

const level_within = 0.01;  // of the highest value

/** The lowest and highest value of lines that hardly change and hardly differ; of others nothing. */
function levelOf(lines: readonly Line[]): [number, number] | undefined {
  const values = lines.flatMap(line => line.values.filter(value => value !== null));
  if (values.length === 0) return undefined;
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return low >= 0 && high - low <= level_within * high ? [low, high] : undefined;
}

/** What each line is above the first one, at its own times. */
function differences(lines: readonly Line[]): Line[] {
  const first = lines[0];
  return lines.slice(1).map(line => ({...line, values: line.values.map((value, at) => {
    const from = first && valueAt(first, line.times[at]!);
    return typeof value === 'number' && typeof from === 'number' ? value - from : null;
  })}));
}

interface DrawnPanel {
  host: HTMLElement;
  title: string;
  line: HTMLElement;
  /** As given, not as differences. */
  lines: () => readonly Line[];
  write: (value: number) => string;
  redraw: () => void;
  /** Writes what the lines say at a time, or nothing. */
  tell: (time: number | undefined) => void;
}

function drawnPanel(panel: Panel, axis: TimeAxis, zoom: Zoom, join: (canvas: Canvas) => void, relative: () => boolean): DrawnPanel {
  const line = element('div', {class: 'cursor'});
  const readout = element('ul', {class: 'readout'});
  const write = panel.scale === 'whole' || panel.scale === 'part' ? percent : figure;
  let given: Line[] = [];
  let lines: Line[] = [];
  let values: HTMLElement[] = [];
  const chart_host = chartHost(`${panel.title} over time`);
  const chart = whenNear(chart_host, panel_height, () => mountChart(chart_host, () => drawPanel(panel, lines, axis, zoom, relative()), join));
  const redraw = (): void => {
    given = panel.lines();
    lines = relative() ? differences(given) : given;
    values = lines.map(() => element('span', {class: 'value'}));
    readout.replaceChildren(...lines.map(({series, name}, at) =>
      element('li', {title: name}, seriesMark(series), element('span', {class: 'who'}, name), values[at]!)));
    chart.redraw();
  };
  const tell = (time: number | undefined): void => lines.forEach((line, at) => {
    values[at]!.textContent = time === undefined ? '' : written(valueAt(line, time), write);
  });
  redraw();
  const caption = element('figcaption', {}, element('h3', {}, panel.title), ...panel.choices ?? [], readout);
  const host = element('figure', {class: 'panel'}, caption, element('div', {class: 'pointable'}, chart_host, line));
  return {host, title: panel.title, line, lines: () => given, write, redraw, tell};
}

/** Parts of one have an axis up to 1 where they come near it; an interval of 0.5 keeps its labels apart. */
function upToOne(scale: Panel['scale'], lines: readonly Line[]): boolean {
  if (scale === 'number') return false;
  const highest = lines.reduce((top, {values}) => values.reduce((a: number, b) => Math.max(a, b ?? 0), top), 0);
  return scale !== 'part' || highest === 0 || (highest > 0.8 && highest <= 1);
}

function drawPanel(panel: Panel, lines: readonly Line[], axis: TimeAxis, zoom: Zoom, relative: boolean): Drawing {
  return {
    height: panel_height,
    option: {
      grid: {...margin, top: 8, bottom: 22, outerBoundsMode: 'none'},
      xAxis: {...timeAxis(axis), ...(relative ? {axisLine: {show: true, onZero: true, lineStyle: {color: 'var(--axis)'}}} : {})},
      yAxis: plainAxis({
        type: 'value', splitNumber: 3, ...(relative ? {} : {min: 0}),
        ...(!relative && upToOne(panel.scale, lines) ? {max: 1, interval: 0.5} : {}),
        axisLabel: {
          color: 'var(--muted)', fontSize: 12, margin: 5,
          formatter: panel.scale === 'whole' || panel.scale === 'part' ? axisPercent : compact,
        },
      }),
      dataZoom: zoomParts(zoom, false),
      series: lines.map(({series, name, times, values}) => ({
        type: 'line', name, sampling: 'lttb', silent: true,
        symbol: seriesSymbol(series), symbolSize: 6, showSymbol: times.length <= symbols_at_most,
        data: times.map((time, at) => [time / axis.unit, values[at] ?? '-']),
        itemStyle: seriesFill(series),
        lineStyle: {...seriesLine(series), width: 1.6},
        emphasis: {disabled: true},
      })),
    },
  };
}

/** At the last of the times that is not later; before the first there is none. */
export function valueAt({times, values}: Line, time: number): Figure | undefined {
  const latest = time + Math.abs(time) * 1e-12;
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= latest) low = middle;
    else high = middle;
  }
  return times[low]! <= latest ? values[low] : undefined;
}

function written(value: Figure | undefined, write: (value: number) => string): string {
  return typeof value === 'number' ? write(value) : '–';
}

/** `20K`: as much as fits next to an axis. */
export function compact(value: number): string {
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(0);
  return new Intl.NumberFormat('en-US', {notation: 'compact', maximumSignificantDigits: 3}).format(value);
}
