// The page of a difference: who gains and who loses. What mirab diff reports.

import {dumbbellLegend, dumbbells} from './answer_charts';
import type {Change} from './answer_charts';
import type {Compared, ComparedUser} from './answer_data';
import type {Compared as Difference, ComparedGroup, ComparedGroupShare, ComparedSide} from './schema_types';
import {element} from 'shared/element';
import {count, figure, percent} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenPlaced} from './layout';
import {sortableTable} from 'shared/sortable_table';
import {teamSection} from './team_picture';

const drawn_at_most = 40;  // users; half of them gain most, half lose most
const same_within = 1e-6;  // a relative change that is none

export function showDifference(page: HTMLElement, compared: Compared): void {
  const {before, after} = compared;
  page.replaceChildren(pageHeader(compared, changeSentence(compared), sidesSentence(before, after), satisfiedWords(before, after)),
      ...differenceSections(compared));
  const notices = noticesSection([{label: before.mechanism, notices: before.notices}, {label: after.mechanism, notices: after.notices}]);
  if (notices) page.append(notices);
}

export function changeSentence({changed_users: {gain, lose, mixed, unchanged}}: Difference): string {
  const both = mixed === 0 ? '' : `, ${mixed} ${mixed === 1 ? 'keeps' : 'keep'} the same share with another mix of tasks`;
  return `${count(gain, 'user gains', 'users gain')}, ${lose} ${lose === 1 ? 'loses' : 'lose'}${both}, ${unchanged} ${unchanged === 1 ? 'keeps' : 'keep'} what they have.`;
}

function sidesSentence(before: ComparedSide, after: ComparedSide): string {
  const side = ({cluster, mechanism, servers}: ComparedSide) => `${mechanism} on ${cluster} with ${count(servers, 'server')}`;
  return before.cluster === after.cluster && before.servers === after.servers ?
    `Before is ${before.mechanism}, after is ${after.mechanism}.` : `Before is ${side(before)}, after is ${side(after)}.`;
}

function satisfiedWords(before: ComparedSide, after: ComparedSide): string {
  const of = ({satisfied_users, satisfied_of}: ComparedSide) => `${satisfied_users ?? 0} of ${satisfied_of ?? 0}`;
  if (!before.satisfied_users && !after.satisfied_users) return '';
  return `${of(before)} got all they ask for before, ${of(after)} after.`;
}

/** The users before and after, drawn and as a table, and the use of each resource. */
export function differenceSections(compared: Difference): HTMLElement[] {
  return [teamsSection(compared), usersSection(compared), ...groupsSections(compared), useSection(compared), everySection(compared)];
}

/** What runs now is called `now`, another side before `before`. */
function teamsSection({teams, before}: Difference): HTMLElement {
  const drawn = teams.map(team => ({...team, satisfied: team.after?.satisfied ?? true}));
  const now = before.mechanism === 'given' ? 'now' : 'before';
  return teamSection(() => drawn, () => [], {now, fair: now === 'now' ? 'fair' : 'after', order: 'The greatest gain stands first.'}).part;
}

/** The groups before and after; a user with task shapes is none. */
function groupsSections({groups}: Difference): HTMLElement[] {
  const shown = (groups ?? []).filter(({is_user}) => !is_user);
  if (shown.length === 0) return [];
  const gain = shown.filter(group => group.gain > 0).length;
  const lose = shown.filter(group => group.gain < 0).length;
  const {host, figure: chart} = chartFigure('Dominant share of each group before and after', 'Shares on both sides are of the cluster before.', []);
  chart.append(dumbbellLegend());
  whenPlaced(() => dumbbells(host, shown.slice(0, drawn_at_most).map(({name, before, after}): Change =>
    ({name, before: before?.share_of_before, after: after?.share_of_before})), 'dominant share (% of the cluster before)', percent));
  const parent = (side: ComparedGroupShare | null) => side?.parent ?? 'the cluster';
  const changed = (group: ComparedGroup): string => !group.before ? `added in ${parent(group.after)}` : !group.after ? `removed from ${parent(group.before)}` :
    [...(group.moved ? [`moved from ${parent(group.before)} to ${parent(group.after)}`] : []), ...group.settings.map(key => `another ${key}`)].join(', ');
  const share = (side: ComparedGroupShare | null) => side ? percent(side.share_of_before) : '';
  const amounts = (of: 'guarantee' | 'borrowed' | 'lent', side: ComparedGroupShare | null) => !side ? '' :
    Object.entries(side[of]).filter(([, value]) => value > 0).map(([name, value]) => `${name} ${figure(value)}`).join(', ');
  const both = (of: 'guarantee' | 'borrowed' | 'lent') => (['before', 'after'] as const).map(side =>
    ({heading: side, group: of, key: (group: ComparedGroup) => amounts(of, group[side]), text: (group: ComparedGroup) => amounts(of, group[side])}));
  const table = sortableTable('Groups', [
    {heading: 'group', key: group => group.name, text: group => group.name},
    {heading: 'before', group: 'share', key: group => group.before?.share_of_before ?? -1, text: group => share(group.before)},
    {heading: 'after', group: 'share', key: group => group.after?.share_of_before ?? -1, text: group => share(group.after)},
    ...both('guarantee'), ...both('borrowed'), ...both('lent'),
    {heading: 'changed', key: changed, text: changed},
  ], shown);
  return [section('Groups', `${count(gain, 'group gains', 'groups gain')}, ${lose} ${lose === 1 ? 'loses' : 'lose'}. ` +
    'Borrowed is what a group uses beyond its guarantee, lent what others may use of the guarantee.', chart, table)];
}

