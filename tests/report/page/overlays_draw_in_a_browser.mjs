// The page of overlay runs, opened in headless Chromium. Each check is named by the sentence that it proves.
// Usage: node overlays_draw_in_a_browser.mjs --template report.html --packages DIR --chromium PROGRAM [--pictures DIR]
import assert from 'node:assert/strict';
import {everyLook, opened, report, run, scrolledThrough, state, template} from './browser.mjs';
import {hostile_name} from './fixtures.mjs';
import {overlay} from './overlay_fixtures.mjs';

const small = overlay();
const frames = small.runs[0].frames;
const slider = page => page.locator('.player input');
const tickWords = tick => tick < 0 ? `warm-up, ${-tick} ticks to go` : `tick ${tick}`;
const words = page => page.locator('.frame-words').textContent();

/** Reads the drawing back; a reader who prefers no motion has it at once. */
const drawing = (page, at = 0) => page.locator('.overlay-graph').nth(at).evaluate(canvas => canvas.toDataURL());

async function still(name, data, view) {
  const seen = await report(name, data, view);
  await seen.page.emulateMedia({reducedMotion: 'reduce', colorScheme: view?.scheme ?? 'light'});
  // One run, at its end: what most checks look at.
  const second = seen.page.locator('label:has-text("Compare with") select');
  if (await second.count() > 0) await second.selectOption('');
  if (await slider(seen.page).count() > 0) await slider(seen.page).fill(await slider(seen.page).getAttribute('max'));
  return seen;
}

/** How many pixels of a colour the drawing has. */
function pixels(page, [red, green, blue]) {
  return page.locator('.overlay-graph').first().evaluate((canvas, [red, green, blue]) => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) count += 1;
    return count;
  }, [red, green, blue]);
}

/** How far from the middle each server stands, in widths: found by pointing everywhere. */
function distances(page) {
  return page.locator('.overlay-graph').first().evaluate(canvas => {
    const {left, top, width} = canvas.getBoundingClientRect();
    const tip = document.querySelector('.overlay-tip');
    const found = {};
    for (let y = 0; y < width; y += 10) {
      for (let x = 0; x < width; x += 10) {
        canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: left + x, clientY: top + y}));
        if (!tip.hidden) found[tip.textContent.split(' ')[0]] ??= Math.hypot(x / width - 0.5, y / width - 0.5);
      }
    }
    return found;
  });
}

const highest = at => frames.utility[at].reduce((best, value, server) =>
  value !== null && (best === undefined || value > frames.utility[at][best]) ? server : best, undefined);

