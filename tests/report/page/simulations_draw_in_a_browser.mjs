// The pages of simulations, opened in headless Chromium. Each check is named by the sentence that it proves.
// Usage: node simulations_draw_in_a_browser.mjs --template report.html --packages DIR --chromium PROGRAM [--pictures DIR]
import assert from 'node:assert/strict';
import {everyLook, opened, report, run, scrolledThrough, state, template} from './browser.mjs';
import {hostile_name, underInheritedNames} from './fixtures.mjs';
import {demands, reallocation, trace, traffic} from './simulation_fixtures.mjs';

const kinds = {trace: trace(), traffic: traffic(), reallocation: reallocation(), demands: demands()};
const panel = (page, title) => page.locator('.panel', {has: page.locator(`h3:text-is("${title}")`)});
const curves = (where, series) => where.locator(`path[stroke="var(--series-${series})"][fill="none"], path[stroke="var(--series-${series})"][fill="transparent"]`);

/** How many lines of a contender take room on the screen. */
async function drawn(where, series) {
  return where.locator(`.chart path[stroke="var(--series-${series})"]`).evaluateAll(paths =>
    paths.filter(path => path.getBoundingClientRect().width > 100).length);
}

const checks = {
  async 'Every kind is drawn at both widths, light and dark, without a complaint or a request'() {
    for (const [kind, data] of Object.entries(kinds)) {
      await everyLook(kind, data, async ({page, complaints, requests}, width) => {
        assert.equal(await state(page), 'drawn');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${kind} is as wide as the screen`);
        assert.deepEqual([...complaints, ...requests], [], kind);
        const text = await page.locator('main').textContent();
        assert.doesNotMatch(text, /\ufffd|NaN|undefined|null|Infinity|\[object/, kind);
      });
    }
  },

  async 'A trace has a panel for each series, with a line for each contender'() {
    const {page} = await report('trace', kinds.trace);
    await scrolledThrough(page);
    for (const title of ['cpu granted', 'memory granted', 'cpu really used', 'Fragmentation', 'Tasks waiting', "Jain's index of the dominant shares",
      'Gini coefficient of the dominant shares', 'Lowest dominant share', 'Unfairness, part of the cluster', 'Dominant share']) {
      for (let contender = 0; contender < 3; ++contender) assert.equal(await drawn(panel(page, title), contender), 1, `${title}, ${contender}`);
    }
  },

  async 'The cursor of one panel is the cursor of all, and says what each line is there'() {
    const {page} = await report('trace', kinds.trace);
    const chart = panel(page, 'memory granted').locator('.chart');
    await chart.scrollIntoViewIfNeeded();
    assert.equal(await page.locator('.cursor').first().isVisible(), false);
    const box = await chart.boundingBox();
    const [left, right] = [54, box.width - 14];
    const place = left + (right - left) / 4;  // a quarter of the day
    await chart.hover({position: {x: place, y: 40}});
    const lines = await page.locator('.cursor').evaluateAll(all => all.map(line => line.getBoundingClientRect().x - line.closest('.panel').getBoundingClientRect().x));
    assert.equal(lines.length, await page.locator('.panel').count());
    for (const x of lines) assert.ok(Math.abs(x - place) <= 1.5, `${x} and ${place}`);
    assert.match(await page.locator('.moment').textContent(), /^(5\.9\d|6|6\.0\d) h after the start$/);
    const {times, series, utilization} = kinds.trace.contenders[1];
    const at = times.findLastIndex(time => time <= 86400 * (times[times.length - 1] / 86400) / 4);
    const told = async (title) => parseFloat((await panel(page, title).locator('.value').nth(1).textContent()).replace(',', ''));
    assert.ok(Math.abs(await told('memory granted') - utilization[1].values[at] * 100) < 0.5);
    assert.ok(Math.abs(await told('Tasks waiting') - series[0].values[at]) < 5);
    await page.mouse.move(5, 5);
    assert.equal(await page.locator('.cursor').first().isVisible(), false);
    assert.equal(await panel(page, 'Tasks waiting').locator('.value').first().textContent(), '');
  },

  async 'The arrow keys move the cursor'() {
    const {page} = await report('trace', kinds.trace);
    await page.locator('.panels').first().focus();
    await page.keyboard.press('ArrowRight');
    const first = await page.locator('.moment').textContent();
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await page.locator('.moment').textContent(), first);
    await page.keyboard.press('Home');
    assert.equal(await page.locator('.moment').textContent(), '0 s after the start');
  },

  async 'The zoom of the strip is the zoom of every panel'() {
    const {page} = await report('trace', kinds.trace);
    await panel(page, 'memory granted').locator('.chart').scrollIntoViewIfNeeded();
    await panel(page, 'memory granted').locator('.chart svg').waitFor();
    const ticks = (title) => panel(page, title).locator('.chart text').allTextContents();
    const before = [await ticks('cpu granted'), await ticks('memory granted')];
    const strip = await page.locator('.strip .chart').boundingBox();
    await page.mouse.move(strip.x + 50, strip.y + 12);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width / 2, strip.y + 12, {steps: 5});
    await page.mouse.up();
    await page.waitForFunction(old => [...document.querySelectorAll('.panel .chart')].slice(0, 2).every(chart => !chart.textContent.endsWith(old)),
        before[0].filter(text => /^\d+:\d\d$/.test(text)).join(''));
    for (const [at, title] of ['cpu granted', 'memory granted'].entries()) {
      const hours = (await ticks(title)).filter(text => /^\d+:\d\d$/.test(text));
      assert.ok(parseFloat(hours[0]) >= 9, `${title} begins at ${hours[0]}, and began with ${before[at]}`);
    }
  },

  async 'A contender may be hidden in every chart with the keyboard, and the last one stays'() {
    const {page} = await report('trace', kinds.trace);
    await scrolledThrough(page);
    const [first, second, third] = await page.locator('.chip').all();
    await first.focus();
    await page.keyboard.press('Space');
    for (const where of [panel(page, 'cpu granted'), panel(page, 'Dominant share'), page.locator('.side-by-side')]) {
      assert.equal(await drawn(where, 0), 0);
      assert.ok(await drawn(where, 1) > 0);
    }
    await second.click();
    await third.click();
    assert.equal(await drawn(panel(page, 'cpu granted'), 2), 1);
    assert.equal(await panel(page, 'cpu granted').locator('.readout li').count(), 1);
  },

  async 'How long tasks took is a distribution of all users or of one, as steps up to the part that ran'() {
    const {page} = await report('trace', kinds.trace);
    await scrolledThrough(page);
    const section = page.locator('section:has(h2:text-is("How long it took"))');
    assert.equal(await section.locator('.chart').count(), 4);
    const ticks = () => section.locator('.chart').first().locator('text').allTextContents();
    const all = await ticks();
    assert.ok(all.includes('0') && all.includes('100%'), 'what took no time stands at the left end of the logarithmic axis');
    assert.match(await section.locator('.legend').first().textContent(), /drf\/best-fit: 702 tasks of 1,000/);
    await section.locator('select').selectOption('user-0');
    assert.match(await section.locator('.legend').first().textContent(), /drf\/best-fit: 16 tasks of 20/);
  },

  async 'The table of contenders and that of users hold the numbers behind the charts'() {
    const {page} = await report('trace', kinds.trace);
    const contenders = page.locator('section:has(h2:text-is("The contenders in numbers")) tbody tr');
    assert.match(await contenders.first().textContent(), /^drf\/best-fit702700298/);
    const users = page.locator('section:has(h2:text-is("Every user"))');
    assert.equal(await users.locator('tbody tr').count(), 12);
    await users.locator('thead tr:last-child th:nth-child(2) button').click();
    const tasks = (await users.locator('tbody tr td:nth-child(2)').allTextContents()).map(Number);
    assert.deepEqual(tasks, [...tasks].sort((a, b) => a - b));
  },

  async 'The page of traffic marks what has not settled, and shows the notices of the run'() {
    const {page} = await report('traffic', kinds.traffic);
    await scrolledThrough(page);
    const rows = page.locator('section:has(h2:text-is("Every point")) tbody tr');
    for (const row of await rows.allTextContents()) assert.equal(row.includes('†'), row.startsWith('0.9'), row);
    assert.match(await page.locator('section:has(h2:text-is("Every point"))').textContent(), /† not settled: too few jobs/);
    assert.match(await page.locator('section:has(h2:text-is("Notices"))').textContent(), /pf: 3 divisions did not converge/);
    const hollow = page.locator('.side-by-side > div').first().locator('.chart path[fill="var(--paper)"][stroke="var(--series-0)"]');
    assert.equal(await hollow.count(), 1, 'the mark of the one load that has not settled is hollow');
  },

  async 'The zoom strip stands below the chips, in however many lines these are'() {
    const {page} = await report('crowd', trace({contenders: 10}));
    for (const width of [1280, 768, 390]) {
      await page.setViewportSize({width, height: 900});
      await scrolledThrough(page);
      await panel(page, 'Unfairness, part of the cluster').scrollIntoViewIfNeeded();
      await page.evaluate(() => new Promise(requestAnimationFrame));
      const [chips, strip] = [await page.locator('.chips').boundingBox(), await page.locator('.strip').boundingBox()];
      assert.ok(Math.abs(chips.y) <= 1 && strip.y >= chips.y + chips.height - 1, `${width}: chips to ${chips.y + chips.height}, strip from ${strip.y}`);
    }
  },

  async 'From the ninth contender on marks are hollow and lines are dashed'() {
    const {page} = await report('crowd', trace({contenders: 10}));
    await scrolledThrough(page);
    const of = (series) => panel(page, 'Tasks waiting').locator(`.chart path[stroke="var(--series-${series})"][stroke-dasharray]`);
    assert.equal(await of(0).count(), 1);
    assert.equal(await of(2).count(), 0);
    const hollow = await page.locator('.chips .mark').evaluateAll(marks => marks.map(mark => mark.classList.contains('mark-hollow')));
    assert.deepEqual(hollow, [...Array(8).fill(false), true, true]);
  },

  async 'Unfairness is a part of the cluster, in per cent'() {
    const {page} = await report('trace', kinds.trace);
    const section = page.locator('section:has(h2:text-is("The contenders in numbers"))');
    assert.match(await section.locator('tbody tr').first().textContent(), /1\.25%/);
    assert.match(await section.locator('dl').textContent(), /The part of the cluster that users who wait lack of what they are promised/);
  },

  async 'The headings of a group begin with it, and name it where the screen is narrow'() {
    const {page} = await report('trace', kinds.trace, {width: 1280});
    const second = page.locator('section:has(h2:text-is("The contenders in numbers")) table').nth(1);
    const group = second.locator('thead tr.groups th', {hasText: /^waiting$/});
    const mean = second.locator('thead button:text-is("mean")').first();
    const [above, below] = [await group.boundingBox(), await mean.boundingBox()];
    assert.ok(above.x <= below.x && above.x + above.width > below.x + below.width, 'the group is over its columns');
    assert.equal(await group.evaluate(cell => getComputedStyle(cell).textAlign), 'left');
    const before = () => mean.evaluate(button => getComputedStyle(button, '::before').content);
    assert.equal(await before(), 'none');
    await page.setViewportSize({width: 390, height: 900});
    assert.equal(await before(), '"waiting, "');
    assert.equal(await group.isVisible(), false);
  },

  async 'A measure that no contender has is not explained'() {
    const data = trace();
    for (const contender of data.contenders) contender.summary.used = null;
    const {page} = await report('unused', data);
    assert.doesNotMatch(await page.locator('.meanings').first().textContent(), /cpu used/);
  },

  async 'Parts near one have an axis of three labels'() {
    const data = trace();
    for (const contender of data.contenders) contender.shares[0].values = contender.times.map((_, at) => at % 2);
    const {page} = await report('up-to-one', data);
    await scrolledThrough(page);
    const ticks = await panel(page, 'Dominant share').locator('.chart text').allTextContents();
    assert.deepEqual(ticks.filter(text => text.endsWith('%')), ['0%', '50%', '100%']);
  },

  async 'Thousands of points under five contenders are thinned to what the screen shows, and drawn where the reader is'() {
    const {page, complaints} = await report('long', trace({contenders: 5, points: 4000}));
    assert.ok(await page.locator('.panel svg').count() < await page.locator('.panel').count(), 'panels far below are not drawn yet');
    await scrolledThrough(page);
    const steps = await curves(page.locator('.panel'), 0).evaluateAll(paths => paths.map(path => path.getAttribute('d').split(/[LCM]/i).length));
    assert.equal(steps.length, await page.locator('.panel').count());
    assert.ok(Math.max(...steps) > 200 && Math.max(...steps) < 2200, `${Math.max(...steps)} points in a line`);
    assert.ok(await page.locator('*').count() < 4000, 'no element for each point');
    assert.deepEqual(complaints, []);
  },

  async 'The rate of every class is a line for each mechanism, with whiskers, and a load that cannot be served is marked'() {
    const {page} = await report('traffic', kinds.traffic);
    await scrolledThrough(page);
    const blocks = page.locator('.side-by-side > div');
    assert.equal(await blocks.count(), 2);
    for (const mechanism of [0, 1]) assert.equal(await drawn(blocks.first(), mechanism), 1);
    assert.match(await blocks.first().locator('.chart').textContent(), /cannot be served/);
    const whiskers = await blocks.first().locator('path[stroke="var(--series-0)"]').evaluateAll(paths =>
      paths.filter(path => { const {width, height} = path.getBBox(); return width === 0 && height > 0; }).length);
    assert.equal(whiskers, 5, 'one for each load that can be served');
    assert.equal(await page.locator('section:has(h2:text-is("Every point")) tbody tr', {hasText: 'cannot be served'}).count(), 4);
    await page.locator('label:has-text("wide") input').uncheck();
    assert.equal(await blocks.last().isVisible(), false);
    await page.locator('.choices select').selectOption('jobs');
    assert.match(await blocks.first().locator('.chart').textContent(), /jobs present, mean/);
    assert.match(await page.locator('.lead').textContent(), /They differ most at load 0\.9: a job of wide is served at rate 0\.3981 under pf and 0\.1 under drf\.$/);
  },

  async 'Rates that read alike hardly differ'() {
    const alike = traffic();
    for (const point of alike.points) point.service_rate = 0.2102 + (point.mechanism === 'pf' ? 1e-14 : 0);
    const {page} = await report('alike', alike);
    assert.match(await page.locator('.lead').textContent(), /The mechanisms hardly differ\.$/);
  },

  async 'The tables speak of time where the terminal does, in its words'() {
    const traced = await report('trace', kinds.trace);
    const headings = async (page) => page.locator('section').first().locator('thead tr:last-child th').allTextContents();
    for (const heading of ['unfairness', 'users starved', 'longest starvation']) assert.ok((await headings(traced.page)).includes(heading), heading);
    assert.match(await traced.page.locator('section tbody tr').first().textContent(), /1\.25%015 min$/, 'unfairness, users starved, longest starvation');
    const {page} = await report('reallocation', {...kinds.reallocation, new_jobs: 'reallocate'});
    for (const heading of ['cpu used', 'active jobs', 'computed', 'worst certificate']) assert.ok((await headings(page)).includes(heading), heading);
    assert.match(await page.locator('.meanings').textContent(), /worst certificateHow far .* \(relative-duality-gap\)/);
    assert.match(await page.locator('.lead').textContent(), /every 5 min and at each job's end and beginning\./);
  },

  async 'Several seeds are whiskers from the lowest run to the highest; what is the same in every run is named in words'() {
    const data = {...trace({contenders: 2}), seeds: [1, 2, 3]};
    const entry = (discipline, figure, values) => ({discipline, placement: 'best-fit', figure, mean: 2, interval: [1, 3], values});
    data.spread = ['drf', 'fifo'].flatMap(discipline => [entry(discipline, 'waiting', [60, 120, 240]), entry(discipline, 'started', [7, 7, 7])]);
    const {page} = await report('seeds', data);
    const section = page.locator('section:has(h2:text-is("Over 3 seeds"))');
    assert.equal(await section.locator('tbody tr').count(), 2);
    assert.equal(await section.locator('tbody tr').first().locator('.whisker-run').count(), 3);
    assert.match(await section.locator('tbody tr').first().textContent(), /60 s to 4 min$/);
    assert.match(await section.textContent(), /The same in every run: tasks started \(2\)\./);
    const line = await section.locator('.whisker-line').first().boundingBox();
    const track = await section.locator('.whisker').first().boundingBox();
    assert.ok(Math.abs(line.width - track.width * 0.75) < 3, 'from a quarter of the highest to the highest');
  },

  async 'Lines that are level and alike are a sentence, and lines may be differences from the first'() {
    const data = trace({contenders: 2});
    for (const contender of data.contenders) contender.series.find(({name}) => name === 'users').values.fill(20);
    const {page} = await report('level', data);
    await scrolledThrough(page);
    assert.equal(await panel(page, 'Users with demand').isVisible(), false);
    assert.match(await page.locator('.panels').textContent(), /Level and alike, not drawn: Users with demand \(20\)\./);
    assert.equal(await drawn(panel(page, 'cpu granted'), 0), 1);
    await page.locator('label:has-text("Show") select').selectOption('relative');
    assert.equal(await drawn(panel(page, 'cpu granted'), 0), 0, 'the first is the axis');
    assert.equal(await drawn(panel(page, 'cpu granted'), 1), 1);
    assert.deepEqual(await page.locator('.strip .legend li').allTextContents(), ['drf/best-fit', 'drf/worst-fit']);
  },

  async 'A few samples are points'() {
    const points = (page) => page.locator('.panel .chart path[fill="var(--series-0)"]').count();
    const {page} = await report('reallocation', kinds.reallocation);
    await scrolledThrough(page);
    assert.equal(await points(page), 0);
    const few = reallocation({samples: 1});
    const single = await report('one-sample', few);
    await scrolledThrough(single.page);
    assert.equal(await points(single.page), await single.page.locator('.panel').count());
  },

  async 'The tables of contenders fit a page of 1200 px'() {
    for (const [kind, data] of Object.entries(kinds)) {
      const {page} = await report(kind, data, {width: 1200});
      const wider = await page.locator('section').first().locator('.scroll').evaluateAll(all => all.map(({scrollWidth, clientWidth}) => scrollWidth - clientWidth));
      assert.ok(wider.every(more => more <= 0), `${kind}: ${wider} px more`);
    }
  },

  async 'A reallocation shows the server entry that is chosen, the most numerous one first'() {
    const {page} = await report('reallocation', kinds.reallocation);
    await scrolledThrough(page);
    const choice = page.locator('section:has(h2:text-is("Over time")) label:has-text("Server") select');
    assert.equal(await choice.inputValue(), '7');
    const path = () => curves(panel(page, 'cpu used on the server'), 0).first().getAttribute('d');
    const before = await path();
    await choice.selectOption('3');
    assert.notEqual(await path(), before);
    assert.equal(await page.locator('details:not([open]) tbody tr').count(), 30);
  },

  async 'Demands show what the chosen user asks for and gets'() {
    const {page} = await report('demands', kinds.demands);
    await scrolledThrough(page);
    const path = () => curves(panel(page, 'Demand of the user, of each resource'), 0).first().getAttribute('d');
    const before = await path();
    await page.locator('section:has(h2:text-is("User by user")) select').selectOption('user 2');
    assert.notEqual(await path(), before);
    assert.equal(await page.locator('.strip').count(), 2, 'the users of the first repeat have a cursor of their own');
  },

  async 'A name that looks like markup stays text'() {
    const hostile = trace();
    hostile.title = hostile.workload = hostile.contenders[0].discipline = hostile.contenders[0].users[0].name = hostile_name;
    hostile.contenders[0].notices = [hostile_name];
    const {page, complaints} = await report('hostile', hostile);
    await scrolledThrough(page);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('h1').textContent(), hostile_name);
    assert.deepEqual(complaints, []);
  },

  async 'Names that every object has are names like others'() {
    const names = {trace: ['user-0', 'cpu', 'drf', 'user-1'], traffic: ['cpu', 'narrow', 'drf', 'wide'],
      reallocation: ['cpu', 'm-0', 'tsf', 'm-7'], demands: ['user 1', 'mlf-drs', 'user 2', 'drf']};
    for (const [kind, data] of Object.entries(kinds)) {
      const {page, complaints} = await report(`inherited-${kind}`, underInheritedNames(data, names[kind]));
      assert.equal(await state(page), 'drawn', kind);
      await scrolledThrough(page);
      assert.deepEqual(complaints, [], kind);
      const text = await page.locator('main').textContent();
      for (const name of ['__proto__', 'constructor', 'toString']) assert.ok(text.includes(name), `${kind}: ${name}`);
      assert.doesNotMatch(text, /NaN|undefined|\[object|native code/, kind);
    }
  },

  async 'A printed page has all its charts, within the paper'() {
    const {page} = await report('trace', kinds.trace);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({media: 'print'});
    const widths = await page.locator('.panel .chart, .side-by-side .chart').evaluateAll(hosts =>
      hosts.map(host => host.querySelector('svg')?.getBoundingClientRect().width));
    assert.ok(widths.length === 17 && widths.every(width => width > 0 && width <= 700), `${widths} px`);
  },

  async 'Data that cannot be used is explained, not drawn'() {
    const short = trace();
    short.contenders[1].series[0].values.pop();
    const cases = [
      [{...kinds.trace, kind: 'weather'}, /unknown here: "weather"/],
      [{...kinds.trace, contenders: []}, /no contender/],
      [short, /"waiting" has not as many values as times/],
      [{...kinds.traffic, points: [{load: 0.1}]}, /an interval of two numbers/],
      [{...kinds.reallocation, contenders: [{mechanism: 'tsf'}]}, /tsf has no summary/],
      [{...kinds.demands, times: undefined}, /no times/],
    ];
    for (const [data, explanation] of cases) {
      const {page} = await opened('bad', template.split('__MIRAB_DATA__').join(JSON.stringify(data)));
      assert.equal(await state(page), 'failed');
      assert.match(await page.locator('[role=alert]').textContent(), explanation);
      assert.equal(await page.locator('svg').count(), 0);
    }
  },
};

await run(checks);
