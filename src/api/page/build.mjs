// Bundles the live page, its style and its worker, and writes them compressed into one archive: a line of JSON that
// lists the files, then their bytes one after the other. Names hold the hash of the content.
// Usage: node build.mjs --out FILE
import {createHash} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {gzipSync} from 'node:zlib';
import {transform} from 'esbuild';
import {compile, compileModule} from 'svelte/compiler';
import {bundle, script_options} from './shared/bundle.mjs';

const here = new URL('.', import.meta.url);
const read = async (path) => (await readFile(new URL(path, here), 'utf8')).replaceAll('\r\n', '\n');
const {values: {out}} = parseArgs({options: {out: {type: 'string'}}});
if (!out) {
  console.error('usage: node build.mjs --out FILE');
  process.exit(2);
}

const notice = `/*!
This page contains Svelte:
${await read('node_modules/svelte/LICENSE.md')}

and uPlot:
${await read('node_modules/uplot/LICENSE')}
*/`;

/** Components, and modules whose names say that they hold runes. */
const svelte = {
  name: 'svelte',
  setup({onLoad}) {
    onLoad({filter: /\.svelte$/}, async ({path}) => {
      const {js, warnings} = compile(await readFile(path, 'utf8'), {filename: path, generate: 'client', css: 'external', dev: false});
      if (warnings.length > 0) throw new Error(warnings.map(String).join('\n'));
      return {contents: js.code, loader: 'js'};
    });
    onLoad({filter: /\.svelte\.ts$/}, async ({path}) => {
      const plain = await transform(await readFile(path, 'utf8'), {loader: 'ts', target: 'es2022', tsconfigRaw: {compilerOptions: {verbatimModuleSyntax: true}}});
      return {contents: compileModule(plain.code, {filename: path, generate: 'client', dev: false}).js.code, loader: 'js'};
    });
  },
};
const options = {...script_options, plugins: [svelte], conditions: ['svelte', 'browser', 'production'], mainFields: ['browser', 'module', 'main']};

const files = [];
function add(name, type, text, immutable = true) {
  files.push({name, type, immutable, bytes: gzipSync(text, {level: 9})});
  return name;
}
const named = (stem, ending, text) => `${stem}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.${ending}`;

const worker_text = await bundle(here, 'src/worker.ts', options);
const worker = add(named('worker', 'js', worker_text), 'text/javascript; charset=utf-8', worker_text);
const script_text = await bundle(here, 'src/main.ts', {...options, banner: {js: notice},
  define: {...options.define, WORKER_PATH: JSON.stringify(`/page/${worker}`)}});
const script = add(named('live', 'js', script_text), 'text/javascript; charset=utf-8', script_text);
const style_text = await bundle(here, 'src/live.css', {});
const style = add(named('live', 'css', style_text), 'text/css; charset=utf-8', style_text);

let page = await read('src/live.html');
for (const [slot, text] of [['%STYLE%', `/page/${style}`], ['%SCRIPT%', `/page/${script}`]]) {
  if (page.split(slot).length !== 2) throw new Error(`src/live.html must hold ${slot} once`);
  page = page.split(slot).join(text);
}
add('', 'text/html; charset=utf-8', page, false);

const list = files.map(({bytes, ...file}) => ({...file, size: bytes.length}));
await writeFile(out, Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...files.map(file => file.bytes)]));
