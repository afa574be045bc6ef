// Amounts as the pages write them: the cases that hold for the terminal too (tests/amounts.json).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

const {values} = parseArgs({options: {packages: {type: 'string'}, cases: {type: 'string'}}});
const {buildSync} = createRequire(join(values.packages, 'package.json'))('esbuild');
const built = buildSync({entryPoints: [join(values.packages, 'shared/format.ts')], bundle: true, write: false, format: 'esm', charset: 'utf8'});
const {amount, serviceAmount} = await import('data:text/javascript;base64,' + Buffer.from(built.outputFiles[0].contents).toString('base64'));
const {cases, of_service} = JSON.parse(readFileSync(values.cases, 'utf8'));
for (const [value, all, text] of cases) assert.equal(amount(value, all).replaceAll(',', ''), text, `${value} of ${all}`);
for (const [value, text] of of_service) assert.equal(serviceAmount(value), text, `${value} of a service`);
assert.equal(amount(12583), '12,583');
console.log(`${cases.length + of_service.length} amounts are written as the terminal writes them`);
