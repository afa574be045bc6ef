// The page of a trace replayed: what mirab simulate reports of `kind: trace`.

import type {Chart} from './chart';
import {contenderChips, dropDown} from './choices';
import {distribution_height, distributionChart, distributionLegend, seconds, times} from './distribution';
import type {Measure, Spread} from './distribution';
import {element} from 'shared/element';
import {count, duration, listed, percent, shortened, whole} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenNear} from './layout';
import {seedsSection} from './seeds';
import type {Served, Series, Trace, TraceContender} from './simulation_data';
import {traceTable, traceTeamsTable, traceUsersTable} from './trace_tables';
import {linesOf, secondsFrom, timePanels} from './time_panels';
import type {Panel} from './time_panels';

const open_users_at_most = 40;

export function showTrace(page: HTMLElement, trace: Trace): void {
  const {contenders} = trace;
  const shown = new Set(contenders.keys());
  const drawn: Chart[] = [];
  page.replaceChildren(header(trace), section('The contenders in numbers', '', ...traceTable(trace)), ...seedsSection(trace));
  if (contenders.length > 1) {
    page.append(contenderChips('Contenders shown in the charts', contenders.map(({label}) => label), shown,
        () => drawn.forEach(chart => chart.redraw())));
  }
  page.append(panelsSection(trace, shown, drawn), distributionsSection(trace, shown, drawn));
  if (contenders[0]!.teams) page.append(section('Every team', 'What all users of a team hold and wait for together.', traceTeamsTable(trace)));
  page.append(usersSection(trace));
  const notices = noticesSection(contenders);
  if (notices) page.append(notices);
}

function header(trace: Trace): HTMLElement {
  const {workload, cluster, contenders, scale} = trace;
  const scaled = [[scale.machines, 'machines'], [scale.users, 'users'], [scale.load, 'load']]
      .filter(([factor]) => factor !== 1).map(([factor, what]) => `${factor} times the ${what}`);
  const {submitted, end} = contenders[0]!.summary;
  return pageHeader(trace,
      `${workload} replayed on ${cluster}${scaled.length > 0 ? ` with ${listed(scaled)}` : ''}: ` +
      `${count(submitted, 'task')} of ${count(contenders[0]!.users.length, 'user')} in ${duration(end)}.`,
      ...headline(contenders));
}

const named_at_most = 4;

/** What became of the tasks and how fairly, under each contender: what ran says more than how long those waited that ran. */
function headline(contenders: readonly TraceContender[]): string[] {
  const all = (what: string, of: (contender: TraceContender) => number, write: (value: number) => string): string => {
    const texts = contenders.map(contender => write(of(contender)));
    if (new Set(texts).size === 1) return `${what}: ${texts[0]!}${contenders.length > 1 ? ' under each' : ''}.`;
    if (contenders.length <= named_at_most) return `${what}: ${listed(contenders.map(({label}, at) => `${texts[at]!} under ${label}`))}.`;
    const order = [...contenders].sort((a, b) => of(a) - of(b));
    const [low, high] = [order[0]!, order.at(-1)!];
    return `${what}: from ${write(of(low))} under ${low.label} to ${write(of(high))} under ${high.label}.`;
  };
  return [
    all('Tasks started', ({summary}) => summary.started, whole),
    all('Users who never ran anything', ({summary}) => summary.starved_users, whole),
    all('Unfairness, mean over time', ({summary}) => summary.mean_unfairness ?? 0, percent),
  ];
}

const titles: Record<string, [title: string, scale: Panel['scale']]> = {
  fragmentation: ['Fragmentation', 'whole'],
  waiting: ['Tasks waiting', 'number'],
  running: ['Tasks running', 'number'],
  users: ['Users with demand', 'number'],
  jain: ["Jain's index of the dominant shares", 'index'],
  gini: ['Gini coefficient of the dominant shares', 'index'],
  min_share: ['Lowest dominant share', 'part'],
  unfairness: ['Unfairness, part of the cluster', 'part'],
};

