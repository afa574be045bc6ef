// What goes on in the overlay over its ticks, one panel under the other.

import {axisPercent} from './chart';
import {dropDown} from './choices';
import type {Overlay, PicturedRun} from './overlay_data';
import type {Moment} from './overlay_moment';
import {tickWords} from './overlay_words';
import type {Figure} from './simulation_data';
import {compact, linesOf, timePanels} from './time_panels';
import type {Panel, TimePanels} from './time_panels';
import type {TimeAxis} from './time_zoom';

/** A run that is shown. */
export interface Shown {
  run: PicturedRun;
  moments: readonly Moment[];
}

/** The panels of the runs that are shown; `pointed` receives the tick that the reader points at. */
export function overlayPanels({tolerances}: Overlay, shown: () => readonly Shown[], pointed: (tick: number) => void): TimePanels {
  const axis: TimeAxis = {from: 0, to: 1, unit: 1, tick: compact, moment: tickWords};
  let tolerance = 0;
  const lines = (of: (moment: Moment) => Figure) => () => linesOf(new Set(shown().keys()), shown().map(({run, moments}) =>
    ({name: run.label, times: run.frames.ticks, values: moments.map(of)})));
  const wrong = () => linesOf(new Set(shown().keys()), shown().map(({run}) => {
    const values = run.wrong_over_time[tolerance]!;
    return {name: run.label, times: values.map((_, at) => tickAt(run, (at + 1) / values.length)), values};
  }));
  const choice = dropDown('tolerating', tolerances.map((value, at): [string, string] => [String(at), axisPercent(value)]), '0', value => {
    tolerance = Number(value);
    panels.redraw();
  });
  const panels = timePanels(axis, [
    {title: 'Placements', scale: 'number', lines: lines(({placements}) => placements)},
    {title: 'Lowest share of a user', scale: 'number', lines: lines(({least_share}) => least_share)},
    {title: 'Preferred neighbours found', scale: 'whole', lines: lines(({found}) => found)},
    {title: 'Placements out of turn so far', scale: 'part', lines: wrong, choices: [choice]} satisfies Panel,
  ], pointed);
  return {...panels, redraw: () => {
    axis.from = Math.min(0, ...shown().map(({run}) => run.frames.ticks[0]!));
    axis.to = Math.max(1, ...shown().map(({run}) => run.frames.ticks.at(-1)!));
    panels.redraw();
  }};
}

/** When a part of all turns had been taken, on the straight line between the frames around it. */
function tickAt({frames: {ticks, placements}}: PicturedRun, part: number): number {
  const wanted = part * placements.at(-1)!;
  const after = placements.findIndex(so_far => so_far >= wanted);
  if (after <= 0) return ticks[0]!;
  const [low, high] = [placements[after - 1]!, placements[after]!];
  return ticks[after - 1]! + (wanted - low) / (high - low) * (ticks[after]! - ticks[after - 1]!);
}
