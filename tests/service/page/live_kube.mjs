// The live page on `mirab kube`, as tests/kube/page_test.py has started it: it is looked at without a token, and nothing
// can be changed there. Each check is named by the sentence that it proves.
import assert from 'node:assert/strict';
import {findings, given, person, pictured, row, run} from './browser.mjs';

const one = await person({url: given.url});
const page = one.page;

const checks = {
  async 'It asks for no token, and says that it is read-only'() {
    await one.open('#/now', '37.5%');
    assert.equal(await page.getByRole('textbox', {name: 'Token'}).count(), 0);
    await page.getByText('read-only', {exact: true}).waitFor();
    assert.equal(await page.getByRole('button', {name: 'Forget the token'}).count(), 0);
    await pictured(page, 'kube_now');
  },

  async 'A second tab is as the first'() {
    const tab = await one.tab('#/now');
    await tab.getByText('read-only', {exact: true}).waitFor();
    await tab.getByText('live', {exact: true}).first().waitFor();
    await tab.close();
  },

  async 'Now shows what each namespace has'() {
    await one.open('#/now', '37.5%');
    assert.deepEqual((await row(page, 'a')).filter((_, n) => n < 2), ['a', '37.5%']);
    assert.match(await page.locator('.lead').textContent(), /2 tasks run and 3 wait,\s+in 2 queues on 2 servers/);
  },

  async 'A pod has its verdict, and its condition among the evidence'() {
    await one.open('#/queue/a/job/three', 'no server has room');
    await page.getByText('Evidence').click();
    await page.getByText('0/2 nodes are available: 2 Insufficient cpu').waitFor();
    await one.open('#/queue/a/job/one', 'Nothing of it waits');
    assert.equal(await page.getByRole('button', {name: 'Explain'}).count(), 0);
  },

  async 'What if can be tried, and not be applied'() {
    await one.open('#/what-if?drain=n0', 'Show what would happen');
    await page.getByRole('button', {name: 'Show what would happen'}).click();
    await page.getByRole('region', {name: 'Before and after', exact: true}).waitFor();
    assert.equal(await page.getByRole('button', {name: 'Apply it'}).count(), 0);
    await pictured(page, 'kube_what_if');
  },

  async 'Every page is there, and axe finds nothing wrong with it'() {
    for (const name of ['now', 'cluster', 'what-if', 'history', 'fairness', 'log', 'queue/a', 'queue/b/job/port']) {
      await one.open(`#/${name}`);
      assert.deepEqual(await findings(page), [], name);
    }
  },

  async 'It complains of nothing and asks nothing elsewhere'() {
    assert.deepEqual(one.complaints, []);
    assert.deepEqual(one.foreign(), []);
  },
};

await run(checks, () => one.end());
