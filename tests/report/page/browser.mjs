// Opens built pages in headless Chromium, and runs checks on them: what all tests of pages share.
// A test is called with --template report.html --packages DIR --chromium PROGRAM [--pictures DIR].
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';
import {filledTemplate} from './fixtures.mjs';

const {values: given} = parseArgs({options: {
  template: {type: 'string'}, packages: {type: 'string'}, chromium: {type: 'string'}, pictures: {type: 'string'},
}});
const {chromium} = createRequire(resolve(given.packages, 'package.json'))('playwright-core');
export const template = readFileSync(given.template, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'mirab-page-'));

const browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
  executablePath: given.chromium,
  headless: true,
  offline: true,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/** Opens a page that holds `data`; what it says on the console and what it asks of the network is kept. */
export async function opened(name, html, {width = 1280, scheme = 'light'} = {}) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  const page = await browser.newPage();
  const complaints = [];
  const requests = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('dialog', dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', request => requests.push(request.url()));
  await page.setViewportSize({width, height: 900});
  await page.emulateMedia({colorScheme: scheme});
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-mirab]', {state: 'attached', timeout: 30_000});
  if (given.pictures) await page.screenshot({path: join(given.pictures, `${name}-${width}-${scheme}.png`), fullPage: true});
  return {page, complaints, requests: requests.filter(url => url !== pathToFileURL(file).href && !url.startsWith('data:'))};
}

export const report = (name, data, view) => opened(name, filledTemplate(template, data), view);
export const state = (page) => page.evaluate(() => document.documentElement.dataset.mirab);
export const chart = (heading) => `section:has(h2:text-is("${heading}")) .chart`;

/** Scrolls through the page until every chart has been near, and is drawn. */
export async function scrolledThrough(page) {
  for (const host of await page.locator('.chart').all()) await host.evaluate(chart => chart.scrollIntoView({block: 'center'}));
  await page.waitForFunction(() => [...document.querySelectorAll('.chart')].every(host => host.offsetParent === null || host.querySelector('svg path')));
}

/** Runs the checks, each named by the sentence that it proves, and tells which fail. */
export async function run(checks) {
  let failed = 0;
  for (const [sentence, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`ok      ${sentence}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${sentence}\n${error.stack}`);
    }
    await Promise.all(browser.pages().map(page => page.close()));
  }
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
  console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks passed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
