// Chart 3: how the shares grew, task by task. One line a user, from its own placements alone, so that the points of all
// lines together are no more than the steps; long lines are thinned to the width by the charting library.

import {axisTooltip, mountChart, plainAxis, shareAxis, tooltipBody, userColour} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {count, shortened} from 'shared/format';
import type {Outcome, Step} from './report_data';

type Point = [step: number, share: number];

interface Curve {
  name: string;
  points: Point[];
  colour: string;
}

const own_colours_at_most = 8;  // users, each with a colour of its own
const rank_colours = 7;         // otherwise from the lowest share at the end to the highest
const tooltip_users_at_most = 8;
const chart_height = 420;  // px
const plotted_height = 350;  // px, between its axes, about
const label_height = 14;  // px

export interface TracedOutcome extends Outcome {
  steps: Step[];
}

export function isTraced(outcome: Outcome): outcome is TracedOutcome {
  return outcome.steps !== undefined && outcome.steps.length > 0;
}

export function curvesChart(host: HTMLElement, outcome: () => TracedOutcome, marked: () => string): Chart {
  let of: TracedOutcome | undefined;
  let curves: Curve[] = [];
  return mountChart(host, () => {
    if (of !== outcome()) curves = curvesOf(of = outcome());
    return draw(of, curves, marked());
  });
}

/** From (0, 0) over the user's own placements to the last step. */
function curvesOf(outcome: TracedOutcome): Curve[] {
  const last = outcome.steps[outcome.steps.length - 1]!.step;
  const points = new Map<string, Point[]>(outcome.users.map(user => [user.name, [[0, 0]]]));
  for (const step of outcome.steps) points.get(step.user)?.push([step.step, step.share]);
  for (const line of points.values()) line.push([last, line[line.length - 1]![1]]);
  const final = (user: {name: string}) => points.get(user.name)!.at(-1)![1];
  const by_share = [...outcome.users].sort((a, b) => final(a) - final(b));
  const rank = new Map(by_share.map((user, index) => [user.name, index / Math.max(1, by_share.length - 1)]));
  return outcome.users.map((user, index) => ({
    name: user.name,
    points: points.get(user.name)!,
    colour: outcome.users.length <= own_colours_at_most ?
      userColour(index) :
      `var(--rank-${Math.min(rank_colours - 1, Math.floor(rank.get(user.name)! * rank_colours))})`,
  }));
}

/** The user's share after a step: the last placement that is not later. */
export function shareAt(points: readonly Point[], step: number): number {
  let low = 0;
  let high = points.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle]![0] <= step) low = middle;
    else high = middle;
  }
  return points[low]![1];
}

function draw(outcome: TracedOutcome, curves: readonly Curve[], marked: string): Drawing {
  const last = outcome.steps[outcome.steps.length - 1]!.step;
  const named = curves.length <= own_colours_at_most;
  const shifts = labelShifts(curves.map(({points}) => points[points.length - 1]![1]));
  const series = curves.map(({name, points, colour}, at) => {
    const chosen = name === marked;
    return {
      type: 'line', name, data: points, step: 'end', showSymbol: false, sampling: 'lttb', silent: true,
      z: chosen ? 3 : 2,
      itemStyle: {color: colour},
      lineStyle: {
        color: chosen ? 'var(--ink)' : colour, width: chosen ? 3 : named ? 2 : 1.4,
        opacity: marked === '' || chosen ? (named ? 1 : 0.85) : 0.3,
      },
      emphasis: {disabled: true},
      endLabel: {
        show: named || chosen, color: chosen ? 'var(--ink)' : colour, fontSize: 12, fontWeight: chosen ? 600 : 400,
        formatter: shortened(name, 18), textBorderColor: 'var(--paper)', textBorderWidth: 3,
        offset: [0, named ? shifts[at]! : 0],
      },
    };
  });
  return {
    height: chart_height,
    option: {
      grid: {left: 4, right: named || marked !== '' ? 140 : 16, top: 40, bottom: 4},
      xAxis: plainAxis({
        type: 'value', min: 0, max: last, minInterval: 1, name: 'tasks placed', nameLocation: 'middle', nameGap: 26,
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}}, splitLine: {show: false},
        axisLabel: {color: 'var(--muted)', fontSize: 12, showMaxLabel: false},
      }),
      yAxis: shareAxis('dominant share per weight (%)'),
      tooltip: axisTooltip('line', value => tooltipBody(stepTitle(outcome, Number(value)),
          pointedShares(curves, Number(value), marked))),
      series,
    },
  };
}

/** By how many pixels the labels of lines that end at these heights are moved down, so that none covers another. */
export function labelShifts(ends: readonly number[]): number[] {
  const highest = Math.max(...ends, 0);
  const own = ends.map(end => highest > 0 ? plotted_height * (1 - end / highest) : 0);
  const order = [...ends.keys()].sort((a, b) => own[a]! - own[b]! || a - b);
  const placed = [...own];
  order.forEach((label, at) => {
    if (at > 0) placed[label] = Math.max(placed[label]!, placed[order[at - 1]!]! + label_height);
  });
  // What was moved below the axis goes up again, and moves those above it.
  let floor = plotted_height;
  for (const label of order.reverse()) {
    placed[label] = Math.min(placed[label]!, floor);
    floor = placed[label]! - label_height;
  }
  return placed.map((place, at) => place - own[at]!);
}

function stepTitle(outcome: TracedOutcome, value: number): string {
  const step = outcome.steps.find(candidate => candidate.step >= value);
  if (value <= 0 || !step) return 'before the first task';
  return `step ${step.step}: a task of ${shortened(step.user, 20)} on ${shortened(step.server, 20)}`;
}

/** All shares of a few users; of many the lowest, the middle one and the highest, and the one that is marked. */
function pointedShares(curves: readonly Curve[], step: number, marked: string): TooltipRow[] {
  const rows = curves.map(({name, points}) => ({name, share: shareAt(points, step)}));
  if (rows.length <= tooltip_users_at_most) return rows;
  const by_share = [...rows].sort((a, b) => a.share - b.share);
  const middle = by_share[Math.floor((by_share.length - 1) / 2)]!;
  const named = (what: string, row: TooltipRow) => ({name: `${what}: ${shortened(row.name, 20)}`, share: row.share});
  return [
    named('highest', by_share[by_share.length - 1]!), named('median', middle), named('lowest', by_share[0]!),
    ...rows.filter(row => row.name === marked),
  ];
}

export function curvesLegend(users: number): string {
  return users <= own_colours_at_most ? '' :
    `${count(users, 'line')}, coloured from the lowest final share (red) to the highest (blue).`;
}
