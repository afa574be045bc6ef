// Chart 1: the dominant share of every user under every outcome.
// Up to 12 users are bars, up to 60 dots, more are small dots, or lines where every outcome has its own order.

import {axisTooltip, mountChart, plainAxis, seriesColour, seriesSymbol, shareAxis, tooltipBody, zoomAlongX} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {percent, shortened} from './format';
import type {Outcome, Report} from './report_data';

export type Order = 'file' | 'name' | 'poorest' | 'rank' | `under ${number}`;

const bars_at_most = 12;
const dots_at_most = 60;
const labelled_bars_at_most = 16;

export function firstOrder(users: number): Order {
  if (users <= bars_at_most) return 'file';
  return users <= dots_at_most ? 'poorest' : 'rank';
}

export function orderNames(report: Report): [Order, string][] {
  return [
    ['file', 'as in the cluster file'],
    ['name', 'by name'],
    ['poorest', 'poorest first, over all that is shown'],
    ...report.outcomes.map((outcome, index): [Order, string] => [`under ${index}`, `poorest first under ${outcome.label}`]),
    ['rank', 'poorest first, each outcome for itself'],
  ];
}

/** For every outcome the users, as indices, from left to right. */
export function ordered(report: Report, order: Order, shown: ReadonlySet<number>): number[][] {
  const users = report.outcomes[0]!.users.map((_, index) => index);
  const share = (outcome: number, user: number) => report.outcomes[outcome]!.users[user]!.dominant_share;
  const by = (key: (user: number) => number) => [...users].sort((a, b) => key(a) - key(b) || a - b);
  const same = (list: number[]) => report.outcomes.map(() => list);
  if (order === 'file') return same(users);
  if (order === 'name') {
    const name = (user: number) => report.outcomes[0]!.users[user]!.name;
    return same([...users].sort((a, b) => name(a).localeCompare(name(b), 'en', {numeric: true})));
  }
  if (order === 'poorest') return same(by(user => [...shown].reduce((sum, outcome) => sum + share(outcome, user), 0)));
  if (order === 'rank') return report.outcomes.map((_, outcome) => by(user => share(outcome, user)));
  const outcome = Number(order.slice('under '.length));
  return same(by(user => share(outcome, user)));
}

/** What an equal split of the whole cluster gives each; undefined when weights differ and no one line is right. */
export function equalSplit(outcome: Outcome): number | undefined {
  const weight = outcome.users[0]!.weight ?? 1;
  return outcome.users.every(user => (user.weight ?? 1) === weight) ? 1 / outcome.users.length : undefined;
}

export function sharesChart(host: HTMLElement, report: Report, shown: ReadonlySet<number>, order: () => Order): Chart {
  return mountChart(host, width => draw(report, shown, order(), width));
}

function draw(report: Report, shown: ReadonlySet<number>, order: Order, width: number): Drawing {
  const lists = ordered(report, order, shown);
  const users = lists[0]!.length;
  const visible = [...shown].sort((a, b) => a - b);
  const user = (outcome: number, place: number) => report.outcomes[outcome]!.users[lists[outcome]![place]!]!;
  const places = lists[0]!.map((_, place) => place);
  const ranked = order === 'rank';
  const zoom = users > 24 || users * 30 > width;

  const series = visible.map((outcome, position) => ({
    ...marks(users, ranked, outcome, users * visible.length),
    name: report.outcomes[outcome]!.label,
    data: places.map(place => user(outcome, place).dominant_share),
    ...(position === 0 ? {markLine: splitLine(report.outcomes[0]!)} : {}),
  }));
  const rows = (place: number): TooltipRow[] => visible.map(outcome => ({
    series: outcome,
    name: report.outcomes[outcome]!.label + (ranked ? ` · ${shortened(user(outcome, place).name, 24)}` : ''),
    share: user(outcome, place).dominant_share,
  }));
  const label = (place: number) => ranked ? String(place + 1) : shortened(user(0, place).name, 12);
  return {
    height: 380,
    option: {
      grid: {left: 4, right: 12, top: 40, bottom: zoom ? 54 : 30},
      xAxis: plainAxis({
        type: 'category',
        data: places.map(String),
        name: ranked ? 'users, poorest first under each outcome' : 'users',
        nameLocation: 'middle', nameGap: 8,
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
        splitLine: {show: users > bars_at_most && users <= dots_at_most, lineStyle: {color: 'var(--rule)'}},
        axisLabel: {
          color: 'var(--muted)', fontSize: 12, hideOverlap: true,
          rotate: !ranked && users * 70 > width ? 55 : 0,
          formatter: (place: string) => label(Number(place)),
        },
      }),
      yAxis: shareAxis('dominant share (% of the cluster)'),
      dataZoom: zoom ? zoomAlongX() : [],
      tooltip: axisTooltip(users <= bars_at_most ? 'shadow' : 'line', value => {
        const place = Number(value);
        const title = ranked ? `Rank ${place + 1} of ${users}, from the poorest` : user(0, place).name;
        return tooltipBody(title, rows(place));
      }),
      series,
    },
  };
}

function marks(users: number, ranked: boolean, outcome: number, bars: number): object {
  const colour = seriesColour(outcome);
  if (users <= bars_at_most) {
    return {
      type: 'bar', barMaxWidth: 44, barGap: '12%', barCategoryGap: '28%', itemStyle: {color: colour, borderRadius: [2, 2, 0, 0]},
      emphasis: {disabled: true},
      label: {
        show: bars <= labelled_bars_at_most, position: 'top', color: 'var(--ink)', fontSize: 11,
        formatter: ({value}: {value: number}) => percent(value),
      },
    };
  }
  if (ranked) {
    return {
      type: 'line', showSymbol: false, symbol: seriesSymbol(outcome), sampling: 'lttb', lineStyle: {color: colour, width: 2},
      itemStyle: {color: colour}, emphasis: {disabled: true},
    };
  }
  const few = users <= dots_at_most;
  return {
    type: 'scatter', symbol: seriesSymbol(outcome), symbolSize: few ? 10 : 4, emphasis: {disabled: true},
    itemStyle: {color: colour, borderColor: 'var(--paper)', borderWidth: few ? 1 : 0, opacity: few ? 1 : 0.75},
  };
}

function splitLine(outcome: Outcome): object {
  const split = equalSplit(outcome);
  if (split === undefined) return {};
  return {
    silent: true, symbol: 'none', data: [{yAxis: split}],
    lineStyle: {color: 'var(--ink)', type: [5, 4], width: 1, opacity: 0.8},
    label: {
      position: 'insideEndTop', color: 'var(--ink)', fontSize: 11, formatter: `equal split ${percent(split)}`,
      textBorderColor: 'var(--paper)', textBorderWidth: 3,
    },
  };
}
