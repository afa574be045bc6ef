// The page of divisible jobs reallocated over time: what mirab simulate reports of `kind: reallocation`.

import type {Chart} from './chart';
import {contenderChips, dropDown} from './choices';
import {distribution_height, distributionChart, distributionLegend, seconds} from './distribution';
import type {Spread} from './distribution';
import {element} from 'shared/element';
import {count, duration, figure, listed, numberColumn, percent, percentColumn, shortened, whole} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenNear} from './layout';
import type {Figure, Reallocation, ReallocationContender, Series} from './simulation_data';
import {columnsOf, contendersTable, differsMost, quantileMeasures} from './simulation_tables';
import type {Measure} from './simulation_tables';
import {sortableTable} from 'shared/sortable_table';
import {linesOf, secondsFrom, timePanels} from './time_panels';
import type {Panel} from './time_panels';

const open_servers_at_most = 20;

export function showReallocation(page: HTMLElement, reallocation: Reallocation): void {
  const {contenders} = reallocation;
  const names = contenders.map(({mechanism}) => mechanism);
  const shown = new Set(contenders.keys());
  const drawn: Chart[] = [];
  page.replaceChildren(header(reallocation), section('The mechanisms in numbers', '', ...table(reallocation)));
  if (contenders.length > 1) {
    page.append(contenderChips('Mechanisms shown in the charts', names, shown, () => drawn.forEach(chart => chart.redraw())));
  }
  page.append(panelsSection(reallocation, shown, drawn), completionSection(contenders, shown, drawn), serversSection(reallocation));
  const notices = noticesSection(contenders.map(({mechanism, notices}) => ({label: mechanism, notices})));
  if (notices) page.append(notices);
}

function header(reallocation: Reallocation): HTMLElement {
  const {workload, cluster, interval, claimant, new_jobs, contenders, resources} = reallocation;
  const compared = (what: string, of: (contender: ReallocationContender) => number | null, write: (value: number) => string) =>
    ({what, values: contenders.map(of), write});
  return pageHeader(reallocation,
      `${workload} on ${cluster}, its ${count(contenders[0]!.summary.jobs, 'job')} treated as divisible; resources are divided again among ${claimant}s ` +
      `every ${duration(interval)} and at each job's end${new_jobs === 'reallocate' ? ' and beginning' : ''}.`,
      differsMost(contenders.map(({mechanism}) => mechanism), [
        compared('the number of jobs completed', ({summary}) => summary.completed, whole),
        compared('the mean completion', ({summary}) => summary.completion.mean, duration),
        ...resources.map(resource => compared(`${resource} used`, ({summary}) => summary.utilization[resource] ?? 0, percent)),
      ]));
}

function table({resources, contenders, claimant}: Reallocation): HTMLElement[] {
  type Row = ReallocationContender;
  const measures: Measure<Row>[] = [
    {heading: 'completed', format: numberColumn, of: ({summary}) => summary.completed, explanation: 'Jobs that came to their end.'},
    {heading: 'work done', format: percentColumn, of: ({summary}) => summary.work > 0 ? summary.done / summary.work : 1,
      explanation: 'Of the work of all jobs.'},
    ...resources.map((resource): Measure<Row> => ({heading: `${resource} used`, format: percentColumn,
      of: ({summary}) => summary.utilization[resource] ?? 0, explanation: `Used over capacity of ${resource}, all servers, mean over time.`})),
    {heading: `active ${claimant}s`, format: values => numberColumn(values, 3), of: ({summary}) => summary.active, explanation: `How many ${claimant}s have work, mean over time.`},
    ...quantileMeasures<Row>('completion', 'From submission to end, of completed jobs', ({summary}) => summary.completion),
    {heading: 'divisions', format: numberColumn, of: ({divisions}) => divisions, explanation: "Moments at which a share was decided."},
    {heading: 'computed', format: numberColumn, of: ({solved}) => solved,
      explanation: 'Divisions that were computed; the others had the same claimants as the one before, and kept its shares.'},
    {heading: 'worst certificate', format: () => figure, of: ({certificate}) => certificate.kind ? certificate.value : undefined,
      explanation: `How far the worst division may be from what the mechanism defines, at most${certificateKinds(contenders)}; – where it is exact.`},
    {heading: 'not converged', format: numberColumn, of: ({not_converged}) => not_converged, explanation: 'Divisions that did not converge.'},
  ];
  const status = ({status}: Row) => status.replace('_', ' ');
  return contendersTable('The mechanisms in numbers', contenders, {heading: 'mechanism', key: ({mechanism}) => mechanism, text: ({mechanism}) => mechanism},
      measures, [{heading: 'status', key: status, text: status}]);
}

