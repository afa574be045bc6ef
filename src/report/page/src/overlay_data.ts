// What the page of overlay runs is given (docs/schema/simulation.schema.json), checked once.

import {demand, isFigures, isFilled} from './page_data';
import type {PageData} from './page_data';
import type {OverlayFrames} from './schema_types';
import type * as types from './schema_types';

export type {OverlayFrames} from './schema_types';

/** With its label, dgdrf, or with several seeds `dgdrf, seed 2`; added when read. */
export type OverlayRun = types.OverlayRun & {label: string};
export type Overlay = PageData & Omit<types.Overlay, 'runs'> & {runs: OverlayRun[]};

/** A run of which there are pictures. */
export type PicturedRun = OverlayRun & {frames: OverlayFrames};

export function isPictured(run: OverlayRun): run is PicturedRun {
  return run.frames !== undefined && run.frames.ticks.length > 0;
}

export function readOverlay(page: PageData): Overlay {
  const overlay = page as Overlay;
  demand(isFilled(overlay.runs), 'its data holds no run');
  demand(isFilled(overlay.servers), 'its data names no server');
  demand(isFilled(overlay.tolerances), 'its data has no tolerances');
  const seeds = new Set(overlay.runs.map(({seed}) => seed));
  for (const run of overlay.runs) {
    run.label = seeds.size > 1 ? `${run.scheduler}, seed ${run.seed}` : run.scheduler;
    const of_each = (values: unknown): boolean => Array.isArray(values) && values.length === overlay.tolerances.length;
    demand(of_each(run.wrong_within) && of_each(run.wrong_over_time), `${run.label}: wrong turns must be given for each tolerance`);
    if (isPictured(run)) checkFrames(run, overlay.servers.length);
  }
  return overlay;
}

function checkFrames({label, frames}: PicturedRun, servers: number): void {
  const {ticks, utility, view, used, placements} = frames;
  demand(isFigures(ticks) && isFigures(placements, ticks.length), `${label}: frames need ticks, and placements for each`);
  const known = (neighbour: number): boolean => Number.isInteger(neighbour) && neighbour >= 0 && neighbour < servers;
  for (let at = 0; at < ticks.length; ++at) {
    demand(isFigures(utility?.[at], servers) && isFigures(used?.[at], servers) && view?.[at]?.length === servers,
        `${label}: frame ${at} has not as much of utility, view and used as there are servers`);
    demand(view[at]!.every(of => of.every(known)), `${label}: frame ${at} names a neighbour that is no server`);
  }
}
