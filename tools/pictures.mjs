#!/usr/bin/env node
// Draws the pictures of the pages in docs/images, in headless Chromium: report.png, simulate.png and overlay.png from the
// examples, live-*.png from the demo. The numbers are the program's; run it again when the pages or the examples change.
// Usage: tools/pictures.mjs [BUILD [PICTURE...]]    with a build that has the program and the pages; default build/dev;
//                                                   PICTURE: report, simulate, overlay, live; default all
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const [given_build, ...wanted] = process.argv.slice(2);
const build = resolve(given_build ?? join(source, 'build/dev'));
const {chromium} = createRequire(join(build, 'src/report/page/npm/package.json'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'mirab-pictures-'));
const browser = await chromium.launch({executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', '--disable-gpu']});

/** The page that a command reports, at this width. */
async function reported(name, width, ...command) {
  const file = join(folder, `${name}.html`);
  execFileSync(join(build, 'mirab'), [...command, '--report', file, '-o', '/dev/null'], {cwd: source, stdio: 'inherit'});
  // The footer has a date, and the command this folder.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(file, `${name}.html`).replace(/"made":"[^"]*"/, '"made":""'));
  const page = await browser.newPage({viewport: {width, height: 6000}, colorScheme: 'light', reducedMotion: 'reduce'});
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-mirab]', {state: 'attached'});
  return page;
}

const warm_up = 100;  // ticks of the overlay's example in which views alone are exchanged
const image = name => join(source, 'docs/images', name);

/** From the top of the page to the end of the section with this heading. */
async function picture(page, name, last_heading) {
  await page.waitForTimeout(2000);  // charts are drawn when they come near; all are, in a window as high as this
  const end = await page.locator('section', {has: page.getByRole('heading', {name: last_heading, exact: true})}).last().boundingBox();
  const {width} = page.viewportSize();
  await page.screenshot({path: image(name), fullPage: true, clip: {x: 0, y: 0, width, height: Math.ceil(end.y + end.height) + 16}});
}

async function report() {
  const mechanisms = ['max-min', 'drf', 'asset', 'pf'].flatMap(name => ['-m', name]);
  const page = await reported('report', 1180, 'allocate', 'examples/google2011-100x20.yaml', ...mechanisms, '--fill', 'drf', '--fill', 'fifo');
  await picture(page, 'report.png', 'Task by task');
}

async function simulate() {
  const page = await reported('simulate', 1180, 'simulate', 'examples/trace-google2011-hour.yaml');
  await picture(page, 'simulate.png', 'How long it took');
}

/** One run, two ticks after its servers met and a thousand ticks later. */
async function overlay() {
  const page = await reported('overlay', 1000, 'simulate', 'examples/overlay-google2011.yaml');
  await page.getByLabel('Compare with').selectOption({label: 'none'});
  await page.getByLabel(/^Run/).selectOption({label: 'pdgdrf'});
  const slider = page.getByLabel('Frame');
  const frames = Number(await slider.getAttribute('max'));
  const go = async frame => {
    await slider.evaluate((input, at) => { input.value = String(at); input.dispatchEvent(new Event('input')); }, frame);
    return page.locator('.frame-words').textContent();
  };
  // Frames are a sample of the ticks: the nearest one is taken.
  const tickOf = words => Number(/\d[\d,.]*/.exec(words)[0].replaceAll(',', '')) * (words.startsWith('warm-up') ? -1 : 1);
  const ticks = [];
  for (let frame = 0; frame <= frames; ++frame) ticks.push(tickOf(await go(frame)));
  const panes = [];
  for (const tick_wanted of [2 - warm_up, 1000 - warm_up]) {
    const nearest = ticks.reduce((best, tick, frame) => Math.abs(tick - tick_wanted) < Math.abs(ticks[best] - tick_wanted) ? frame : best, 0);
    console.log(`overlay.png: ${await go(nearest)}; ${await page.locator('.overlay-pane .quiet').first().textContent()}`);
    panes.push((await page.locator('.overlay-pane').first().screenshot()).toString('base64'));
  }
  const images = panes.map(pane => `<img src="data:image/png;base64,${pane}" style="width: 490px">`).join('');
  const both = await browser.newPage({viewport: {width: 1000, height: 600}});
  await both.setContent(`<body style="margin: 0; display: flex; gap: 20px; align-items: start; background: white">${images}</body>`);
  await both.locator('body').screenshot({path: image('overlay.png')});
}

/** The live page of the demo, once something waits and something is over. */
async function live() {
  const folder_of_demo = mkdtempSync(join(tmpdir(), 'mirab-live-'));
  const demo = spawn(join(build, 'mirab'), ['demo', '--speed', '60'], {cwd: folder_of_demo, stdio: ['ignore', 'pipe', 'ignore']});
  try {
    const said = await new Promise(given => {
      let text = '';
      demo.stdout.on('data', piece => {
        text += piece;
        if (text.includes('Ctrl-C')) given(text);
      });
    });
    const [address, token] = [/^address +(\S+)/m, /^token that may do all +(\S+)/m].map(pattern => pattern.exec(said)[1]);
    const page = await browser.newPage({viewport: {width: 1100, height: 720}, colorScheme: 'light', reducedMotion: 'reduce'});
    const open = async (hash, ready) => {
      await page.goto(`${address}#/${hash}`);
      await page.getByText(ready).first().waitFor();
      await page.waitForTimeout(1500);
    };
    await page.goto(address);
    await page.getByRole('textbox', {name: 'Token'}).fill(token);
    await page.getByRole('button', {name: 'Open'}).click();
    const below = page.getByText('is below its fair share').first();
    await below.waitFor({timeout: 120_000});
    await page.screenshot({path: image('live-now.png')});
    await below.getByRole('link').last().click();
    await page.locator('.verdict-box').waitFor();
    await page.getByText('Evidence').click();
    await page.waitForTimeout(1500);
    await page.screenshot({path: image('live-job.png')});
    await open('cluster', 'Servers as a table');
    const servers = await page.locator('.cell .cell-name').allTextContents();
    await open(`what-if?drain=${encodeURIComponent(servers.slice(0, 5).join(' '))}`, 'Show what would happen');
    await page.getByRole('button', {name: 'Show what would happen'}).click();
    await page.getByRole('region', {name: 'Before and after', exact: true}).waitFor();
    await page.screenshot({path: image('live-what-if.png')});
  } finally {
    demo.kill('SIGTERM');
    await new Promise(ended => demo.once('exit', ended));
    rmSync(folder_of_demo, {recursive: true, force: true});
  }
}

const pictures = {report, simulate, overlay, live};
try {
  for (const [name, draw] of Object.entries(pictures)) if (wanted.length === 0 || wanted.includes(name)) await draw();
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}
