// This tab's side of the shared worker: the token, whether what is shown is live, and who wants to hear of changes.
// Without shared workers one of the tabs leads (leader.ts).

import {leadOrFollow} from './leader';
import type {Change} from './stream';
import type {Asked, Told} from './worker';

declare const WORKER_PATH: string;

export const connection = $state({
  is_asked: false,  // whether the worker has said if there is a token
  is_open: false,  // no token is needed here, and nothing can be changed
  token: null as string | null,
  is_refused: false,
  is_live: false,
  stale_since: 0,
  has_been_live: false,
});

/** `undefined`: anything may have changed. */
type Listener = (changes: Change[] | undefined) => void;
const listeners = new Set<Listener>();

export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function hear(told: Told): void {
  if (told.say === 'token') {
    connection.is_asked = true;
    if (told.token !== null) connection.is_refused = false;
    connection.token = told.token;
  } else if (told.say === 'refused') {
    connection.is_refused = true;
  } else if (told.say === 'live') {
    const was_live = connection.is_live;
    connection.is_live = told.is_live;
    if (told.is_live) {
      connection.has_been_live = true;
      if (!was_live) for (const listener of listeners) listener(undefined);
    } else if (was_live || connection.stale_since === 0) {
      connection.stale_since = told.since;
    }
  } else {
    const changes = told.say === 'changes' ? told.changes : undefined;
    for (const listener of listeners) listener(changes);
  }
}

let ask: (asked: Asked) => void = () => {};

function useWorker(): void {
  const {port} = new SharedWorker(WORKER_PATH, {name: 'mirab'});
  port.onmessage = ({data}: MessageEvent<Told>) => hear(data);
  ask = asked => port.postMessage(asked);
  addEventListener('pagehide', () => ask({ask: 'bye'}));
  addEventListener('pageshow', ({persisted}) => {
    if (persisted) ask({ask: 'hello'});
  });
  ask({ask: 'hello'});
}

/** Where a cluster is only looked at (`mirab kube`) there are no tokens: then the empty one is taken. */
async function isOpen(): Promise<boolean> {
  try {
    return (await (await fetch('/readyz', {cache: 'no-store'})).json() as {offers?: string}).offers === 'reads';
  } catch {
    return false;
  }
}

export async function connect(): Promise<void> {
  connection.is_open = await isOpen();
  if (typeof SharedWorker === 'function') useWorker();
  else ask = leadOrFollow(hear);
  if (connection.is_open) giveToken('');
}

export function giveToken(token: string): void {
  connection.is_refused = false;
  ask({ask: 'token', token});
}

export function forgetToken(is_refused = false): void {
  connection.is_refused = is_refused;
  ask({ask: 'forget'});
}
