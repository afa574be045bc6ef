// Puts the page together, from top to bottom.

import type {Chart} from './chart';
import {dropDown, outcomeButtons} from './choices';
import {curvesChart, curvesLegend, isTraced} from './curves';
import {element} from './element';
import {count, listed, percent} from './format';
import {readReport} from './report_data';
import type {Report} from './report_data';
import {serversTable} from './servers';
import {equalSplit, firstOrder, firstScale, mayBeLogarithmic, orderNames, sharesChart} from './shares';
import type {Order, Scale} from './shares';
import {metricsTable, usersTable} from './tables';
import {utilizationChart} from './utilization';

const open_users_at_most = 40;

function show(page: HTMLElement, report: Report): void {
  document.title = `${report.title} · Mirab`;
  const charts: Chart[] = [];
  const shown = new Set(report.outcomes.keys());
  page.replaceChildren(header(report), section('The outcomes in numbers', '', ...metricsTable(report)));
  if (report.outcomes.length > 1) {
    page.append(outcomeButtons(report, shown, () => charts.forEach(chart => chart.redraw())));
  }
  page.append(sharesSection(report, shown, charts), utilizationSection(report, shown, charts));
  for (const part of [curvesSection(report), serversSection(report), usersSection(report), noticesSection(report)]) {
    if (part) page.append(part);
  }
}

function header(report: Report): HTMLElement {
  const {problem} = report;
  const servers = problem.servers === 1 ? 'one server' :
    `${count(problem.servers, 'server')} of ${count(problem.server_classes, 'class', 'classes')}`;
  // A seed beyond 2^53 cannot be read back exactly here; the command holds it.
  const seed = Number.isSafeInteger(report.seed) ? [element('p', {class: 'quiet'}, `seed ${report.seed}`)] : [];
  return element('header', {},
      element('p', {class: 'name'}, 'Mirab'),
      element('h1', {}, report.title),
      element('p', {class: 'lead'}, `${count(problem.users, 'user shares', 'users share')} the ${listed(problem.resources)} of ${servers}. `,
          poorestSentence(report)),
      ...(report.command ? [element('pre', {tabindex: 0, 'aria-label': 'The command'}, element('code', {}, report.command))] : []),
      ...seed);
}

/** What matters most, in one sentence: what the poorest user holds. */
function poorestSentence(report: Report): string {
  const poorest = report.outcomes
      .map(({label, users}) => ({label, share: Math.min(...users.map(user => user.dominant_share))}))
      .sort((a, b) => b.share - a.share);
  const best = poorest[0]!;
  const worst = poorest[poorest.length - 1]!;
  if (percent(best.share) === percent(worst.share)) return `The poorest user holds ${percent(best.share)} of what it needs most.`;
  return `The poorest user holds ${percent(best.share)} of what it needs most under ${best.label}, and ` +
    `${percent(worst.share)} under ${worst.label}.`;
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
  const split = equalSplit(report.outcomes[0]!);
  const {host, figure} = chartFigure('Dominant share per user and outcome',
      'Fair would be a level row, every user as high as the others' +
      (split === undefined ? ' for its weight' : `, and nobody below the dashed line, an equal split's ${percent(split)}`) +
      '; a user with few tasks may stay lower because it wants no more.', choices);
  const chart = whenPlaced(() => sharesChart(host, report, shown, chosen));
  charts.push(chart);
  return section('Who gets what', '', figure);
}

function utilizationSection(report: Report, shown: ReadonlySet<number>, charts: Chart[]): HTMLElement {
  const {host, figure} = chartFigure('Resources in use per outcome',
      'Fair need not mean idle: a good outcome fills at least one resource, and what is left of the others is of no use to ' +
      'anybody who still waits.', []);
  const chart = whenPlaced(() => utilizationChart(host, report, shown));
  charts.push(chart);
  return section('How much is in use', '', figure);
}

function curvesSection(report: Report): HTMLElement | undefined {
  const traced = report.outcomes.filter(isTraced);
  if (traced.length === 0) return undefined;
  let chosen = 0;
  let marked = '';
  const contender = dropDown('Outcome', traced.map(({label}, at) => [String(at), label]), '0', value => {
    chosen = Number(value);
    chart.redraw();
  });
  const users = traced[0]!.users.map(({name}): [string, string] => [name, name]);
  const mark = dropDown('Mark user', [['', 'none'], ...users], '', value => {
    marked = value;
    chart.redraw();
  });
  const {host, figure} = chartFigure('Dominant share per weight of every user, task by task',
      'Fair would be one narrow bundle, because the poorest is served next; a line goes flat when its user has no task left, ' +
      `or none that still fits. ${curvesLegend(report.problem.users)}`.trim(), [contender, mark]);
  const chart = whenPlaced(() => curvesChart(host, () => traced[chosen]!, () => marked));
  return section('Task by task', '', figure);
}

function serversSection(report: Report): HTMLElement | undefined {
  const table = serversTable(report);
  if (!table) return undefined;
  return section('Which servers are full', 'Fair says nothing about a single server, but a faint row is room that was left ' +
    'empty; outcomes that see all servers as one pool are not listed.', table);
}

function usersSection(report: Report): HTMLElement {
  const table = usersTable(report);
  if (report.problem.users <= open_users_at_most) return section('Every user', '', table);
  return section('Every user', '', element('details', {},
      element('summary', {}, `Show all ${count(report.problem.users, 'user')}`), table));
}

function noticesSection(report: Report): HTMLElement | undefined {
  const labels = new Map<string, string[]>();
  for (const {label, notices} of report.outcomes) {
    for (const notice of notices) labels.set(notice, [...labels.get(notice) ?? [], label]);
  }
  const items = [...labels].map(([notice, of]) =>
    element('li', {}, element('strong', {}, of.join(', ')), ` ${notice}`));
  return items.length === 0 ? undefined : section('Notices', '', element('ul', {class: 'notices'}, ...items));
}

function section(heading: string, text: string, ...content: HTMLElement[]): HTMLElement {
  return element('section', {}, element('h2', {}, heading), ...(text ? [element('p', {class: 'caption'}, text)] : []), ...content);
}

function chartFigure(label: string, caption: string, choices: HTMLElement[]): {host: HTMLElement; figure: HTMLElement} {
  const host = element('div', {class: 'chart', role: 'img', 'aria-label': `${label}; the tables on this page hold the same numbers`});
  const controls = choices.length > 0 ? [element('div', {class: 'choices'}, ...choices)] : [];
  return {host, figure: element('figure', {}, element('figcaption', {class: 'caption'}, caption), ...controls, host)};
}

const waiting: (() => void)[] = [];

/** A chart needs the width that its host has in the page, so it is made once everything stands there. */
function whenPlaced(make: () => Chart): Chart {
  let chart: Chart | undefined;
  waiting.push(() => {
    chart = make();
  });
  return {redraw: () => chart?.redraw()};
}

function fail(page: HTMLElement, error: unknown): void {
  page.replaceChildren(element('div', {role: 'alert', class: 'alert'},
      element('h1', {}, 'This report cannot be shown'),
      element('p', {}, `The page was written without usable data: ${error instanceof Error ? error.message : String(error)}.`)));
  document.documentElement.dataset['mirab'] = 'failed';
}

const page = document.getElementById('page')!;
try {
  show(page, readReport(document.getElementById('mirab-data')!.textContent ?? ''));
  waiting.forEach(place => place());
  document.documentElement.dataset['mirab'] = 'drawn';
} catch (error) {
  fail(page, error);
}
