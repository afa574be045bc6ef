// How full the servers are: a table of shaded cells, one row per server entry. Many entries are put together by what one
// of their servers offers, and the rest of a long list is one last row.

import {element} from 'shared/element';
import {amount, count, percent, shortened, whole} from 'shared/format';
import type {Outcome, Report, ServerEntry} from './report_data';

const rows_at_most = 20;

/** Servers that are shown as one row. */
export interface ServerRow {
  name: string;
  count: number;
  entries: number[];  // indices into an outcome's servers
}

type Sized = ServerEntry & {capacity: Record<string, number>};

export type PlacedOutcome = Outcome & {servers: Sized[]};

/** The outcomes that tell servers apart; a pool mechanism sees but one. */
export function placed(report: Report): PlacedOutcome[] {
  return report.outcomes.filter((outcome): outcome is PlacedOutcome =>
    outcome.servers.reduce((sum, server) => sum + server.count, 0) > 1 && outcome.servers.length > 1 &&
    outcome.servers.every(server => server.capacity !== undefined));
}

/** Undefined when there is nothing to tell apart. */
export function serversTable(report: Report): HTMLElement | undefined {
  const outcomes = placed(report);
  if (outcomes.length === 0) return undefined;
  const {resources} = report.problem;
  const rows = serverRows(outcomes[0]!.servers, resources);
  const columns = outcomes.flatMap(outcome => resources.map(resource => ({outcome, resource})));
  const head = [
    element('tr', {}, element('th', {scope: 'col', rowspan: 2}, 'servers'),
        element('th', {scope: 'col', rowspan: 2, class: 'number'}, 'count'),
        ...outcomes.map(outcome => element('th', {scope: 'colgroup', colspan: resources.length, class: 'group'}, element('span', {}, outcome.label)))),
    element('tr', {}, ...columns.map(({resource}) => element('th', {scope: 'col', class: 'number'}, resource))),
  ];
  const body = rows.map(row => element('tr', {},
      element('th', {scope: 'row', title: row.name}, shortened(row.name, 44)),
      element('td', {class: 'number'}, whole(row.count)),
      ...columns.map(({outcome, resource}) => usedCell(outcome.servers, row, resource))));
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'How full the servers are'},
      element('table', {class: 'heat'}, element('thead', {}, ...head), element('tbody', {}, ...body)));
}

function usedCell(servers: readonly Sized[], row: ServerRow, resource: string): HTMLElement {
  const sum = (of: (server: Sized) => number) => row.entries.reduce((total, at) => total + of(servers[at]!), 0);
  const capacity = sum(server => server.capacity[resource] ?? 0);
  if (capacity === 0) return element('td', {class: 'number'}, '–');
  const used = sum(server => server.used[resource] ?? 0) / capacity;
  const shade = Math.round(Math.min(1, used) * 10);
  return element('td', {class: `number shade shade-${shade}`}, percent(Math.round(used * 1000) / 1000));
}

/** One row per entry, or, where these are many, per class of equal servers. */
export function serverRows(servers: readonly Sized[], resources: readonly string[]): ServerRow[] {
  const rows = servers.length <= rows_at_most ?
    servers.map((server, at): ServerRow => ({name: server.name, count: server.count, entries: [at]})) :
    classRows(servers, resources);
  if (rows.length <= rows_at_most) return rows;
  const shown = [...rows].sort((a, b) => b.count - a.count);
  const rest = shown.splice(rows_at_most - 1);
  shown.push({
    name: count(rest.length, 'smaller class', 'smaller classes'),
    count: rest.reduce((sum, row) => sum + row.count, 0),
    entries: rest.flatMap(row => row.entries),
  });
  return shown;
}

/** Entries whose servers have the same capacities, named by them; the most frequent first. */
function classRows(servers: readonly Sized[], resources: readonly string[]): ServerRow[] {
  const rows = new Map<string, ServerRow>();
  servers.forEach((server, at) => {
    const each = resources.map(resource => (server.capacity[resource] ?? 0) / server.count);
    const name = resources.map((resource, r) => `${resource} ${amount(each[r]!)}`).join(' · ');
    const row = rows.get(name) ?? {name, count: 0, entries: []};
    row.count += server.count;
    row.entries.push(at);
    rows.set(name, row);
  });
  return [...rows.values()].sort((a, b) => b.count - a.count);
}