function panelsSection(trace: Trace, shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {contenders, resources} = trace;
  const names = (of: (contender: TraceContender) => Series[]): string[] => [...new Set(contenders.flatMap(of).map(({name}) => name))];
  const lines = (of: (contender: TraceContender) => Series[], name: () => string): Panel['lines'] =>
    () => linesOf(shown, contenders.map(contender =>
      ({name: contender.label, times: contender.times, values: of(contender).find(series => series.name === name())?.values})));
  const known = names(({series}) => series);
  const panels: Panel[] = [
    ...resources.map((name): Panel => ({title: `${name} granted`, scale: 'whole', lines: lines(({utilization}) => utilization, () => name)})),
    ...names(({used}) => used).map((name): Panel => ({title: `${name} really used`, scale: 'part', lines: lines(({used}) => used, () => name)})),
    ...Object.entries(titles).filter(([name]) => known.includes(name)).map(([name, [title, scale]]): Panel =>
      ({title, scale, lines: lines(({series}) => series, () => name)})),
  ];
  const teams = names(({team_shares}) => team_shares ?? []);
  if (teams.length > 0) {
    let chosen = teams[0]!;
    const choice = dropDown('of', teams.map((name): [string, string] => [name, shortened(name, 24)]), chosen, value => {
      chosen = value;
      redraw();
    });
    panels.push({title: 'Share of a team', scale: 'part', choices: [choice], lines: lines(({team_shares}) => team_shares ?? [], () => chosen)});
  }
  const [shares, bands] = [names(contender => contender.shares), names(contender => contender.share_bands)];
  if (shares.length + bands.length > 0) {
    const of = [...shares.map((name): [string, string] => [`user ${name}`, shortened(name, 24)]),
      ...bands.map((name): [string, string] => [`band ${name}`, `${name} of the other users`])];
    let chosen = of[0]![0];
    const choice = dropDown('of', of, chosen, value => {
      chosen = value;
      redraw();
    });
    panels.push({title: 'Dominant share', scale: 'part', choices: [choice], lines: lines(
        ({shares, share_bands}) => chosen.startsWith('user ') ? shares : share_bands, () => chosen.slice('user '.length))});
  }
  const {host, redraw} = timePanels(secondsFrom(contenders.flatMap(({times}) => times)), panels);
  drawn.push({redraw});
  return section('Over time', 'One cursor and one zoom for all panels; every value is that of the moment. Shares are equal where ' +
    'Jain\'s index is 1 and the Gini coefficient 0. Unfairness is the part of the cluster that users who wait lack of what they are promised. Fragmentation is the part of the free room that a typical task cannot use.', host);
}

function distributionsSection(trace: Trace, shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {contenders} = trace;
  let chosen = '';
  const of = (contender: TraceContender): Served => contender.users.find(({name}) => name === chosen) ?? contender.summary;
  const charts = measures.map(({key, ...measure}) => {
    const {host, figure} = chartFigure(measure.title, '', []);
    const legend = element('ul', {class: 'legend'});
    const spreads = () => [...shown].sort((a, b) => a - b).map((at): Spread => {
      const served = of(contenders[at]!);
      return {series: at, name: contenders[at]!.label, of: served[key], all: key === 'waiting_so_far' ? served[key].count : served.submitted};
    });
    const chart = whenNear(host, distribution_height, () => distributionChart(host, measure, spreads));
    const block = element('div', {}, element('h3', {}, measure.title), figure);
    const redraw = (): void => {
      block.hidden = spreads().every(({of}) => of.count === 0);
      legend.replaceChildren(...distributionLegend(spreads(), measure.what));
      chart.redraw();
    };
    redraw();
    figure.append(legend);
    drawn.push({redraw});
    return {redraw, figure: block};
  });
  const choice = dropDown('Of', [['', 'all users'], ...contenders[0]!.users.map(({name}): [string, string] => [name, name])], '', value => {
    chosen = value;
    charts.forEach(({redraw}) => redraw());
  });
  return section('How long it took', 'Which part of the submitted tasks took at most a given time: the higher and the further left, the better. A line that ends below ' +
    '100 % leaves tasks that did not come so far.', choice, element('div', {class: 'side-by-side'}, ...charts.map(({figure}) => figure)));
}

const measures: (Measure & {key: 'waiting' | 'slowdown' | 'completion' | 'waiting_so_far'})[] = [
  {key: 'waiting', title: 'Waiting, from submission to the last start', what: 'task', ...seconds},
  {key: 'completion', title: 'Completion, from submission to end', what: 'task', ...seconds},
  {key: 'slowdown', title: 'Slowdown, completion over runtime', what: 'task', ...times},
  {key: 'waiting_so_far', title: 'So far, of tasks that still wait at the end', what: 'task', ...seconds},
];

function usersSection(trace: Trace): HTMLElement {
  const users = trace.contenders[0]!.users.length;
  const table = traceUsersTable(trace);
  if (users <= open_users_at_most) return section('Every user', '', table);
  return section('Every user', '', element('details', {}, element('summary', {}, `Show all ${count(users, 'user')}`), table));
}
