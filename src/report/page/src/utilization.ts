// Chart 2: how much of every resource is in use under every outcome.

import {axisPercent, axisTooltip, mountChart, plainAxis, seriesFill, tooltipBody} from './chart';
import type {Chart, Drawing} from './chart';
import {percent} from 'shared/format';
import type {Report} from './report_data';

const bar_height = 18;  // px

export function utilizationChart(host: HTMLElement, report: Report, shown: ReadonlySet<number>): Chart {
  return mountChart(host, width => draw(report, shown, width));
}

function draw(report: Report, shown: ReadonlySet<number>, width: number): Drawing {
  const {resources} = report.problem;
  const visible = [...shown].sort((a, b) => a - b);
  const used = (outcome: number, resource: string) => report.outcomes[outcome]!.metrics.utilization[resource] ?? 0;
  return {
    height: 58 + resources.length * (visible.length * (bar_height + 3) + 22),
    option: {
      grid: {left: 4, right: 52, top: 4, bottom: 4},
      xAxis: plainAxis({
        type: 'value', min: 0, max: 1, name: 'used (% of capacity)', nameLocation: 'middle', nameGap: 26,
        axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: axisPercent},
      }),
      yAxis: plainAxis({
        type: 'category', inverse: true, data: resources,
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
        axisLabel: {color: 'var(--ink)', fontSize: 13, width: Math.min(220, width * 0.35), overflow: 'truncate'},
        splitLine: {show: false},
      }),
      tooltip: axisTooltip('shadow', resource => tooltipBody(String(resource), visible.map(outcome => ({
        series: outcome, name: report.outcomes[outcome]!.label, share: used(outcome, String(resource)),
      })))),
      series: visible.map(outcome => ({
        type: 'bar', name: report.outcomes[outcome]!.label, barMaxWidth: bar_height, barGap: '15%', barCategoryGap: '18%',
        itemStyle: {...seriesFill(outcome), borderRadius: [0, 2, 2, 0]},
        emphasis: {disabled: true},
        label: {
          show: true, position: 'right', color: 'var(--ink)', fontSize: 12,
          formatter: ({value}: {value: number}) => percent(value),
        },
        data: resources.map(resource => used(outcome, resource)),
      })),
    },
  };
}
