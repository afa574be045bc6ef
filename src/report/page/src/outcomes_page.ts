// The page of outcomes, from top to bottom: what mirab allocate and fill report.

import type {Chart} from './chart';
import {contenderChips, dropDown} from './choices';
import {curvesChart, curvesLegend, isTraced} from './curves';
import {element} from 'shared/element';
import {count, figure, listed, percent} from 'shared/format';
import {groupsSection} from './groups';
import {chartFigure, noticesSection, pageHeader, section, whenPlaced} from './layout';
import {leadingUsers, placementChart, placementLegend, placementTable, tellsWhere} from './placement';
import type {Report} from './report_data';
import {placed, serversTable} from './servers';
import {allSatisfied, asksForTasks, equalSplit, firstOrder, firstScale, mayBeLogarithmic, orderNames, sharesChart} from './shares';
import type {Order, Scale} from './shares';
import {metricsTable, usersTable} from './tables';
import {teamSection} from './team_picture';
import {utilizationChart} from './utilization';

const open_users_at_most = 40;
const one_of_many = 'Each mechanism shows one of many placements with the same tasks: equal servers are filled alike, but another ' +
  'split over kinds of servers may give every user the same.';

export function showOutcomes(page: HTMLElement, report: Report): void {
  const charts: Chart[] = [];
  const shown = new Set(report.outcomes.keys());
  page.replaceChildren(header(report), teamsSection(report), section('The outcomes in numbers', figuresWords(report), ...metricsTable(report)));
  if (report.outcomes.length > 1) {
    page.append(contenderChips('Outcomes shown in the charts', report.outcomes.map(({label}) => label), shown,
        () => charts.forEach(chart => chart.redraw())));
  }
  page.append(sharesSection(report, shown, charts), utilizationSection(report, shown, charts));
  for (const part of [groupsSection(report), curvesSection(report), serversSection(report), placementSection(report), usersSection(report),
    noticesSection(report.outcomes)]) {
    if (part) page.append(part);
  }
}

function header(report: Report): HTMLElement {
  const {problem} = report;
  const servers = problem.servers === 1 ? 'one server' :
    `${count(problem.servers, 'server')} of ${count(problem.server_classes, 'class', 'classes')}`;
  return pageHeader(report, `${count(everyone(report), 'user shares', 'users share')} the ${listed(problem.resources)} of ${servers}.`,
      satisfiedSentence(report), ...shortSentences(report), ...waitingSentences(report),
      lowestSentence(report));
}

/** How many users there are; one with task shapes is one. */
function everyone(report: Report): number {
  return new Set(report.outcomes[0]!.users.map(({name, user}) => user ?? name)).size;
}

/** `10 of 12 get all they ask for under drfh, 9 of 12 under drf.`; nothing where no user asks for a number of tasks. */
function satisfiedSentence(report: Report): string {
  if (!asksForTasks(report)) return '';
  const labels = new Map<number, string[]>();
  for (const {label, satisfied_users} of report.outcomes)
    labels.set(satisfied_users, [...labels.get(satisfied_users) ?? [], label]);
  const parts = [...labels].map(([count, under], at) =>
    `${count} of ${everyone(report)}${at === 0 ? ' get all they ask for' : ''}${labels.size === 1 ? '' : ` under ${listed(under)}`}`);
  return `${parts.join(', ')}.`;
}

const short_users_named_at_most = 6;

/** `ml-training is short under drfh and drf: 8 of 14 tasks.` Who is short and of how much, where these are few. */
function shortSentences(report: Report): string[] {
  if (!asksForTasks(report)) return [];
  const labels = new Map<string, string[]>();
  for (const {label, users} of report.outcomes) {
    const short = users.filter(({satisfied, asked, waits_for}) => !satisfied && typeof asked === 'number' && !waits_for);
    if (short.length === 0 || short.length > short_users_named_at_most) continue;
    const words = listed(short.map(({name, tasks, asked}) => `${name} (${figure(tasks)} of ${count(asked as number, 'task')})`));
    labels.set(words, [...labels.get(words) ?? [], label]);
  }
  return [...labels].map(([short, under]) =>
    `Short${report.outcomes.length === 1 ? '' : ` under ${listed(under)}`}: ${short}.`);
}

