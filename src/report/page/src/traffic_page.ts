// The page of random traffic: what mirab simulate reports of `kind: traffic`.

import type {Chart} from './chart';
import {contenderChips, dropDown} from './choices';
import {element} from 'shared/element';
import {amount, count, figure, listed, numberColumn} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenNear} from './layout';
import {cut_interval, cutsIntervals, plot_height, plotChart} from './plot';
import type {Plotted} from './plot';
import type {Traffic, TrafficPoint} from './simulation_data';
import {seedsSection} from './seeds';
import {hardlyDiffer, sortable} from './simulation_tables';
import {sortableTable} from 'shared/sortable_table';
import type {Column} from 'shared/sortable_table';

type Shows = 'rate' | 'jobs';

/** The marks of such points are hollow, and their intervals have a †. */
const not_settled = 'not settled: too few jobs for this load, or jobs pile up because whole tasks do not pack so tightly; its interval is too narrow';

export function showTraffic(page: HTMLElement, traffic: Traffic): void {
  const shown = new Set(traffic.mechanisms.keys());
  const charts: Chart[] = [];
  page.replaceChildren(header(traffic), ...seedsSection(traffic));
  if (traffic.mechanisms.length > 1) {
    page.append(contenderChips('Mechanisms shown in the charts', traffic.mechanisms, shown, () => charts.forEach(chart => chart.redraw())));
  }
  page.append(classesSection(traffic, shown, charts), section('Every point', '', pointsTable(traffic)),
      section('The classes', '', classesTable(traffic)));
  const notices = noticesSection([{label: '', notices: traffic.notices}]);
  if (notices) page.append(notices);
}

function header(traffic: Traffic): HTMLElement {
  const {classes, capacity, sizes, jobs, model, load_resource} = traffic;
  const pool = listed(Object.entries(capacity).map(([resource, of]) => `${resource} ${amount(of)}`));
  return pageHeader(traffic, `${count(classes.length, 'class', 'classes')} of ${model === 'fluid' ? 'divisible jobs' : 'jobs in whole tasks'} ` +
    `with ${sizes} sizes on ${pool}; ${count(jobs, 'job')} measured for each load of the ${load_resource}.`, largestGap(traffic));
}

/** Where two mechanisms serve a class most differently. */
function largestGap({points, mechanisms, classes}: Traffic): string {
  const stable = points.filter(({stable, service_rate}) => stable && service_rate !== null);
  let widest: [faster: TrafficPoint, slower: TrafficPoint] | undefined;
  const ratio = ([faster, slower]: [TrafficPoint, TrafficPoint]) => faster.service_rate! / slower.service_rate!;
  for (const a of stable) {
    for (const b of stable) {
      const comparable = a.load === b.load && a.class === b.class && a !== b && b.service_rate! > 0 && a.service_rate! >= b.service_rate!;
      if (comparable && (!widest || ratio([a, b]) > ratio(widest))) widest = [a, b];
    }
  }
  if (mechanisms.length < 2 || !widest) return '';
  const [faster, slower] = widest;
  if (hardlyDiffer(slower.service_rate!, faster.service_rate!, figure)) return 'The mechanisms hardly differ.';
  const of = classes.length > 1 ? ` of ${faster.class}` : '';
  return `They differ most at load ${figure(faster.load)}: a job${of} is served at rate ${figure(faster.service_rate)} under ` +
    `${faster.mechanism} and ${figure(slower.service_rate)} under ${slower.mechanism}.`;
}

function classesSection(traffic: Traffic, shown: ReadonlySet<number>, charts: Chart[]): HTMLElement {
  let shows: Shows = 'rate';
  const hidden = new Set<string>();
  const figures = traffic.classes.map(({name}) => {
    const {host, figure} = chartFigure(`Service rate and jobs of ${name} against the load`, '', []);
    const chart = whenNear(host, plot_height, () => plotChart(host, () => plotted(traffic, name, shows, shown)));
    charts.push(chart);
    return {name, chart, block: element('div', {}, element('h3', {}, name), figure)};
  });
  const choices = [dropDown('Show', [['rate', 'service rate of a job'], ['jobs', 'mean number of jobs, E[n]']], shows, value => {
    shows = value as Shows;
    figures.forEach(({chart}) => chart.redraw());
  })];
  const boxes = traffic.classes.length < 2 ? [] : figures.map(({name, block}) => {
    const box = element('input', {type: 'checkbox', checked: '', onchange: () => {
      hidden[box.checked ? 'delete' : 'add'](name);
      block.hidden = hidden.has(name);
    }});
    return element('label', {class: 'choice'}, box, name);
  });
  const all = new Set(traffic.mechanisms.keys());
  const is_cut = traffic.classes.some(({name}) => cutsIntervals(plotted(traffic, name, 'rate', all).curves));
  return section('Rate against load', 'A rate of 1 is a job alone on the pool. Whiskers are 95 % intervals: where two intervals overlap widely, the ' +
    'difference is not significant. At a load that the pool cannot serve jobs pile up without end, and nothing is simulated.' +
    (traffic.points.every(({settled}) => settled) ? '' : ` A hollow mark is ${not_settled}.`) + (is_cut ? ` ${cut_interval}` : ''),
  element('div', {class: 'choices'}, ...choices, ...boxes), element('div', {class: 'side-by-side'}, ...figures.map(({block}) => block)));
}

