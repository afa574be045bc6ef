// Bundles src/ with the charting library into one HTML file that needs no network.
// Usage: node build.mjs --out FILE
import {createHash} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {bundle, script_options} from './shared/bundle.mjs';

const here = new URL('.', import.meta.url);
// Line ends as a browser reads them, since the script's hash is taken over what it sees.
const read = async (path) => (await readFile(new URL(path, here), 'utf8')).replaceAll('\r\n', '\n');
const {values: {out}} = parseArgs({options: {out: {type: 'string'}}});
if (!out) {
  console.error('usage: node build.mjs --out FILE');
  process.exit(2);
}

// The libraries' notices travel with their code; tslib's stands in its source and stays there.
const notice = `/*!
This page contains Apache ECharts, under the Apache License 2.0:
${await read('node_modules/echarts/NOTICE')}

and ZRender:
${await read('node_modules/zrender/LICENSE')}

and d3, in parts of Apache ECharts:
${await read('node_modules/echarts/licenses/LICENSE-d3')}
*/`;

// ZRender keeps the widths of texts in an object, by the text: '__proto__' and 'constructor' are found in an empty one.
const texts_as_keys = {
  name: 'texts-as-keys',
  setup({onLoad}) {
    onLoad({filter: /zrender[\\/]lib[\\/]core[\\/]LRU\.js$/}, async ({path}) => {
      const [before, ...after] = (await readFile(path, 'utf8')).split('this._map = {}');
      if (after.length !== 2) throw new Error(`${path} must make its map twice`);
      return {contents: [before, ...after].join('this._map = Object.create(null)'), loader: 'js'};
    });
  },
};

const script = await bundle(here, 'src/main.ts', {...script_options, plugins: [texts_as_keys], banner: {js: notice}});
const style = await bundle(here, 'src/page.css', {});

// The one script that may run is this one; nothing may be fetched.
const hash = createHash('sha256').update(script).digest('base64');
const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:`;

let page = await read('src/page.html');
for (const [slot, text] of [['%POLICY%', policy], ['/*%STYLE%*/', style], ['/*%SCRIPT%*/', script]]) {
  if (page.split(slot).length !== 2) throw new Error(`src/page.html must hold ${slot} once`);
  page = page.split(slot).join(text);
}
if (page.split('__MIRAB_DATA__').length !== 2) throw new Error('the page must hold the place of its data once');
await writeFile(out, page);
