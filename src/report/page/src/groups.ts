// The tree of groups and users under one outcome: who has what, what is guaranteed, what is borrowed and lent.

import {dropDown} from './choices';
import {element} from 'shared/element';
import {amount, figure, percent} from 'shared/format';
import {section} from './layout';
import type {Outcome, Report} from './report_data';
import type {Group, UserShare} from './schema_types';

const users_at_first_at_most = 60;  // more are shown when the reader asks for them

interface Row {
  name: string;
  depth: number;
  weight: number;
  share: number;
  beyond?: number;
  used: Record<string, number>;
  group?: Group;
  user?: UserShare;
}

/** Nothing when the cluster has no groups. */
export function groupsSection(report: Report): HTMLElement | undefined {
  const outcomes = report.outcomes.filter(({groups}) => groups && groups.length > 0);
  if (outcomes.length === 0) return undefined;
  const chosen = {outcome: outcomes[0]!, users: report.problem.users <= users_at_first_at_most};
  const table = element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Groups and users'});
  const show = (): void => table.replaceChildren(treeTable(report, chosen.outcome, chosen.users));
  const choices: HTMLElement[] = [];
  if (outcomes.length > 1) {
    choices.push(dropDown('Outcome', outcomes.map(({label}, at) => [String(at), label]), '0', value => {
      chosen.outcome = outcomes[Number(value)]!;
      show();
    }));
  }
  if (!chosen.users) {
    choices.push(dropDown('Show', [['groups', 'groups only'], ['users', 'groups and users']], 'groups', value => {
      chosen.users = value === 'users';
      show();
    }));
  }
  show();
  const controls = choices.length > 0 ? [element('div', {class: 'choices'}, ...choices)] : [];
  return section('Groups', 'A bar is what a group uses of a resource, as a part of the cluster. Beyond/weight is the share of ' +
    'what it uses beyond its guarantee, per weight: members of one group are compared by it.', ...controls, legend(), table);
}

function legend(): HTMLElement {
  const entries: [string, string][] = [
    ['held', 'in use: within the guarantee, of a user, or where nothing is guaranteed'],
    ['borrowed', 'in use beyond the guarantee, which may be none: borrowed'],
    ['lent', 'guaranteed and not in use: lent to others'],
    ['kept', 'guaranteed, not in use and reserved'],
    ['limit', 'the limit'],
  ];
  return element('ul', {class: 'legend groups'}, ...entries.map(([kind, text]) =>
    element('li', {}, element('span', {class: `quota-key ${kind}`}), ` ${text}`)));
}

function treeTable(report: Report, outcome: Outcome, with_users: boolean): HTMLElement {
  const {resources} = report.problem;
  const capacity = capacities(resources, outcome);
  const heading = (name: string, kind = ''): HTMLElement => element('th', {scope: 'col', class: kind}, name);
  const head = element('tr', {}, heading('group / user'), heading('weight', 'number'), ...resources.map(name => heading(name)),
      ...['share', 'beyond/weight', 'tasks'].map(name => heading(name, 'number')), heading('held back by'));
  const rows = treeRows(outcome, with_users).map(row => element('tr', {class: row.group ? 'group' : 'user'},
      element('th', {scope: 'row', style: `padding-left: ${0.5 + 1.2 * row.depth}em`}, row.name),
      element('td', {class: 'number'}, figure(row.weight)),
      ...resources.map(resource => element('td', {class: 'quota'}, quotaBar(row, resource, capacity.get(resource) ?? 0))),
      element('td', {class: 'number'}, percent(row.share)),
      element('td', {class: 'number'}, row.beyond === undefined ? '' : percent(row.beyond)),
      element('td', {class: 'number'}, row.user ? figure(row.user.tasks) : ''),
      element('td', {}, row.user?.held_back?.words ?? '')));
  return element('table', {class: 'groups'}, element('thead', {}, head), element('tbody', {}, ...rows));
}

/** Groups and users, each below the group around it. */
function treeRows(outcome: Outcome, with_users: boolean): Row[] {
  const groups = outcome.groups ?? [];
  const rows: Row[] = [];
  const add = (parent: string | null, depth: number): void => {
    for (const group of groups.filter(each => each.parent === parent)) {
      rows.push({name: group.name, depth, weight: group.weight ?? 1, share: group.share, beyond: group.beyond,
        used: group.used ?? {}, group});
      add(group.name, depth + 1);
    }
    if (!with_users) return;
    for (const user of outcome.users.filter(each => (each.user ?? each.group ?? null) === parent)) {
      rows.push({name: user.shape ?? user.name, depth, weight: user.weight ?? 1, share: user.dominant_share,
        used: user.resources, user});
    }
  };
  add(null, 0);
  return rows;
}

function capacities(resources: readonly string[], outcome: Outcome): Map<string, number> {
  return new Map(resources.map(resource =>
    [resource, outcome.servers.reduce((sum, server) => sum + (server.capacity[resource] ?? 0), 0)]));
}

function quotaBar(row: Row, resource: string, capacity: number): HTMLElement {
  const used = row.used[resource] ?? 0;
  const guarantee = row.group?.guarantee[resource] ?? 0;
  const lent = row.group?.lent?.[resource] ?? 0;
  const unused = row.group?.unused?.[resource] ?? 0;
  const limit = row.group?.limit?.[resource];
  const borrowed = row.group?.borrowed?.[resource] ?? 0;
  const part = (kind: string, amount: number): HTMLElement[] => amount > 0 && capacity > 0 ?
    [element('span', {class: kind, style: `width: ${(100 * amount / capacity).toFixed(3)}%`})] : [];
  const mark = limit === undefined || capacity <= 0 ? [] :
    [element('span', {class: 'limit', style: `left: ${(100 * Math.min(1, limit / capacity)).toFixed(3)}%`})];
  const written = (value: number): string => amount(value, capacity);
  const words = [`${written(used)} used`, ...(guarantee > 0 ? [`${written(guarantee)} guaranteed`] : []),
    ...(borrowed > 0 ? [`${written(borrowed)} borrowed`] : []), ...(lent > 0 ? [`${written(lent)} of it lent`] : []), ...(limit === undefined ? [] : [`limit ${written(limit)}`])].join(', ');
  return element('div', {class: 'quota-cell', title: words},
      element('span', {class: 'quota-number'}, written(used)),
      element('span', {class: 'quota-bar', role: 'img', 'aria-label': words},
          ...part('held', used - borrowed), ...part('borrowed', borrowed), ...part('lent', lent), ...part('kept', unused - lent), ...mark));
}
