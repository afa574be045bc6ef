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

// One tab for all pages, which takes half the time of a tab for each: a page is left when the next one is opened.
const page = browser.pages()[0];

/** Opens a page that holds `data`; what it says on the console and what it asks of the network is kept. */
export async function opened(name, html, {width = 1280, scheme = 'light'} = {}) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  for (const event of ['console', 'pageerror', 'dialog', 'request']) page.removeAllListeners(event);
  const complaints = [];
  const requests = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('dialog', dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', request => requests.push(request.url()));
  await page.mouse.move(0, 0);
  await page.setViewportSize({width, height: 900});
  await page.emulateMedia({media: 'screen', colorScheme: scheme});
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-mirab]', {state: 'attached', timeout: 30_000});
  await pictured(name, width, scheme);
  return {page, complaints, requests: requests.filter(url => url !== pathToFileURL(file).href && !url.startsWith('data:'))};
}

async function pictured(name, width, scheme) {
  if (given.pictures) await page.screenshot({path: join(given.pictures, `${name}-${width}-${scheme}.png`), fullPage: true});
}

export const report = (name, data, view) => opened(name, filledTemplate(template, data), view);
export const state = (page) => page.evaluate(() => document.documentElement.dataset.mirab);
export const chart = (heading) => `section:has(h2:text-is("${heading}")) .chart`;

/**
 * Opens the page at the width of a telephone, scrolls through it, and widens it: `check` is called for both widths, in light
 * and in dark, on the page with all its charts drawn.
 */
export async function everyLook(name, data, check) {
  const seen = await report(name, data, {width: 390});
  for (const width of [390, 1280]) {
    for (const scheme of ['light', 'dark']) {
      await page.setViewportSize({width, height: 900});
      await page.emulateMedia({media: 'screen', colorScheme: scheme});
      await scrolledThrough(page);
      await pictured(`${name}-drawn`, width, scheme);
      await check(seen, width);
    }
  }
}

/** Scrolls through the page until every chart has been near, and is drawn. */
export async function scrolledThrough(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();  // a resized chart has been redrawn
    for (const host of document.querySelectorAll('.chart')) {
      if (host.querySelector('svg')) continue;
      host.scrollIntoView({block: 'start'});
      await frame();
      await frame();  // what is near has been told
    }
  });
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
  }
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
  console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks passed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
