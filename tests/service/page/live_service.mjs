// A `mirab serve` process with a small cluster in it, for tests of the live page.
import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

export class LiveService {
  constructor(program) {
    this.program = program;
    this.folder = mkdtempSync(join(tmpdir(), 'mirab-live-'));
    this.file = join(this.folder, 'mirab.db');
    const made = spawnSync(program, ['serve', 'init', this.file]);
    if (made.status !== 0) throw new Error(String(made.stderr));
    this.token = readFileSync(`${this.file}.admin-token`, 'ascii').trim();
    this.port = 0;
  }

  /** Starts it; once more, on the port that it had. */
  async start() {
    this.process = spawn(this.program, ['serve', this.file, '--listen', `127.0.0.1:${this.port}`, '--per-address', '0'],
        {stdio: ['ignore', 'ignore', 'pipe']});
    this.ended = new Promise(resolve => this.process.once('exit', resolve));
    const lines = [];
    for await (const line of createInterface({input: this.process.stderr})) {
      lines.push(line);
      const found = /^listening on http:\/\/[0-9.]+:(\d+)$/.exec(line);
      if (found) {
        this.port = Number(found[1]);
        this.process.stderr.resume();
        return;
      }
    }
    throw new Error(`it did not start:\n${lines.join('\n')}`);
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop() {
    this.process?.kill('SIGTERM');
    await this.ended;
  }

  async end() {
    await this.stop();
    rmSync(this.folder, {recursive: true, force: true});
  }

  async ask(method, path, body, token = this.token) {
    const response = await fetch(this.url + path, {
      method, headers: {Authorization: `Bearer ${token}`}, ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    });
    const content = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(content)}`);
    return content;
  }

  async tokenFor(name, content) {
    return (await this.ask('PUT', `/v1/tokens/${name}`, content)).secret;
  }
}

const part = encodeURIComponent;
export const jobPath = (queue, job) => `/v1/queues/${part(queue)}/jobs/${part(job)}`;

/** Forty CPUs and sixteen GPUs: vision wants more than it has, ml less than its share, and a job can never start. */
export async function fillCluster(service) {
  const put = (path, body) => service.ask('PUT', path, body);
  await put('/v1/tenants/research', {});
  await put('/v1/tenants/product', {});
  for (let n = 0; n < 4; ++n)
    await put(`/v1/servers/n${n}`, {capacity: {cpu: 16, memory: '64Gi', gpu: 4}, labels: {zone: n < 2 ? 'a' : 'b'}});
  for (let n = 0; n < 2; ++n) await put(`/v1/servers/c${n}`, {capacity: {cpu: 32, memory: '128Gi', gpu: 0}});
  await put('/v1/groups/lab', {weight: '2', guarantee: {cpu: 8}});
  await put('/v1/groups/deep', {parent: 'lab', limit: {gpu: 12}});
  await put('/v1/queues/ml', {tenant: 'research', group: 'deep', weight: '2'});
  await put('/v1/queues/vision', {tenant: 'research', group: 'deep'});
  await put('/v1/queues/web', {tenant: 'product'});
  await put(jobPath('ml', 'train-1'), {tasks: 4, demand: {cpu: 2, memory: '8Gi', gpu: 1}, labels: {commit: 'deadbeef'}});
  await put(jobPath('vision', 'detect-1'), {tasks: 12, demand: {cpu: 1, memory: '4Gi', gpu: 1}});
  await put(jobPath('vision', 'gang-1'), {tasks: 6, gang: 6, demand: {cpu: 2, memory: '8Gi', gpu: 1}});
  await put(jobPath('web', 'serve-1'), {tasks: 30, demand: {cpu: 2, memory: '4Gi', gpu: 0}});
  await put(jobPath('web', 'zoned'), {tasks: 2, demand: {cpu: 16, memory: '4Gi', gpu: 0}, select: {zone: ['a']}});
  await put('/v1/servers/n3', {capacity: {cpu: 16, memory: '64Gi', gpu: 4}, labels: {zone: 'b'}, state: 'drained'});
}
