// The pages of explanations: of all users, and of one. What mirab explain reports.

import {bulletBars, bulletLegend, gainBars} from './answer_charts';
import type {Bullet} from './answer_charts';
import type {Explained, FullResource, Surveyed, SurveyedUser, TriedChange} from './answer_data';
import {dropDown} from './choices';
import {element} from 'shared/element';
import {amount, count, figure, percent} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenPlaced} from './layout';
import {sortableTable} from 'shared/sortable_table';
import {teamSection} from './team_picture';

const drawn_at_most = 40;  // users; a chart of hundreds of rows is a table

export function showSurvey(page: HTMLElement, surveyed: Surveyed): void {
  const {users} = surveyed;
  const short = users.filter(user => !user.satisfied);
  const asking = users.some(user => user.asked !== null);
  page.replaceChildren(pageHeader(surveyed, ...surveyLead(surveyed, short, asking)));
  page.append(teamSection(() => surveyed.teams, () => surveyed.groups ?? [], {now: 'now', fair: `fair by ${surveyed.mechanism}`}).part,
      partsSection(users, short), ...togetherSections(surveyed), remediesSection(short), everySection(users));
  const notices = noticesSection([{label: surveyed.mechanism, notices: surveyed.notices}]);
  if (notices) page.append(notices);
}

function surveyLead({satisfied_users, satisfied_of, mechanism}: Surveyed, short: readonly SurveyedUser[], asking: boolean): string[] {
  const first = asking ? `${satisfied_users} of ${count(satisfied_of, 'user gets', 'users get')} all they ask for under ${mechanism}.` :
    `All ${count(satisfied_of, 'user asks', 'users ask')} without end; ${mechanism} divides the cluster among them.`;
  const worst = short.find(user => user.asked !== null);
  if (!worst) return [first];
  const remedy = worst.remedy ? ` What would help most simply: ${worst.remedy.words}.` : '';
  return [first, `${worst.name} is the furthest from it, with ${figure(worst.tasks)} of ${figure(worst.asked)} tasks: held back by ${worst.held_back.words}.${remedy}`];
}

/** Its equal part of the cluster, in tasks; not known without tasks, nor where groups divide it. */
function fairTasks(user: SurveyedUser, all: readonly SurveyedUser[]): number | undefined {
  if (all.some(({groups, user: of}) => groups.length > 0 || of !== undefined) || user.tasks <= 0 || user.dominant_share <= 0) return undefined;
  const weights = all.reduce((sum, {weight}) => sum + weight, 0);
  return weights > 0 ? user.weight / weights / (user.dominant_share / user.tasks) : undefined;
}

function partsSection(users: readonly SurveyedUser[], short: readonly SurveyedUser[]): HTMLElement {
  const shown = [...short, ...users.filter(user => user.satisfied)].slice(0, drawn_at_most);
  const asking = shown.some(user => user.asked !== null);
  const share = (user: SurveyedUser): Bullet => {
    const per_task = user.tasks > 0 ? user.dominant_share / user.tasks : 0;
    const fair = fairTasks(user, users);
    return {name: user.name, got: user.dominant_share, fair: fair === undefined ? undefined : fair * per_task,
      asked: user.asked === null || per_task === 0 ? undefined : Math.min(1, user.asked * per_task)};
  };
  const part = (user: SurveyedUser): Bullet => {
    const fair = fairTasks(user, users);
    return {name: user.name, got: user.tasks / user.asked!, asked: 1, fair: fair === undefined ? undefined : Math.min(fair / user.asked!, 1)};
  };
  let of = asking ? 'part' : 'share';
  const bullets = () => of === 'part' ? shown.filter(user => user.asked !== null && user.asked > 0).map(part) : shown.map(share);
  const choices = asking ? [dropDown('Show', [['part', 'the part of what they ask for'], ['share', 'the share of the cluster']], of, value => {
    of = value;
    drawn.redraw();
  })] : [];
  const {host, figure: chart} = chartFigure('What each user asks for and gets', 'Users who are short stand first. ' +
    (shown.length < users.length ? `The first ${shown.length} of ${users.length} are drawn; the table below has all.` : ''), choices);
  chart.append(bulletLegend(shown.some(user => fairTasks(user, users) !== undefined)));
  const drawn = whenPlaced(() => bulletBars(host, () =>
    ({bullets: bullets(), axis: of === 'part' ? 'tasks (% of what is asked for)' : 'dominant share (% of the cluster)'}), percent));
  return section('Who gets what', '', chart);
}

