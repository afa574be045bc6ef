// Every page of the live page on a small cluster: the right numbers, for everybody, on every screen, and nothing of
// others. Each check is named by the sentence that it proves.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {everyLook, findings, given, person, pictured, row, run, wider} from './browser.mjs';
import {LiveService, fillCluster, jobPath} from './live_service.mjs';

const service = new LiveService(given.program);
await service.start();
await fillCluster(service);
const admin = await person(service);
const page = admin.page;

// Addresses, and a text that is there once the page is.
const pages = {
  now: ['#/now', 'hdrfh'],
  queue: ['#/queue/vision', 'detect-1'],
  job: ['#/queue/vision/job/gang-1', 'deep may use 12 gpu'],
  cluster: ['#/cluster?server=n0', 'What if it is drained?'],
  what_if: ['#/what-if?queue=vision&weight=4&like=n0&count=2', 'Show what would happen'],
  history: ['#/history', 'The numbers'],
  usage: ['#/usage', 'of all'],
  fairness: ['#/fairness', 'has more by'],
  log: ['#/log', 'web/zoned'],
};

const checks = {
  async 'Now shows what each queue has, its fair share and what waits'() {
    await admin.open(...pages.now);
    assert.match(await page.locator('.lead').textContent(), /42 tasks run and 12 wait,\s+in 3 queues on 6 servers/);
    assert.deepEqual((await row(page, 'vision')).slice(0, 6), ['vision', '50.0%', '37.0%', '+13.0', '8', '10']);
    assert.deepEqual((await row(page, 'ml')).slice(0, 6), ['ml', '25.0%', '25.0%', '0.0', '4', '0']);
    assert.deepEqual((await row(page, 'web')).slice(0, 6), ['web', '46.9%', '64.9%', '−18.1', '30', '2']);
    assert.match((await row(page, 'web'))[6], /^[\d.]+ (ms|s|min)( \d+ s)?$/);
    await page.getByText('web is below its fair share. Its job zoned waits: no server has room').waitFor();
    assert.deepEqual(await page.locator('.use-number').allTextContents(), ['76 of 128', '184Gi of 512Gi', '12 of 16']);
  },

  async 'A queue shows its groups, its jobs by state, and its share over time'() {
    await admin.open(...pages.queue);
    assert.deepEqual(await row(page, 'deep'), ['deep', '', '1', '75.0%', '16 cpu, 12 gpu, 64Gi memory', '–', '16 cpu, 12 gpu, 64Gi memory', '–', '12 gpu']);
    assert.deepEqual((await row(page, 'lab')).slice(2), ['2', '75.0%', '16 cpu, 12 gpu, 64Gi memory', '8 cpu', '8 cpu, 12 gpu, 64Gi memory', '–', '–']);
    assert.equal(await page.getByRole('img', {name: '12 gpu in use, limit 12'}).count(), 1);
    assert.equal((await row(page, 'vision'))[0], 'vision (queue)');
    await page.getByLabel('Bars of').selectOption('cpu');
    await page.getByRole('img', {name: '16 cpu in use, 8 guaranteed, 8 borrowed'}).waitFor();
    assert.deepEqual((await row(page, 'detect-1')).filter((_, at) => at !== 2).slice(0, 6), ['detect-1', 'running', '12', '8', '4', '0']);
    await page.getByLabel('State').selectOption('waiting');
    await page.getByRole('link', {name: 'detect-1'}).waitFor({state: 'detached'});
    assert.match(page.url(), /#\/queue\/vision\?resource=cpu&state=waiting$/);
    await page.reload();
    await admin.signIn();
    await page.getByRole('row', {name: /^gang-1 waiting/}).waitFor();
    assert.equal(await page.getByRole('link', {name: 'detect-1'}).count(), 0);
  },

  async 'Each job that waits has its reason in the list of jobs'() {
    await admin.open(...pages.queue);
    await page.getByRole('row', {name: /^gang-1 waiting/}).getByText('deep may use 12 gpu and no more').waitFor();
    await page.getByRole('row', {name: /^detect-1/}).getByText('deep may use 12 gpu and no more').waitFor();
    await admin.open('#/queue/ml', 'train-1');
    assert.equal((await row(page, 'train-1'))[2], '–');
  },

  async 'Now has the tree of groups, and a press on one shows its queues'() {
    await admin.open(...pages.now);
    await page.getByRole('region', {name: 'Groups, from the cluster down'}).getByRole('link', {name: 'lab'}).click();
    await page.getByText('Queues of the group lab').waitFor();
    assert.equal(await page.getByRole('region', {name: /^Queues/}).locator('tbody tr').count(), 2);
    assert.match(page.url(), /group=lab/);
  },

  async 'Usage has hours by queue, group and tenant, and saves them as CSV'() {
    await admin.open(...pages.usage);
    assert.equal((await row(page, 'web'))[0], 'web');
    await page.getByLabel(/^By/).selectOption('tenant');
    await page.getByRole('rowheader', {name: 'product'}).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', {name: 'Save as CSV'}).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    assert.match(text, /^tenant,cpu,memory,gpu\r\nproduct,/);
  },

  async 'A failure and a change of the policy are marks in the history'() {
    await service.ask('PUT', '/v1/servers/broken', {capacity: {cpu: 1}});
    await service.ask('DELETE', '/v1/servers/broken?failed=true');
    await service.ask('PUT', '/v1/cluster/policy', {discipline: 'tsf', placement: 'best-fit'});
    await admin.open(...pages.history);
    const marks = page.getByRole('list', {name: 'What happened meanwhile'});
    await marks.getByText('policy changed to tsf').waitFor();
    await marks.getByText('broken failed').waitFor();
  },

  async 'A job has one verdict, one step, and its evidence folded'() {
    await admin.open(...pages.job);
    assert.match(await page.locator('.verdict-box').textContent(), /It waits: deep may use 12 gpu and no more\.\s*What would help: a higher limit of deep for gpu/);
    assert.equal(await page.locator('.evidence dl').isVisible(), false);
    await page.getByText('Evidence').click();
    await page.getByText('6 tasks, with room for 3').waitFor();
    await admin.open('#/queue/ml/job/train-1', 'deadbeef');
    await page.getByRole('button', {name: /^Why t-\d+ was placed there/}).first().click();
    await page.locator('td.text').filter({hasText: /\w+ \w+/}).first().waitFor();
  },

  async 'What is not there is named'() {
    await admin.open('#/queue/ml/job/nothing', 'There is no job nothing in the queue ml that you may see.');
    assert.equal(await page.getByRole('heading', {name: 'Tasks'}).count(), 0);
    await admin.open('#/queue/nothing', 'There is no queue nothing that you may see.');
    await admin.open('#/cluster?server=nothing', 'There is no server nothing that you may see.');
  },

  async 'The cluster is a cell a server, with its fullness, and a drained one says so'() {
    await admin.open(...pages.cluster);
    assert.equal(await page.locator('.cell').count(), 6);
    await page.getByRole('link', {name: 'n0 50.0% of its cpu in use'}).waitFor();
    await page.getByRole('link', {name: /^n3 drained, 50.0% of its cpu in use$/}).waitFor();
    await page.getByLabel('Coloured by').selectOption('gpu');
    await page.getByRole('link', {name: 'n0 75.0% of its gpu in use'}).waitFor();
  },

  async 'What if tells shares and tasks before and after, and changes nothing'() {
    const before = await service.ask('GET', '/v1/cluster');
    await admin.open('#/what-if?like=n0&count=2', 'Show what would happen');
    await page.getByRole('button', {name: 'Show what would happen'}).click();
    await page.getByRole('region', {name: 'Before and after', exact: true}).waitFor();
    assert.deepEqual((await row(page, 'web')).slice(0, 6), ['web', '46.9%', '57.5%', '+10.6', '30', '32']);
    assert.equal((await service.ask('GET', '/v1/cluster')).totals.running, before.totals.running);
  },

  async 'Fairness compares mechanisms, History draws series, and the Log filters by its address'() {
    await admin.open('#/fairness?mechanism=hdrfh%20tsf', 'has more by');
    assert.deepEqual((await row(page, 'web')).slice(0, 4), ['web', '46.9%', '64.9%', '−18.1']);
    await admin.open(...pages.history);
    assert.equal(await page.locator('canvas').count(), 1);
    await admin.open('#/log?kind=job-submitted&queue=web', 'web/zoned');
    assert.equal(await page.locator('tbody tr').count(), 2);
    await page.locator('tbody summary').first().click();
    await page.getByText('"kind": "job-submitted"').first().waitFor();
    await admin.open('#/log?show=audit&queue=vision', 'job-put');
    assert.ok((await page.locator('tbody tr').first().textContent()).includes('token:admin'));
  },

  async 'Each page fits a telephone, has nothing that axe finds, and complains of nothing, in light and dark'() {
    for (const [name, address] of Object.entries(pages)) {
      await admin.open(...address);
      if (name === 'what_if') await page.getByRole('button', {name: 'Show what would happen'}).click();
      await admin.settled();
      await everyLook(admin, async (width, scheme) => {
        await pictured(page, `${name}-${width}-${scheme}`);
        assert.deepEqual(await wider(page), [], `${name} is wider than ${width} px`);
        // What is there depends on the width, and its contrast on the scheme.
        if (width === (scheme === 'light' ? 390 : 1280)) assert.deepEqual(await findings(page), [], `${name} at ${width} in ${scheme}`);
      });
    }
    assert.deepEqual(admin.complaints, []);
    assert.deepEqual(admin.foreign(), []);
  },

  async 'It is reached by keyboard alone'() {
    await admin.open(...pages.now);
    const names = [];
    for (let press = 0; press < 60; ++press) {
      await page.keyboard.press('Tab');
      names.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
    }
    for (const name of ['Cluster', 'Log', 'Queue', 'Fair share', 'vision', 'web']) assert.ok(names.includes(name), `${name} in ${names}`);
    await page.getByRole('link', {name: 'ml', exact: true}).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', {name: 'ml'}).waitFor();
  },

  async 'The files are small, compressed, named by their content, and may load nothing else'() {
    const archive = readFileSync(given.archive);
    assert.ok(archive.length <= 250 * 1024, `${archive.length} bytes`);
    const list = JSON.parse(archive.subarray(0, archive.indexOf(10)).toString());
    for (const {name, immutable} of list) {
      const answer = await fetch(`${service.url}/${name === '' ? '' : `page/${name}`}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-encoding'), 'gzip');
      assert.equal(answer.headers.get('cache-control'), immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      assert.match(answer.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';/);
      const text = await answer.text();
      const plain = await fetch(answer.url, {headers: {'Accept-Encoding': 'identity'}});
      assert.equal(plain.headers.get('content-encoding'), null);
      assert.equal(await plain.text(), text);
      if (name === '') assert.doesNotMatch(text, /<script>|<style|onload|https?:/);
    }
    assert.equal((await fetch(`${service.url}/page/other.js`)).status, 404);
  },

  async 'A page of a tenant shows nothing of another but name, weight and share'() {
    await service.ask('PUT', jobPath('web', 'canary-job'), {tasks: 1, demand: {cpu: 1}, labels: {canary: 'canary-label'}});
    const token = await service.tokenFor('team', {scopes: ['read', 'submit'], tenant: 'research'});
    const team = await person(service, {token});
    const answers = [];
    team.page.on('response', async response => answers.push(await response.text().catch(() => '')));
    for (const address of ['#/now', '#/queue/web', '#/queue/web/job/canary-job', '#/cluster?server=c0', '#/what-if', '#/history', '#/usage', '#/usage?by=tenant', '#/fairness', '#/log', '#/queue/vision']) {
      await team.open(address);
      if (!address.includes('canary')) assert.doesNotMatch(await team.page.locator('body').innerText(), /canary|product|zoned|serve-1/, address);
      else assert.doesNotMatch(await team.page.locator('body').innerText(), /canary-label|It waits/, address);
    }
    assert.doesNotMatch(answers.join('\n'), /canary-label|"tenant":"product"/);
    await team.open('#/now', 'hdrfh');
    assert.deepEqual((await row(team.page, 'web')).slice(4, 7), ['–', '–', '–']);
    assert.match(await team.page.locator('.lead').textContent(), /12 tasks of yours run and 10 wait,\s+in 2 queues on 6 servers/);
    assert.deepEqual(await team.page.locator('.use-number').allTextContents(), ['16 yours of 128', '64Gi yours of 512Gi', '12 yours of 16']);
    assert.deepEqual(await team.page.getByRole('region', {name: /^Queues/}).locator('tbody th').allTextContents(), ['vision', 'ml', 'web']);
    assert.match((await row(team.page, 'vision'))[6], /^[\d.]+ (ms|s|min)( \d+ s)?$/);
    assert.deepEqual(team.complaints, []);
    await team.end();
  },
};

await run(checks, () => service.end());
