// The page of a trace replayed: what mirab simulate reports of `kind: trace`.

import type {Chart} from './chart';
import {contenderChips, dropDown} from './choices';
import {element} from './element';
import {count, duration, listed, percent, shareSeconds, shortened, whole} from './format';
import {chartFigure, noticesSection, pageHeader, section, whenNear} from './layout';
import {quantiles_height, quantilesChart, seconds, times} from './quantiles';
import type {Measure, Spread} from './quantiles';
import type {Figure, Served, Series, Trace, TraceContender} from './simulation_data';
import {differsMost} from './simulation_tables';
import {traceTable, traceTeamsTable, traceUsersTable} from './trace_tables';
import {linesOf, secondsFrom, timePanels} from './time_panels';
import type {Panel} from './time_panels';

const open_users_at_most = 40;

export function showTrace(page: HTMLElement, trace: Trace): void {
  const {contenders} = trace;
  const shown = new Set(contenders.keys());
  const drawn: Chart[] = [];
  page.replaceChildren(header(trace), section('The contenders in numbers', '', ...traceTable(trace)));
  if (contenders.length > 1) {
    page.append(contenderChips('Contenders shown in the charts', contenders.map(({label}) => label), shown,
        () => drawn.forEach(chart => chart.redraw())));
  }
  page.append(panelsSection(trace, shown, drawn), quantilesSection(trace, shown, drawn));
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
      differsMost(contenders.map(contender => contender.label), [
        measured('the number of tasks finished', contenders, ({summary}) => summary.finished, whole),
        measured('the mean wait of a task that ran', contenders, ({summary}) => summary.waiting.mean, duration),
        measured('the number of users who never ran anything', contenders, ({summary}) => summary.starved_users, whole),
        measured('the unfairness over time', contenders, ({summary}) => summary.unfairness, shareSeconds),
        ...trace.resources.map(resource =>
          measured(`${resource} granted`, contenders, ({summary}) => summary.utilization[resource] ?? 0, percent)),
      ]));
}

function measured(what: string, contenders: readonly TraceContender[], of: (contender: TraceContender) => Figure,
    write: (value: number) => string): {what: string; values: Figure[]; write: (value: number) => string} {
  return {what, values: contenders.map(of), write};
}

const titles: Record<string, [title: string, scale: Panel['scale']]> = {
  fragmentation: ['Fragmentation', 'whole'],
  waiting: ['Tasks waiting', 'number'],
  running: ['Tasks running', 'number'],
  users: ['Users with demand', 'number'],
  jain: ["Jain's index of the dominant shares", 'index'],
  gini: ['Gini coefficient of the dominant shares', 'index'],
  min_share: ['Lowest dominant share', 'part'],
  unfairness: ['Unfairness', 'number'],
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
    'Jain\'s index is 1 and the Gini coefficient 0. Fragmentation is the part of the free room that a typical task cannot use.', host);
}

function quantilesSection(trace: Trace, shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {contenders} = trace;
  let chosen = '';
  const of = (contender: TraceContender): Served => contender.users.find(({name}) => name === chosen) ?? contender.summary;
  const charts = measures.map(({key, ...measure}) => {
    const {host, figure} = chartFigure(measure.title, '', []);
    const chart = whenNear(host, quantiles_height, () => quantilesChart(host, measure, () =>
      [...shown].sort((a, b) => a - b).map((at): Spread => ({series: at, name: contenders[at]!.label, of: of(contenders[at]!)[key]}))));
    drawn.push(chart);
    return {chart, figure: element('div', {}, element('h3', {}, measure.title), figure)};
  });
  const choice = dropDown('Of', [['', 'all users'], ...contenders[0]!.users.map(({name}): [string, string] => [name, name])], '', value => {
    chosen = value;
    charts.forEach(({chart}) => chart.redraw());
  });
  return section('How long it took', 'Lower is better, and the right end shows the tasks that waited longest. Only tasks that ran count: a contender may ' +
    'look quick because it let others wait to the end.', choice, element('div', {class: 'side-by-side'}, ...charts.map(({figure}) => figure)));
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
