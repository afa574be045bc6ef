// A frame of the overlay, with what follows from it: who is the centre, in which order the servers stand, and how far
// their views have found the gradient.

import type {PicturedRun} from './overlay_data';
import type {Figure} from './simulation_data';

export interface Moment {
  tick: number;
  placements: number;
  utility: readonly Figure[];
  view: readonly (readonly number[])[];
  used: readonly number[];
  /** Servers as the overlay ranks them: the highest utility first, of equals the lower number, those without users last. */
  order: readonly number[];
  /** Place of a server in that order. */
  rank: Int32Array;
  /** How many have users; they come first in the order. */
  peopled: number;
  /** Of the neighbours named by servers with users, the part that ranks before them; none without such. */
  upward: Figure;
  /** The least share of all users: −(the highest utility). */
  least_share: Figure;
}

export function momentsOf({frames}: PicturedRun): Moment[] {
  return frames.ticks.map((tick, at) => momentOf(tick, frames.placements[at]!, frames.utility[at]!, frames.view[at]!, frames.used[at]!));
}

function momentOf(tick: number, placements: number, utility: readonly Figure[], view: readonly (readonly number[])[], used: readonly number[]): Moment {
  const height = (server: number): number => utility[server] ?? -Infinity;
  const order = [...utility.keys()].sort((a, b) => height(a) === height(b) ? a - b : height(b) - height(a));
  const rank = new Int32Array(order.length);
  order.forEach((server, at) => { rank[server] = at; });
  const peopled = utility.reduce<number>((sum, value) => sum + (value === null ? 0 : 1), 0);
  let [edges, rising] = [0, 0];
  for (const server of order.slice(0, peopled)) {
    edges += view[server]!.length;
    for (const neighbour of view[server]!) if (rank[neighbour]! < rank[server]!) rising += 1;
  }
  const highest = peopled > 0 ? utility[order[0]!]! : null;
  return {
    tick, placements, utility, view, used, order, rank, peopled,
    upward: edges > 0 ? rising / edges : null,
    least_share: highest === null ? null : Math.abs(highest),
  };
}

/** Which of the ticks is the present one: the last that is not later, or the first. */
export function frameAt(ticks: readonly number[], tick: number): number {
  let at = 0;
  while (at + 1 < ticks.length && ticks[at + 1]! <= tick) at += 1;
  return at;
}

export function momentAt(moments: readonly Moment[], tick: number): Moment {
  return moments[frameAt(moments.map(moment => moment.tick), tick)]!;
}

/** The ticks at which one of the runs has a frame, in order. */
export function ticksOf(runs: readonly (readonly Moment[])[]): number[] {
  return [...new Set(runs.flat().map(({tick}) => tick))].sort((a, b) => a - b);
}
