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
  /** Of all neighbours, the part that the gradient prefers; null when no server knows any. */
  found: Figure;
  /** The lowest share of all users: −(the highest utility). */
  least_share: Figure;
}

export function momentsOf(run: PicturedRun): Moment[] {
  return run.frames.ticks.map((_, at) => momentOf(run, at));
}

/** The run whose views come nearest to the gradient at the end: what there is to see. The first of equals. */
export function clearestOf(runs: readonly PicturedRun[]): PicturedRun {
  const found = runs.map(run => momentOf(run, run.frames.ticks.length - 1).found ?? -1);
  return runs[found.indexOf(Math.max(...found))]!;
}

/** The other run whose views find least of the gradient at the end, of those that have views; or else the first other one. */
export function farthestFrom(run: PicturedRun, runs: readonly PicturedRun[]): PicturedRun | undefined {
  const others = runs.filter(other => other !== run && other.scheduler !== run.scheduler);
  const found = others.map(other => momentOf(other, other.frames.ticks.length - 1).found ?? Infinity);
  return others[found.indexOf(Math.min(...found))];
}

function momentOf({frames}: PicturedRun, at: number): Moment {
  const [utility, view] = [frames.utility[at]!, frames.view[at]!];
  const height = (server: number): number => utility[server] ?? -Infinity;
  const order = [...utility.keys()].sort((a, b) => height(a) === height(b) ? a - b : height(b) - height(a));
  const rank = new Int32Array(order.length);
  order.forEach((server, at) => { rank[server] = at; });
  const peopled = utility.reduce<number>((sum, value) => sum + (value === null ? 0 : 1), 0);
  const highest = peopled > 0 ? utility[order[0]!]! : null;
  return {
    tick: frames.ticks[at]!, placements: frames.placements[at]!, utility, view, used: frames.used[at]!, order, rank, peopled,
    found: partFound(view, rank),
    least_share: highest === null ? null : Math.abs(highest),
  };
}

/**
 * A server prefers those who rank just above it, the nearest first, and when there are too few of them those just below
 * (Östman, eq. 3.9).
 */
function partFound(view: Moment['view'], rank: Int32Array): Figure {
  let [edges, found] = [0, 0];
  view.forEach((neighbours, server) => {
    const [own, size] = [rank[server]!, neighbours.length];
    edges += size;
    for (const neighbour of neighbours) {
      const other = rank[neighbour]!;
      if (other < own ? other >= own - size : other <= size) found += 1;
    }
  });
  return edges > 0 ? found / edges : null;
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
