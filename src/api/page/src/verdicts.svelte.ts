// Why waiting jobs wait: asked for those rows of a list that are seen, one after the other, as slowly as the service allows
// to a tenant (20 questions a second).

import {get, path, Refused} from './api';
import type {Explanation, Job} from './api';

const pause_ms = 80;
const kept_ms = 15_000;
const most_kept = 5000;

export class Verdict {
  says = $state('');
  asked_at = 0;
}

/** What differs between jobs of a queue that ask for the same. */
const own_keys = new Set(['name', 'uid', 'state', 'tasks', 'waiting', 'running', 'succeeded', 'failed', 'cancelled', 'submitted', 'labels', 'spec', 'attempts']);
/** What keeps a job from running, no matter who is ahead, holds for those like it. */
const alike = new Map<string, {says: string; at: number}>();
const known = new Map<string, Verdict>();
const wanted: {job: Job; verdict: Verdict; is_seen: () => boolean}[] = [];
let is_asking = false;

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

async function askAll(): Promise<void> {
  is_asking = true;
  await Promise.resolve();  // not within the derived value that asks
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    const {job, verdict, is_seen} = next;
    if (!is_seen()) continue;
    const kind = JSON.stringify(Object.entries(job).filter(([key]) => !own_keys.has(key)));
    const same = alike.get(kind);
    if (same !== undefined && Date.now() - same.at < kept_ms) {
      verdict.says = same.says;
      continue;
    }
    try {
      const {says, verdict: word} = await get<Explanation>(`${path('v1', 'queues', job.queue, 'jobs', job.name)}/explain`);
      verdict.says = says;
      if (['no-room', 'not-allowed', 'too-small', 'limit', 'reserved'].includes(word) && job.roles === undefined && (job.gang ?? 1) <= 1) {
        if (alike.size >= most_kept) alike.clear();
        alike.set(kind, {says, at: Date.now()});
      }
    } catch (error) {
      if (error instanceof Refused && error.status === 429) {
        wanted.push(next);
        await sleep(1000);
      }
    }
    await sleep(pause_ms);
  }
  is_asking = false;
}

/** The verdict on a waiting job: empty until it is there. Dropped when it is due and no longer seen. */
export function verdictOf(job: Job, is_seen: () => boolean): Verdict {
  let verdict = known.get(job.uid);
  if (verdict === undefined) {
    if (known.size >= most_kept) known.clear();
    known.set(job.uid, verdict = new Verdict());
  }
  if (Date.now() - verdict.asked_at > kept_ms) {
    verdict.asked_at = Date.now();
    wanted.push({job, verdict, is_seen: () => {
      const is_due = is_seen();
      if (!is_due) verdict.asked_at = 0;
      return is_due;
    }});
    if (!is_asking) void askAll();
  }
  return verdict;
}
