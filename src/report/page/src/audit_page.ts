// The page of an audit: which properties each mechanism has, and where it fails. What mirab audit reports.

import {bulletBars} from './answer_charts';
import type {Audited, AuditedMechanism, AuditVerdict, Violation} from './answer_data';
import {element} from 'shared/element';
import {amount, count, figure, listed} from 'shared/format';
import {chartHost, pageHeader, section, whenNear} from './layout';

const open_at_most = 6;  // failures

const place = (property: string, mechanism: string) => `${property} ${mechanism}`.replace(/[^A-Za-z0-9]+/g, '-');

function show(property: string, mechanism: string): void {
  document.getElementById(place(property, mechanism))?.setAttribute('open', '');
}

interface Failure {
  mechanism: string;
  verdict: AuditVerdict;
}

export function showAudit(page: HTMLElement, audited: Audited): void {
  const properties = [...new Set(audited.outcomes.flatMap(outcome => outcome.properties.map(({property}) => property)))];
  const failures = audited.outcomes.flatMap(({mechanism, properties: verdicts}) =>
    verdicts.filter(({holds}) => holds === false).map((verdict): Failure => ({mechanism, verdict})));
  page.replaceChildren(pageHeader(audited, ...lead(audited, failures)), matrixSection(audited, properties));
  for (const property of properties) {
    const of = failures.filter(({verdict}) => verdict.property === property);
    if (of.length > 0) page.append(failureSection(property, of, failures.length <= open_at_most));
  }
}

function lead({outcomes}: Audited, failures: readonly Failure[]): string[] {
  const infeasible = failures.filter(({verdict}) => verdict.property === 'feasible').map(({mechanism}) => mechanism);
  const judged = outcomes.filter(({refused}) => refused === undefined);
  const clean = judged.filter(({mechanism}) => failures.every(failure => failure.mechanism !== mechanism)).map(({mechanism}) => mechanism);
  return [
    ...(infeasible.length > 0 ? [`Not feasible: ${listed(infeasible)} gives out more than there is, or more than a limit allows.`] : []),
    `${count(judged.length, 'mechanism', 'mechanisms')} held against the properties of fairness: ${
      clean.length === 0 ? 'each fails at least one' : clean.length === judged.length ? 'no property fails' : `${listed(clean)} ${clean.length === 1 ? 'fails' : 'fail'} none`}.`];
}

/** The sign, its kind, and what it says. */
function sign(verdict: AuditVerdict | undefined): {text: string; kind: string; words: string} {
  if (!verdict) return {text: 'n/a', kind: 'none', words: 'the mechanism cannot divide this cluster'};
  if (verdict.holds === false) return {text: '✗', kind: 'no', words: verdict.witness?.words ?? 'fails'};
  if (!verdict.decided) return {text: verdict.note?.startsWith('compares') ? 'n/a' : '?', kind: 'none', words: verdict.note ?? 'not decided'};
  if (verdict.vacuous) return {text: '–', kind: 'none', words: verdict.note ?? 'does not apply to this cluster'};
  if (verdict.scope === 'searched') return {text: `✓ ${verdict.tried}`, kind: 'searched', words: `no counterexample in ${verdict.tried} tries (not a proof)`};
  return {text: '✓', kind: 'yes', words: 'holds here'};
}

function matrixSection({outcomes}: Audited, properties: readonly string[]): HTMLElement {
  const cell = ({mechanism, properties: verdicts}: AuditedMechanism, property: string): HTMLElement => {
    const verdict = verdicts.find(each => each.property === property);
    const {text, kind, words} = sign(verdict);
    return element('td', {class: `verdict ${kind}`, title: words}, kind === 'no' ? element('a', {href: `#${place(property, mechanism)}`, 'aria-label': `fails: ${words}`, onclick: () => show(property, mechanism)}, text) : text);
  };
  const table = element('table', {class: 'matrix'}, element('caption', {class: 'hidden'}, 'Properties by mechanisms'),
      element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'property'), ...outcomes.map(({mechanism}) => element('th', {scope: 'col'}, mechanism)))),
      element('tbody', {}, ...properties.map(property => element('tr', {}, element('th', {scope: 'row'}, property),
          ...outcomes.map(outcome => cell(outcome, property))))));
  const refused = outcomes.filter(outcome => outcome.refused !== undefined);
  return section('What holds', '✓ holds on this cluster; ✓ N: no counterexample in N tries, which is no proof; ✗ fails, see below; – does not apply to this cluster; n/a does not apply to this mechanism; ? not decided.',
      element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Properties by mechanisms'}, table),
      ...(refused.length === 0 ? [] : [element('ul', {class: 'notices'}, ...refused.map(({mechanism, refused: why}) =>
        element('li', {}, element('strong', {}, mechanism), ` ${why}`)))]),
      ...reasons(outcomes));
}

