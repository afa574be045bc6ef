// The page of demands that rise and fall: what mirab simulate reports of `kind: demands`.

import type {Chart} from './chart';
import {contenderChips, dropDown} from './choices';
import {count, figure, listed, percent} from 'shared/format';
import {pageHeader, section} from './layout';
import type {Demands, DemandsUser, Figure, Series} from './simulation_data';
import {columnsOf, differsMost, figures} from './simulation_tables';
import {seedsSection} from './seeds';
import {sortableTable} from 'shared/sortable_table';
import {compact, linesOf, timePanels} from './time_panels';
import type {Line, Panel} from './time_panels';
import type {TimeAxis} from './time_zoom';

export function showDemands(page: HTMLElement, demands: Demands): void {
  const {contenders} = demands;
  const shown = new Set(contenders.keys());
  const drawn: Chart[] = [];
  page.replaceChildren(header(demands),
      section('The mechanisms in numbers', 'The mean of each series over the iterations.', table(demands)), ...seedsSection(demands));
  if (contenders.length > 1) {
    page.append(contenderChips('Mechanisms shown in the charts', contenders.map(({mechanism}) => mechanism), shown,
        () => drawn.forEach(chart => chart.redraw())));
  }
  page.append(panelsSection(demands, shown, drawn), demandSection(demands, shown, drawn));
}

function header(demands: Demands): HTMLElement {
  const {resources, iterations, repeats, contenders} = demands;
  const again = repeats > 1 ? ` in each of ${repeats} repeats` : '';
  const compared = ['tasks', ...resources.map(resource => `run ${resource}`)].filter(name => name in contenders[0]!.summary);
  return pageHeader(demands,
      `Demands for ${listed(resources)} rise and fall over ${count(iterations, 'iteration')}${again}, and everything is divided again in each.`,
      differsMost(contenders.map(({mechanism}) => mechanism), compared.map(name => ({
        what: name === 'tasks' ? 'how many tasks run' : `${name.slice('run '.length)} in use`,
        values: contenders.map(({summary}) => summary[name] ?? null),
        write: scaleOf(name) === 'number' ? figure : percent,
      }))));
}

function table({contenders}: Demands): HTMLElement {
  const rows = [...new Set(contenders.flatMap(({summary}) => Object.keys(summary)))];
  const columns = contenders.flatMap(({mechanism, summary}) => columnsOf<string>(rows, [
    {heading: mechanism, format: figures, of: name => summary[name], explanation: `The mean under ${mechanism}.`},
  ]));
  return sortableTable('The mechanisms in numbers', [{heading: 'series', key: name => name, text: name => name}, ...columns], rows);
}

/** Parts of the capacity and indices are at most 1; tasks are counted. */
function scaleOf(name: string): Panel['scale'] {
  if (/^(granted|run) /.test(name) || / part /.test(name)) return 'whole';
  if (name.startsWith('jain') || name === 'sharing incentive') return 'index';
  return 'number';
}

function axisOf({times}: Demands): TimeAxis {
  return {from: 0, to: times[times.length - 1] ?? 1, unit: 1, tick: compact, moment: time => `iteration ${Math.floor(time + 1e-9)}`};
}

function panelsSection(demands: Demands, shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {contenders, times} = demands;
  const valuesOf = (series: readonly Series[], name: string): Figure[] | undefined => series.find(each => each.name === name)?.values;
  const names = [...new Set(contenders.flatMap(({series}) => series.map(({name}) => name)))];
  const panels: Panel[] = names.map(name => ({
    title: name[0]!.toUpperCase() + name.slice(1), scale: scaleOf(name),
    lines: () => linesOf(shown, contenders.map(({mechanism, series}) => ({name: mechanism, times, values: valuesOf(series, name)}))),
  }));
  const {host, redraw} = timePanels(axisOf(demands), panels);
  drawn.push({redraw});
  return section('Iteration by iteration', 'One cursor and one zoom for all panels. A resource may be granted and lie idle: what runs is ' +
    'what a task needs of every resource at once.', host);
}

/** What one of the shown users asks for and gets, and how many users each resource dominates. */
function demandSection(demands: Demands, shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {contenders, times, dominated, resources} = demands;
  const users = demands.demands.map(({name}) => name);
  let chosen = users[0] ?? '';
  const coloured = (series: readonly Series[]): Line[] => series.map(({name, values}, at) => ({series: at, name, times, values}));
  const under = (of: (user: DemandsUser) => Figure[] | undefined) => () =>
    linesOf(shown, contenders.map(({mechanism, users}) => {
      const user = users.find(({name}) => name === chosen);
      return {name: mechanism, times, values: user && of(user)};
    }));
  const panels: Panel[] = [
    {title: 'Users whom a resource dominates', scale: 'number', lines: () => coloured(dominated)},
    ...(users.length === 0 ? [] : [
      {title: 'Demand of the user, of each resource', scale: 'number' as const,
        lines: () => coloured(demands.demands.find(({name}) => name === chosen)!.series)},
      ...resources.map((resource): Panel => ({title: `${resource} granted to the user`, scale: 'number',
        lines: under(({bundle}) => bundle.find(({name}) => name === resource)?.values)})),
      {title: 'Tasks of the user', scale: 'number' as const, lines: under(({tasks}) => tasks)},
    ]),
  ];
  const {host, redraw} = timePanels(axisOf(demands), panels);
  drawn.push({redraw});
  const choice = users.length < 2 ? [] : [dropDown('User', users.map((name): [string, string] => [name, name]), chosen, value => {
    chosen = value;
    redraw();
  })];
  return section('User by user', 'Of the first repeat.', ...choice, host);
}
