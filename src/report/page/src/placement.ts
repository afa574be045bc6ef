// Chart 4: who runs where. One bar per server class, cut into what each user holds there of one resource; the users who
// hold most have colours of their own, the others are one piece, and what is idle stays blank. A user may be marked.

import {axisPercent, axisTooltip, mountChart, plainAxis, tooltipBody, userColour, userMark} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {element} from 'shared/element';
import {count, numberColumn, percent, shortened} from 'shared/format';
import type {Outcome, Report, UserShare} from './report_data';
import {serverRows} from './servers';
import type {PlacedOutcome, ServerRow} from './servers';
import {sortableTable} from 'shared/sortable_table';
import type {Column} from 'shared/sortable_table';

const own_colours_at_most = 8;
const grey_series = 6;  // too near to the colour of the others
const rest_name = 'all others';
const bar_height = 22;  // px
const names_beside_from = 560;  // px; on a narrower chart a name stands above its bar

/** The pieces of every bar, from left to right. */
interface Piece {
  name: string;
  users: number[];
  series?: number;  // of those with a colour of their own
  marked: boolean;
}

export interface Placement {
  outcome: PlacedOutcome;
  resource: string;
  marked: string;
}

/** Does the outcome say what its users hold on each server? */
export function tellsWhere(outcome: Outcome): boolean {
  return outcome.users.every(user => user.servers !== undefined);
}

export function placementChart(host: HTMLElement, report: Report, leaders: readonly number[], chosen: Placement): Chart {
  return mountChart(host, width => draw(report, leaders, chosen, width));
}

/** The users with a colour of their own, whichever outcome is shown: those who hold most, over all of these. */
export function leadingUsers(outcomes: readonly Outcome[]): number[] {
  const users = outcomes[0]!.users.map((_, user) => user);
  if (users.length <= own_colours_at_most) return users;
  const held = users.map(user => outcomes.reduce((sum, outcome) => sum + outcome.users[user]!.dominant_share, 0));
  return users.sort((a, b) => held[b]! - held[a]! || a - b).slice(0, own_colours_at_most - 1);
}

function pieces(outcome: Outcome, leaders: readonly number[], marked: string): Piece[] {
  const is_marked = (user: number) => outcome.users[user]!.name === marked;
  const piece = (user: number): Piece => ({name: outcome.users[user]!.name, users: [user], marked: is_marked(user)});
  const crowded = leaders.length < outcome.users.length;
  const named = leaders.map((user, place) => ({...piece(user), series: crowded && place >= grey_series ? place + 1 : place}));
  if (!crowded) return named;
  const leading = new Set(leaders);
  const others = outcome.users.map((_, user) => user).filter(user => !leading.has(user));
  const marked_other = others.filter(is_marked).map(piece);
  const rest = {name: rest_name, users: others.filter(user => !is_marked(user)), marked: false};
  return [...marked_other, ...named, rest];
}

function colourOf({marked, series}: Piece): string {
  if (marked) return 'var(--ink)';
  return series === undefined ? 'var(--rest)' : userColour(series);
}

function markOf({marked, series}: Piece): HTMLElement {
  if (!marked && series !== undefined) return userMark(series);
  return element('span', {class: `mark ${marked ? 'mark-chosen' : 'mark-rest'}`, 'aria-hidden': 'true'});
}

/** The classes that have some of the resource. */
function rowsWith({outcome, resource}: Placement, resources: readonly string[]): {rows: ServerRow[]; without: number} {
  const all = serverRows(outcome.servers, resources);
  const rows = all.filter(row => row.entries.some(entry => (outcome.servers[entry]!.capacity[resource] ?? 0) > 0));
  return {rows, without: all.length - rows.length};
}

/** The row of every server entry, by its name. */
function rowByName(rows: readonly ServerRow[], outcome: PlacedOutcome): Map<string, number> {
  return new Map(rows.flatMap((row, at) => row.entries.map((entry): [string, number] => [outcome.servers[entry]!.name, at])));
}

/** Adds up what a user has on the servers of each row; time in the number of servers on which it has something. */
function byRow(rows: number, row_of: ReadonlyMap<string, number>, where: NonNullable<UserShare['servers']>,
    of: (held: {tasks: number; resources: Record<string, number>}) => number): number[] {
  const sums = new Array<number>(rows).fill(0);
  for (const [name, held] of Object.entries(where)) {
    const row = row_of.get(name);
    if (row !== undefined) sums[row]! += of(held);
  }
  return sums;
}