const checks = {
  async 'Runs are drawn at every width, light and dark, without a complaint or a request'() {
    for (const [name, data] of [['overlay', overlay({frames: 4, runs: 2})], ['overlay-lonely', overlay({servers: 1, users: 1, frames: 2, runs: 1})]]) {
      await everyLook(name, data, async ({page, complaints, requests}, width) => {
        assert.equal(await state(page), 'drawn');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${name} is as wide as the screen`);
        assert.deepEqual([...complaints, ...requests], []);
        assert.doesNotMatch(await page.locator('main').textContent(), /\ufffd|NaN|undefined|null|Infinity|\[object/, name);
      });
    }
    for (const width of [700, 1400]) {
      const {page} = await still('overlay-two', small, {width});
      await page.locator('select').nth(1).selectOption('1');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, 'two runs side by side');
    }
  },

  async 'It opens on two runs of different schedulers at the start, plays, and says that dark is poor'() {
    const {page: before} = await report('overlay-opens', small);
    await before.emulateMedia({reducedMotion: 'no-preference'});
    const {page} = await report('overlay-opens', small);
    assert.equal(await page.locator('.overlay-pane:visible').count(), 2);
    const labels = await page.locator('.overlay-pane h3').allTextContents();
    assert.notEqual(labels[0], labels[1]);
    assert.match(await page.locator('.utility-legend').first().textContent(), /dark = poorest user here/);
    await page.locator('.player').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('.play').textContent.includes('Pause'));
    assert.ok(Number(await slider(page).inputValue()) < 20, 'it begins at the start');
    await page.waitForFunction(() => Number(document.querySelector('.player input').value) > 0);
  },

  async 'The slider changes the drawing, the tick, the placements and the cursor of the panels'() {
    const {page} = await still('overlay', small);
    await scrolledThrough(page);
    const seen = new Set();
    let place = -1;
    for (const frame of [0, 7, 23]) {
      await slider(page).fill(String(frame));
      seen.add(await drawing(page));
      assert.equal((await words(page)).replace(/(\d),(?=\d)/g, '$1'), `${tickWords(frames.ticks[frame])} · ${frames.placements[frame]} placements`);
      const found = parseFloat(await page.locator('.panel').nth(2).locator('.value').textContent());
      assert.ok((await page.locator('.overlay-pane .quiet').first().textContent()).includes(`${found}% are those`), 'panels and picture tell the same');
      const {x} = await page.locator('.cursor').first().boundingBox();
      assert.ok(x > place, 'the cursor goes on with the ticks');
      place = x;
    }
    assert.equal(seen.size, 3, 'each frame has a drawing of its own');
    await slider(page).fill('7');
    assert.ok(seen.has(await drawing(page)), 'and it is the same when it comes again');
  },

  async 'Numbers have the words of the terminal, and shares one notation'() {
    const {page} = await still('overlay', small);
    const headings = await page.locator('table thead').first().textContent();
    for (const word of ['lowest share', 'gini', 'deviation', 'placed', 'out of turn', 'ratio', 'broken']) assert.ok(headings.includes(word), word);
    const least = await page.locator('.panel').nth(1).locator('.value').textContent();
    assert.match(least, /^0\.\d+$/);
    assert.ok((await page.locator('.overlay-pane .quiet').first().textContent()).includes(`lowest user share is ${least}.`));
  },

  async 'The axis of what was wrong ends at all of it, also when nothing was'() {
    const right = overlay({runs: 1});
    for (const of of right.runs[0].wrong_over_time) of.fill(0);
    const {page} = await still('overlay-right', right);
    await scrolledThrough(page);
    const labels = (await page.locator('.panel').nth(3).locator('svg text').allTextContents()).filter(label => label.endsWith('%'));
    assert.equal(labels.at(-1), '100%');
  },

  async 'The arrow keys step in time on the slider and on the drawing, and the space bar plays'() {
    const {page} = await still('overlay', small);
    await slider(page).focus();
    assert.equal(await slider(page).inputValue(), '23');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    assert.equal(await slider(page).inputValue(), '1');
    await page.locator('.overlay-graph').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await slider(page).inputValue(), '2');
    await page.keyboard.press('End');
    assert.equal(await slider(page).inputValue(), '23');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await slider(page).inputValue(), '22');
    assert.match(await slider(page).getAttribute('aria-valuetext'), /^tick 3,765 · /);
    const before = await drawing(page);
    await page.keyboard.press(' ');
    assert.match(await page.locator('.play').textContent(), /Pause/);
    await page.waitForFunction(() => document.querySelector('.player input').value === '23');
    assert.match(await page.locator('.play').textContent(), /Play/, 'it stops at the end');
    assert.ok(await drawing(page) !== before);
  },

  async 'The centre stands in the middle, and a server stands the farther out the later it ranks'() {
    const {page} = await still('overlay', small);
    await slider(page).fill('12');
    const order = [...frames.utility[12].keys()].filter(server => frames.utility[12][server] !== null)
        .sort((a, b) => frames.utility[12][b] - frames.utility[12][a] || a - b);
    assert.equal(order[0], highest(12));
    const distance = await distances(page);
    const places = [0, 8, 20].map(rank => distance[small.servers[order[rank]]]);
    assert.ok(places[0] < 0.04, `the centre is ${places[0]} of the width from the middle`);
    assert.ok(places[0] < places[1] && places[1] < places[2], `${places}`);
  },

  async 'Servers are coloured by utility, those without users in a neutral tone'() {
    const {page} = await still('overlay', small);
    await slider(page).fill('12');
    assert.ok(await pixels(page, [0x44, 0x01, 0x54]) > 100, 'the highest utility');
    assert.ok(await pixels(page, [0xa5, 0xdb, 0x36]) > 100, 'the lowest');
    assert.ok(await pixels(page, [0xcd, 0xd3, 0xda]) > 1000, 'those without users');
    const legend = await page.locator('.utility-legend').first().textContent();
    const known = frames.utility[12].filter(value => value !== null);
    const [richest, poorest] = [Math.min(...known), Math.max(...known)].map(value => String(+Math.abs(value).toPrecision(4)));
    assert.equal(legend, `lowest share here:${richest}${poorest}dark = poorest user here`);
  },

  async 'A server that is pointed at tells what it is, and its edges stand out'() {
    const {page} = await still('overlay', small);
    await slider(page).fill('12');
    const orange = [0xd5, 0x5e, 0x00];
    assert.equal(await pixels(page, orange), 0);
    const {x, y, width} = await page.locator('.overlay-graph').first().boundingBox();
    await page.mouse.move(x + width / 2, y + width / 2);
    const centre = highest(12);
    const tip = await page.locator('.overlay-tip').first().textContent();
    assert.ok(tip.startsWith(`${small.servers[centre]} (number ${centre})`), tip);
    for (const neighbour of frames.view[12][centre]) assert.ok(tip.includes(small.servers[neighbour]), tip);
    assert.match(tip, /lowest user share0\.0\d/);
    assert.ok(await pixels(page, orange) > 50);
    await page.mouse.move(5, 5);
    assert.equal(await pixels(page, orange), 0, 'gone with the pointer');
  },

  async 'A server is chosen without a mouse, by name or along the ranks, and told in words'() {
    const {page} = await still('overlay', small);
    await page.locator('label:has-text("Server") select').selectOption('5');
    assert.match(await page.locator('.server').first().textContent(), /^m-5005 \(number 5\)/);
    await page.locator('.overlay-graph').first().focus();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.server').first().textContent(), '');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    assert.ok((await page.locator('.server').first().textContent()).startsWith(`${small.servers[highest(0)]} `));
    await page.keyboard.press('ArrowDown');
    assert.match(await page.locator('.server').first().textContent(), /rank2 of \d+/);
    assert.match(await page.locator('.overlay-graph').first().getAttribute('aria-label'), /^pdgdrf, warm-up, 100 ticks to go: 32 of 100 servers have users; the centre is m-/);
  },

  async 'The run whose views are the nearest to the gradient is shown first'() {
    const two = overlay({frames: 4, runs: 2});
    for (const of of two.runs[0].frames.view[3]) of.length = 0;
    const {page} = await report('overlay-clearest', two);
    assert.deepEqual(await page.locator('.overlay-pane h3').first().textContent(), 'dgdrf');
    assert.equal(await page.locator('label:text-matches("^Run ") select').inputValue(), '1');
  },

  async 'Two runs stand side by side at the same tick'() {
    const {page} = await still('overlay', small);
    assert.equal(await page.locator('.overlay-pane').nth(1).isVisible(), false);
    await page.locator('label:has-text("Compare with") select').selectOption('2');
    assert.equal(await page.locator('.overlay-pane').nth(1).isVisible(), true);
    assert.equal(await page.locator('.panel').first().locator('.readout li').count(), 2);
    await slider(page).press('End');
    assert.ok(await drawing(page, 0) !== await drawing(page, 1), 'of different runs');
    assert.match(await words(page), /^tick 4,000 · [\d,]+ placements and [\d,]+ placements$/);
    assert.deepEqual(await page.locator('.overlay-pane h3').allTextContents(), ['pdgdrf', 'ddrf-random']);
  },

  async 'Pointing at a panel moves the slider, where it stays'() {
    const {page} = await still('overlay', small);
    await scrolledThrough(page);
    const chart = page.locator('.panel .chart').first();
    await chart.scrollIntoViewIfNeeded();
    const {width} = await chart.boundingBox();
    await chart.hover({position: {x: 50 + (width - 64) / 2, y: 40}});
    assert.match(await slider(page).inputValue(), /^1[34]$/);
    await page.mouse.move(2, 2);
    assert.equal(await page.locator('.cursor').first().isVisible(), true);
    assert.match(await slider(page).inputValue(), /^1[34]$/);
  },

  async 'A thousand servers with ten neighbours and sixty frames are drawn, within six megabytes'() {
    const data = overlay({servers: 1000, users: 600, frames: 60, runs: 1});
    assert.ok(template.length + JSON.stringify(data).length < 6e6, `${JSON.stringify(data).length} bytes of data`);
    const {page, complaints} = await still('overlay-thousand', data);
    await slider(page).fill('30');
    const middle = await drawing(page);
    await slider(page).fill('59');
    assert.ok(await drawing(page) !== middle);
    assert.ok(await pixels(page, [0x44, 0x01, 0x54]) > 20);
    assert.deepEqual(complaints, []);
  },

  async 'Fairness against time names each mark in a legend, and beside it only where names do not overlap'() {
    const {page} = await report('overlay-scatter', overlay({frames: 4, runs: 7}), {width: 390});
    const section = page.locator('section:has(h2:text-is("Fairness against time"))');
    const names = await page.locator('section:has(h2:text-is("The runs in numbers")) .scroll').first().locator('tbody th').allTextContents();
    const beside = async () => (await section.locator('.chart svg text').allTextContents()).filter(text => names.includes(text));
    assert.equal(names.length, 7);
    await scrolledThrough(page);
    assert.deepEqual(await section.locator('.legend li').allTextContents(), names);
    assert.deepEqual(await beside(), []);
    await page.setViewportSize({width: 1280, height: 900});
    await scrolledThrough(page);
    assert.ok((await beside()).length > 3);
  },

  async 'The table has a row for each run, named by scheduler and seed where there are several'() {
    const {page} = await report('overlay-seeds', overlay({servers: 20, users: 10, frames: 3, runs: 2, seeds: 2}));
    const rows = page.locator('section:has(h2:text-is("The runs in numbers")) .scroll').first().locator('tbody tr');
    assert.equal(await rows.count(), 4);
    assert.match(await page.locator('label:text-matches("^Run ") select').textContent(), /pdgdrf, seed 1pdgdrf, seed 2/);
    assert.match(await rows.first().textContent(), /^pdgdrf1\d/);
  },

  async 'The numbers of eight schedulers fit a window of 1,200 pixels'() {
    const {page} = await report('overlay-eight', overlay({servers: 20, users: 10, frames: 3, runs: 8, seeds: 2}), {width: 1200});
    const tables = page.locator('section:has(h2:text-is("The runs in numbers")) .scroll');
    assert.equal(await tables.count(), 2, 'the figures, and what is wrong by how much is tolerated');
    const beyond = await tables.evaluateAll(all => all.map(table => table.scrollWidth - table.clientWidth));
    assert.deepEqual(beyond, [0, 0]);
  },

  async 'Where nothing is tolerated there is one table'() {
    const strict = overlay({servers: 20, users: 10, frames: 3, runs: 2});
    strict.tolerances = [0];
    for (const each of strict.runs) each.wrong_within.length = each.wrong_over_time.length = 1;
    const {page} = await report('overlay-strict', strict);
    assert.equal(await page.locator('section:has(h2:text-is("The runs in numbers")) .scroll').count(), 1);
  },

  async 'Without frames there is the table alone'() {
    const bare = overlay({runs: 2});
    for (const run of bare.runs) delete run.frames;
    const {page} = await report('overlay-bare', bare);
    assert.equal(await state(page), 'drawn');
    assert.equal(await page.locator('canvas').count(), 0);
    assert.match(await page.locator('main').textContent(), /No frames were kept/);
  },

  async 'A name that looks like markup stays text'() {
    const hostile = overlay({servers: 3, users: 2, frames: 2, runs: 1, view: 1});
    hostile.servers[0] = hostile.title = hostile.cluster = hostile.runs[0].scheduler = hostile_name;
    hostile.notices = [hostile_name];
    const {page, complaints} = await report('overlay-hostile', hostile);
    await page.locator('label:has-text("Server") select').selectOption('0');
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(complaints, []);
  },

  async 'Data that cannot be used is explained, not drawn'() {
    const wrong = change => {
      const data = overlay({servers: 4, users: 3, frames: 2, runs: 1, view: 2});
      change(data, data.runs[0].frames);
      return data;
    };
    const cases = [
      [wrong(data => { data.runs = []; }), /no run/],
      [wrong((_, of) => of.utility[1].pop()), /frame 1 has not as much of utility/],
      [wrong((_, of) => of.view[0][0].push(4)), /frame 0 names a neighbour that is no server/],
      [wrong((_, of) => of.placements.pop()), /placements for each/],
      [wrong(data => data.runs[0].wrong_within.pop()), /for each tolerance/],
    ];
    for (const [data, explanation] of cases) {
      const {page} = await opened('overlay-bad', template.split('__MIRAB_DATA__').join(JSON.stringify(data)));
      assert.equal(await state(page), 'failed');
      assert.match(await page.locator('[role=alert]').textContent(), explanation);
    }
  },
};

await run(checks);
