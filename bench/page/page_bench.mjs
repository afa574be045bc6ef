// The live page in headless Chromium, which draws by software here: how soon it shows something, how smoothly it
// scrolls and finds on a large cluster, and how soon it shows a submit. Prints the entries of the summary.
// Called with --program mirab --packages DIR [--chromium PROGRAM].
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {browser, given, person} from '../../tests/service/page/browser.mjs';
import {fillLargeCluster, queueName} from '../../tests/service/page/large_cluster.mjs';
import {LiveService, fillCluster, jobPath} from '../../tests/service/page/live_service.mjs';

const goals = JSON.parse(readFileSync(fileURLToPath(new URL('goals.json', import.meta.url)), 'utf8'));
const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const measured = {};

/** Milliseconds from a submit until a queue's page shows it, on a small cluster. */
async function update() {
  const service = new LiveService(given.program);
  await service.start();
  await fillCluster(service);
  const admin = await person(service);
  await admin.open('#/queue/web', 'zoned');
  const times = [];
  for (let n = 0; n < 11; ++n) {
    await admin.page.waitForTimeout(2000);
    const begun = performance.now();
    await service.ask('PUT', jobPath('web', `new-${n}`), {tasks: 1, demand: {cpu: 1}});
    await admin.page.getByRole('link', {name: `new-${n}`, exact: true}).waitFor({timeout: 10_000});
    times.push((performance.now() - begun) / 1000);
  }
  await admin.end();
  await service.end();
  measured['service/page-update'] = median(times);
}

/** Frames a second while a table scrolls, or a name is typed into its field. */
function frames(page, act) {
  return page.evaluate(async kind => {
    const region = document.querySelector('.scroll.tall');
    const field = document.querySelector('main input[type=search]');
    const length_ms = 3000;
    const begun = performance.now();
    let drawn = 0;
    while (performance.now() - begun < length_ms) {
      if (kind === 'scroll') {
        region.scrollTop += 120;
        if (region.scrollTop + region.clientHeight > region.scrollHeight - 2) region.scrollTop = 0;
      } else if (drawn % 4 === 0) {
        field.value = ['', '1', '12', '123'][drawn / 4 % 4];
        field.dispatchEvent(new Event('input', {bubbles: true}));
      }
      await new Promise(requestAnimationFrame);
      drawn += 1;
    }
    return 1000 * drawn / (performance.now() - begun);
  }, act);
}

async function large() {
  const service = new LiveService(given.program);
  await service.start();
  console.error('page: filling the large cluster');
  await fillLargeCluster(service);
  const admin = await person(service);
  const paints = {};
  const rows = {};
  const scrolled = {};
  const found = {};
  for (const address of ['now', 'queue/crowd', `queue/${queueName(1)}`, 'cluster', 'usage', 'fairness', 'what-if', 'history', 'log']) {
    console.error(`page: ${address}`);
    const tab = await admin.context.newPage();
    await tab.goto(`${service.url}/#/${address}`);
    await tab.locator('h1').waitFor();
    await tab.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    paints[address] = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000);
    const has_table = ['now', 'queue/crowd', 'cluster', 'usage', 'fairness'].includes(address);
    if (has_table) {
      await tab.locator('tr[data-row]').first().waitFor({timeout: 60_000});
      rows[address] = await tab.evaluate(() => performance.now() / 1000);
      await tab.locator('.scroll.tall').first().waitFor({timeout: 60_000});
      await tab.waitForTimeout(3000);
      scrolled[address] = await frames(tab, 'scroll');
      if (address === 'now' || address === 'cluster') found[address] = await frames(tab, 'find');
    }
    await tab.close();
  }
  await admin.end();
  await service.end();
  const worst = (values, pick) => Object.entries(values).reduce((a, b) => pick(a[1], b[1]) === a[1] ? a : b);
  const told = values => Object.entries(values).map(([name, value]) => `${name} ${value.toPrecision(3)}`).join(', ');
  for (const [id, values, pick] of [['first-paint', paints, Math.max], ['rows', rows, Math.max], ['frames', scrolled, Math.min], ['find-frames', found, Math.min]]) {
    measured[`service/page-${id}`] = worst(values, pick)[1];
    console.error(`page: ${id}: ${told(values)}`);
  }
}

await update();
await large();
await browser.close();
console.log(JSON.stringify(goals.map(({id, unit, detail, at_most, at_least}) => ({
  id, value: measured[id], unit, goal: at_most === undefined ? `>= ${at_least}` : `<= ${at_most}`,
  holds: at_most === undefined ? measured[id] >= at_least : measured[id] <= at_most, detail,
}))));
