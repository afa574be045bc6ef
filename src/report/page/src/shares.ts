// Chart 1: the dominant share of every user under every outcome.
// Up to 12 users are bars, up to 60 dots, more are small dots, or lines where every outcome has its own order. Dots and
// lines may stand on a logarithmic scale, whose lowest tick then holds those who have nothing.

import {axisPercent, axisTooltip, mountChart, plainAxis, seriesColour, seriesFill, seriesLine, seriesSymbol, shareAxis, tooltipBody, zoomAlongX} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {percent, shortened} from 'shared/format';
import type {Outcome, Report, UserShare} from './report_data';

export type Scale = 'linear' | 'log';
export type Order = 'file' | 'name' | 'lowest' | 'rank' | `under ${number}`;

const bars_at_most = 12;
const dots_at_most = 60;
const labelled_bars_at_most = 16;
const short_name = 8;  // letters; longer ones stand next to horizontal bars or rows of dots, whole
const row_name = 28;  // letters, at most
const name_part = 0.4;  // of the width, at most
const letter_width = 7;  // px, about
const label_width = 600;  // px; below, only the caption has the equal split
const skew = 10;  // from this ratio of the highest share to the median on, small shares need a logarithm to be seen

export function firstOrder(users: number): Order {
  if (users <= bars_at_most) return 'file';
  return users <= dots_at_most ? 'lowest' : 'rank';
}

/** Bars start at zero, always. */
export function mayBeLogarithmic(report: Report): boolean {
  return report.problem.users > bars_at_most && positiveShares(report).length > 0;
}

export function firstScale(report: Report): Scale {
  if (!mayBeLogarithmic(report)) return 'linear';
  const shares = positiveShares(report).sort((a, b) => a - b);
  return shares[shares.length - 1]! > skew * shares[shares.length >> 1]! ? 'log' : 'linear';
}

function positiveShares(report: Report): number[] {
  return report.outcomes.flatMap(outcome => outcome.users.map(user => user.dominant_share)).filter(share => share > 0);
}

