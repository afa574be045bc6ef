// What the picture of an overlay says in words: of a moment, and of a server.

import {element} from 'shared/element';
import {count, figure, percent, whole} from 'shared/format';
import type {Moment} from './overlay_moment';

const neighbours_at_most = 20;

/** The ticks before the first allocation tick are the warm-up, in which views alone are exchanged. */
export function tickWords(tick: number): string {
  const written = Math.abs(tick) < 100 ? figure(Math.abs(tick)) : whole(Math.abs(tick));
  return tick < 0 ? `warm-up, ${written} ticks to go` : `tick ${written}`;
}

/** In place of the picture, and below it. */
export function momentWords({order, peopled, least_share, found}: Moment, names: readonly string[]): string {
  const servers = count(names.length, 'server');
  if (peopled === 0) return `None of ${servers} has users.`;
  return `${whole(peopled)} of ${servers} ${peopled === 1 ? 'has' : 'have'} users; the centre is ${names[order[0]!]!}, whose lowest user ` +
    `share is ${figure(least_share)}.` + (found === null ? '' : ` Of all neighbours ${percent(found)} are those that the gradient prefers.`);
}

/** Name, number, lowest share, place, fullness and neighbours of a server, as a list. */
export function serverWords({utility, used, view, rank, peopled}: Moment, names: readonly string[], server: number): HTMLElement {
  const own = utility[server]!;
  const rows: [string, string][] = [
    ...(own === null ? [['users', 'none']] satisfies [string, string][] : [
      ['lowest user share', figure(Math.abs(own))],
      ['rank', `${whole(rank[server]! + 1)} of ${whole(peopled)}`],
    ] satisfies [string, string][]),
    ['in use', percent(used[server]!)],
  ];
  return element('div', {},
      element('strong', {}, `${names[server]!} (number ${server})`),
      ...rows.map(([what, value]) => element('div', {class: 'tooltip-row'}, element('span', {}, what), element('span', {class: 'number'}, value))),
      element('p', {class: 'neighbours'}, neighbourWords(view[server]!, utility, names)));
}

function neighbourWords(neighbours: readonly number[], utility: Moment['utility'], names: readonly string[]): string {
  if (neighbours.length === 0) return 'It knows no neighbours.';
  const shown = neighbours.slice(0, neighbours_at_most).map(neighbour => {
    const value = utility[neighbour]!;
    return value === null ? names[neighbour]! : `${names[neighbour]!} (${figure(Math.abs(value))})`;
  });
  const rest = neighbours.length - shown.length;
  return `Its ${count(neighbours.length, 'neighbour')}: ${shown.join(', ')}${rest > 0 ? ` and ${whole(rest)} more` : ''}.`;
}
