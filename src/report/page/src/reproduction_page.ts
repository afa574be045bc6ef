// The page of the papers, reproduced: what mirab reproduce reports.

import {printedLegend, printedMarks} from './answer_charts';
import {element} from 'shared/element';
import {count, figure, listed} from 'shared/format';
import {chartFigure, pageHeader, section, whenNear} from './layout';
import {plot_height, plotChart, plotLegend} from './plot';
import type {PlottedCurve} from './plot';
import type {Check, Plot, Reproduction, Result, Verdict} from './reproduction_data';
import {sortableTable} from 'shared/sortable_table';

const verdicts: Verdict[] = ['agrees', 'shape agrees', 'undecided', 'differs'];

export function showReproduction(page: HTMLElement, reproduction: Reproduction): void {
  const {results} = reproduction;
  page.replaceChildren(header(reproduction), section('The experiments', '', summaryTable(results), meanings()), ...results.map(resultSection));
}

function header(reproduction: Reproduction): HTMLElement {
  const {results, effort} = reproduction;
  const of = (verdict: Verdict) => results.filter(result => result.verdict === verdict).length;
  const words: Record<Verdict, [one: string, more: string]> = {
    agrees: ['agrees', 'agree'], 'shape agrees': ['agrees in shape', 'agree in shape'], undecided: ['is undecided', 'are undecided'], differs: ['differs', 'differ']};
  const checks = results.flatMap(result => result.checks);
  return pageHeader(reproduction,
      `${count(results.length, 'experiment')} compared with ${results.length === 1 ? 'its paper' : 'their papers'}: ` +
      `${listed(verdicts.filter(verdict => of(verdict) > 0).map(verdict => `${of(verdict)} ${words[verdict][of(verdict) === 1 ? 0 : 1]}`))}.`,
      checks.length === 1 ? `Its one finding ${checks[0]!.holds ? 'holds' : checks[0]!.undecided ? 'is undecided' : 'does not hold'}.` : talliedWords(checks),
      ...(effort === 'quick' ? ['A quick run: smaller samples, wider intervals.'] : []));
}

/** How many findings hold, fail and are undecided. */
function talliedWords(checks: readonly Check[]): string {
  const yes = checks.filter(({holds}) => holds).length, open = checks.filter(({undecided}) => undecided).length;
  return yes === checks.length ? `${yes} of ${yes} findings hold.` :
    `Of ${checks.length} findings ${yes} hold, ${checks.length - yes - open} fail, and ${open} ${open === 1 ? 'is' : 'are'} undecided.`;
}

function badge(verdict: Verdict): HTMLElement {
  return element('span', {class: `badge badge-${verdict.replace(' ', '-')}`}, verdict);
}

function summaryTable(results: readonly Result[]): HTMLElement {
  const rows = results.map(({id, title, paper, verdict, data, checks}) => element('tr', {},
      element('th', {scope: 'row'}, element('a', {href: `#${id}`}, id)),
      element('td', {}, badge(verdict)),
      element('td', {class: 'number'}, `${checks.filter(({holds}) => holds).length} of ${checks.length}`),
      element('td', {class: 'text'}, title),
      element('td', {class: 'text'}, paper),
      element('td', {class: 'wrapped'}, data.startsWith('stand-in') ? 'stand-in' : data)));
  return scrolled('The experiments', ['experiment', 'verdict', 'findings', 'what it shows', 'paper', 'data'], rows);
}

function meanings(): HTMLElement {
  const verdicts: [Verdict, string][] = [
    ['agrees', "Every printed number is found, on the paper's own data."],
    ['shape agrees', 'All findings hold, but no number is printed, the paper\'s data are not published, or a printed number is wrong.'],
    ['undecided', 'No finding fails, and the intervals of some have both sides.'],
    ['differs', 'At least one finding fails.'],
  ];
  return element('details', {class: 'meanings'}, element('summary', {}, 'What the verdicts mean'),
      element('dl', {}, ...verdicts.flatMap(([verdict, text]) => [element('dt', {}, badge(verdict)), element('dd', {}, text)])));
}

function resultSection(result: Result): HTMLElement {
  const {id, title, paper, verdict, data, checks, figures, tables, remarks} = result;
  return element('section', {class: 'result', id},
      element('h2', {}, title, ' ', badge(verdict)),
      element('p', {class: 'caption'}, element('code', {}, id), ` · ${paper} · data ${data}`),
      checksTable(id, checks),
      ...printedFigure(checks),
      ...(figures.length === 0 ? [] : [element('div', {class: 'side-by-side'}, ...figures.flatMap(panelsOf).map(plotBlock))]),
      ...tables.flatMap(table => [element('h3', {}, table.title), textTable(table)]),
      ...(remarks.length === 0 ? [] : [element('h3', {}, 'Remarks'),
        element('ul', {class: 'notices'}, ...remarks.map(remark => element('li', {}, remark)))]));
}

