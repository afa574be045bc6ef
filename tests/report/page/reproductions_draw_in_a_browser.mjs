// The page of the papers, reproduced, opened in headless Chromium. Each check is named by the sentence that it proves.
// Usage: node reproductions_draw_in_a_browser.mjs --template report.html --packages DIR --chromium PROGRAM [--pictures DIR]
import assert from 'node:assert/strict';
import {everyLook, opened, report, run, scrolledThrough, state, template} from './browser.mjs';
import {hostile_name} from './fixtures.mjs';
import {reproduction} from './reproduction_fixtures.mjs';

const six = reproduction({count: 6});

const checks = {
  async 'The page is drawn at both widths, light and dark, without a complaint or a request'() {
    await everyLook('six', six, async ({page, complaints, requests}, width) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      assert.deepEqual([...complaints, ...requests], []);
      assert.doesNotMatch(await page.locator('main').textContent(), /\ufffd|NaN|undefined|null|Infinity|\[object/);
    });
  },

  async 'Every experiment is a row with its verdict that leads to its section'() {
    const {page} = await report('six', six);
    const rows = page.locator('section:has(h2:text-is("The experiments")) tbody tr');
    assert.equal(await rows.count(), 6);
    assert.deepEqual(await rows.locator('.badge').allTextContents(), six.results.map(({verdict}) => verdict));
    await rows.nth(4).locator('a').click();
    assert.equal(await page.locator('section.result:target h2').textContent(), 'What figure 4 shows shape agrees');
    assert.match(await page.locator('.lead').textContent(), /6 experiments .* 2 agree, 2 agree in shape and 2 differ\. Of 24 findings 22 hold, 2 fail, and 0 are undecided\./);
  },

  async 'A finding tells what is printed, ours, its interval, whether it holds, and why not'() {
    const {page} = await report('six', six);
    const rows = page.locator('#paper-fig2 table').first().locator('tbody tr');
    const cells = async (at) => rows.nth(at).locator('td').allTextContents();
    assert.deepEqual(await cells(0), ['0.1', '0.1034', '0.0912 to 0.1161', '✓', '']);
    assert.deepEqual(await cells(1), ['yes', 'yes', '–', '✓', '']);
    assert.deepEqual(await cells(2), ['10', '1.69', '–', '✓ corrected', 'the printed limit is a slip']);
    assert.deepEqual(await cells(3), ['–', '∞', '–', '✗ differs', '']);
  },

  async 'Tables of many and of long cells fit a page of 1200 px'() {
    const long = reproduction({count: 2});
    Object.assign(long.results[1], {title: 'What is used under each mechanism '.repeat(4), paper: 'Authors of a paper, figures 6 and 7 '.repeat(4),
      data: 'drawn again after the tables of the paper, by the same law'});
    long.results[1].tables = [{title: 'Means', head: ['what', ...'abcdefghi'], rows: [['use of the cpu of classes 1 and 2', ...Array(9).fill('0.5312 (0.4871 to 0.5753)')]]}];
    const {page} = await report('long-cells', long, {width: 1200});
    const wider = await page.locator('.scroll').evaluateAll(all => all.map(({scrollWidth, clientWidth}) => scrollWidth - clientWidth));
    assert.ok(wider.length === 5 && wider.every(more => more <= 0), `${wider} px more`);
  },

  async 'A figure has a line for each curve, whiskers for its intervals, and the exact one dashed in the same colour'() {
    const {page} = await report('six', six);
    const block = page.locator('#paper-fig0 .side-by-side > div').first();
    await block.scrollIntoViewIfNeeded();
    await block.locator('svg path[stroke="var(--series-1)"]').first().waitFor({state: 'attached'});
    const boxes = (selector) => block.locator(selector).evaluateAll(paths => paths.map(path => {
      const {width, height} = path.getBBox();
      return {width, height};
    }));
    const wide = (boxes) => boxes.filter(({width}) => width > 100).length;
    assert.equal(wide(await boxes('path[stroke="var(--series-0)"]')), 2);
    assert.equal(wide(await boxes('path[stroke="var(--series-0)"][stroke-dasharray]')), 1);
    assert.equal(wide(await boxes('path[stroke="var(--series-1)"]')), 1);
    assert.equal((await boxes('path[stroke="var(--series-1)"]')).filter(({width, height}) => width === 0 && height > 0).length, 5);
    assert.deepEqual(await block.locator('.legend li').allTextContents(), ['DRF, class 1', 'DRF, class 1, exact', 'PF, class 1']);
  },

  async 'Where an interval is cut at the edge the legend says so'() {
    const wide = reproduction({count: 1});
    wide.results[0].figures[0].curves[2].high[0] = 50;
    const {page} = await report('wide', wide);
    const block = page.locator('#paper-fig0 .side-by-side > div').first();
    assert.equal(await block.locator('.legend li').last().textContent(), 'An interval that reaches the edge goes on beyond it.');
  },

  async 'Of 33 experiments only the figures near the reader are drawn'() {
    const {page} = await report('all', reproduction({count: 33}));
    assert.equal(await state(page), 'drawn');
    assert.ok(await page.locator('svg').count() < 6);
    await page.locator('#paper-fig32').scrollIntoViewIfNeeded();
    await page.locator('#paper-fig32 svg').first().waitFor();
    assert.ok(await page.locator('svg').count() < 20);
  },

  async 'A name that looks like markup stays text'() {
    const hostile = reproduction({count: 1});
    Object.assign(hostile.results[0], {title: hostile_name, paper: hostile_name, remarks: [hostile_name]});
    hostile.results[0].checks[0].what = hostile.results[0].figures[0].curves[0].name = hostile_name;
    const {page, complaints} = await report('hostile', hostile);
    await scrolledThrough(page);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(complaints, []);
  },

  async 'Data that cannot be used is explained, not drawn'() {
    const uneven = reproduction({count: 1});
    uneven.results[0].figures[0].curves[0].y.pop();
    for (const [data, explanation] of [[{...six, results: []}, /no result/], [uneven, /has not as many y as x/],
      [{...six, results: [{id: 'x', checks: []}]}, /"x" has no checks/]]) {
      const {page} = await opened('bad', template.split('__MIRAB_DATA__').join(JSON.stringify(data)));
      assert.equal(await state(page), 'failed');
      assert.match(await page.locator('[role=alert]').textContent(), explanation);
    }
  },
};

await run(checks);