function plotted(traffic: Traffic, of: string, shows: Shows, shown: ReadonlySet<number>): Plotted {
  const points = traffic.points.filter(point => point.class === of);
  const curves = traffic.mechanisms.flatMap((name, series) => {
    if (!shown.has(series)) return [];
    const own = points.filter(({mechanism, stable}) => mechanism === name && stable).sort((a, b) => a.load - b.load);
    const edge = (at: 0 | 1) => shows === 'rate' ? own.map(({interval}) => interval[at]) : [];
    return [{
      series, name, dashed: false, x: own.map(({load}) => load), low: edge(0), high: edge(1), hollow: own.map(({settled}) => !settled),
      y: own.map(point => shows === 'rate' ? point.service_rate : point.jobs),
    }];
  });
  return {
    x_label: `load of the ${traffic.load_resource}`, y_label: shows === 'rate' ? 'service rate of a job' : 'jobs present, mean', curves,
    unstable: [...new Set(points.filter(({stable}) => !stable).map(({load}) => load))],
  };
}

function pointsTable({points}: Traffic): HTMLElement {
  const stable = points.filter(point => point.stable);
  const rate = numberColumn(stable.map(point => point.service_rate));
  const jobs = numberColumn(stable.map(point => point.jobs));
  const unless = (point: TrafficPoint, text: string) => point.stable ? text : '–';
  const bound = (point: TrafficPoint, at: 0 | 1) => unless(point, rate(point.interval[at]) + (point.settled ? '' : ' †'));
  const columns: Column<TrafficPoint>[] = [
    {heading: 'load', key: ({load}) => load, text: ({load}) => figure(load)},
    {heading: 'mechanism', key: ({mechanism}) => mechanism, text: ({mechanism}) => mechanism},
    {heading: 'class', key: point => point.class, text: point => point.class},
    {heading: 'service rate', key: ({service_rate}) => sortable(service_rate), text: point => unless(point, rate(point.service_rate)),
      explanation: 'Arrivals over the mean number of jobs present; of permanent jobs the mean rate of one.'},
    {heading: 'from', group: '95 % interval', key: ({interval}) => sortable(interval[0]), text: point => bound(point, 0)},
    {heading: 'to', group: '95 % interval', key: ({interval}) => sortable(interval[1]), text: point => bound(point, 1)},
    {heading: 'jobs', key: point => sortable(point.jobs), text: point => unless(point, jobs(point.jobs)), explanation: 'The mean number of jobs present.'},
    {heading: '', key: point => point.stable ? '' : 'cannot be served', text: point => point.stable ? '' : 'cannot be served'},
  ];
  const table = sortableTable('Every point', columns, points);
  return points.every(({settled}) => settled) ? table :
    element('div', {}, table, element('p', {class: 'quiet'}, `† ${not_settled}.`));
}

function classesTable({classes, capacity}: Traffic): HTMLElement {
  type Row = Traffic['classes'][number];
  const amounts = (group: string, of: (row: Row) => Record<string, number>): Column<Row>[] => Object.keys(capacity).map(resource =>
    ({heading: resource, group, key: row => of(row)[resource] ?? 0, text: row => amount(of(row)[resource] ?? 0)}));
  const columns: Column<Row>[] = [
    {heading: 'class', key: ({name}) => name, text: ({name}) => name},
    ...amounts('a task uses', row => row.demand),
    ...amounts('it claims', row => row.claims),
    {heading: 'part of arrivals', key: ({arrivals}) => arrivals, text: ({arrivals}) => figure(arrivals)},
    {heading: 'permanent jobs', key: ({permanent}) => permanent, text: ({permanent}) => figure(permanent)},
  ];
  return sortableTable('The classes', columns, classes);
}