/** What the paper prints next to ours. A column that says nothing is left out. */
function checksTable(id: string, checks: readonly Check[]): HTMLElement {
  const noted = checks.some(({note}) => note !== '');
  const estimated = checks.some(({interval}) => interval !== null);
  const rows = checks.map(({what, printed, ours, interval, holds, undecided, corrected, reading, note}) => {
    const written = (value: number | null) => reading === 'yes-no' ? (value === 1 ? 'yes' : 'no') : figure(value);
    return element('tr', {},
        element('th', {scope: 'row', class: 'text'}, what),
        element('td', {class: 'number'}, printed === null ? '–' : written(printed)),
        element('td', {class: 'number'}, written(ours)),
        ...(estimated ? [element('td', {class: 'number'}, interval ? `${figure(interval[0])} to ${figure(interval[1])}` : '–')] : []),
        element('td', {class: holds ? 'holds' : undecided ? 'open' : 'fails'}, holds ? (corrected ? '✓ corrected' : '✓') : undecided ? '? undecided' : '✗ differs'),
        ...(noted ? [element('td', {class: 'text'}, note)] : []));
  });
  return scrolled(`Findings of ${id}`,
      ['what', 'printed', 'ours', ...(estimated ? ['95 % interval'] : []), 'holds', ...(noted ? ['note'] : [])], rows);
}

const least_marks = 3;          // fewer say no more than the table
const most_marks = 60;
const widest_range = 30;        // greatest over least; beyond, parts of what is printed are drawn

/** The printed numbers as hollow marks, and ours on them. */
function printedFigure(checks: readonly Check[]): HTMLElement[] {
  const numbers = checks.flatMap(({what, printed, ours, interval, reading}) =>
    printed === null || ours === null || reading === 'yes-no' ? [] : [{name: what, printed, ours, interval: whole(interval)}]).slice(0, most_marks);
  if (numbers.length < least_marks) return [];
  const sizes = numbers.flatMap(({printed, ours}) => [Math.abs(printed), Math.abs(ours)]).filter(size => size > 0);
  const absolute = Math.max(...sizes) <= widest_range * Math.min(...sizes);
  const drawn = absolute ? numbers : numbers.filter(({printed}) => printed !== 0).map(({name, printed, ours, interval}) => ({
    name, printed: 1, ours: ours / printed, interval: interval && [interval[0] / printed, interval[1] / printed] as const}));
  if (drawn.length < least_marks) return [];
  const {host, figure: chart} = chartFigure('What is printed, and ours', '', []);
  chart.append(printedLegend());
  whenNear(host, plot_height, () => printedMarks(host, drawn, absolute ? 'value' : 'parts of what is printed', figure));
  return [element('h3', {}, 'Printed and ours'), chart];
}

function whole(interval: Check['interval']): readonly [number, number] | null {
  const [low, high] = interval ?? [null, null];
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : null;
}

function textTable({title, head, rows}: Result['tables'][number]): HTMLElement {
  const number = (text: string) => text.trim() !== '' && Number.isFinite(Number(text.replace(/[,%]/g, '')));
  return sortableTable(title, head.map((heading, at) => ({
    heading,
    key: (row: string[]) => number(row[at] ?? '') ? Number(row[at]!.replace(/[,%]/g, '')) : row[at] ?? '',
    text: (row: string[]) => row[at] ?? '',
  })), rows);
}

function plotBlock(plot: Plot): HTMLElement {
  const {host, figure} = chartFigure(plot.title, '', []);
  const curves = styled(plot);
  whenNear(host, plot_height, () => plotChart(host, () => ({...plot, curves})));
  figure.append(plotLegend(curves));
  return element('div', {}, element('h3', {}, plot.title), figure);
}

const curves_in_one_panel = 4;

/** A picture of many curves is drawn as one panel for each class of jobs, where their names say the class. */
function panelsOf(plot: Plot): Plot[] {
  const classOf = (name: string): string => /(?:^|, )(class [^,]+)/.exec(name)?.[1] ?? '';
  const classes = [...new Set(plot.curves.map(({name}) => classOf(name)))];
  if (plot.curves.length <= curves_in_one_panel || classes.length < 2 || classes.includes('')) return [plot];
  return classes.map(of => ({...plot, title: `${plot.title}, ${of}`, curves: plot.curves
      .filter(({name}) => classOf(name) === of).map(curve => ({...curve, name: curve.name.replace(new RegExp(`(^|, )${of}(?=,|$)`), '').replace(/^, /, '')}))}));
}

/** `DRF, class 1, exact` is drawn dashed in the colour of `DRF, class 1`: it is the same thing, shown in another way. */
function styled({curves}: Plot): PlottedCurve[] {
  const base = (name: string) => curves.find(other => name.startsWith(`${other.name}, `));
  const own = curves.filter(({name}) => !base(name));
  return curves.map(curve => ({...curve, series: own.indexOf(base(curve.name) ?? curve), dashed: base(curve.name) !== undefined}));
}

function scrolled(caption: string, head: readonly string[], rows: HTMLElement[]): HTMLElement {
  const numeric = ['printed', 'ours', '95 % interval', 'findings'];
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption}, element('table', {},
      element('caption', {class: 'hidden'}, caption),
      element('thead', {}, element('tr', {}, ...head.map(heading => element('th', {scope: 'col', class: numeric.includes(heading) ? 'number' : ''}, heading)))),
      element('tbody', {}, ...rows)));
}
