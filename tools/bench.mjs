#!/usr/bin/env node
// Runs the benchmarks of bench/ one after the other, prints a table, and writes build/bench/summary.json
// (docs/schema/benchmarks.schema.json). Each folder's program, build/bench/bench/FOLDER/bench_FOLDER or, in a browser,
// bench/FOLDER/FOLDER_bench.mjs, prints its entries on standard output as a JSON array, and what it is at on standard error.
// Usage: tools/bench.mjs [FOLDER...]
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const script = (folder) => join(root, "bench", folder, `${folder}_bench.mjs`);
const in_browser = (folder) => existsSync(script(folder));
const program = (folder) => in_browser(folder) ? join(root, "build/bench/mirab") : join(root, "build/bench/bench", folder, `bench_${folder}`);
/** What is run, and its arguments. */
const command = (folder) => in_browser(folder) ?
  [process.execPath, [script(folder), "--program", program(folder), "--packages", join(root, "build/bench/src/api/page/npm"), "--chromium", "/usr/bin/chromium-headless-shell"]] :
  [program(folder), []];
const folders = readdirSync(join(root, "bench"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(root, "bench", entry.name, "goals.json")))
  .map((entry) => entry.name);

const asked = process.argv.slice(2);
const unknown = asked.filter((folder) => !folders.includes(folder));
if (unknown.length > 0) {
  console.error(`bench: no folder ${unknown.join(", ")} in bench/; there are ${folders.join(", ")}`);
  process.exit(2);
}
const missing = (asked.length > 0 ? asked : folders).filter((folder) => !existsSync(program(folder)));
if (missing.length > 0) {
  console.error(`bench: ${missing.map(program).join(", ")} is not built; try make bench`);
  process.exit(1);
}

const entries = [];
for (const folder of asked.length > 0 ? asked : folders) {
  // A program whose goals must hold ends with status 1 where one does not, after it has printed them.
  const { status, stdout } = spawnSync(...command(folder), { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  if (status !== 0) process.exitCode = 1;
  if (stdout) entries.push(...JSON.parse(stdout));
}
writeFileSync(join(root, "build/bench/summary.json"), JSON.stringify(entries, null, 1) + "\n");

const shown = entries.map((entry) => [
  entry.id,
  `${Number(entry.value.toPrecision(3))} ${entry.unit}`,
  entry.goal,
  entry.holds ? "holds" : "missed",
  entry.detail,
]);
const titles = ["benchmark", "value", "goal", "", "detail"];
const widths = titles.map((title, column) => Math.max(title.length, ...shown.map((row) => row[column].length)));
for (const row of [titles, ...shown]) {
  console.log(row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd());
}