/** ` (relative-duality-gap)`, of all mechanisms that have one. */
function certificateKinds(contenders: readonly ReallocationContender[]): string {
  const kinds = [...new Set(contenders.map(({certificate}) => certificate.kind).filter(kind => kind !== ''))];
  return kinds.length > 0 ? ` (${listed(kinds)})` : '';
}

function panelsSection({contenders, resources, window, claimant}: Reallocation, shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {servers} = contenders[0]!;
  let chosen = servers.reduce((most, {count}, at) => count > servers[most]!.count ? at : most, 0);
  const lines = (of: (contender: ReallocationContender) => Figure[] | undefined) => () =>
    linesOf(shown, contenders.map(contender => ({name: contender.mechanism, times: contender.times, values: of(contender)})));
  const named = (name: string) => ({series}: {series: Series[]}) => series.find(each => each.name === name)?.values;
  const panels: Panel[] = [
    ...resources.map((name): Panel => ({title: `${name} used on the server`, scale: 'whole',
      lines: lines(({servers}) => named(name)(servers[chosen]!))})),
    {title: `Active ${claimant}s`, scale: 'number', lines: lines(named('active'))},
  ];
  const {host, redraw} = timePanels(secondsFrom(contenders.flatMap(({times}) => times)), panels);
  drawn.push({redraw});
  const choice = dropDown('Server', servers.map(({name, count}, at): [string, string] =>
    [String(at), count === 1 ? shortened(name, 28) : `${shortened(name, 28)}, ${whole(count)} of them`]), String(chosen), value => {
    chosen = Number(value);
    redraw();
  });
  return section('Over time', `What is used of a server entry, moving means over ${duration(window)}; one cursor and one zoom for all panels.`, choice, host);
}

function completionSection(contenders: readonly ReallocationContender[], shown: ReadonlySet<number>, drawn: Chart[]): HTMLElement {
  const {host, figure: block} = chartFigure('Completion of jobs', 'Which part of all jobs was complete a given time after its submission: the higher and the ' +
    'further left, the better.', []);
  const legend = element('ul', {class: 'legend'});
  const spreads = (): Spread[] => contenders.flatMap(({mechanism, summary}, series) =>
    shown.has(series) ? [{series, name: mechanism, of: summary.completion, all: summary.jobs}] : []);
  const chart = whenNear(host, distribution_height, () => distributionChart(host, {title: 'Completion', what: 'job', ...seconds}, spreads));
  const redraw = (): void => {
    legend.replaceChildren(...distributionLegend(spreads(), 'job'));
    chart.redraw();
  };
  redraw();
  block.append(legend);
  drawn.push({redraw});
  return section('How long jobs took', '', element('div', {class: 'half'}, block));
}

/** One row per server entry: what is used under each mechanism. */
function serversSection({contenders, resources}: Reallocation): HTMLElement {
  const rows = contenders[0]!.servers.map(({name, count}, at) => ({name, count, means: contenders.map(({servers}) => servers[at]?.mean)}));
  type Row = (typeof rows)[number];
  const means = contenders.flatMap(({mechanism}, at) => columnsOf<Row>(rows, resources.map(resource => ({
    heading: resource, group: mechanism, format: percentColumn, of: ({means}) => means[at]?.[resource], explanation: `${resource} used over capacity, mean over the span.`,
  }))));
  const servers = sortableTable('Server entries', [
    {heading: 'server', key: ({name}) => name, text: ({name}) => name},
    {heading: 'count', key: ({count}) => count, text: ({count}) => whole(count)},
    ...means,
  ], rows);
  if (rows.length <= open_servers_at_most) return section('Every server entry', '', servers);
  return section('Every server entry', '', element('details', {}, element('summary', {}, `Show all ${count(rows.length, 'entry', 'entries')}`), servers));
}
