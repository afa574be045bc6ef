// A table whose columns sort by a press on their heading, by mouse or keyboard.

import {breakable, element} from './element';

export interface Column<Row> {
  heading: string;
  /** A second line of headings spans the columns that share a group. */
  group?: string;
  /** What is sorted by; numbers stand right. */
  key: (row: Row) => number | string;
  text: (row: Row) => string;
  explanation?: string;
}

export function sortableTable<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): HTMLElement {
  const body = element('tbody');
  const numeric = columns.map((column, at) => at > 0 && rows.every(row => typeof column.key(row) === 'number'));
  const firsts = columns.map((column, at) => column.group !== undefined && column.group !== columns[at - 1]?.group);
  const kind = (at: number) => [numeric[at] ? 'number' : '', firsts[at] ? 'first' : ''].join(' ').trim();
  const lines = rows.map(row => ({row, line: element('tr', {}, ...columns.map((column, at) =>
    at === 0 ? element('th', {scope: 'row'}, ...breakable(column.text(row))) :
      element('td', {class: kind(at)}, column.text(row))))}));
  body.append(...lines.map(({line}) => line));

  const headings = columns.map((column, at) => {
    const group = column.group ? {'data-group': column.group} : {};  // where the line of groups is hidden (page.css)
    const button = element('button', {type: 'button', onclick: () => sortBy(at), ...group}, column.heading);
    if (column.explanation) button.title = column.explanation;
    return element('th', {scope: 'col', class: kind(at)}, button);
  });
  function sortBy(at: number): void {
    const up = headings[at]!.getAttribute('aria-sort') !== 'ascending';
    headings.forEach(heading => heading.removeAttribute('aria-sort'));
    headings[at]!.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const key = columns[at]!.key;
    const sorted = [...lines].sort((a, b) => (up ? 1 : -1) * compare(key(a.row), key(b.row)));
    body.append(...sorted.map(({line}) => line));
  }

  const head = element('thead', {}, ...groupLine(columns), element('tr', {}, ...headings));
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
      element('table', {}, element('caption', {class: 'hidden'}, caption), head, body));
}

export function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a - b;
  return String(a).localeCompare(String(b), 'en', {numeric: true});
}

function groupLine<Row>(columns: readonly Column<Row>[]): HTMLElement[] {
  if (columns.every(column => column.group === undefined)) return [];
  const spans: {group: string; columns: number}[] = [];
  for (const {group = ''} of columns) {
    const last = spans[spans.length - 1];
    if (last && last.group === group) last.columns += 1;
    else spans.push({group, columns: 1});
  }
  return [element('tr', {class: 'groups'}, ...spans.map(span => element('th', {
    scope: 'colgroup', colspan: span.columns, ...(span.group ? {class: 'group first'} : {}),
  }, element('span', {}, span.group))))];
}
