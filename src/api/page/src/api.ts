// Questions to the service, and what it answers.

import {connection, forgetToken} from './connection.svelte';
import {authorization} from './stream';

export type Amounts = Record<string, string>;

export interface Cluster {
  policy: {discipline: string; placement: string};
  resources: {name: string; unit: string}[];
  /** A tenant sees the servers and the capacity alone. */
  totals: {servers: number; drained: number; queues?: number; jobs?: number; running?: number; waiting?: number; capacity: Amounts; capacity_base: Record<string, number>; used?: Amounts};
}

/** Of another tenant's queue only name, weight and share are known. */
export interface Queue {
  name: string;
  tenant?: string;
  group?: string;
  weight: string;
  share: number;
  beyond?: number;
  guarantee?: Amounts;
  limit?: Amounts;
  reserved?: Amounts;
  used?: Amounts;
  jobs?: number;
  running?: number;
  waiting?: number;
  /** When its oldest job with a waiting task was submitted. */
  waiting_since?: string;
  /** Its first jobs with a waiting task, those of the highest priority and then the oldest first. */
  next_jobs?: string[];
}

export interface Group {
  name: string;
  parent?: string;
  weight: string;
  share: number;
  guarantee?: Amounts;
  limit?: Amounts;
  reserved?: Amounts;
  used?: Amounts;
  lent?: Amounts;
}

/** Tasks of a job that take the same and start together with those of its other roles. */
export interface Role {
  name: string;
  tasks: number;
  demand: Amounts;
  waiting: number;
  running: number;
}

/** A group or a queue in the tree. */
export interface TreeRow extends Omit<Queue, 'tenant'>, Pick<Group, 'parent' | 'lent'> {
  depth: number;  // below the cluster
  is_queue: boolean;
}

export interface Job {
  queue: string;
  name: string;
  uid: string;
  state: string;
  tasks: number;
  demand?: Amounts;
  roles?: Role[];
  gang?: number;
  priority: number;
  labels: Record<string, string>;
  waiting: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  submitted: string;
  ended?: string;
}

export interface Task {
  task: string;
  job: string;
  role?: string;
  server: string;
  attempt: number;
  state: string;
  started: string;
  ended?: string;
  exit_code?: number;
  reason?: string;
  usage?: Record<string, number>;
}

export interface Server {
  name: string;
  labels: Record<string, string>;
  capacity: Amounts;
  used?: Amounts;
  state: string;
  silent?: boolean;
  tasks?: number;
}

export interface Explanation {
  verdict: string;
  says: string;
  next_step?: string;
  [evidence: string]: unknown;
}

export interface Division {
  mechanism: string;
  refused?: string;
  status?: string;
  queues?: {queue: string; fair_share: number; share: number; fair_tasks?: number}[];
}

export interface Shares {
  note?: string;
  mechanisms: Division[];
  left_out?: string[];
  drained?: number;
  guarantees_cut?: boolean;
}

export interface History {
  step: number;
  t: number[];
  v: (number | null)[];
}

export interface Usage {
  from: string;
  to: string;
  until: string;
  by: string;
  resources: string[];
  items: (Record<string, unknown> & {hours: Record<string, number>})[];
}

export interface WhatIf {
  settled: boolean;
  queues: {queue: string; dominant_share: [number, number]; running?: [number, number]}[];
}

export interface List<Item> {
  items: Item[];
  page?: string;
}

/** What the service refused, in its words. */
export class Refused extends Error {
  constructor(readonly status: number, readonly title: string, readonly detail: string, readonly body: Record<string, unknown>) {
    super(detail ? `${title}: ${detail}` : title);
  }
}

async function answered(method: string, path: string, body?: unknown, accept = 'application/json', if_match?: string): Promise<Response> {
  const token = connection.token;
  const answer = await fetch(path, {
    method, cache: 'no-store', headers: {...authorization(token), Accept: accept, ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
      ...(if_match === undefined ? {} : {'If-Match': if_match})},
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({})) as Record<string, unknown>;
  if (answer.status === 401 && token !== null && token === connection.token) forgetToken(true);
  throw new Refused(answer.status, String(problem['title'] ?? answer.statusText), String(problem['detail'] ?? ''), problem);
}

export async function get<T>(path: string): Promise<T> {
  return await (await answered('GET', path)).json() as T;
}

export async function getText(path: string, accept = 'text/plain'): Promise<string> {
  return await (await answered('GET', path, undefined, accept)).text();
}

export async function send<T>(method: 'POST', path: string, body: unknown): Promise<T> {
  return await (await answered(method, path, body)).json() as T;
}

const tries = 5;

/** Puts a thing with something of it changed, and as it is then in all else: where somebody was quicker, once more.
 *  What it was before. */
export async function change<Thing>(target: string, changed: (thing: Thing) => unknown): Promise<Thing> {
  for (let left = tries; ; --left) {
    const answer = await answered('GET', target);
    const before = await answer.json() as Thing;
    try {
      await (await answered('PUT', target, changed(before), undefined, answer.headers.get('ETag') ?? undefined)).json();
      return before;
    } catch (error) {
      if (left === 1 || !(error instanceof Refused) || error.status !== 412) throw error;
    }
  }
}

/** Drains a server, or opens it again. The state that it had. */
export async function setState(server: string, state: 'open' | 'drained'): Promise<string> {
  const before = await change<Server>(path('v1', 'servers', server), ({capacity, labels}) => ({capacity, labels, state}));
  return before.state;
}

/** `path('v1', 'queues', 'a/b')` is `/v1/queues/a%2Fb`. */
export function path(...parts: string[]): string {
  return parts.map(part => `/${encodeURIComponent(part)}`).join('');
}

export function withQuery(target: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? target : `${target}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export interface Items<Item> {
  items: Item[];
  /** What follows is asked for with this. */
  next: string | undefined;
}

/** The most that the service gives at once. */
export const page_size = 1000;

/** The first `most` items of a list, a page at a time; `show` gets those that are there so far. */
export async function list<Item>(target: string, most: number, query: Record<string, string | undefined> = {}, show?: (so_far: Items<Item>) => void): Promise<Items<Item>> {
  const items: Item[] = [];
  let page = query['page'];
  let shown = 0;  // what is shown takes as long to draw as there is of it: each time twice as much
  do {
    const answer = await get<List<Item>>(withQuery(target, {...query, limit: Math.min(page_size, most - items.length), page}));
    items.push(...answer.items);
    page = answer.page;
    if (page !== undefined && items.length < most && items.length >= 2 * shown) {
      show?.({items: [...items], next: page});
      shown = items.length;
    }
  } while (page !== undefined && items.length < most);
  return {items, next: page};
}

/** An amount as a number; what is not there is nothing. */
export function amountOf(amounts: Amounts | undefined, resource: string): number {
  return Number(amounts?.[resource] ?? 0);
}
