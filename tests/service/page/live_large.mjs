// The live page on ten thousand servers, a thousand queues and a hundred thousand jobs: it opens, scrolls, finds, and
// reaches what lies beyond the first thousand. How fast is measured in bench/page.
import assert from 'node:assert/strict';
import {given, person, run} from './browser.mjs';
import {fillLargeCluster, queueName, size} from './large_cluster.mjs';
import {LiveService} from './live_service.mjs';

const service = new LiveService(given.program);
await service.start();
await fillLargeCluster(service);
const admin = await person(service);
const page = admin.page;
const patient = {timeout: 60_000};
const most_elements = 4000;
const [, second] = [0, 1].map(queueName);

const checks = {
  async 'Every page opens, and has no more in it than a screen can show'() {
    for (const address of ['now', 'queue/crowd', `queue/${second}`, 'queue/crowd/job/job-003000', 'cluster', 'cluster?server=node-00010', 'what-if', 'history', 'usage', 'fairness', 'log']) {
      await page.goto(`${service.url}/#/${address}`);
      await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('main').textContent.includes('Loading …'), null, patient);
      assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < most_elements, address);
    }
    assert.deepEqual(admin.complaints, []);
  },

  async 'A table of ten thousand servers scrolls to its end'() {
    await page.goto(`${service.url}/#/cluster`);
    const servers = page.getByRole('region', {name: 'Servers', exact: true});
    await servers.getByRole('link', {name: 'node-00000'}).waitFor(patient);
    await page.getByText('10,000 servers').waitFor(patient);
    assert.equal(await servers.getByRole('table').getAttribute('aria-rowcount'), String(size.servers + 1));
    assert.ok(await servers.locator('tr[data-row]').count() < 100);
    await servers.evaluate(region => { region.scrollTop = region.scrollHeight; });
    await servers.getByRole('link', {name: 'node-09999'}).waitFor(patient);
    await page.getByLabel('Find').fill('4242');
    await servers.getByRole('link', {name: 'node-04242'}).waitFor(patient);
    assert.equal(await servers.locator('tr[data-row]').count(), 1);
  },

  async 'Servers that were picked are those that a what-if drains'() {
    for (const number of ['04242', '04243']) {
      await page.getByLabel('Find').fill(number);
      await page.getByLabel(`Pick node-${number}`).check();
    }
    await page.getByRole('link', {name: 'What if they are drained?'}).click();
    await page.getByRole('button', {name: 'Do not drain node-04243'}).waitFor(patient);
  },

  async 'A thousand queues are one table that finds by name'() {
    await page.goto(`${service.url}/#/now`);
    await page.getByText(`in ${(size.queues + 1).toLocaleString('en-US')} queues`).waitFor(patient);
    await page.getByLabel('Find').fill(second);
    await page.getByRole('link', {name: second}).first().waitFor(patient);
  },

  async 'Jobs beyond the first two hundred are reached page by page, and by name'() {
    await page.goto(`${service.url}/#/queue/crowd`);
    await page.getByText('the first 200, in the order of their names; there are more; 4,000 jobs have not ended').waitFor(patient);
    for (const first of ['job-000200', 'job-000400', 'job-000600']) {
      await page.getByRole('link', {name: 'The next 200'}).click();
      await page.getByRole('link', {name: first}).waitFor(patient);
    }
    await page.getByRole('link', {name: 'Back to the first'}).click();
    await page.getByRole('link', {name: 'job-000000'}).waitFor(patient);
    await page.getByLabel('Name').fill('3999');
    await page.getByRole('link', {name: 'job-003999'}).waitFor(patient);
    assert.deepEqual(admin.complaints, []);
    assert.deepEqual(admin.foreign(), []);
  },
};

await run(checks, () => service.end());