function usersSection({users, changed_users, only_before, only_after}: Difference): HTMLElement {
  const changed = users.filter(({change}) => change === null || Math.abs(change) > same_within);
  const of = changed.length > 0 ? changed : users;
  const drawn = of.length <= drawn_at_most ? of : [...of.slice(0, drawn_at_most / 2), ...of.slice(-drawn_at_most / 2)];
  const rows: Change[] = drawn.map(({name, before, after}) => ({name, before: before.share_of_before, after: after.share_of_before}));
  for (const each of only_before) if (rows.length < drawn_at_most) rows.push({name: each.name, before: each.share_of_before ?? each.dominant_share, after: undefined});
  for (const each of only_after) if (rows.length < drawn_at_most) rows.push({name: each.name, before: undefined, after: each.share_of_before ?? each.dominant_share});
  const {host, figure: chart} = chartFigure('Dominant share of each user before and after',
      `The greatest gain in tasks stands first. Shares on both sides are of the cluster before${
        drawn.length < users.length ? `; ${drawn.length} of ${users.length} ${changed_users.gain + changed_users.lose + changed_users.mixed + changed_users.unchanged < users.length ? 'users and task shapes' : 'users'} are drawn, those who keep what they have are left out first` : ''}.`, []);
  chart.append(dumbbellLegend());
  whenPlaced(() => dumbbells(host, rows, 'dominant share (% of the cluster before)', percent));
  return section('Who gains and who loses', '', chart);
}

function useSection({utilization}: Difference): HTMLElement {
  const rows = Object.entries(utilization).map(([name, {before, after}]): Change => ({name, before: before ?? undefined, after: after ?? undefined}));
  const {host, figure: chart} = chartFigure('Resources in use before and after', '', []);
  whenPlaced(() => dumbbells(host, rows, 'used (% of capacity)', percent));
  return section('How much is in use', 'Of the capacity of each side.', chart);
}

function everySection({users, only_before, only_after}: Difference): HTMLElement {
  const tasks = ({tasks, satisfied}: ComparedUser['before']) => figure(tasks) + (satisfied ? ' ✓' : '');
  const change = ({change}: ComparedUser) => change === null ? 'from 0' : Math.abs(change) <= same_within ? '0%' : (change > 0 ? '+' : '') + percent(change);
  const apart = (heading: string, of: Difference['only_before']) => of.length === 0 ? [] : [element('h3', {}, heading),
    sortableTable(heading, [
      {heading: 'user', key: user => user.name, text: user => user.name},
      {heading: 'tasks', key: user => user.tasks, text: user => figure(user.tasks)},
      {heading: 'share', key: user => user.dominant_share, text: user => percent(user.dominant_share)}], of)];
  return section('Every user', '✓ marks users who get all they ask for.', sortableTable('Every user', [
    {heading: 'user', key: user => user.name, text: user => user.name + (user.same_task ? '' : ' *')},
    {heading: 'before', group: 'tasks', key: user => user.before.tasks, text: user => tasks(user.before)},
    {heading: 'after', group: 'tasks', key: user => user.after.tasks, text: user => tasks(user.after)},
    {heading: 'change', group: 'tasks', key: user => user.change ?? Infinity, text: change},
    {heading: 'before', group: 'share', key: user => user.before.share_of_before, text: user => percent(user.before.share_of_before)},
    {heading: 'after', group: 'share', key: user => user.after.share_of_before, text: user => percent(user.after.share_of_before)},
  ], users),
  ...(users.some(({same_task}) => !same_task) ? [element('p', {class: 'quiet'}, '* a task of this user demands something else on either side')] : []),
  ...apart('Only before', only_before), ...apart('Only after', only_after));
}