/** What each piece of each bar is, as a part of what the row's servers have of the resource. */
function parts(rows: readonly ServerRow[], of: readonly Piece[], {outcome, resource}: Placement): number[][] {
  const row_of = rowByName(rows, outcome);
  const held = rows.map(() => of.map(() => 0));
  of.forEach((piece, at) => piece.users.forEach(user => {
    byRow(rows.length, row_of, outcome.users[user]!.servers!, ({resources}) => resources[resource] ?? 0)
        .forEach((amount, row) => { held[row]![at]! += amount; });
  }));
  return rows.map((row, at) => {
    const capacity = row.entries.reduce((sum, entry) => sum + (outcome.servers[entry]!.capacity[resource] ?? 0), 0);
    return held[at]!.map(amount => amount / capacity);
  });
}

function draw(report: Report, leaders: readonly number[], chosen: Placement, width: number): Drawing {
  const {rows} = rowsWith(chosen, report.problem.resources);
  const of = pieces(chosen.outcome, leaders, chosen.marked);
  const beside = width >= names_beside_from;
  const held = parts(rows, of, chosen);
  const total = (row: number) => held[row]!.reduce((sum, part) => sum + part, 0);
  const tooltip = (row: number): TooltipRow[] => of
      .map((piece, at) => ({...(piece.series === undefined ? {} : {user: piece.series}), name: shortened(piece.name, 28), share: held[row]![at]!}))
      .filter(({share}) => share > 0);
  return {
    height: 58 + rows.length * (bar_height + (beside ? 10 : 26)),
    option: {
      grid: {left: 4, right: 52, top: 4, bottom: 4},
      xAxis: plainAxis({
        type: 'value', min: 0, max: 1, name: `${shortened(chosen.resource, 24)} (% of the class)`, nameLocation: 'middle', nameGap: 26,
        axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: axisPercent},
      }),
      yAxis: plainAxis({
        type: 'category', inverse: true, data: rows.map((_, row) => String(row)),
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
        axisLabel: {
          color: 'var(--ink)', fontSize: 12, overflow: 'truncate', interval: 0, formatter: (row: string) => rows[Number(row)]!.name,
          ...(beside ? {width: 230} : {width: width - 80, inside: true, margin: 3, verticalAlign: 'bottom', padding: [0, 0, bar_height / 2 + 3, 0]}),
        },
        splitLine: {show: false},
      }),
      tooltip: axisTooltip('shadow', row => {
        const at = Number(row);
        return tooltipBody(`${rows[at]!.name} (${count(rows[at]!.count, 'server')}): ${percent(total(at))} in use`, tooltip(at));
      }),
      series: of.map((piece, at) => ({
        type: 'bar', stack: 'users', name: piece.name, barMaxWidth: bar_height,
        itemStyle: {color: colourOf(piece), opacity: chosen.marked === '' || piece.marked ? 1 : 0.45},
        emphasis: {disabled: true},
        label: {
          show: at === of.length - 1, position: 'right', color: 'var(--ink)', fontSize: 12, opacity: 1,
          formatter: ({dataIndex}: {dataIndex: number}) => percent(Math.round(total(dataIndex) * 1000) / 1000),
        },
        data: rows.map((_, row) => held[row]![at]!),
      })),
    },
  };
}

/** What the colours stand for, and which classes are not shown. */
export function placementLegend(report: Report, leaders: readonly number[], chosen: Placement): HTMLElement[] {
  const {without} = rowsWith(chosen, report.problem.resources);
  const meanings = pieces(chosen.outcome, leaders, chosen.marked).map(piece => element('li', {}, markOf(piece),
      piece.series === undefined && !piece.marked ? count(piece.users.length, 'other user') : shortened(piece.name, 40)));
  if (without === 0) return meanings;
  return [...meanings, element('li', {}, `not shown: ${count(without, 'class', 'classes')} without ${chosen.resource}`)];
}

/** The tasks of every user on every server class. */
export function placementTable(report: Report, outcome: PlacedOutcome): HTMLElement {
  const rows = serverRows(outcome.servers, report.problem.resources);
  const row_of = rowByName(rows, outcome);
  const tasks = outcome.users.map(user => byRow(rows.length, row_of, user.servers!, held => held.tasks));
  const users = outcome.users.map((user, index) => ({name: user.name, tasks: tasks[index]!}));
  const columns: Column<(typeof users)[number]>[] = [
    {heading: 'user', key: user => user.name, text: user => user.name},
    ...rows.map((row, at) => {
      const format = numberColumn(tasks.map(user => user[at]!));
      return {
        heading: shortened(row.name, 24), explanation: row.name,
        key: (user: {tasks: number[]}) => user.tasks[at]!, text: (user: {tasks: number[]}) => format(user.tasks[at]!),
      };
    }),
  ];
  return sortableTable(`Tasks by server class under ${outcome.label}`, columns, users);
}
