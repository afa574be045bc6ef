// The first picture of a page: what each team asks for, holds now and would hold, on one linear axis. A team is a user with
// all its task shapes, or a user without them.

import {horizontal} from './answer_charts';
import {mountChart} from './chart';
import type {Chart} from './chart';
import {element} from 'shared/element';
import {percent} from 'shared/format';
import {chartFigure, section, whenPlaced} from './layout';

const drawn_at_most = 40;
const wide = 600;  // px; from there on numbers stand beside the bars

/** Shares of the cluster; null where it is not known, or endless. In the order of the data: short first. */
export interface TeamShares {
  name: string;
  now: number | null;
  fair: number | null;
  asked: number | null;
  satisfied: boolean;
}

export interface Sides {
  now: string;
  fair: string;
  /** In which order the teams stand, where it is not that of an outcome. */
  order?: string;
}

interface Painter {
  value(dimension: number): number;
  coord(point: [number, number]): [number, number];
}

const bar = (x: number, y: number, to: number, height: number, style: object): object =>
  ({type: 'rect', shape: {x, y: y - height / 2, width: Math.max(to - x, 1), height}, style});

function draw(host: HTMLElement, teams: () => readonly TeamShares[], sides: Sides): Chart {
  return mountChart(host, width => {
    const rows = teams();
    const known = rows.some(({now}) => now !== null);
    const words = ({now, fair}: TeamShares): string => [...(now === null ? [] : [`${percent(now)} ${sides.now}`]),
      ...(fair === null ? [] : [known ? `${percent(fair)} ${sides.fair.split(' ')[0]}` : percent(fair)])].join(', ');
    const beside = width >= wide ? 8 * Math.max(...rows.map(row => words(row).length)) : 16;
    return horizontal(width, rows.map(({name}) => name), {name: 'the largest part of any one resource', min: 0}, {
      grid: {left: 4, right: beside, top: 4, bottom: 4},
      series: [{
        type: 'custom', encode: {x: [0, 1, 2], y: 3}, emphasis: {disabled: true},
        data: rows.map(({now, fair, asked}, at) => [now ?? 0, fair ?? 0, asked ?? 0, at]),
        renderItem: ({coordSys}: {coordSys: {x: number; width: number}}, painter: Painter) => {
          const at = painter.value(3);
          const {now, fair, asked, satisfied} = rows[at]!;
          const end = (share: number): number => painter.coord([share, at])[0];
          const [zero, y] = painter.coord([0, at]);
          return {type: 'group', children: [
            ...(now === null ? [] : [bar(zero, y, end(now), 16, {fill: 'var(--rest)'})]),
            ...(asked === null ? [] : [bar(zero, y, end(asked), 16, {fill: 'none', stroke: 'var(--muted)', lineWidth: 1.5})]),
            ...(fair === null ? [] : [bar(zero, y, end(fair), 8, {fill: satisfied ? 'var(--series-0)' : 'var(--series-1)'})]),
            ...(width < wide ? [] : [{type: 'text', x: coordSys.x + coordSys.width + 10, y,
              style: {text: words(rows[at]!), fill: 'var(--muted)', font: '12px system-ui, sans-serif', textVerticalAlign: 'middle'}}]),
          ]};
        },
      }],
    }, percent, at => {
      const {now, fair, asked} = rows[at]!;
      return [...(now === null ? [] : [{name: sides.now, share: now}]), ...(fair === null ? [] : [{series: 0, name: sides.fair, share: fair}]),
        ...(asked === null ? [] : [{name: 'asked for', share: asked}])];
    });
  });
}

function legend(teams: readonly TeamShares[], sides: Sides): HTMLElement {
  const entry = (kind: string, words: string): HTMLElement =>
    element('li', {}, element('span', {class: `team-key ${kind}`, 'aria-hidden': 'true'}), words);
  return element('ul', {class: 'legend'},
      ...(teams.some(({asked}) => asked !== null) ? [entry('asked', 'asked for')] : []),
      ...(teams.some(({now}) => now !== null) ? [entry('now', sides.now)] : []),
      ...(teams.some(({fair, satisfied}) => fair !== null && satisfied) ? [entry('fair', sides.fair)] : []),
      ...(teams.some(({fair, satisfied}) => fair !== null && !satisfied) ? [entry('short', `${sides.fair}, less than it asks for`)] : []));
}

/** The section that stands first. */
export function teamSection(teams: readonly TeamShares[], sides: Sides, choices: HTMLElement[] = [],
    chosen: () => readonly TeamShares[] = () => teams): {part: HTMLElement; chart: Chart} {
  const known = teams.some(({now}) => now !== null);
  const order = sides.order ?? (known ? 'Those who hold less than is fair stand first, then those who wait, then those who hold more.' :
    'Those who get the least part of what they ask for stand first.');
  const left = teams.length > drawn_at_most ? ` The first ${drawn_at_most} of ${teams.length} are drawn.` : '';
  const {host, figure} = chartFigure('What each team asks for, holds and would hold', order + left, choices);
  let key = legend(teams, sides);
  figure.insertBefore(key, host);
  const drawn = (): readonly TeamShares[] => {
    const fresh = legend(chosen(), sides);  // another outcome may leave others short
    key.replaceWith(fresh);
    key = fresh;
    return chosen().slice(0, drawn_at_most);
  };
  const chart = whenPlaced(() => draw(host, drawn, sides));
  return {part: section('Who has what, and what is fair', '', figure), chart};
}