/** Why there is no verdict, each reason once: also where no mouse points at the sign. */
function reasons(outcomes: readonly AuditedMechanism[]): HTMLElement[] {
  const of = new Map<string, Set<string>>();
  for (const verdict of outcomes.flatMap(({properties}) => properties)) {
    const {text, kind, words} = sign(verdict);
    if (kind === 'none' && verdict.note) of.set(`${text} ${words}`, (of.get(`${text} ${words}`) ?? new Set()).add(verdict.property));
  }
  if (of.size === 0) return [];
  return [element('ul', {class: 'notices'}, ...[...of].map(([reason, properties]) => {
    const [text = '', ...words] = reason.split(' ');
    return element('li', {}, `${text} `, element('strong', {}, [...properties].join(', ')), `: ${words.join(' ')}`);
  }))];
}

const names: Record<string, string> = {
  tasks: 'has', alone: 'could run on its part alone', with_other: 'could run with the other bundle', capacity: 'there is', used: 'is given out',
  limit: 'its limit', cap: 'asks for', before: 'before', after: 'after', truth: 'tells the truth', lie: 'lies',
};

/** Many failures are shown when the reader asks for them. */
function failureSection(property: string, failures: readonly Failure[], open: boolean): HTMLElement {
  const part = section(property, '', ...failures.map(({mechanism, verdict}) => {
    const {witness, smallest} = verdict;
    return element('details', {class: 'witness', id: place(property, mechanism), ...(open ? {open: ''} : {})},
        element('summary', {}, element('strong', {}, mechanism), witness ? `: ${witness.words}` : ''),
        ...(witness ? [ ...numbersChart(`${property} under ${mechanism}`, witness)] : []),
        ...(smallest?.cluster ? [element('p', {class: 'caption'}, 'The smallest cluster that was found to show it:'),
          clusterTable(smallest.cluster as Drawn, smallest.user), element('p', {class: 'below'}, `${smallest.words}.`)] : []));
  }));
  return part;
}

const kinds_of_numbers = [
  ['tasks', 'alone', 'with_other', 'tasks_after', 'possible', 'tasks_on_own_part', 'tasks_by_lying'],
  ['holds', 'uses', 'free', 'other_holds', 'guarantee'],
  ['share', 'part', 'part_after'],
];

/** The numbers of a violation that are of one kind, next to each other: the kind of which there are most. */
function numbersChart(label: string, witness: Violation): HTMLElement[] {
  const all = Object.entries(witness as unknown as Record<string, unknown>)
      .filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const numbers = kinds_of_numbers.map(kind => all.filter(([name]) => kind.includes(name)))
      .reduce((most, of) => of.length > most.length ? of : most);
  if (numbers.length < 2 || numbers.some(([, value]) => value < 0)) return [];
  const host = chartHost(label);
  whenNear(host, 62 + 4 + numbers.length * 26, () => bulletBars(host, () => ({
    bullets: numbers.map(([name, got]) => ({name: names[name] ?? name.replaceAll('_', ' '), got, asked: undefined, fair: undefined})), axis: ''}), figure));
  return [element('figure', {class: 'half'}, host)];
}

interface Drawn {
  resources: string[];
  servers: {name: string; count?: number; capacity: Record<string, number>}[];
  users: {name: string; weight?: number; tasks?: number; demand?: Record<string, number>; shapes?: {name: string; demand: Record<string, number>}[]}[];
}

/** A small cluster: bars of what each server has and each task takes, of the largest in its column. */
function clusterTable({resources, servers, users}: Drawn, hurt: string | undefined): HTMLElement {
  const tasks = users.flatMap(({name, demand, shapes}) => demand ? [{name, demand}] : (shapes ?? []).map(shape => ({name: `${name}/${shape.name}`, demand: shape.demand})));
  const rows = [
    ...servers.map(({name, count: of, capacity}) => ({name: of && of > 1 ? `${name} (${of} times)` : name, kind: 'server', amounts: capacity, hurt: false})),
    ...tasks.map(({name, demand}) => ({name, kind: 'task of a user', amounts: demand, hurt: name === hurt})),
  ];
  const most = new Map(resources.map(resource => [resource, Math.max(...rows.map(({amounts}) => amounts[resource] ?? 0))]));
  const bar = (resource: string, value: number, kind: string) => element('td', {class: 'quota'}, element('div', {class: 'quota-cell'},
      element('span', {class: 'quota-number'}, amount(value)),
      element('span', {class: 'quota-bar', 'aria-hidden': 'true'}, element('span', {class: kind === 'server' ? 'kept' : 'held', style: `width: ${(100 * value / (most.get(resource) || 1)).toFixed(2)}%`}))));
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The smallest cluster'}, element('table', {class: 'groups'},
      element('thead', {}, element('tr', {}, ...['', '', ...resources].map(heading => element('th', {scope: 'col'}, heading)))),
      element('tbody', {}, ...rows.map(row => element('tr', {}, element('th', {scope: 'row'}, row.name + (row.hurt ? ' ←' : '')), element('td', {}, row.kind),
          ...resources.map(resource => bar(resource, row.amounts[resource] ?? 0, row.kind)))))));
}
