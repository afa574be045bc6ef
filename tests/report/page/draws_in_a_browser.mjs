// Opens the built page in headless Chromium, with several reports, widths and colour schemes, and holds it to what a
// reader may expect. Each check is named by the sentence that it proves.
// Usage: node draws_in_a_browser.mjs --template report.html --packages DIR --chromium PROGRAM [--pictures DIR]
import assert from 'node:assert/strict';
import {chart, everyLook, opened, report, run, scrolledThrough, state, template} from './browser.mjs';
import {hostileNames, hostile_name, inherited_names, sixHundredUsers, twentyUsers, twoUsers, underInheritedNames} from './fixtures.mjs';

const [two, twenty, many] = [twoUsers(), twentyUsers(), sixHundredUsers()];

/** How many shapes of a colour a chart has that take room on the screen. */
function shapes(page, heading, colour, paint = 'fill') {
  return page.locator(`${chart(heading)} path[${paint}="var(--${colour})"]`).evaluateAll(paths =>
    paths.filter(path => { const box = path.getBoundingClientRect(); return box.width + box.height > 1; }).length);
}

const checks = {
  async 'Two users are drawn as one bar for each outcome'() {
    const {page} = await report('two', two);
    for (let outcome = 0; outcome < 3; ++outcome) {
      assert.equal(await shapes(page, 'Who gets what', `series-${outcome}`), 2);
      assert.equal(await shapes(page, 'How much is in use', `series-${outcome}`), 2);
    }
    assert.match(await page.locator(chart('Who gets what')).textContent(), /66\.7%.*90\.9%/s);
  },

  async 'Twenty users are drawn as one dot for each outcome, and their curves one by one'() {
    const {page} = await report('twenty', twenty);
    for (let outcome = 0; outcome < 5; ++outcome) {
      assert.equal(await shapes(page, 'Who gets what', `series-${outcome}`), 20);
      assert.equal(await shapes(page, 'How much is in use', `series-${outcome}`), 2);
    }
    let curves = 0;
    for (let rank = 0; rank < 7; ++rank) curves += await shapes(page, 'Task by task', `rank-${rank}`, 'stroke');
    assert.equal(curves, 20);
    assert.equal(await page.locator('section:has(h2:text-is("Every user")) tbody tr').count(), 20);
  },

  async 'Labels of lines that end at the same height do not cover each other'() {
    const data = twoUsers();
    const share = 0.5;
    const names = ['first', 'second', 'third'];
    data.problem.users = 3;
    for (const outcome of data.outcomes) {
      outcome.users = names.map(name => ({...outcome.users[0], name, dominant_share: share}));
      outcome.steps = names.map((user, at) => ({step: at + 1, user, server: 's', share}));
    }
    const {page} = await report('level', data);
    const labels = page.locator(`${chart('Task by task')} text`).filter({hasText: /^(first|second|third)$/});
    const boxes = (await labels.evaluateAll(texts => texts.map(text => text.getBoundingClientRect().toJSON()))).sort((a, b) => a.y - b.y);
    assert.equal(boxes.length, 3);
    for (const at of [1, 2]) assert.ok(boxes[at].y >= boxes[at - 1].bottom - 4, `${boxes[at].y} below ${boxes[at - 1].bottom}`);
  },

  async 'A name is cut between characters, and a wide table shows that it goes on'() {
    const data = twentyUsers();
    data.outcomes.forEach(outcome => { outcome.users[0].name = '👩‍👩‍👧‍👦'.repeat(30); });
    const {page} = await report('family', data, {width: 390});
    const labels = await page.locator('svg text').allTextContents();
    for (const label of labels.filter(text => text.includes('👩'))) assert.match(label, /^(👩‍👩‍👧‍👦)+…?$/u);
    assert.match(await page.locator('.scroll').first().evaluate(host => getComputedStyle(host).backgroundImage), /gradient.*gradient/);
  },

  async 'Who runs where is a bar for each server class, cut into the users who hold most and the others'() {
    const {page, complaints} = await report('twenty', twenty);
    const section = page.locator('section:has(h2:text-is("Who runs where"))');
    const pieces = async () => {
      let drawn = 0;
      for (let series = 0; series < 8; ++series) drawn += await shapes(page, 'Who runs where', `user-${series}`);
      return drawn;
    };
    assert.equal(await section.locator('.legend li').count(), 8);
    assert.match(await section.locator('.legend').textContent(), /13 other users/);
    assert.equal(await shapes(page, 'Who runs where', 'rest'), 5, 'the others hold something of each of the five classes');
    assert.ok(await pieces() > 12);
    const text = await section.locator('.chart').textContent();
    for (const {servers} of [twenty.outcomes[0]]) {
      const size = (server) => `cpu ${server.capacity.cpu}`;
      assert.ok(servers.every(server => text.includes(size(server))));
    }
    for (const choice of await section.locator('select').all()) {
      for (const value of await choice.locator('option').evaluateAll(options => options.map(option => option.value))) {
        await choice.selectOption(value);
        assert.ok(await pieces() >= 1, value);
      }
    }
    assert.deepEqual(complaints, []);
  },

  async 'Pieces of a bar are what the users hold of that class'() {
    const {page} = await report('twenty', twenty);
    const section = page.locator('section:has(h2:text-is("Who runs where"))');
    const outcome = twenty.outcomes[4];  // first come, first served: a few hold nearly all
    const richest = outcome.users.reduce((a, b) => b.dominant_share > a.dominant_share ? b : a);
    const [shown, resource, mark] = await section.locator('select').all();
    await shown.selectOption('4');
    await resource.selectOption('memory');
    await mark.selectOption(richest.name);
    const class_of = ({capacity}) => `cpu ${capacity.cpu} · memory ${capacity.memory}`;
    const held = new Map();
    const whole = new Map();
    for (const server of outcome.servers) {
      whole.set(class_of(server), (whole.get(class_of(server)) ?? 0) + server.capacity.memory);
      held.set(class_of(server), (held.get(class_of(server)) ?? 0) + (richest.servers[server.name]?.resources.memory ?? 0));
    }
    const expected = [...whole].map(([name, of]) => held.get(name) / of).filter(part => part > 0).sort((a, b) => a - b);
    const full = await section.locator('.chart svg').evaluate(svg => {
      const lines = [...svg.querySelectorAll('path')].map(path => path.getBBox()).filter(box => box.width === 0 && box.height > 100);
      return Math.max(...lines.map(box => box.x)) - Math.min(...lines.map(box => box.x));
    });
    const drawn = await page.locator(`${chart('Who runs where')} path[fill="var(--ink)"]`).evaluateAll(paths =>
      paths.map(path => path.getBBox().width).filter(width => width > 0));
    assert.ok(expected.length >= 2 && expected.at(-1) > 0.2, `${expected}`);
    assert.equal(drawn.length, expected.length);
    drawn.sort((a, b) => a - b).forEach((width, at) => assert.ok(Math.abs(width / full - expected[at]) < 0.0012, `${width / full}, ${expected[at]}`));
  },

  async 'The table of who runs where holds every task'() {
    const {page} = await report('twenty', twenty);
    const section = page.locator('section:has(h2:text-is("Who runs where"))');
    assert.equal(await section.locator('table').count(), 0, 'built when it is asked for');
    await section.locator('summary').click();
    await section.locator('tbody tr').first().waitFor();
    const [outcome] = await section.locator('select').all();
    await outcome.selectOption('2');
    for (const user of twenty.outcomes[2].users) {
      const cells = await section.locator('tbody tr').evaluateAll((lines, name) =>
        [...lines.find(line => line.querySelector('th').textContent === name).querySelectorAll('td')].map(cell => cell.textContent), user.name);
      assert.equal(cells.reduce((sum, cell) => sum + Number(cell.replace(',', '')), 0), user.tasks, user.name);
    }
  },

  async 'Six hundred users are drawn as one line for each outcome, and the equal split where it belongs'() {
    const {page} = await report('many', many);
    for (let outcome = 0; outcome < 3; ++outcome) {
      assert.ok(await shapes(page, 'Who gets what', `series-${outcome}`, 'stroke') >= 1, `outcome ${outcome} has a line`);
    }
    let curves = 0;
    for (let rank = 0; rank < 7; ++rank) curves += await shapes(page, 'Task by task', `rank-${rank}`, 'stroke');
    assert.equal(curves, 600);
    const [split, svg] = await Promise.all([page.locator(`${chart('Who gets what')} path[stroke-dasharray]`).boundingBox(),
      page.locator(chart('Who gets what')).boundingBox()]);
    assert.ok(split.y > svg.y + svg.height / 4 && split.y < svg.y + svg.height * 0.7, '1/600 stands among the decades');
    assert.equal(await page.locator('details:not([open]) tbody tr').count(), 600);
  },

  async 'Users of different weight get no line of an equal split'() {
    const line = `${chart('Who gets what')} path[stroke-dasharray]`;
    assert.equal(await (await report('two', two)).page.locator(line).count(), 1);
    const weighted = twoUsers();
    for (const outcome of weighted.outcomes) outcome.users[1].weight = 2;
    assert.equal(await (await report('weighted', weighted)).page.locator(line).count(), 0);
  },

  async 'Where all users have what they ask for, nothing on the page calls for equal shares'() {
    const content = twoUsers();
    for (const outcome of content.outcomes) {
      for (const user of outcome.users) Object.assign(user, {asked: user.tasks, satisfied: true});
      outcome.satisfied_users = outcome.satisfied_of = outcome.users.length;
    }
    const {page} = await report('content', content);
    assert.equal(await page.locator(`${chart('Who gets what')} path[stroke-dasharray]`).count(), 0);
    const words = await page.locator('main').textContent();
    assert.ok(words.includes('Every user has all it asks for: a small share is a small wish.'));
    assert.ok(!words.includes('Equal shares') && !words.includes('equal split'));
    assert.match(await page.locator('table tbody tr').first().textContent(), /2 of 2/);
    content.outcomes[1].users[1].satisfied = false;
    const short = await report('short-under-one', content);
    assert.equal(await short.page.locator(`${chart('Who gets what')} path[stroke-dasharray]`).count(), 1, 'short under the second outcome');
    assert.match(await short.page.locator('main').textContent(), /The dashed line is an equal split, 50(\.0)?%\./);
  },

  async 'A page fits the screen at both widths, asks nothing of the network, complains of nothing, and holds no number that went wrong'() {
    for (const [name, data] of [['two', two], ['twenty', twenty], ['many', many], ['hostile', hostileNames()]]) {
      await everyLook(name, data, async ({page, complaints, requests}, width) => {
        assert.equal(await state(page), 'drawn');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, name);
        assert.deepEqual([...complaints, ...requests], []);
        const text = await page.locator('main').textContent();
        assert.doesNotMatch(text, /\ufffd|NaN|undefined|null|Infinity|\[object/, name);
        assert.ok(text.length > 500);
      });
    }
  },

  async 'A dark screen gets dark paper and lighter marks'() {
    const looks = [];
    for (const scheme of ['light', 'dark']) {
      const {page} = await report('twenty', twenty, {scheme});
      looks.push(await page.evaluate(() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('.chart path[fill="var(--series-0)"]')).fill,
        getComputedStyle(document.querySelector('.chart text')).fill]));
    }
    const brightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    const [light, dark] = looks.map(look => look.map(brightness));
    assert.ok(light[0] > 700 && dark[0] < 120, `paper ${looks[0][0]} and ${looks[1][0]}`);
    assert.ok(dark[1] > light[1] && dark[2] > light[2], `marks ${looks}`);
  },

  async 'An infinite ratio is shown as such'() {
    const {page} = await report('twenty', twenty);
    assert.match(await page.locator('section:has(h2:text-is("The outcomes in numbers")) tbody tr').last().textContent(), /∞/);
  },

  async 'Who gets all it asks for is counted, and what others ask for beyond is a hollow piece of their bar'() {
    const asking = twoUsers();
    asking.made = 'mirab 0.1.0, 2026-11-23';
    for (const outcome of asking.outcomes) {
      const [a, b] = outcome.users;
      Object.assign(a, {asked: a.tasks, asked_share: a.dominant_share, satisfied: true});
      Object.assign(b, {asked: 3, asked_share: 1, satisfied: false});
      Object.assign(outcome, {satisfied_users: 1, metrics_short: null, lowest_share_short: b.dominant_share});
    }
    const {page, complaints} = await report('asking', asking);
    assert.match(await page.locator('header .lead').textContent(), /1 of 2 get all they ask for\./);
    assert.equal(await page.locator(`${chart('Who gets what')} path[fill="none"][stroke^="var(--series"]`).count(),
        asking.outcomes.length);
    const cells = await page.locator('section:has(h2:text-is("Every user")) tbody tr').first().textContent();
    assert.match(cells, /✓/);
    const numbers = await page.locator('section:has(h2:text-is("The outcomes in numbers")) table').textContent();
    assert.match(numbers, /lowest share/);
    assert.doesNotMatch(numbers, /Gini|∞/);
    assert.match(await page.locator('footer').textContent(), /mirab 0\.1\.0, 2026-11-23/);
    assert.deepEqual(complaints, []);
    for (const outcome of asking.outcomes) {
      Object.assign(outcome, {satisfied_users: 2, metrics_short: null, lowest_share_short: null});
      outcome.users[1].satisfied = true;
    }
    for (const outcome of asking.outcomes) {
      Object.assign(outcome, {satisfied_users: 1});
      Object.assign(outcome.users[1], {satisfied: false, waits_for: ['gpu', 'disk']});
    }
    const waiting = await report('waiting', asking);
    const lead = await waiting.page.locator('header .lead').textContent();
    assert.match(lead, /Waits for gpu and disk, which none of its servers has: B\./);
    assert.doesNotMatch(lead, /Short/);
    for (const outcome of asking.outcomes) {
      Object.assign(outcome, {satisfied_users: 2});
      Object.assign(outcome.users[1], {satisfied: true, waits_for: undefined});
    }
    const all = await report('content', asking);
    assert.match(await all.page.locator('header .lead').textContent(), /2 of 2 get all they ask for\.\s*$/);
    assert.doesNotMatch(await all.page.locator('section:has(h2:text-is("The outcomes in numbers"))').textContent(), /Gini|lowest share/);
  },

  async 'A notice of several outcomes is shown once'() {
    const noted = twoUsers();
    noted.outcomes[0].notices = ['one pool'];
    noted.outcomes[2].notices = ['one pool', 'no prices'];
    const {page} = await report('noted', noted);
    assert.deepEqual(await page.locator('.notices li').allTextContents(), ['drf, pf one pool', 'pf no prices']);
  },

  async 'A name that looks like markup stays text'() {
    const {page, complaints, requests} = await report('hostile', hostileNames());
    assert.equal(await state(page), 'drawn');
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('h1').textContent(), hostile_name);
    await page.locator(chart('Who gets what')).hover({position: {x: 300, y: 50}});
    await page.locator('.tooltip strong', {hasText: hostile_name}).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual([...complaints, ...requests], []);
  },

  async 'On a telephone a name is broken after its slash, and not within a word'() {
    const slashed = twoUsers();
    slashed.title = 'observability-team/kubernetes.yaml';
    for (const {users} of slashed.outcomes) users[0].name = 'observability/prometheus';
    const {page} = await report('slashed', slashed, {width: 390});
    for (const name of ['h1', 'section:has(h2:text-is("Every user")) tbody th']) {
      const lines = await page.locator(name).first().evaluate(cell => [...cell.childNodes].filter(({data}) => data).map(part => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return [part.data, range.getClientRects().length];
      }));
      assert.deepEqual(lines, name === 'h1' ? [['observability-team/', 1], ['kubernetes.yaml', 1]] :
        [['observability/', 1], ['prometheus', 1]]);
    }
  },

  async 'The page says that a user with task shapes is one, where the figures are of such'() {
    const shaped = twoUsers();
    const intro = 'section:has(h2:text-is("The outcomes in numbers"))';
    assert.doesNotMatch(await (await report('plain', shaped)).page.locator(intro).textContent(), /task shapes/);
    for (const {users} of shaped.outcomes) Object.assign(users[0], {name: 'shop/web', user: 'shop', shape: 'web'});
    assert.match(await (await report('shaped', shaped)).page.locator(intro).textContent(), /a user with task shapes is one/);
  },

  async 'A share that is not nothing is not shown as nothing'() {
    const small = twoUsers();
    small.outcomes[0].users[0].dominant_share = 0.0003;
    const {page} = await report('small', small);
    const cells = await page.locator('section:has(h2:text-is("Every user")) tbody tr').first().locator('td').allTextContents();
    assert.ok(cells.includes('<0.1%') && !cells.includes('0.0%'), cells.join(' '));
  },

  async 'Names that every object has are names like others'() {
    const server = twenty.outcomes[0].servers[0].name;
    for (const [data, names] of [[two, ['A', 'B', 'cpu', 'memory']], [twenty, ['cpu', 'memory', twenty.outcomes[0].users[0].name, server]]]) {
      const {page, complaints} = await report('inherited', underInheritedNames(data, names));
      assert.equal(await state(page), 'drawn');
      await scrolledThrough(page);
      assert.deepEqual(complaints, []);
      const text = await page.locator('main').textContent();
      for (const name of inherited_names.slice(0, 3)) assert.ok(text.includes(name), name);
      assert.doesNotMatch(text, /NaN|undefined|\[object|native code/);
      for (let outcome = 0; outcome < 3; ++outcome) {
        assert.equal(await shapes(page, 'Who gets what', `series-${outcome}`), data.outcomes[0].users.length);
        assert.equal(await shapes(page, 'How much is in use', `series-${outcome}`), 2);
      }
    }
  },

  async 'A user may be brought to the top with the keyboard'() {
    const {page} = await report('twenty', twenty);
    const table = page.locator('section:has(h2:text-is("Every user"))');
    const shares = async () => (await table.locator('tbody tr td:nth-child(4)').allTextContents()).map(parseFloat);
    await table.locator('thead tr:last-child th:nth-child(4) button').focus();
    await page.keyboard.press('Enter');
    const up = await shares();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    await page.keyboard.press('Enter');
    assert.deepEqual(await shares(), up.reverse());
  },

  async 'An outcome may be hidden, and the last one stays'() {
    const {page} = await report('two', two);
    const [first, second, third] = await page.locator('.chip').all();
    await first.click();
    assert.equal(await shapes(page, 'Who gets what', 'series-0'), 0);
    assert.equal(await shapes(page, 'Who gets what', 'series-1'), 2);
    await second.click();
    await third.click();
    assert.equal(await shapes(page, 'Who gets what', 'series-2'), 2);
    await first.click();
    assert.equal(await shapes(page, 'Who gets what', 'series-0'), 2);
  },

  async 'Every order and scale of the users can be drawn'() {
    const {page, complaints} = await report('twenty', twenty);
    const [order, scale] = await page.locator('section:has(h2:text-is("Who gets what")) select').all();
    for (const how of await scale.locator('option').evaluateAll(options => options.map(option => option.value))) {
      await scale.selectOption(how);
      for (const by of await order.locator('option').evaluateAll(options => options.map(option => option.value))) {
        await order.selectOption(by);
        const paint = by === 'rank' ? 'stroke' : 'fill';
        assert.ok(await shapes(page, 'Who gets what', 'series-0', paint) >= 1, `${by}, ${how}`);
      }
    }
    assert.deepEqual(complaints, []);
  },

  async 'A printed page keeps its charts within the paper'() {
    const {page} = await report('twenty', twenty, {scheme: 'dark'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const widths = await page.locator('.chart svg').evaluateAll(charts => charts.map(svg => svg.getBoundingClientRect().width));
    assert.ok(widths.length === 5 && widths.every(width => width <= 700), `${widths} px`);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  },

  async 'Data that cannot be used is explained, not drawn'() {
    const other_users = twoUsers();
    other_users.outcomes[1].users[0].name = 'C';
    const cases = [
      ['{"version": 1, ', /not JSON/],
      [JSON.stringify({...two, version: 2}), /version 1, and has 2/],
      [JSON.stringify({...two, outcomes: []}), /no outcome/],
      [JSON.stringify(other_users), /other users/],
    ];
    for (const [text, explanation] of cases) {
      const {page} = await opened('bad', template.split('__MIRAB_DATA__').join(text));
      assert.equal(await state(page), 'failed');
      assert.match(await page.locator('[role=alert]').textContent(), explanation);
      assert.equal(await page.locator('svg').count(), 0);
    }
  },
};

await run(checks);