/** What each change would bring the team that was asked about. */
function togetherSections({team, together}: Surveyed): HTMLElement[] {
  if (team === null || together.length === 0) return [];
  const {host, figure: chart} = chartFigure(`What each change would bring ${team}`, 'In tasks of the whole team. Each change was tried by ' +
    'dividing the changed cluster.', []);
  whenPlaced(() => changeBars(host, () => together));
  return [section(`What would help ${team}`, '', chart)];
}

function remediesSection(short: readonly SurveyedUser[]): HTMLElement {
  const tried = short.filter(({what_ifs}) => what_ifs.length > 0);
  if (tried.length === 0) return section('What would help', short.length === 0 ? 'No user is short of tasks.' : 'No change was tried.');
  let chosen = tried[0]!;
  const {host, figure: chart} = chartFigure('What each change would bring a user', 'Each change was tried by dividing the changed cluster. ' +
    'Bars to the left are changes that would cost the user tasks.', [dropDown('User', tried.map(({name}, at) => [String(at), name]), '0', value => {
    chosen = tried[Number(value)]!;
    drawn.redraw();
  })]);
  const drawn = whenPlaced(() => changeBars(host, () => chosen.what_ifs));
  return section('What would help', '', chart);
}

function changeBars(host: HTMLElement, what_ifs: () => readonly TriedChange[]) {
  const offered = () => what_ifs().filter(({change, gain, share_gain, status}) =>
    change !== 'server' || status === 'not_converged' || gain !== 0 || (share_gain ?? 0) !== 0);
  return gainBars(host, () => offered().map(({words, gain, tasks}) => ({name: words, gain, then: tasks})), 'gain (tasks)', figure);
}

function everySection(users: readonly SurveyedUser[]): HTMLElement {
  const grouped = users.some(({groups}) => groups.length > 0);
  const table = sortableTable('Every user', [
        {heading: 'user', key: user => user.name, text: user => user.name},
        ...(grouped ? [{heading: 'in', key: (user: SurveyedUser) => user.groups.join(' / '), text: (user: SurveyedUser) => user.groups.join(' / ')}] : []),
        {heading: 'asked', key: user => user.asked ?? Infinity, text: user => user.asked === null ? '∞' : figure(user.asked)},
        {heading: 'got', key: user => user.tasks, text: user => figure(user.tasks) + (user.satisfied ? ' ✓' : '')},
        {heading: 'share', key: user => user.dominant_share, text: user => percent(user.dominant_share)},
        {heading: 'held back by', key: user => user.satisfied ? '' : user.held_back.words, text: user => user.satisfied ? '' : user.held_back.words},
        {heading: 'best remedy', key: user => user.remedy?.words ?? '', text: user => user.remedy?.words ?? ''},
        {heading: 'then gets', key: user => user.remedy?.tasks ?? -1, text: user => user.remedy ? figure(user.remedy.tasks) : ''},
        {heading: 'who has less then', key: user => user.remedy?.losers.count ?? -1, text: user => user.remedy ? user.remedy.losers.words || 'nobody' : ''},
      ], users);
  table.classList.add('wordy');
  const words = 'The best remedy is the cheapest change that brings all a user asks for, or else the cheapest of those that bring most. What takes from others is the dearest.';
  return section('Every user', words, users.length <= drawn_at_most ? table : element('details', {},
      element('summary', {}, `Show all ${count(users.length, 'user')}`), table));
}

