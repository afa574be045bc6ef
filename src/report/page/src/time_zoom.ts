// The axis that panels over time share, and the part of it that they show: set by a slider above them, which is the
// library's, connected to each panel.

import {mountChart, plainAxis} from './chart';
import type {Canvas, Chart, Drawing} from './chart';
import {element} from 'shared/element';
import {whenPlaced} from './layout';
import type {Span} from './time_cursor';

export interface TimeAxis {
  from: number;
  to: number;
  /** What the ticks count, in units of the times, and how they are written. */
  unit: number;
  tick: (value: number) => string;
  /** The moment at the cursor, in words. */
  moment: (time: number) => string;
}

/** In percent of the axis. */
export interface Zoom {
  start: number;
  end: number;
}

export const margin = {left: 54, right: 14};

/** The time at a place in px, and the other way; a time out of sight has none. */
export function timeAt(place: number, {left, right}: Span, axis: TimeAxis, zoom: Zoom): number {
  const {from, to} = inSight(axis, zoom);
  return from + (place - left) / (right - left) * (to - from);
}

export function placeAt(time: number, {left, right}: Span, axis: TimeAxis, zoom: Zoom): number | undefined {
  const {from, to} = inSight(axis, zoom);
  return time < from || time > to ? undefined : left + (time - from) / (to - from) * (right - left);
}

function inSight({from, to}: TimeAxis, {start, end}: Zoom): {from: number; to: number} {
  return {from: from + (to - from) * start / 100, to: from + (to - from) * end / 100};
}

/** Where the zoom of all panels is set. */
export function zoomStrip(axis: TimeAxis, zoom: Zoom, made: (canvas: Canvas) => void): {host: HTMLElement; chart: Chart} {
  const host = element('div', {class: 'chart zoom-strip', 'aria-hidden': 'true'});
  const draw = (): Drawing => ({
    height: 26,
    option: {
      grid: {...margin, top: 0, height: 1, outerBoundsMode: 'none'},
      xAxis: {...timeAxis(axis), axisLabel: {show: false}, axisLine: {show: false}},
      yAxis: {type: 'value', show: false},
      dataZoom: zoomParts(zoom, true),
      series: [{type: 'line', silent: true, showSymbol: false, lineStyle: {opacity: 0}, data: [[axis.from / axis.unit, 0], [axis.to / axis.unit, 0]]}],
    },
  });
  return {host, chart: whenPlaced(() => mountChart(host, draw, made))};
}

export function timeAxis(axis: TimeAxis): object {
  return plainAxis({
    type: 'value', min: axis.from / axis.unit, max: axis.to / axis.unit, splitLine: {show: false},
    axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
    axisLabel: {color: 'var(--muted)', fontSize: 12, hideOverlap: true, showMaxLabel: false, formatter: axis.tick},
  });
}

/** The same parts, by the same names, in every chart of a group: so the zoom of one is the zoom of all. */
export function zoomParts({start, end}: Zoom, slider: boolean): object[] {
  return [
    {
      id: 'slider', type: 'slider', show: slider, start, end, height: 16, top: 4, brushSelect: false, showDetail: false,
      borderColor: 'var(--rule)', fillerColor: 'var(--zoom)', backgroundColor: 'transparent',
      dataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
      selectedDataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
      handleIcon: 'circle', handleSize: 14, handleStyle: {color: 'var(--paper)', borderColor: 'var(--muted)', borderWidth: 1.5},
      moveHandleSize: 0,
      emphasis: {handleStyle: {borderColor: 'var(--ink)'}},
    },
    {id: 'inside', type: 'inside', start, end, zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false},
  ];
}

export function zoomed(event: unknown): Partial<Zoom> {
  const {batch, ...one} = event as Partial<Zoom> & {batch?: Partial<Zoom>[]};
  const {start, end} = batch?.[0] ?? one;
  return start === undefined || end === undefined ? {} : {start, end};
}