/** `Waits for gpu, which none of its servers has: ml-training.` Under every outcome the same users. */
function waitingSentences(report: Report): string[] {
  const names = new Map<string, string[]>();
  for (const {name, waits_for, waits_for_together} of report.outcomes[0]!.users) {
    if (!waits_for) continue;
    const resources = listed(waits_for) + (waits_for_together ? ' together' : '');
    names.set(resources, [...names.get(resources) ?? [], name]);
  }
  return [...names].map(([resources, users]) => {
    const one = users.length === 1;
    const what = resources === '' ? `for a server on which ${one ? 'it' : 'they'} may run` :
      `for ${resources}, which none of ${one ? 'its' : 'their'} servers has`;
    const named = users.length <= short_users_named_at_most ? listed(users) : count(users.length, 'user');
    return `${one ? 'Waits' : 'Wait'} ${what}: ${named}.`;
  });
}

/** Of whom the figures of fairness are, where that is not plainly of all. */
function figuresWords(report: Report): string {
  if (!anyShort(report)) return '';
  return [
    asksForTasks(report) ? 'The lowest share is of the users who are short of tasks; the other figures of fairness are of these and of ' +
      'those who hold more per weight than one of these.' : '',
    report.outcomes[0]!.users.some(({shape}) => shape !== undefined) ?
      'In these figures a user with task shapes is one, with all that these hold together.' : '',
  ].filter(Boolean).join(' ');
}

/** Is a user short of tasks under some outcome? Otherwise there is no inequality to measure. */
function anyShort(report: Report): boolean {
  return report.outcomes.some(({lowest_share_short: share}) => typeof share === 'number');
}

/** What matters next, in one sentence: the lowest dominant share of a user who is short of tasks. One with task shapes is one. */
function lowestSentence(report: Report): string {
  const lowest = report.outcomes
      .flatMap(({label, lowest_share_short: share}) => typeof share === 'number' ? [{label, share}] : [])
      .sort((a, b) => b.share - a.share);
  if (lowest.length === 0) return '';
  const of = asksForTasks(report) ? 'The lowest dominant share of a user who is short of tasks' : 'The lowest dominant share';
  const best = lowest[0]!;
  const worst = lowest[lowest.length - 1]!;
  if (percent(best.share) === percent(worst.share)) return `${of} is ${percent(best.share)}.`;
  if (lowest.length === 2) return `${of} is ${percent(best.share)} under ${best.label} and ${percent(worst.share)} under ${worst.label}.`;
  return `${of} is ${percent(best.share)} under ${best.label} (the highest of all outcomes) and ` +
    `${percent(worst.share)} under ${worst.label} (the lowest).`;
}

/** Of one outcome, beside what runs now where that is known. */
function teamsSection(report: Report): HTMLElement {
  const divided = report.outcomes.filter(({teams}) => teams.some(({fair}) => fair !== null));
  let outcome = divided[0] ?? report.outcomes[0]!;
  const choices = divided.length < 2 ? [] : [dropDown('Fair by', divided.map(({label}, at) => [String(at), label]), '0', value => {
    outcome = divided[Number(value)]!;
    redraw();
  })];
  const fair = divided.length === 1 ? `fair by ${outcome.label}` : 'fair';
  const {part, redraw} = teamSection(() => outcome.teams, () => outcome.groups ?? [], {now: 'now', fair}, choices);
  return part;
}

function sharesSection(report: Report, shown: ReadonlySet<number>, charts: Chart[]): HTMLElement {
  const chosen = {order: firstOrder(report.problem.users), scale: firstScale(report)};
  const choices = [dropDown('Order users', orderNames(report), chosen.order, value => {
    chosen.order = value as Order;
    chart.redraw();
  })];
  if (mayBeLogarithmic(report)) {
    choices.push(dropDown('Scale', [['linear', 'linear'], ['log', 'logarithmic']], chosen.scale, value => {
      chosen.scale = value as Scale;
      chart.redraw();
    }));
  }
  const {host, figure} = chartFigure('Dominant share per user and outcome', sharesWords(report), choices);
  const chart = whenPlaced(() => sharesChart(host, report, shown, chosen));
  charts.push(chart);
  return section('Who gets what', '', figure);
}

function sharesWords(report: Report): string {
  if (report.outcomes.every(allSatisfied)) return 'Every user has all it asks for: a small share is a small wish.';
  const split = equalSplit(report);
  const divided_down = report.outcomes.every(({groups}) => groups && groups.length > 0);
  return (divided_down ? 'Groups are compared with groups, and users with the members of their own group: users of different groups may ' +
    'fairly differ. The table of groups shows what is compared. ' :
    split === undefined ? 'Shares in proportion to the weights are fair. ' :
    `Equal shares form a level row. The dashed line is an equal split, ${percent(split)}. `) +
    (asksForTasks(report) ? 'Solid is what a user gets, hollow what it asks for beyond that; a user without a hollow part has ' +
      'all it asks for, or asks without end.' : 'A user with few tasks may be below it.');
}

