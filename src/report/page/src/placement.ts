// Chart 4: who runs where. One bar per server class, cut into what each user holds there of one resource; the users who
// hold most have colours of their own, the others are one piece, and what is idle stays blank. A user may be marked.

import {axisPercent, axisTooltip, mountChart, plainAxis, seriesColour, seriesMark, tooltipBody} from './chart';
import type {Chart, Drawing, TooltipRow} from './chart';
import {element} from './element';
import {count, numberColumn, percent, shortened} from './format';
import type {Outcome, Report} from './report_data';
import {serverRows} from './servers';
import type {PlacedOutcome, ServerRow} from './servers';
import {sortableTable} from './sortable_table';
import type {Column} from './sortable_table';

const own_colours_at_most = 8;
const rest_series = 6;  // the grey one
const rest_name = 'all others';
const bar_height = 22;  // px

/** The pieces of every bar, from left to right. */
interface Piece {
  name: string;
  users: number[];
  series: number;
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
  const piece = (user: number, series: number): Piece =>
    ({name: outcome.users[user]!.name, users: [user], series, marked: is_marked(user)});
  const crowded = leaders.length < outcome.users.length;
  const named = leaders.map((user, place) => piece(user, crowded && place === rest_series ? rest_series + 1 : place));
  if (!crowded) return named;
  const others = outcome.users.map((_, user) => user).filter(user => !leaders.includes(user));
  const marked_other = others.filter(is_marked).map(user => piece(user, rest_series));
  const rest = {name: rest_name, users: others.filter(user => !is_marked(user)), series: rest_series, marked: false};
  return [...marked_other, ...named, rest];
}

const colourOf = (piece: Piece) => piece.marked ? 'var(--ink)' : seriesColour(piece.series);

function markOf(piece: Piece): HTMLElement {
  return piece.marked ? element('span', {class: 'mark', 'aria-hidden': 'true'}) : seriesMark(piece.series);
}

/** What each piece of each bar is, as a part of what the row's servers have of the resource. */
function parts(rows: readonly ServerRow[], of: readonly Piece[], {outcome, resource}: Placement): number[][] {
  return rows.map(row => {
    const servers = row.entries.map(entry => outcome.servers[entry]!);
    const capacity = servers.reduce((sum, server) => sum + (server.capacity[resource] ?? 0), 0);
    return of.map(piece => {
      if (capacity === 0) return 0;
      let held = 0;
      for (const user of piece.users) {
        const where = outcome.users[user]!.servers!;
        for (const server of servers) held += where[server.name]?.resources[resource] ?? 0;
      }
      return held / capacity;
    });
  });
}

function draw(report: Report, leaders: readonly number[], chosen: Placement, width: number): Drawing {
  const rows = serverRows(chosen.outcome.servers, report.problem.resources);
  const of = pieces(chosen.outcome, leaders, chosen.marked);
  const held = parts(rows, of, chosen);
  const total = (row: number) => held[row]!.reduce((sum, part) => sum + part, 0);
  const has = (row: number) => rows[row]!.entries.some(entry => (chosen.outcome.servers[entry]!.capacity[chosen.resource] ?? 0) > 0);
  const name_width = Math.min(230, Math.round(width * 0.34));
  const tooltip = (row: number): TooltipRow[] => of
      .map((piece, at) => ({series: piece.series, name: shortened(piece.name, 28), share: held[row]![at]!}))
      .filter(({share}) => share > 0);
  return {
    height: 58 + rows.length * (bar_height + 10),
    option: {
      grid: {left: 4, right: 52, top: 4, bottom: 4},
      xAxis: plainAxis({
        type: 'value', min: 0, max: 1, name: `${shortened(chosen.resource, 24)} (% of the class)`, nameLocation: 'middle', nameGap: 26,
        axisLabel: {color: 'var(--muted)', fontSize: 12, formatter: axisPercent},
      }),
      yAxis: plainAxis({
        type: 'category', inverse: true, data: rows.map((_, row) => String(row)),
        axisLine: {show: true, lineStyle: {color: 'var(--axis)'}},
        axisLabel: {color: 'var(--ink)', fontSize: 12, width: name_width, overflow: 'truncate', interval: 0,
          formatter: (row: string) => rows[Number(row)]!.name},
        splitLine: {show: false},
      }),
      tooltip: axisTooltip('shadow', row => {
        const at = Number(row);
        const title = `${rows[at]!.name} (${count(rows[at]!.count, 'server')}): ` +
          (has(at) ? `${percent(total(at))} in use` : `no ${chosen.resource}`);
        return tooltipBody(title, tooltip(at));
      }),
      series: of.map((piece, at) => ({
        type: 'bar', stack: 'users', name: piece.name, barMaxWidth: bar_height,
        itemStyle: {color: colourOf(piece), opacity: chosen.marked === '' || piece.marked ? 1 : 0.45},
        emphasis: {disabled: true},
        label: {
          show: at === of.length - 1, position: 'right', color: 'var(--ink)', fontSize: 12,
          formatter: ({dataIndex}: {dataIndex: number}) => has(dataIndex) ? percent(Math.round(total(dataIndex) * 1000) / 1000) : '–',
        },
        data: rows.map((_, row) => held[row]![at]!),
      })),
    },
  };
}

/** What the colours stand for. */
export function placementLegend(leaders: readonly number[], {outcome, marked}: Placement): HTMLElement[] {
  return pieces(outcome, leaders, marked).map(piece => element('li', {}, markOf(piece),
      piece.name === rest_name && piece.users.length !== 1 ? `${count(piece.users.length, 'other user')}` : shortened(piece.name, 40)));
}

/** The tasks of every user on every server class. */
export function placementTable(report: Report, outcome: PlacedOutcome): HTMLElement {
  const rows = serverRows(outcome.servers, report.problem.resources);
  const tasks = outcome.users.map(user => rows.map(row =>
    row.entries.reduce((sum, entry) => sum + (user.servers![outcome.servers[entry]!.name]?.tasks ?? 0), 0)));
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
