// Opens the pages of answers in headless Chromium: explanations, differences, audits, limits and plans; and saves charts.
// Usage: node answers_draw_in_a_browser.mjs --template report.html --packages DIR --chromium PROGRAM [--pictures DIR]
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {audit, difference, explanation, grouped_difference, grouped_explanation, limits, plan, survey, team_survey} from './answer_fixtures.mjs';
import {chart, everyLook, report, run, scrolledThrough, state} from './browser.mjs';
import {hostile_name, twoUsers} from './fixtures.mjs';

/** The widths of the shapes of a colour, from the left. */
function widths(page, heading, paint, colour) {
  return page.locator(`${chart(heading)} path[${paint}="var(--${colour})"]`).evaluateAll(paths =>
    paths.map(path => path.getBBox().width).filter(width => width > 1));
}

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return {name: download.suggestedFilename(), bytes: readFileSync(await download.path())};
}

const checks = {
  async 'Every page is drawn without a complaint, a request or an overflow, in every look'() {
    for (const [name, data] of Object.entries({survey: survey(), team: team_survey(), explanation: grouped_explanation(), diff: grouped_difference(), audit: audit(), limits: limits(), plan: plan()})) {
      await everyLook(name, data, async ({page, complaints, requests}, width) => {
        assert.equal(await state(page), 'drawn', name);
        assert.deepEqual(complaints, [], name);
        assert.deepEqual(requests, [], name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} overflows ${width}`);
        assert.match(await page.locator('footer').textContent(), /mirab 0\.1\.0, 2026-11-23/);
        assert.equal(await page.locator('h1').textContent(), data.title);
      });
    }
  },

  async 'The first picture is what each team asks for, has and would have, at every width'() {
    for (const width of [390, 1280, 1920]) {
      for (const [name, data, now] of [['survey', survey(), 3], ['team', team_survey(), 1], ['diff', difference(), 4], ['plan', plan(), 4]]) {
        const {page} = await report(`first-${name}`, data, {width});
        await scrolledThrough(page);
        assert.equal(await page.locator('section h2').first().textContent(), 'Who has what, and what is fair', name);
        assert.equal((await widths(page, 'Who has what, and what is fair', 'fill', 'rest')).length, now, `${name}: a bar of what each has`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} overflows ${width}`);
      }
    }
    const {page} = await report('bars', survey());
    await scrolledThrough(page);
    const bars = (paint, colour) => widths(page, 'Who has what, and what is fair', paint, colour);
    const [held, [fair_of_short], [asked]] = [await bars('fill', 'rest'), await bars('fill', 'series-1'), await bars('stroke', 'muted')];
    assert.ok(Math.abs(fair_of_short - 2 * held[0]) < 3, 'the axis is linear: 20% is twice 10%');
    assert.ok(Math.abs(asked - 4 * held[0]) < 4, 'and what is asked for, 40%, four times');
  },

  async 'Groups are drawn above the teams, each below the one around it'() {
    const group = (name, parent) => ({name, parent, weight: 1, dominant_resource: 'gpu', now: 0.1, fair: 0.2, asked: 0.3, tasks: 1, asked_tasks: 2, waiting: 1,
      waiting_now: 1, satisfied: false, held_by: 'gpu'});
    const {page} = await report('groups', {...survey(), groups: [group('research', null), group('vision', 'research')]});
    await scrolledThrough(page);
    const first = page.locator('section').filter({hasText: 'Who has what, and what is fair'}).first();
    const captions = await first.locator('figcaption').allTextContents();
    assert.match(captions.join(' | '), /^Each group stands below .* \| Those who hold less /);
    const names = await first.locator('svg text').allTextContents();
    assert.ok(names.indexOf('research') >= 0 && names.includes('› vision'), names.join());
  },

  async 'Long names do not overlap on a telephone, and stay apart'() {
    const data = difference();
    data.users = ['250m', '500m', '4', '2', '1'].flatMap(size => ['', '-2'].map(end =>
      ({...data.users[0], name: `team-33/rs-team-33-${size}-7d9c5b6f4${end}`})));
    const {page} = await report('long-names', data, {width: 390});
    await scrolledThrough(page);
    const lines = await page.locator(`${chart('Who gains and who loses')} text`).filter({hasText: /[a-z]/}).evaluateAll(texts =>
      texts.map(text => ({text: text.textContent, ...text.getBoundingClientRect().toJSON()})));
    assert.ok(lines.length >= 10, `${lines.length} lines`);
    lines.sort((a, b) => a.top - b.top);
    for (const [at, line] of lines.slice(1).entries())
      assert.ok(line.top >= lines[at].bottom - 1, `${line.text} is below ${lines[at].text}`);
  },

  async 'What would help a team is drawn for the team'() {
    const {page} = await report('team', team_survey());
    await scrolledThrough(page);
    assert.equal(await page.locator('section:has(h2:text-is("What would help lab")) .chart').count(), 1);
  },

  async 'Of each user what it gets is solid and what it lacks is hollow'() {
    const {page} = await report('survey', survey());
    await scrolledThrough(page);
    const [solid, hollow] = [await widths(page, 'Who gets what', 'fill', 'series-0'), await widths(page, 'Who gets what', 'stroke', 'series-0')];
    assert.equal(solid.length, 2, 'who asks without end has no part of what it asks for');
    assert.equal(hollow.length, 1);
    assert.ok(Math.abs(solid[0] - hollow[0]) < 3, 'half of 16');
    assert.ok(Math.abs(solid[1] - 2 * solid[0]) < 3, 'all of 6');
    assert.match(await page.locator('.lead').textContent(), /1 of 3 users get all they ask for under drfh\..*with 8 of 16 tasks: held back by gpu on gpu-large.*one more server: gpu/);
    assert.ok((await page.locator('.lead').textContent()).includes(hostile_name), 'a name is only text');
    await page.locator('section:has(h2:text-is("Who gets what")) select').selectOption('share');
    await page.waitForFunction(selector => [...document.querySelectorAll(selector)].filter(path => path.getBBox().width > 1).length === 3,
        `${'section'} path[fill="var(--series-0)"]`).catch(() => {});
    assert.equal((await widths(page, 'Who gets what', 'fill', 'series-0')).length, 3);
  },

  async 'A change that hurts stands to the left of nothing, in another colour'() {
    const {page} = await report('explanation', explanation());
    await scrolledThrough(page);
    const heading = 'What would change it';
    assert.equal((await widths(page, heading, 'fill', 'series-0')).length, 2);
    assert.equal((await widths(page, heading, 'fill', 'series-1')).length, 1);
    assert.match(await page.locator(chart(heading)).textContent(), /\+4.*\+1.*-0\.5/s);
    assert.match(await page.locator('section:has(h2:text-is("What is full")) tbody').textContent(), /inference 50\.0%/);
  },

  async 'The groups of a user say where it is held back, and what a weight of 0 means'() {
    const {page} = await report('explanation', grouped_explanation());
    const words = await page.locator('section:has(h2:text-is("Its groups"))').textContent();
    assert.match(words, /It is held back at lab: its weight is 0\./);
    assert.match(words, /The weight of lab is 0: beyond its guarantee it gets what no sibling with a weight can take/);
  },

  async 'A difference shows the groups that gained, came and went, and not users with shapes'() {
    const {page} = await report('diff', grouped_difference());
    await scrolledThrough(page);
    const rows = await page.locator('section:has(h2:text-is("Groups")) tbody tr').allTextContents();
    assert.equal(rows.length, 3);
    assert.match(rows.join('|'), /research.*another weight.*old.*removed from the cluster.*vision.*added in research/s);
    assert.match(await page.locator('section:has(h2:text-is("Groups"))').textContent(), /1 group gains, 0 lose\./);
  },

  async 'Who loses is drawn in another colour than who gains, and who has all is marked'() {
    const {page} = await report('diff', difference());
    await scrolledThrough(page);
    const heading = 'Who gains and who loses';
    assert.equal((await widths(page, heading, 'fill', 'series-1')).length, 1);
    assert.equal((await widths(page, heading, 'fill', 'series-0')).length, 3, 'who gains, and who comes');
    assert.match(await page.locator('section:has(h2:text-is("Every user")) tbody').first().textContent(), /stays \*3 ✓3 ✓0%/);
    assert.match(await page.locator('.lead').textContent(), /2 users gain, 1 loses, 1 keep/);
  },

  async 'A cross of the matrix opens its counterexample, and one alone stands open'() {
    const {page} = await report('audit', audit(9));
    assert.equal(await page.locator('.matrix tbody tr').count(), 3);
    assert.equal(await page.locator('.verdict.no').count(), 9);
    assert.equal(await page.locator('details.witness[open]').count(), 0);
    await page.locator('.verdict.no a').nth(4).click();
    assert.equal(await page.locator('details.witness[open]').count(), 1);
    const open = page.locator('details.witness[open]');
    assert.match(await open.textContent(), /mlf-drs:4.*A could run 2\.25 tasks.*pool \(3 times\).*A ←/s);
    await open.locator('svg path').first().waitFor({state: 'attached'});
    const alone = await report('audit-one', audit(1));
    assert.equal(await alone.page.locator('details.witness[open]').count(), 1);
    assert.match(await alone.page.locator('.matrix').textContent(), /feasible✓✓n\/a/);
  },

  async 'Requests, old and new limits are stacked by pod against what there is'() {
    const {page} = await report('limits', limits());
    await scrolledThrough(page);
    const [web, db] = [await widths(page, 'cpu', 'fill', 'series-0'), await widths(page, 'cpu', 'fill', 'series-1')];
    assert.equal(web.length, 3);
    assert.ok(Math.abs(web[2] - 3 * web[0]) < 4, 'two pods of 500m, then of 1500m');
    assert.ok(Math.abs(db[2] * 3 - web[2]) < 4, 'an init container runs before the others');
    assert.match(await page.locator(chart('cpu')).textContent(), /allocatable 4/);
    assert.match(await page.locator(chart('memory')).textContent(), /old limits \(2 without\).*allocatable 4/s);
    assert.equal((await widths(page, 'Every node', 'fill', 'series-0')).length, 2);
    assert.match(await page.locator('.lead').textContent(), /The old limits allow more cpu than there is\. Of memory some containers had no limit\./);
  },

  async 'A plan says what to buy, for how much, and what it brings'() {
    const {page} = await report('plan', plan());
    await scrolledThrough(page);
    assert.match(await page.locator('.lead').textContent(), /Buy 2 servers of the kind large for 50,000\. Then gains gets 8 tasks instead of 4; 8 are wanted\./);
    assert.match(await page.locator('section:has(h2:text-is("What to buy")) tbody tr').first().textContent(), /large1625,000250,000/);
    assert.equal((await widths(page, 'What it brings gains', 'fill', 'series-0')).length, 2);
    const {kinds, price, least_price, ...rest} = plan();
    const weight = await report('weight', {...rest, weight: {before: 1, after: 2.5, too_little: 2.499}});
    assert.match(await weight.page.locator('.lead').textContent(), /Give gains the weight 2\.5 instead of 1\./);
    assert.equal(await weight.page.locator('h2:text-is("What to buy")').count(), 0);
  },

  async 'A chart is saved as an SVG that stands alone, and as a PNG of twice the size'() {
    for (const scheme of ['light', 'dark']) {
      const {page, complaints, requests} = await report('saved', twoUsers(), {scheme});
      await scrolledThrough(page);
      const section = page.locator('section:has(h2:text-is("Who gets what"))');
      const svg = await saved(page, section.getByRole('button', {name: /Save the chart as SVG/}));
      const text = svg.bytes.toString();
      assert.equal(svg.name, 'dominant-share-per-user-and-outcome.svg');
      assert.match(text, /^<svg /);
      assert.ok(!text.includes('var('), 'no colour of the page is left');
      assert.ok(text.includes(scheme === 'light' ? '#0072b2' : '#4aa3df'));
      assert.match(text, /<title>Dominant share per user and outcome<\/title>/);
      const png = await saved(page, section.getByRole('button', {name: /Save the chart as PNG/}));
      const box = await section.locator('svg').boundingBox();
      assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
      assert.equal(png.bytes.readUInt32BE(16), Math.round(box.width * 2));
      assert.equal(png.bytes.readUInt32BE(20), Math.round(box.height * 2));
      assert.deepEqual([complaints, requests], [[], []]);
    }
  },

  async 'Data that is not what a page needs is explained in place of the page'() {
    for (const [name, data, why] of [
      ['survey', {...survey(), users: []}, 'its data holds no users'],
      ['explanation', {...explanation(), what_ifs: undefined}, 'its data lacks bindings'],
      ['diff', {...difference(), users: undefined}, 'its data lacks users'],
      ['audit', {...audit(), outcomes: []}, 'its data holds no outcome'],
      ['limits', {...limits(), allocatable: {}}, 'its data names no resources'],
      ['plan', {...plan(), difference: undefined}, 'its data lacks users']]) {
      const {page} = await report(`bad-${name}`, data);
      assert.equal(await state(page), 'failed', name);
      assert.ok((await page.locator('[role=alert]').textContent()).includes(why), name);
    }
  },
};

await run(checks);
