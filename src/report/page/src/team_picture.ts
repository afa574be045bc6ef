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
    const beside = width >= wide ? 16 + 8 * Math.max(...rows.map(row => words(row).length)) : 16;
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

/** A group of users: where it stands may be missing of a user with task shapes, which is drawn as a team. */
export interface GroupShares extends Partial<Omit<TeamShares, 'name'>> {
  name: string;
  parent: string | null;
}

/** The groups of users, each below the one around it, with a sign for each group around it. */
function nested(groups: readonly GroupShares[]): TeamShares[] {
  const below = (around: string | null, depth: number): TeamShares[] => groups
      .filter(({parent, satisfied}) => parent === around && satisfied !== undefined)
      .flatMap(({name, now, fair, asked, satisfied}) => [
        {name: '› '.repeat(depth) + name, now: now ?? null, fair: fair ?? null, asked: asked ?? null, satisfied: satisfied!},
        ...below(name, depth + 1)]);
  const names = new Set(groups.map(({name}) => name));
  const outermost = groups.find(({parent}) => parent === null || !names.has(parent));  // of a survey of one group that group
  return below(outermost?.parent ?? null, 0);
}

function picture(title: string, words: string, rows: () => readonly TeamShares[], sides: Sides, choices: HTMLElement[]): {figure: HTMLElement; chart: Chart} {
  const {host, figure} = chartFigure(title, words, choices);
  let key = legend(rows(), sides);
  figure.insertBefore(key, host);
  const drawn = (): readonly TeamShares[] => {
    const fresh = legend(rows(), sides);  // another outcome may leave others short
    key.replaceWith(fresh);
    key = fresh;
    return rows().slice(0, drawn_at_most);
  };
  return {figure, chart: whenPlaced(() => draw(host, drawn, sides))};
}

/** The section that stands first: groups, where there are some, above the teams. */
export function teamSection(teams: () => readonly TeamShares[], groups: () => readonly GroupShares[], sides: Sides,
    choices: HTMLElement[] = []): {part: HTMLElement; redraw: () => void} {
  const known = teams().some(({now}) => now !== null);
  const order = sides.order ?? (known ? 'Those who hold less than is fair stand first, then those who wait, then those who hold more.' :
    'Those who get the least part of what they ask for stand first.');
  const left = (rows: readonly TeamShares[]): string =>
    rows.length > drawn_at_most ? ` The first ${drawn_at_most} of ${rows.length} are drawn.` : '';
  const of_groups = nested(groups());
  const of_teams = picture('What each team asks for, holds and would hold', order + left(teams()), teams, sides, of_groups.length === 0 ? choices : []);
  const pictures = of_groups.length === 0 ? [of_teams] : [picture('What each group asks for, holds and would hold',
      'Each group stands below the one around it, with all that is in it.' + left(of_groups), () => nested(groups()), sides, choices), of_teams];
  return {part: section('Who has what, and what is fair', '', ...pictures.map(({figure}) => figure)),
    redraw: () => pictures.forEach(({chart}) => chart.redraw())};
}
