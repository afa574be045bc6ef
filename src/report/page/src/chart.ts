// The look that all charts share, and their life on the page. Colours are CSS variables (page.css), which the SVG
// renderer passes through: light, dark and print need no second drawing.

import {BarChart, CustomChart, LineChart, ScatterChart} from 'echarts/charts';
import {DataZoomComponent, GridComponent, MarkLineComponent, TooltipComponent} from 'echarts/components';
import * as echarts from 'echarts/core';
import type {EChartsCoreOption} from 'echarts/core';
import {SVGRenderer} from 'echarts/renderers';
import {element} from 'shared/element';
import {percent} from 'shared/format';
import {offerToSave} from './save_chart';

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, MarkLineComponent,
  TooltipComponent, SVGRenderer]);

/** How many colours and shapes page.css has before they start again. */
const series_styles = 8;
const symbols = ['circle', 'rect', 'triangle', 'diamond', 'path://M0 0H10L5 9Z', 'path://M3 0H7V3H10V7H7V10H3V7H0V3H3Z',
  'path://M5 0L10 4L8 10H2L0 4Z', 'path://M0 3H10V7H0Z'];

/** As many points of a line are marked one by one. */
export const symbols_at_most = 30;

export const seriesColour = (index: number) => `var(--series-${index % series_styles})`;
export const seriesSymbol = (index: number) => symbols[index % series_styles]!;

/** Users have a palette of their own, so that none is taken for the outcome of that colour. */
export const userColour = (index: number) => `var(--user-${index % series_styles})`;

/** The colours start again, then with hollow marks and dashed lines. */
const isRepeated = (index: number) => Math.floor(index / series_styles) % 2 === 1;

/** How a bar or a symbol of a series is filled. */
export const seriesFill = (index: number, hollow = isRepeated(index)): object => hollow ?
  {color: 'var(--paper)', borderColor: seriesColour(index), borderWidth: 2} : {color: seriesColour(index)};

export const seriesLine = (index: number): object => ({color: seriesColour(index), ...(isRepeated(index) ? {type: [9, 3]} : {})});

/** The same colour and shape in HTML: a legend's mark. */
export const seriesMark = (index: number) =>
  element('span', {class: `mark mark-${index % series_styles}${isRepeated(index) ? ' mark-hollow' : ''}`, 'aria-hidden': 'true'});

/** The colour of a user in HTML. */
export const userMark = (index: number) =>
  element('span', {class: 'mark mark-user', style: `color: ${userColour(index)}`, 'aria-hidden': 'true'});

export interface Drawing {
  height: number;
  option: EChartsCoreOption;
}

export interface Chart {
  redraw(): void;
}

const print_width = 680;  // px; an A4 or letter page within its margins
let printing = false;
// Before the listeners of the charts, so that one that is made to be printed has that width at once.
addEventListener('beforeprint', () => {
  printing = true;
});
addEventListener('afterprint', () => {
  printing = false;
});

export type Canvas = ReturnType<typeof echarts.init>;

/**
 * Keeps a chart in `host`, drawn for the width that it has; `draw` is asked again when that changes. `made` is given the
 * library's own chart, before it is drawn for the first time.
 */
export function mountChart(host: HTMLElement, draw: (width: number) => Drawing,
    made: (canvas: Canvas) => void = () => {}): Chart {
  let chart: Canvas | undefined;
  let drawn_width = 0;
  function redrawAt(width: number): void {
    if (width === 0) return;
    const {height, option} = draw(width);
    host.style.height = `${height}px`;
    if (!chart) {
      made(chart = echarts.init(host, null, {renderer: 'svg', width, height}));
      offerToSave(host);
    }
    chart.resize({width, height});
    chart.setOption({animation: false, textStyle: {fontFamily: getComputedStyle(host).fontFamily}, ...option}, {notMerge: true});
    drawn_width = width;
  }
  const redraw = () => redrawAt(printing ? print_width : host.clientWidth);
  new ResizeObserver(() => {
    if (!printing && host.clientWidth !== drawn_width) redraw();
  }).observe(host);
  addEventListener('beforeprint', redraw);
  addEventListener('afterprint', redraw);
  redraw();
  return {redraw};
}

/** An axis without ornament; a chart adds its type, name and data. */
export function plainAxis(more: object): object {
  return {
    axisLine: {show: false},
    axisTick: {show: false},
    axisLabel: {color: 'var(--muted)', fontSize: 12},
    nameTextStyle: {color: 'var(--muted)', fontSize: 12},
    splitLine: {lineStyle: {color: 'var(--rule)'}},
    ...more,
  };
}

/** A vertical axis of parts of one, its name written upright above it. */
export function shareAxis(name: string, scale: object = {type: 'value', min: 0}, tick = axisPercent): object {
  return plainAxis({
    name, nameLocation: 'end', nameGap: 14,
    nameTextStyle: {color: 'var(--muted)', fontSize: 12, align: 'left', padding: [0, 0, 0, -28]},
    axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: tick},
    ...scale,
  });
}

/** `20%`, `2.5%`, without the decimals that a tick does not need. */
export const axisPercent = (value: number) => `${+(value * 100).toPrecision(6)}%`;

/** A slider under the chart and pinch on it; the wheel keeps scrolling the page. */
export function zoomAlongX(): object[] {
  return [
    {
      type: 'slider', height: 18, bottom: 6, brushSelect: false, showDetail: false,
      borderColor: 'var(--rule)', fillerColor: 'var(--zoom)', backgroundColor: 'transparent',
      dataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
      selectedDataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}},
      handleStyle: {color: 'var(--paper)', borderColor: 'var(--muted)'},
      moveHandleStyle: {color: 'var(--muted)', opacity: 0.4},
      emphasis: {handleStyle: {borderColor: 'var(--ink)'}, moveHandleStyle: {color: 'var(--ink)'}},
    },
    {type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false},
  ];
}

/** A tooltip that follows an axis; `lines` gives its title and its rows for what is pointed at. */
export function axisTooltip(shadow: 'line' | 'shadow', build: (axis_value: number | string) => HTMLElement): object {
  return {
    trigger: 'axis',
    confine: true,
    className: 'tooltip',
    axisPointer: {
      type: shadow, label: {show: false}, lineStyle: {color: 'var(--muted)', type: 'solid'},
      shadowStyle: {color: 'var(--zoom)', opacity: 1},
    },
    formatter: (pointed: {axisValue: number | string}[]) => pointed[0] ? build(pointed[0].axisValue) : '',
  };
}

export interface TooltipRow {
  series?: number;
  /** Instead of a series. */
  user?: number;
  name: string;
  share: number;
}

/** Shares, unless they are written in another way. */
export function tooltipBody(title: string, rows: readonly TooltipRow[], write: (share: number) => string = percent): HTMLElement {
  return element('div', {},
      element('strong', {}, title),
      ...rows.map(row => element('div', {class: 'tooltip-row'},
          element('span', {}, ...(row.series === undefined ? [] : [seriesMark(row.series)]), ...(row.user === undefined ? [] : [userMark(row.user)]), row.name),
          element('span', {class: 'number'}, write(row.share)))));
}
