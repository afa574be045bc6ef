// The overlay as it converges: one run or two side by side, a slider over their frames, and panels over the same ticks.

import {dropDown} from './choices';
import {element} from 'shared/element';
import {count} from 'shared/format';
import {spanOf} from './overlay_colours';
import type {Overlay, PicturedRun} from './overlay_data';
import {clearestOf, farthestFrom, frameAt, momentAt, momentsOf, ticksOf} from './overlay_moment';
import type {Moment} from './overlay_moment';
import {overlayPanels} from './overlay_panels';
import type {Shown} from './overlay_panels';
import {overlayPane} from './overlay_pane';
import {player} from './overlay_player';
import {tickWords} from './overlay_words';

/** Starts once the reader sees it, unless motion is not wanted. */
function playWhenSeen(host: HTMLElement, play: () => void): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const seen = new IntersectionObserver(entries => {
    if (!entries.some(({isIntersecting}) => isIntersecting)) return;
    seen.disconnect();
    play();
  });
  seen.observe(host);
}

type Colours = 'moment' | 'run';

/** Requires a run. */
export function overlayView(overlay: Overlay, pictured: readonly PicturedRun[]): HTMLElement {
  const names = overlay.servers;
  const known = new Map<PicturedRun, Moment[]>();
  const shownOf = (run: PicturedRun): Shown => {
    if (!known.has(run)) known.set(run, momentsOf(run));
    return {run, moments: known.get(run)!};
  };
  const clearest = clearestOf(pictured);
  // What there is to see is how differently two schedulers get there.
  const other = pictured.length < 2 ? undefined : farthestFrom(clearest, pictured);
  let shown = [clearest, ...(other ? [other] : [])].map(shownOf);
  let ticks = ticksOf(shown.map(({moments}) => moments));
  let frame = 0;
  let colours: Colours = 'moment';
  let chosen: number | undefined;

  const panes = [0, 1].map(() => overlayPane(names, choose));
  const panels = overlayPanels(overlay, () => shown, tick => {
    const at = frameAt(ticks, tick);
    if (at !== frame) time.go(at);
  });
  const time = player(show);

  function show(next: number): string {
    frame = next;
    const tick = ticks[frame]!;
    const present = shown.map(({moments}) => momentAt(moments, tick));
    shown.forEach(({run, moments}, at) => panes[at]!.show(run.label, present[at]!,
        spanOf(colours === 'moment' ? present[at]!.utility : moments.flatMap(({utility}) => utility))));
    panels.rest(tick);
    return `${tickWords(tick)} · ${present.map(({placements}) => count(placements, 'placement')).join(' and ')}`;
  }

  function choose(server: number | undefined): void {
    chosen = server;
    server_choice.querySelector('select')!.value = server === undefined ? '' : String(server);
    for (const pane of panes) pane.choose(server);
  }

  function compare(runs: readonly PicturedRun[]): void {
    const tick = ticks[frame]!;
    shown = runs.map(shownOf);
    ticks = ticksOf(shown.map(({moments}) => moments));
    panes[1]!.host.hidden = shown.length < 2;
    host.classList.toggle('two', shown.length > 1);
    panels.redraw();
    time.refill(ticks.length, frameAt(ticks, tick));
  }

  panes.forEach((pane, at) => pane.canvas.addEventListener('keydown', event => {
    const moment = shown[at] && momentAt(shown[at].moments, ticks[frame]!);
    if (!moment) return;
    const along = (by: number) => () => choose(moment.order[Math.max(0, Math.min(moment.order.length - 1, chosen === undefined ? 0 : moment.rank[chosen]! + by))]);
    const act = new Map([
      ['ArrowLeft', () => time.step(-1)], ['ArrowRight', () => time.step(1)], ['Home', () => time.go(0)], ['End', () => time.step(Infinity)],
      ['ArrowUp', along(-1)], ['ArrowDown', along(1)], ['Escape', () => choose(undefined)], [' ', time.toggle],
    ]).get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  }));

  let [first, second] = [clearest, other];
  const items = pictured.map(({label}, at): [string, string] => [String(at), label]);
  const again = () => compare(second ? [first, second] : [first]);
  const run_choices = pictured.length < 2 ? [] : [
    dropDown('Run', items, String(pictured.indexOf(clearest)), value => {
      first = pictured[Number(value)]!;
      again();
    }),
    dropDown('Compare with', [['', 'none'], ...items], other ? String(pictured.indexOf(other)) : '', value => {
      second = value === '' ? undefined : pictured[Number(value)]!;
      again();
    }),
  ];
  const server_choice = dropDown('Server', [['', 'none'], ...names.map((name, at): [string, string] => [String(at), name])], '',
      value => choose(value === '' ? undefined : Number(value)));
  const colour_choice = dropDown('Colours span', [['moment', 'this moment'], ['run', 'the whole run']], colours, value => {
    colours = value as Colours;
    show(frame);
  });
  const host = element('div', {class: 'overlay'},
      element('div', {class: 'choices'}, ...run_choices, colour_choice, server_choice), time.host,
      element('div', {class: 'overlay-views'}, element('div', {class: 'overlay-panes'}, ...panes.map(pane => pane.host)), panels.host));
  again();
  playWhenSeen(host, time.toggle);
  return host;
}
