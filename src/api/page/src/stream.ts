// The one stream of events: read with fetch, since EventSource sends no token. What comes goes out in batches; a stream
// that breaks is resumed after the latest revision that was seen.

import {MessageReader} from './sse';

export interface LiveEvent {
  kind: string;
  queue?: string;
  job?: string;
  task?: string;
  server?: string;
  name?: string;
  why?: string;
}

export interface Change {
  revision: number;
  at: string;
  events: LiveEvent[];
}

/** `again`: what was seen before may be old in any part. */
export type Said =
  | {say: 'changes'; changes: Change[]}
  | {say: 'again'}
  | {say: 'live'; is_live: boolean; since: number}
  | {say: 'refused'};

const batch_ms = 250;
const silence_ms = 40_000;  // the service says something each 15 s
const pauses_ms = [500, 1000, 2000, 5000];

/** Of the empty token, which is none, nothing. */
export function authorization(token: string | null): Record<string, string> {
  return token ? {Authorization: `Bearer ${token}`} : {};
}

/** Reads until the function that it returns is called, or the token is refused. */
export function follow(token: string, say: (said: Said) => void): () => void {
  const stop = new AbortController();
  let after: number | undefined;
  let batch: Change[] = [];
  let tries = 0;

  function take(change: Change): void {
    if (batch.length === 0) setTimeout(flush, batch_ms);
    batch.push(change);
  }
  function flush(): void {
    const changes = batch;
    batch = [];
    if (!stop.signal.aborted && changes.length > 0) say({say: 'changes', changes});
  }

  async function read(): Promise<'over' | 'broken'> {
    const quiet = new AbortController();
    const end = () => quiet.abort();
    stop.signal.addEventListener('abort', end);
    let timer = setTimeout(end, silence_ms);
    try {
      const answer = await fetch(after === undefined ? '/v1/events' : `/v1/events?after=${after}`,
          {headers: {...authorization(token), Accept: 'text/event-stream'}, signal: quiet.signal, cache: 'no-store'});
      if (answer.status === 401 || answer.status === 403) {
        say({say: 'refused'});
        return 'over';
      }
      if (answer.status === 410) after = undefined;  // the log no longer goes back so far
      if (!answer.ok || !answer.body) return 'broken';
      if (after === undefined) say({say: 'again'});
      say({say: 'live', is_live: true, since: Date.now()});
      tries = 0;
      const messages = new MessageReader();
      const letters = new TextDecoder();
      const reader = answer.body.getReader();
      for (;;) {
        const {done, value} = await reader.read();
        clearTimeout(timer);
        if (done) return 'broken';
        timer = setTimeout(end, silence_ms);
        for (const message of messages.take(letters.decode(value, {stream: true}))) {
          const change = JSON.parse(message.data) as Change;
          after = change.revision;
          if (message.event === 'change') take(change);
        }
      }
    } catch {
      return stop.signal.aborted ? 'over' : 'broken';
    } finally {
      clearTimeout(timer);
      end();
      stop.signal.removeEventListener('abort', end);
    }
  }

  async function keep(): Promise<void> {
    while (!stop.signal.aborted && await read() === 'broken') {
      if (tries === 0) say({say: 'live', is_live: false, since: Date.now()});
      await new Promise(resolve => setTimeout(resolve, pauses_ms[Math.min(tries++, pauses_ms.length - 1)]));
    }
  }
  void keep();
  return () => stop.abort();
}