function utilizationSection(report: Report, shown: ReadonlySet<number>, charts: Chart[]): HTMLElement {
  const {host, figure} = chartFigure('Resources in use per outcome',
      'A good outcome fills at least one resource; what remains of the others no waiting user can use.', []);
  const chart = whenPlaced(() => utilizationChart(host, report, shown));
  charts.push(chart);
  return section('How much is in use', '', figure);
}

function curvesSection(report: Report): HTMLElement | undefined {
  const traced = report.outcomes.filter(isTraced);
  if (traced.length === 0) return undefined;
  // First come, first served is one line after the other; the others show what the picture is for.
  let chosen = Math.max(0, traced.findIndex(({label}) => !label.startsWith('fifo')));
  let marked = '';
  const contender = dropDown('Outcome', traced.map(({label}, at) => [String(at), label]), String(chosen), value => {
    chosen = Number(value);
    chart.redraw();
  });
  const users = traced[0]!.users.map(({name}): [string, string] => [name, name]);
  const mark = dropDown('Mark user', [['', 'none'], ...users], '', value => {
    marked = value;
    chart.redraw();
  });
  const {host, figure} = chartFigure('Dominant share per weight of every user, task by task',
      'Under a fair discipline the lines stay close together, since the user with the lowest share is served next. A line is flat ' +
      `once its user has no task left or none that fits. ${curvesLegend(report.problem.users)}`.trim(), [contender, mark]);
  const chart = whenPlaced(() => curvesChart(host, () => traced[chosen]!, () => marked));
  return section('Task by task', '', figure);
}

function serversSection(report: Report): HTMLElement | undefined {
  const table = serversTable(report);
  if (!table) return undefined;
  return section('Which servers are full', 'The stronger the colour, the fuller; without colour is unused. Mechanisms that treat the cluster as one pool do not place ' +
    `tasks, so they are not shown. ${one_of_many}`, table);
}

function placementSection(report: Report): HTMLElement | undefined {
  const outcomes = placed(report).filter(tellsWhere);
  if (outcomes.length === 0) return undefined;
  const leaders = leadingUsers(outcomes);
  const {utilization} = outcomes[0]!.metrics;
  const fullest = [...report.problem.resources].sort((a, b) => (utilization[b] ?? 0) - (utilization[a] ?? 0))[0]!;
  const chosen = {outcome: outcomes[0]!, resource: fullest, marked: ''};
  const legend = element('ul', {class: 'legend'});
  const table = element('details', {ontoggle: () => refresh()}, element('summary', {}, 'The tasks behind it, as a table'));
  function refresh(): void {
    legend.replaceChildren(...placementLegend(report, leaders, chosen));
    table.querySelector('.scroll')?.remove();
    if (table.open) table.append(placementTable(report, chosen.outcome));
    chart.redraw();
  }
  const choices = [
    dropDown('Outcome', outcomes.map(({label}, at) => [String(at), label]), '0', value => {
      chosen.outcome = outcomes[Number(value)]!;
      refresh();
    }),
    dropDown('Resource', report.problem.resources.map(name => [name, name]), fullest, value => {
      chosen.resource = value;
      refresh();
    }),
    dropDown('Mark user', [['', 'none'], ...outcomes[0]!.users.map(({name}): [string, string] => [name, name])], '', value => {
      chosen.marked = value;
      refresh();
    }),
  ];
  const {host, figure} = chartFigure('Who holds how much of each server class',
      'A bar is a class of servers, cut into what each user holds of the resource there. Pieces need not be equal: a user ' +
      `who may run anywhere can leave a server to users who may run only there. ${one_of_many}`, choices);
  figure.append(legend, table);
  const chart = whenPlaced(() => placementChart(host, report, leaders, chosen));
  legend.append(...placementLegend(report, leaders, chosen));
  return section('Who runs where', '', figure);
}

function usersSection(report: Report): HTMLElement {
  const table = usersTable(report);
  if (report.problem.users <= open_users_at_most) return section('Every user', '', table);
  return section('Every user', '', element('details', {},
      element('summary', {}, `Show all ${count(report.problem.users, 'user')}`), table));
}
