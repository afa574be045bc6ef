// Overlay runs to draw: users at home on a part of the servers, whose shares grow turn by turn, and views that come nearer
// to those who rank just above from frame to frame, of the first run nearest. The same at every run.
import {uniform} from './fixtures.mjs';

/** The P servers that rank just above, drawn from ever fewer places as the overlay converges. */
function viewOf(own, ranked, place, size, spread, random) {
  const view = new Set();
  const above = place.get(own) ?? ranked.length;
  for (let tries = 0; view.size < Math.min(size, above || size) && tries < 20 * size; ++tries) {
    const to = above === 0 ? 1 + Math.floor(random() * size * spread) : above - 1 - Math.floor(random() * size * spread);
    const server = ranked[((to % ranked.length) + ranked.length) % ranked.length];
    if (server !== own) view.add(server);
  }
  return [...view];
}

function framesOf({servers, users, view, frames}, unfairness, ticks_of_run, blur, seed) {
  const random = uniform(seed);
  const homes = Array.from({length: users}, () => Math.floor(random() * servers));
  const shares = homes.map(() => 0);
  const made = {ticks: [], utility: [], view: [], used: [], placements: []};
  const room = Array.from({length: servers}, () => 0.7 + 0.3 * random());
  const warm_up = Math.floor(frames / 4);  // nothing is placed before tick 0
  let placements = 0;
  for (let frame = 0; frame < frames; ++frame) {
    const utility = Array.from({length: servers}, () => null);
    homes.forEach((home, user) => { utility[home] = Math.max(utility[home] ?? -Infinity, -shares[user]); });
    const ranked = [...utility.keys()].filter(server => utility[server] !== null).sort((a, b) => utility[b] - utility[a] || a - b);
    const place = new Map(ranked.map((server, at) => [server, at]));
    const spread = 1 + blur + (ranked.length / view) * Math.exp(-frame / (frames / 8));
    const tick = frame < warm_up ? -100 * (1 - frame / warm_up) : (frame - warm_up) * ticks_of_run / (frames - 1 - warm_up);
    made.ticks.push(Math.round(tick));
    made.utility.push(utility.map(value => value === null ? null : +value.toPrecision(6)));
    made.view.push(Array.from({length: servers}, (_, own) => viewOf(own, ranked, place, view, spread, random)));
    made.used.push(room.map(full => +Math.min(1, full * Math.max(0, made.ticks[frame]) / ticks_of_run * (0.8 + 0.4 * random())).toFixed(3)));
    made.placements.push(placements);
    if (frame < warm_up) continue;
    const pace = 1 - frame / frames;
    shares.forEach((share, user) => {
      shares[user] = share + pace * 0.002 * (1 + unfairness * (random() + (user % 5) / 5 - 1));
      placements += Math.round(20 * pace);
    });
  }
  return {made, shares};
}

const schedulers = [['pdgdrf', 0.3], ['dgdrf', 0.1], ['ddrf-random', 1.2], ['centralised-fifo', 2], ['centralised-drf', 0.05],
  ['probes', 1.5], ['ddrf-gradient', 0.8], ['level, best fit', 0.4]];

export function overlay({servers = 100, users = 40, view = 10, frames = 24, runs = 3, seeds = 1} = {}) {
  const tolerances = [0, 0.01, 0.05, 0.1, 0.15];
  return {
    version: 1, kind: 'overlay', seed: 1, title: 'overlay.yaml', command: 'mirab simulate overlay.yaml --report page.html',
    cluster: 'google2011-100x20.yaml', servers: Array.from({length: servers}, (_, at) => `m-${4820 + at * 37}`), users, tolerances, notices: [],
    runs: schedulers.slice(0, runs).flatMap(([scheduler, unfairness], at) => Array.from({length: seeds}, (_, seed) => {
      const ticks = Math.max(4000 - 700 * at, 500);
      const {made, shares} = framesOf({servers, users, view, frames}, unfairness, ticks, 0.3 * at, 7 + at + 31 * seed);
      const placements = made.placements.at(-1);
      const wrong = tolerances.map(tolerance => Math.round(placements * 0.2 * unfairness * Math.exp(-20 * tolerance)));
      return {
        scheduler, seed: seed + 1, min_share: Math.min(...shares), gini: unfairness / 10, deviation: unfairness / 500, shares, placements, wrong: wrong[0], wrong_within: wrong,
        wrong_over_time: wrong.map(turns => Array.from({length: 50}, (_, part) => turns / placements * (1.5 - part / 100))),
        ticks, ratio: seed === 0 ? ticks / 3300 : null, mean_min_share: 0.01, messages: 40 * ticks * servers, bytes: 5120 * ticks * servers, messages_per_tick_and_node: 40,
        bytes_per_tick_and_node: 5120, violations: 0, moved: 0, restarted: 0, frames: made,
      };
    })),
  };
}