export function orderNames(report: Report): [Order, string][] {
  return [
    ['file', 'as in the cluster file'],
    ['name', 'by name'],
    ['lowest', 'lowest share first, summed over the outcomes shown'],
    ...report.outcomes.map((outcome, index): [Order, string] => [`under ${index}`, `lowest share first under ${outcome.label}`]),
    ['rank', 'lowest share first, separately for each outcome'],
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
  if (order === 'lowest') return same(by(user => [...shown].reduce((sum, outcome) => sum + share(outcome, user), 0)));
  if (order === 'rank') return report.outcomes.map((_, outcome) => by(user => share(outcome, user)));
  const outcome = Number(order.slice('under '.length));
  return same(by(user => share(outcome, user)));
}

/** Does every user have all that it asks for? */
export const allSatisfied = ({users}: Outcome): boolean => users.every(({satisfied}) => satisfied);

/** What an equal split of the whole cluster gives each; undefined when no one line is right, as where weights differ, and when
 * no user wants more than it has under any outcome. */
export function equalSplit({outcomes}: Report): number | undefined {
  if (outcomes.every(allSatisfied)) return undefined;
  const {users} = outcomes[0]!;
  if (users.some(({user}) => user !== undefined)) return undefined;  // rows are task shapes, of which a user has several
  const weight = users[0]!.weight ?? 1;
  return users.every(user => (user.weight ?? 1) === weight) ? 1 / users.length : undefined;
}

/** Does some user ask for a number of tasks? */
export function asksForTasks(report: Report): boolean {
  return report.outcomes[0]!.users.some(user => typeof user.asked === 'number');
}

/** The share that a user asks for and does not get, up to the whole cluster; nothing of endless tasks. */
function missing({asked_share, dominant_share, satisfied}: UserShare): number {
  return satisfied || typeof asked_share !== 'number' ? 0 : Math.max(0, Math.min(1, asked_share) - dominant_share);
}

export function sharesChart(host: HTMLElement, report: Report, shown: ReadonlySet<number>,
    chosen: {order: Order; scale: Scale}): Chart {
  return mountChart(host, width => draw(report, shown, chosen.order, chosen.scale, width));
}

/** The vertical axis, and the height at which a share is drawn: on a logarithmic one nothing stands at its floor. */
function vertical(report: Report, scale: Scale): {axis: object; height: (share: number) => number} {
  const name = 'dominant share (% of the cluster';
  if (scale === 'linear') return {axis: shareAxis(`${name})`), height: share => share};
  const positive = positiveShares(report);
  const floor = 10 ** Math.floor(Math.log10(positive.reduce((a, b) => Math.min(a, b)) / 3));
  const top = 10 ** Math.ceil(Math.log10(positive.reduce((a, b) => Math.max(a, b))) - 1e-9);
  const nothing = positive.length < report.outcomes.length * report.problem.users;
  const tick = (share: number) => nothing && share < floor * 2 ? '0' : axisPercent(share);
  return {
    axis: shareAxis(`${name}, logarithmic)`, {type: 'log', min: floor, max: top}, tick),
    height: share => Math.max(share, floor),
  };
}

function draw(report: Report, shown: ReadonlySet<number>, order: Order, scale: Scale, width: number): Drawing {
  const lists = ordered(report, order, shown);
  const users = lists[0]!.length;
  const visible = [...shown].sort((a, b) => a - b);
  const user = (outcome: number, place: number) => report.outcomes[outcome]!.users[lists[outcome]![place]!]!;
  const places = lists[0]!.map((_, place) => place);
  if (order !== 'rank' && users <= dots_at_most && report.outcomes[0]!.users.some(({name}) => name.length > short_name))
    return drawRows(report, shown, lists, scale, width);
  const ranked = order === 'rank';
  const zoom = users > dots_at_most || users * 16 > width;
  const tilted = !ranked && users * 90 > width;
  const named = users * 15 <= width || zoom;
  const {axis, height} = vertical(report, scale);

  const apart = Math.min(8, width / users * 0.8 / visible.length);  // px between the dots of one user
  const hollow = !ranked && users <= dots_at_most ? visible.flatMap((outcome, position) => asked(users, outcome,
      places.map(place => user(outcome, place)), height, [apart * (position - (visible.length - 1) / 2), 0])) : [];
  const series = [...visible.map((outcome, position) => ({
    ...marks(users, ranked, outcome, users * visible.length),
    symbolOffset: ranked || users > dots_at_most ? [0, 0] : [apart * (position - (visible.length - 1) / 2), 0],
    name: report.outcomes[outcome]!.label,
    data: places.map(place => height(user(outcome, place).dominant_share)),
    ...(position === 0 ? {markLine: splitLine(report, width)} : {}),
  })), ...hollow];
  const rows = (place: number): TooltipRow[] => visible.map(outcome => ({
    series: outcome,
    name: report.outcomes[outcome]!.label + (ranked ? ` · ${shortened(user(outcome, place).name, 24)}` : ''),
    share: user(outcome, place).dominant_share,
  }));
  const askedRow = (place: number): TooltipRow[] => {
    const share = user(visible[0] ?? 0, place).asked_share;
    return ranked || typeof share !== 'number' ? [] : [{name: 'asked for', share}];
  };
  const label = (place: number) => ranked ? String(place + 1) : shortened(user(0, place).name, 12);
  return {
    height: 380,
    option: {
      grid: {left: 4, right: 12, top: 40, bottom: 4, outerBounds: {left: 0, right: 0, top: 0, bottom: zoom ? 34 : 0}},
      xAxis: plainAxis({
        type: 'category',
        data: places.map(String),
        name: ranked ? 'users, lowest share first under each outcome' : tilted ? '' : 'users',
        nameLocation: 'middle', nameGap: 26,
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
        splitLine: {show: users > bars_at_most && users <= dots_at_most, lineStyle: {color: 'var(--rule)'}},
        axisLabel: {
          color: 'var(--muted)', fontSize: 12, show: named, hideOverlap: true, rotate: tilted ? 55 : 0,
          ...(ranked ? {interval: everyRoundPlace(users, width)} : {}),
          formatter: (place: string) => label(Number(place)),
        },
      }),
      yAxis: axis,
      dataZoom: zoom ? zoomAlongX() : [],
      tooltip: axisTooltip(users <= bars_at_most ? 'shadow' : 'line', value => {
        const place = Number(value);
        const title = ranked ? `Rank ${place + 1} of ${users}, from the lowest share` : user(0, place).name;
        return tooltipBody(title, [...rows(place), ...askedRow(place)]);
      }),
      series,
    },
  };
}

/** The same with a row a user, so that long names need not be cut: bars of few users, dots of more. */
function drawRows(report: Report, shown: ReadonlySet<number>, lists: readonly number[][], scale: Scale, width: number): Drawing {
  const visible = [...shown].sort((a, b) => a - b);
  const users = lists[0]!.length;
  const user = (outcome: number, place: number) => report.outcomes[outcome]!.users[lists[outcome]![place]!]!;
  const places = lists[0]!.map((_, place) => place);
  const bars = users <= bars_at_most;
  const {axis, height} = vertical(report, scale);
  const apart = 5;  // px between the dots of one user
  const row = bars ? 14 + visible.length * 14 : Math.max(20, 12 + apart * visible.length);
  const aside = (position: number): [number, number] => [0, bars ? 0 : apart * (position - (visible.length - 1) / 2)];
  const series = visible.flatMap((outcome, position) => [
    {
      ...marks(users, false, outcome, bars ? users * visible.length : Infinity), symbolOffset: aside(position), barMaxWidth: 18,
      name: report.outcomes[outcome]!.label, data: places.map(place => height(user(outcome, place).dominant_share)),
      ...(position === 0 ? {markLine: splitLine(report, width, 'xAxis')} : {}),
    },
    ...asked(users, outcome, places.map(place => user(outcome, place)), height, aside(position)),
  ]);
  const rows = (place: number): TooltipRow[] => {
    const share = user(visible[0] ?? 0, place).asked_share;
    return [...visible.map(outcome => ({series: outcome, name: report.outcomes[outcome]!.label, share: user(outcome, place).dominant_share})),
      ...(typeof share === 'number' ? [{name: 'asked for', share}] : [])];
  };
  return {
    height: 70 + users * row,
    option: {
      grid: {left: 4, right: 40, top: 8, bottom: 4},
      xAxis: {...axis, ...(width < label_width ? {name: 'dominant share'} : {}), nameLocation: 'middle', nameGap: 28, nameTextStyle: {color: 'var(--muted)', fontSize: 12}},
      yAxis: plainAxis({
        type: 'category', inverse: true, data: places.map(String), axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
        splitLine: {show: !bars, lineStyle: {color: 'var(--rule)'}},
        axisLabel: {color: 'var(--ink)', fontSize: 12, interval: 0,
          formatter: (place: string) => shortened(user(0, Number(place)).name, Math.min(row_name, Math.floor(width * name_part / letter_width)))},
      }),
      tooltip: axisTooltip('shadow', place => tooltipBody(user(0, Number(place)).name, rows(Number(place)))),
      series: series.map(each => 'type' in each && (each as {type: string}).type === 'bar' ? {...each, label: {...(each as {label?: object}).label, position: 'right'}} : each),
    },
  };
}

/** Which ranks are written: the first, and round ones with room for each. */
function everyRoundPlace(users: number, width: number): (place: number) => boolean {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find(size => users / size * 48 <= width) ?? users;
  return place => place === 0 || (place + 1) % step === 0;
}

/** What users ask for and do not get: a hollow piece on top of the bar, or a hollow mark above the dot. */
function asked(users: number, outcome: number, of: readonly UserShare[], height: (share: number) => number, aside: [number, number]): object[] {
  if (of.every(user => missing(user) === 0)) return [];
  if (users <= bars_at_most) {
    return [{
      type: 'bar', stack: `outcome ${outcome}`, barMaxWidth: 44, silent: true, emphasis: {disabled: true},
      itemStyle: {color: 'transparent', borderColor: seriesColour(outcome), borderWidth: 1.5},
      data: of.map(user => missing(user) > 0 ? missing(user) : '-'),
    }];
  }
  return [{
    type: 'scatter', symbol: seriesSymbol(outcome), symbolSize: 8, symbolOffset: aside, silent: true, emphasis: {disabled: true},
    itemStyle: {color: 'transparent', borderColor: seriesColour(outcome), borderWidth: 1.5},
    data: of.map(user => missing(user) > 0 ? height(user.dominant_share + missing(user)) : '-'),
  }];
}

function marks(users: number, ranked: boolean, outcome: number, bars: number): object {
  if (users <= bars_at_most) {
    return {
      type: 'bar', stack: `outcome ${outcome}`, barMaxWidth: 44, barGap: '12%', barCategoryGap: '28%', itemStyle: {...seriesFill(outcome), borderRadius: [2, 2, 0, 0]},
      emphasis: {disabled: true},
      label: {
        show: bars <= labelled_bars_at_most, position: 'top', color: 'var(--ink)', fontSize: 11,
        formatter: ({value}: {value: number}) => percent(value),
      },
    };
  }
  if (ranked) {
    return {
      type: 'line', showSymbol: false, symbol: seriesSymbol(outcome), sampling: 'lttb', lineStyle: {...seriesLine(outcome), width: 2},
      itemStyle: seriesFill(outcome), emphasis: {disabled: true},
    };
  }
  const few = users <= dots_at_most;
  return {
    type: 'scatter', symbol: seriesSymbol(outcome), symbolSize: few ? 10 : 4, emphasis: {disabled: true},
    itemStyle: {borderColor: 'var(--paper)', borderWidth: few ? 1 : 0, opacity: few ? 1 : 0.75, ...seriesFill(outcome)},
  };
}

function splitLine(report: Report, width: number, along: 'xAxis' | 'yAxis' = 'yAxis'): object {
  const split = equalSplit(report);
  if (split === undefined) return {};
  return {
    silent: true, symbol: 'none', data: [{[along]: split}],
    precision: 15,  // decimals that the library keeps of it; its own 2 would move the line
    lineStyle: {color: 'var(--ink)', type: [5, 4], width: 1, opacity: 0.8},
    label: {
      show: width >= label_width, position: 'insideEndBottom', color: 'var(--ink)', fontSize: 11, formatter: `equal split ${percent(split)}`,
      textBorderColor: 'var(--paper)', textBorderWidth: 3,
    },
  };
}
