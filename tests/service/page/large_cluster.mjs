// Ten thousand servers, a thousand queues and a hundred thousand jobs, through the API: for the test and the benchmark
// of the live page.
import {jobPath} from './live_service.mjs';

export const size = {servers: 10_000, queues: 1_000, jobs: 100_000};
const teams = 20;
const at_once = 32;

/** Calls `act` with 0 to `number` - 1, some at a time. */
async function each(number, act) {
  let next = 0;
  await Promise.all(Array.from({length: at_once}, async () => {
    while (next < number) await act(next++);
  }));
}

const two = number => String(number).padStart(2, '0');
export const queueName = n => `team-${two(n % teams)}-queue-${String(n).padStart(3, '0')}`;

/** Most servers fill up: of each queue some jobs run and the rest waits. `crowd` is a queue with several thousand jobs. */
export async function fillLargeCluster(service) {
  await service.ask('PUT', '/v1/tenants/all', {});
  await each(size.servers, n => service.ask('PUT', `/v1/servers/node-${String(n).padStart(5, '0')}`, {
    capacity: n % 10 === 0 ? {cpu: 64, memory: '256Gi', gpu: 8} : n % 2 === 0 ? {cpu: 32, memory: '128Gi', gpu: 0} : {cpu: 16, memory: '64Gi', gpu: 0},
    labels: {zone: 'abc'[n % 3]},
  }));
  for (let n = 0; n < teams; ++n) await service.ask('PUT', `/v1/groups/team-${two(n)}`, {weight: String(1 + n % 3), guarantee: {cpu: 4000}, limit: {gpu: 2000}});
  await each(size.queues, n => service.ask('PUT', `/v1/queues/${queueName(n)}`, {tenant: 'all', group: `team-${two(n % teams)}`}));
  await service.ask('PUT', '/v1/queues/crowd', {tenant: 'all'});
  const demands = [{cpu: 4, memory: '8Gi'}, {cpu: 2, memory: '16Gi'}, {cpu: 8, memory: '8Gi', gpu: 1}, {cpu: 1, memory: '1Gi'}];
  const crowded = 4_000;
  const jobs = Array.from({length: size.jobs}, (_, n) => ({
    queue: n < crowded ? 'crowd' : queueName(n % size.queues), name: `job-${String(n).padStart(6, '0')}`, tasks: 1 + n % 3, demand: demands[n % 4],
  }));
  const pieces = Array.from({length: Math.ceil(jobs.length / 1000)}, (_, n) => jobs.slice(1000 * n, 1000 * (n + 1)));
  for (const piece of pieces) await service.ask('POST', '/v1/jobs:submit', {jobs: piece});
}

export {jobPath};
