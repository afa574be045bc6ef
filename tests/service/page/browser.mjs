// The live page in headless Chromium, as all its tests open it.
// A test is called with --program mirab (or --url URL of what runs) --archive FILE --packages DIR --chromium PROGRAM [--pictures DIR].
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';

export const {values: given} = parseArgs({options: {
  program: {type: 'string'}, url: {type: 'string'}, archive: {type: 'string'}, packages: {type: 'string'}, chromium: {type: 'string'}, pictures: {type: 'string'},
}});
const required = createRequire(resolve(given.packages, 'package.json'));
const {chromium} = required('playwright-core');
const axe = readFileSync(required.resolve('axe-core/axe.min.js'), 'utf8');

export const browser = await chromium.launch({
  executablePath: given.chromium,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/** A browser of its own (tabs share a worker), in which everything it says and asks for is kept. No token: none is asked. */
export async function person(service, {token = service.token, without} = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, colorScheme: 'light'});
  if (without) await context.addInitScript(name => { delete globalThis[name]; }, without);
  const seen = {complaints: [], requests: [], context};
  seen.tab = async (hash = '') => {
    const page = await context.newPage();
    page.on('pageerror', error => seen.complaints.push(String(error)));
    page.on('dialog', dialog => { seen.complaints.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on('console', message => {
      // What a token may not do is answered 403, which the browser tells; a service that is away, as well.
      if (['error', 'warning'].includes(message.type()) && !/Failed to load resource/.test(message.text())) seen.complaints.push(message.text());
    });
    await page.goto(`${service.url}/${hash}`);
    return page;
  };
  context.on('request', request => seen.requests.push(request.url()));
  const unanswered = new Set();  // of this tab: nothing tells of those of a tab that was closed
  /** Waits until every answer is there, and drawn. */
  seen.settled = async () => {
    const end = Date.now() + 60_000;
    do {
      await drawn(seen.page);
      if (Date.now() > end) throw new Error(`no answer in 60 s to ${[...unanswered].map(request => request.url()).join(', ')}`);
    } while (unanswered.size > 0);
    await drawn(seen.page);
  };
  seen.signIn = async () => {
    await seen.page.getByRole('textbox', {name: 'Token'}).fill(token);
    await seen.page.getByRole('button', {name: 'Open'}).click();
  };
  seen.page = await seen.tab();
  seen.page.on('request', request => {
    if (/\/v1\/(?!events$)/.test(new URL(request.url()).pathname)) unanswered.add(request);
  });
  for (const event of ['requestfinished', 'requestfailed']) seen.page.on(event, request => unanswered.delete(request));
  if (token !== undefined) await seen.signIn();
  await seen.page.getByText('live', {exact: true}).first().waitFor();
  /** Opens a page by its address, and waits until nothing of it is loading. */
  seen.open = async (hash, ready) => {
    // To go where it is would load it again, and forget the token.
    if (seen.page.url() !== `${service.url}/${hash}`) await seen.page.goto(`${service.url}/${hash}`);
    await seen.page.locator('h1').waitFor();
    if (ready) await seen.page.getByText(ready).first().waitFor({timeout: 10_000});
    await seen.page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading …'));
    await seen.settled();
  };
  seen.foreign = () => seen.requests.filter(url => new URL(url).origin !== service.url);
  seen.end = () => context.close();
  return seen;
}

/** Two frames later all that changed is laid out. */
function drawn(page) {
  return page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Shows the page of the moment at each width, in light and dark, without a load of its own for each. */
export async function everyLook({page}, check) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme: scheme});
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({width, height: 900});
      await drawn(page);
      await check(width, scheme);
    }
  }
  await page.emulateMedia({colorScheme: 'light'});
  await page.setViewportSize({width: 1280, height: 900});
}

/** What makes a page wider than its window. */
export function wider(page) {
  return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth ? [] :
    [document.documentElement.scrollWidth, ...[...document.querySelectorAll('body *')].filter(each => !each.closest('.scroll') && each.getBoundingClientRect().right > innerWidth + 1)
      .map(each => `${each.tagName}.${each.className}`).slice(0, 5)]);
}

/** What axe finds wrong. */
export async function findings(page) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(axe);
  const {violations} = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
  return violations.map(({id, nodes}) => `${id}: ${nodes.map(node => node.html).slice(0, 3).join(' | ')}`);
}

export async function pictured(page, name) {
  if (given.pictures) await page.screenshot({path: join(given.pictures, `${name}.png`), fullPage: true});
}

/** The texts of a row of a table that begins with `name`. */
export async function row(page, name) {
  const cells = page.locator('tbody tr').filter({has: page.locator(`th[title=${JSON.stringify(name)}]`)}).first().locator('th, td');
  return (await cells.allTextContents()).map(text => text.trim());
}

/** Runs the checks, each named by the sentence that it proves, and tells which fail. */
export async function run(checks, end) {
  let failed = 0;
  for (const [sentence, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`ok      ${sentence}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${sentence}\n${error.stack}`);
    }
  }
  await browser.close();
  await end();
  console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks passed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
