// The live page while the cluster changes: a submit, a restart, several tabs, and names that would do harm as markup.
import assert from 'node:assert/strict';
import {given, person, row, run, wider} from './browser.mjs';
import {LiveService, fillCluster, jobPath} from './live_service.mjs';

const service = new LiveService(given.program);
await service.start();
await fillCluster(service);
const admin = await person(service);
const soon = {timeout: 10_000};
const small = {tasks: 1, demand: {cpu: 1}};

async function watchers() {
  const answer = await fetch(`${service.url}/metrics`, {headers: {Authorization: `Bearer ${service.token}`}});
  return Number(/^mirab_watchers (\d+)/m.exec(await answer.text())[1]);
}

const checks = {
  async 'A submit shows within ten seconds, in the queue and in the log'() {
    await admin.open('#/queue/web', 'zoned');
    const log = await admin.tab('#/log');
    await log.getByText('web/zoned').first().waitFor();
    await service.ask('PUT', jobPath('web', 'just-now'), small);
    await admin.page.getByRole('link', {name: 'just-now'}).waitFor(soon);
    await log.getByText('web/just-now').first().waitFor(soon);
    await log.close();
    assert.deepEqual(admin.complaints, []);
  },

  async 'Without shared workers one tab reads the stream for all, a new one needs no token, and another leads when it closes'() {
    const before = await watchers();
    const other = await person(service, {without: 'SharedWorker'});
    const second = await other.tab('#/queue/web');
    await second.getByText('zoned').first().waitFor(soon);
    assert.equal(await watchers(), before + 1);
    await other.page.close();
    await service.ask('PUT', jobPath('web', 'after-leader'), small);
    await second.getByRole('link', {name: 'after-leader'}).waitFor(soon);
    assert.equal(await watchers(), before + 1);
    const third = await other.tab('#/now');
    await third.getByText('live', {exact: true}).first().waitFor(soon);
    await third.getByRole('button', {name: 'Forget the token'}).click();
    await second.getByRole('heading', {name: 'A token is needed'}).waitFor(soon);
    assert.equal(await second.evaluate(() => sessionStorage.length), 0);
    assert.deepEqual(other.complaints, []);
    await other.end();
  },

  async 'A token that is not taken is refused in words, and one that is revoked leads back to the question'() {
    const secret = await service.tokenFor('short', {scopes: ['read'], tenant: 'research'});
    const team = await person(service, {token: secret});
    await service.ask('DELETE', '/v1/tokens/short');
    await team.page.getByText('The service does not take this token.').waitFor(soon);
    await team.end();
  },

  async 'While the service is away the page says since when it is stale, and recovers'() {
    await admin.open('#/queue/web', 'zoned');
    await service.stop();
    await admin.page.getByText(/What you see is stale since \d\d:\d\d:\d\d/).waitFor(soon);
    assert.ok(await admin.page.getByRole('link', {name: 'zoned'}).isVisible());
    await service.start();
    await admin.page.getByText('live', {exact: true}).first().waitFor({timeout: 20_000});
    assert.equal(await admin.page.locator('.banner').count(), 0);
    await service.ask('PUT', jobPath('web', 'after-restart'), small);
    await admin.page.getByRole('link', {name: 'after-restart'}).waitFor(soon);
    assert.deepEqual(admin.complaints, []);
  },

  async 'What was tried is applied by those who may, and changes nothing else'() {
    const [before, server] = [await service.ask('GET', '/v1/queues/vision'), await service.ask('GET', '/v1/servers/n2')];
    await admin.open('#/what-if?queue=vision&weight=3&drain=n2', 'Show what would happen');
    assert.equal(await admin.page.getByRole('button', {name: 'Apply it'}).count(), 0);
    await admin.page.getByRole('button', {name: 'Show what would happen'}).click();
    await admin.page.getByRole('button', {name: 'Apply it'}).click();
    await admin.page.getByText('On the cluster itself the weight of vision becomes 3 and n2 takes no new tasks.').waitFor();
    assert.equal((await service.ask('GET', '/v1/queues/vision')).weight, before.weight, 'not before it was asked once more');
    await admin.page.getByRole('button', {name: 'Do it'}).click();
    await admin.page.getByText('Applied.').waitFor(soon);
    const [after, drained] = [await service.ask('GET', '/v1/queues/vision'), await service.ask('GET', '/v1/servers/n2')];
    assert.deepEqual([after.weight, after.group, after.tenant, after.limit], ['3', before.group, before.tenant, before.limit]);
    assert.deepEqual([drained.state, drained.capacity, drained.labels], ['drained', server.capacity, server.labels]);
    await admin.page.getByRole('button', {name: 'Undo it'}).click();
    await admin.page.getByText('Undone.').waitFor(soon);
    assert.deepEqual(await Promise.all([service.ask('GET', '/v1/queues/vision'), service.ask('GET', '/v1/servers/n2')])
        .then(([queue, its]) => [queue.weight, its.state]), [before.weight, server.state]);
    await service.ask('PUT', '/v1/servers/n2', {capacity: server.capacity, labels: server.labels, state: 'drained'});
    await admin.open('#/cluster?server=n2', 'Open it again');
    await admin.page.getByRole('button', {name: 'Open it again'}).click();
    await admin.page.getByRole('link', {name: 'What if it is drained?'}).waitFor(soon);
    assert.deepEqual(admin.complaints, []);
  },

  async 'A server whose name has a space is drained, and what its executor changed meanwhile stays'() {
    const target = '/v1/servers/rack%201';
    await service.ask('PUT', target, {capacity: {cpu: 8}});
    await admin.open('#/cluster?server=rack+1', 'What if it is drained?');
    await admin.page.getByRole('link', {name: 'What if it is drained?'}).click();
    await admin.page.getByRole('button', {name: 'Do not drain rack 1'}).waitFor(soon);
    await admin.page.getByRole('button', {name: 'Show what would happen'}).click();
    await admin.page.getByRole('button', {name: 'Apply it'}).click();
    let puts = 0;
    await admin.page.route(`**${target}`, async route => {
      if (route.request().method() === 'PUT' && ++puts === 1) await service.ask('PUT', target, {capacity: {cpu: 6}});
      await route.continue();
    });
    await admin.page.getByRole('button', {name: 'Do it'}).click();
    await admin.page.getByText('Applied.').waitFor(soon);
    await admin.page.unroute(`**${target}`);
    const its = await service.ask('GET', target);
    assert.deepEqual([its.state, its.capacity.cpu, puts], ['drained', '6', 2]);
    await service.ask('DELETE', target);
    // The answer 412 is a complaint of the browser's console.
    admin.complaints.splice(0);
  },

  async 'Names and values that are markup, or very long, do no harm'() {
    const markup = '<img src=x onerror=alert(1)>';
    const long = 'x'.repeat(253);
    await service.ask('PUT', `/v1/queues/${encodeURIComponent(markup)}`, {tenant: 'research'});
    await service.ask('PUT', `/v1/queues/${long}`, {tenant: 'research'});
    await service.ask('PUT', '/v1/queues/__proto__', {tenant: 'research'});
    await service.ask('PUT', `/v1/servers/${encodeURIComponent(markup)}`, {capacity: {cpu: 4}, labels: {[markup.slice(0, 20)]: markup}});
    await service.ask('PUT', jobPath(markup, markup), {...small, labels: {a: markup}, spec: {argv: [markup, 'y'.repeat(10_000)]}});
    await service.ask('PUT', jobPath(long, long), {tasks: 40, demand: {cpu: 4}, labels: {a: 'z'.repeat(255)}});
    await admin.page.setViewportSize({width: 390, height: 900});
    const addresses = ['now', 'cluster', `cluster?server=${encodeURIComponent(markup)}`, 'what-if', 'history', 'usage', 'fairness', 'log', 'queue/__proto__',
      ...[markup, long].flatMap(name => [`queue/${encodeURIComponent(name)}`, `queue/${encodeURIComponent(name)}/job/${encodeURIComponent(name)}`]),
      `${encodeURIComponent(markup)}`, '%E0%A4%A', 'queue', 'queue//job/', 'history?of=%00&window=constructor&series=__proto__'];
    for (const address of addresses) {
      await admin.open(`#/${address}`);
      assert.equal(await admin.page.locator('img').count(), 0, address);
      assert.deepEqual(await wider(admin.page), [], `${address} is wider than the screen`);
    }
    await admin.page.setViewportSize({width: 1280, height: 900});
    await admin.open('#/now', markup);
    assert.equal((await row(admin.page, '__proto__'))[0], '__proto__');
    assert.deepEqual(admin.complaints, []);
    assert.deepEqual(admin.foreign(), []);
  },

  async 'A list that is cut says so, and six hundred servers are shown by class'() {
    const jobs = Array.from({length: 1000}, (_, n) => ({queue: 'web', name: `many-${n}`, ...small}));
    for (const letter of ['a', 'b']) await service.ask('POST', '/v1/jobs:submit', {jobs: jobs.map(job => ({...job, name: `${letter}-${job.name}`}))});
    await Promise.all(Array.from({length: 600}, (_, n) => service.ask('PUT', `/v1/servers/s${n}`, {capacity: {cpu: n % 2 ? 8 : 4, memory: '8Gi'}})));
    await admin.open('#/queue/web', 'the first 200, in the order of their names; there are more');
    await admin.page.getByRole('link', {name: 'The next 200'}).click();
    await admin.page.getByText('200 jobs further on').waitFor(soon);
    await admin.page.getByRole('link', {name: 'Back to the first'}).click();
    await admin.page.getByLabel('Name').fill('b-many-999');
    await admin.page.getByRole('link', {name: 'b-many-999'}).waitFor(soon);
    await admin.open('#/cluster', 'Servers of the same size stand together');
    assert.equal((await row(admin.page, '8 cpu, 8Gi memory'))[1], '300');
    await admin.page.getByText('Servers as a table').click();
    await admin.page.getByRole('region', {name: 'Servers', exact: true}).waitFor({state: 'hidden'});
    await admin.page.getByText('Servers as a table').click();
    await admin.page.getByLabel('Pick s1', {exact: true}).check();
    await admin.page.getByText('1 server picked').waitFor(soon);
    assert.deepEqual(admin.complaints, []);
  },

  async 'A second tab needs no token, both share one stream, and closing all forgets the token'() {
    const second = await admin.tab('#/now');
    await second.getByRole('link', {name: 'vision'}).first().waitFor(soon);
    assert.equal(await watchers(), 1);
    await second.getByRole('button', {name: 'Forget the token'}).click();
    await admin.page.getByRole('heading', {name: 'A token is needed'}).waitFor(soon);
    assert.equal(await admin.page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
    await admin.end();
  },
};

await run(checks, () => service.end());