export function showExplanation(page: HTMLElement, explained: Explained): void {
  const {user, what_ifs, bindings, mechanism} = explained;
  const limit = user.limit === null ? '' : ` of ${figure(user.limit)}`;
  page.replaceChildren(pageHeader(explained, `${user.name} gets ${figure(user.tasks)}${limit} tasks under ${mechanism}: ` +
    `${percent(user.dominant_share)} of the ${user.dominant_resource}.`,
  user.has_all_tasks ? 'That is all it asks for.' : user.held_back ? `It is held back by ${user.held_back.words}.` : ''));
  if (user.limit !== null && user.limit !== undefined && user.limit > 0) page.append(askedSection(explained));
  if (what_ifs.length > 0) {
    const {host, figure: chart} = chartFigure(`What each change would bring ${user.name}`,
        'Each change was tried by dividing the changed cluster. Bars to the left are changes that would cost it tasks.', []);
    whenPlaced(() => changeBars(host, () => what_ifs));
    page.append(section('What would change it', '', chart));
  }
  if (explained.path) page.append(pathSection(explained.path, explained.holder));
  if (bindings.length > 0) page.append(fullSection(bindings));
  const where = Object.entries(user.servers);
  if (where.length > 0) {
    page.append(section('Where it runs', '', sortableTable('Where it runs', [
      {heading: 'server', key: ([name]) => name, text: ([name]) => name},
      {heading: 'tasks', key: ([, tasks]) => tasks, text: ([, tasks]) => figure(tasks)}], where)));
  }
  const notices = noticesSection([{label: mechanism, notices: explained.notices}]);
  if (notices) page.append(notices);
}

function askedSection({user}: Explained): HTMLElement {
  const {host, figure: chart} = chartFigure('What it asks for and gets', '', []);
  chart.append(bulletLegend(false));
  whenPlaced(() => bulletBars(host, () =>
    ({bullets: [{name: user.name, got: user.tasks, asked: user.limit!, fair: undefined}], axis: 'tasks'}), figure));
  return section('What it asks for and gets', '', chart);
}

function pathSection(path: NonNullable<Explained['path']>, holder: Explained['holder']): HTMLElement {
  const beyond = (value: number | null) => value === null ? '∞' : percent(value);
  const notes = [...(holder ? [holder.words] : []), ...path.filter(({weight}) => weight === 0).map(({name}) =>
    `The weight of ${name} is 0: beyond its guarantee it gets what no sibling with a weight can take, and its share is not divided by a weight.`)];
  return section('Its groups', 'Beyond by weight is the share of what is used beyond the guarantee, over the weight: siblings are compared by it, ' +
    'and the lowest that can still grow comes first.', ...notes.map(words => element('p', {}, words)),
  sortableTable('Its groups', [
    {heading: 'group', key: ({name}) => name, text: ({name}) => name},
    {heading: 'weight', key: ({weight}) => weight, text: ({weight}) => figure(weight)},
    {heading: 'share', key: ({share}) => share, text: ({share}) => percent(share)},
    {heading: 'beyond by weight', key: on => on.beyond ?? Infinity, text: on => beyond(on.beyond)},
    {heading: 'the lowest sibling that can still grow', key: ({lowest_sibling}) => lowest_sibling?.name ?? '', text: ({lowest_sibling}) =>
      lowest_sibling ? `${lowest_sibling.name} ${beyond(lowest_sibling.beyond)}${lowest_sibling.last ? ', of weight 0: last' : ''}` : ''},
  ], path));
}

function fullSection(bindings: readonly FullResource[]): HTMLElement {
  const place = ({servers}: FullResource) => servers.length > 1 ? `${servers[0]} and ${servers.length - 1} alike` : servers[0]!;
  return section('What is full', 'A resource that the user needs where it may run, and of which nothing is left: more of it for ' +
    'this user is less for another. The level is the highest share per weight of those who hold some of it.',
  sortableTable('What is full', [
    {heading: 'server', key: place, text: place},
    {heading: 'resource', key: ({resource}) => resource, text: ({resource}) => resource},
    {heading: 'capacity', key: ({capacity}) => capacity, text: ({capacity}) => amount(capacity)},
    {heading: 'it holds', key: ({held, capacity}) => held / capacity, text: ({held, capacity}) => percent(held / capacity)},
    {heading: 'level', key: ({level}) => level, text: ({level}) => figure(level)},
    {heading: 'others who hold most', key: ({others}) => others[0]?.user ?? '', text: ({others, capacity}) =>
      others.map(({user, held}) => `${user} ${percent(held / capacity)}`).join(', ')},
  ], bindings));
}
