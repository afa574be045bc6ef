// The parts that all pages are made of, and when their charts are drawn.

import type {Chart} from './chart';
import {breakable, element} from 'shared/element';
import type {PageData} from './page_data';

export function section(heading: string, text: string, ...content: HTMLElement[]): HTMLElement {
  return element('section', {}, element('h2', {}, heading), ...(text ? [element('p', {class: 'caption'}, text)] : []), ...content);
}

/** The head of a page: its title, what matters most in a sentence or two, and how it was made. */
export function pageHeader(page: PageData, ...lead: string[]): HTMLElement {
  return element('header', {},
      element('p', {class: 'name'}, 'Mirab'),
      element('h1', {}, ...breakable(page.title)),
      element('p', {class: 'lead'}, lead.join(' ')),
      ...commandLines(page));
}

function commandLines({command, seed}: PageData): HTMLElement[] {
  return [
    ...(command ? [element('pre', {tabindex: 0, 'aria-label': 'The command'}, element('code', {}, command))] : []),
    // A seed beyond 2^53 cannot be read back exactly here; the command holds it.
    ...(Number.isSafeInteger(seed) ? [element('p', {class: 'quiet'}, `seed ${seed}`)] : []),
  ];
}

export function chartHost(label: string): HTMLElement {
  return element('div', {class: 'chart', role: 'img', 'aria-label': `${label}; the tables on this page hold the same numbers`});
}

export function chartFigure(label: string, caption: string, choices: HTMLElement[]): {host: HTMLElement; figure: HTMLElement} {
  const host = chartHost(label);
  const controls = choices.length > 0 ? [element('div', {class: 'choices'}, ...choices)] : [];
  return {host, figure: element('figure', {}, element('figcaption', {class: 'caption'}, caption), ...controls, host)};
}

/** A notice of several contenders is shown once. */
export function noticesSection(contenders: readonly {label: string; notices: readonly string[]}[]): HTMLElement | undefined {
  const labels = new Map<string, Set<string>>();
  for (const {label, notices} of contenders) {
    for (const notice of notices) labels.set(notice, new Set([...labels.get(notice) ?? [], label]));
  }
  const items = [...labels].map(([notice, of]) =>
    element('li', {}, element('strong', {}, [...of].join(', ')), ` ${notice}`));
  return items.length === 0 ? undefined : section('Notices', '', element('ul', {class: 'notices'}, ...items));
}

const waiting: (() => void)[] = [];

/** A chart needs the width that its host has in the page, so it is made once everything stands there. */
export function whenPlaced(make: () => Chart): Chart {
  let chart: Chart | undefined;
  waiting.push(() => {
    chart = make();
  });
  return {redraw: () => chart?.redraw()};
}

export function placeCharts(): void {
  waiting.splice(0).forEach(place => place());
}

const ahead = '600px';  // below the screen charts are drawn before they scroll into view

/** A chart that is made when the reader comes near it, or prints; until then `height` px are kept for it. */
export function whenNear(host: HTMLElement, height: number, make: () => Chart): Chart {
  let chart: Chart | undefined;
  host.style.minHeight = `${height}px`;
  const draw = (): void => {
    near.disconnect();
    removeEventListener('beforeprint', draw);
    host.style.minHeight = '';
    chart = make();
  };
  const near = new IntersectionObserver(seen => {
    if (seen.some(entry => entry.isIntersecting)) draw();
  }, {rootMargin: `${ahead} 0px`});
  addEventListener('beforeprint', draw);
  waiting.push(() => near.observe(host));
  return {redraw: () => chart?.redraw()};
}
