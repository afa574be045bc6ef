// The schedulers of an overlay in one picture: how long each took, how fair it was at the end, and how much it sent.

import {axisTooltip, mountChart, plainAxis, seriesFill, seriesMark, seriesSymbol, tooltipBody} from './chart';
import type {Drawing} from './chart';
import {element} from 'shared/element';
import {figure} from 'shared/format';
import {chartFigure, section, whenNear} from './layout';
import type {Overlay, OverlayRun} from './overlay_data';
import {compact} from './time_panels';

const scatter_height = 340;  // px
const [least_mark, largest_mark] = [8, 34];  // px
const narrow = 600;  // px: up to this width the names next to the marks would overlap

/** Nothing where there is one run to compare with none. */
export function runsScatter({runs}: Overlay): HTMLElement | undefined {
  const placed = runs.filter(({ticks, min_share}) => ticks > 0 && min_share !== null);
  if (placed.length < 2) return undefined;
  const {host, figure: block} = chartFigure('Lowest share and ticks of each run', 'Higher is fairer, further left is quicker. A mark is as large as what a node ' +
    'sends in a tick; a scheduler that needs no messages has the smallest.', []);
  block.append(element('ul', {class: 'legend'}, ...placed.map(({label}, at) => element('li', {}, seriesMark(at), label))));
  whenNear(host, scatter_height, () => mountChart(host, width => draw(placed, width)));
  return section('Fairness against time', '', block);
}

function draw(runs: readonly OverlayRun[], width: number): Drawing {
  const most = Math.max(...runs.map(({bytes_per_tick_and_node: bytes}) => bytes ?? 0), 1);
  const size = ({bytes_per_tick_and_node: bytes}: OverlayRun): number => least_mark + (largest_mark - least_mark) * Math.sqrt((bytes ?? 0) / most);
  const ticks = runs.map(run => run.ticks);
  const logarithmic = Math.max(...ticks) > 20 * Math.min(...ticks);
  const highest = Math.max(...runs.map(({min_share}) => min_share ?? 0));
  // Of another mark, by its label on the right; both in parts of the picture.
  const along = (value: number) => logarithmic ? Math.log(value / Math.min(...ticks)) / Math.log(Math.max(...ticks) / Math.min(...ticks)) : value / Math.max(...ticks);
  const hidesAnother = (run: OverlayRun): boolean => runs.some(other => {
    const right = (along(other.ticks) - along(run.ticks)) * width;
    const apart = Math.abs((other.min_share ?? 0) - (run.min_share ?? 0)) / (highest || 1) * scatter_height;
    return other !== run && right > 0 && right < 8 * run.label.length + largest_mark && apart < largest_mark / 2 + 8;
  });
  return {
    height: scatter_height,
    option: {
      grid: {left: 4, right: width > narrow ? 110 : 16, top: 40, bottom: 4},
      xAxis: plainAxis({
        type: logarithmic ? 'log' : 'value', name: 'ticks until the last placement', nameLocation: 'middle', nameGap: 26, ...(logarithmic ? {} : {min: 0}),
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}}, axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: compact},
      }),
      yAxis: plainAxis({
        type: 'value', min: 0, max: (highest || 1) * 1.12, name: 'lowest share of a user', nameLocation: 'end', nameGap: 14,
        nameTextStyle: {color: 'var(--muted)', fontSize: 12, align: 'left', padding: [0, 0, 0, -28]},
        axisLabel: {color: 'var(--muted)', fontSize: 12, showMaxLabel: false, formatter: compact},
      }),
      tooltip: {...axisTooltip('line', () => tooltipBody('', [])), trigger: 'item', formatter: ({seriesIndex}: {seriesIndex: number}) => {
        const run = runs[seriesIndex]!;
        return tooltipBody(run.label, [{name: 'lowest share', share: run.min_share ?? 0}, {name: 'ticks', share: run.ticks},
          {name: 'bytes a tick and node', share: run.bytes_per_tick_and_node ?? 0}], figure);
      }},
      series: runs.map((run, at) => ({
        type: 'scatter', name: run.label, data: [[run.ticks, run.min_share]], symbol: seriesSymbol(at), symbolSize: size(run),
        itemStyle: {...seriesFill(at), opacity: 0.85}, emphasis: {disabled: true}, labelLayout: {moveOverlap: 'shiftY'},
        label: {show: width > narrow, position: hidesAnother(run) ? 'left' : 'right', color: 'var(--ink)', fontSize: 12, formatter: run.label},
      })),
    },
  };
}
