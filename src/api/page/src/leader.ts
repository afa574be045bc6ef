// For browsers without shared workers: of all tabs one leads. It holds a lock of the browser, reads the one stream of events,
// and passes on what it hears; when it closes, the next tab gets the lock. Each tab keeps the token in its session storage,
// and a new one asks the others for it.

import {follow} from './stream';
import type {Asked, Told} from './worker';

const storage_key = 'mirab-token';
const name = 'mirab-live';
const answer_ms = 150;  // how long a new tab waits for a token of the others

type Passed = {pass: 'told'; told: Told} | {pass: 'hello'} | {pass: 'use'; token: string | null};

export function leadOrFollow(hear: (told: Told) => void): (asked: Asked) => void {
  const channel = new BroadcastChannel(name);
  const pass = (passed: Passed): void => channel.postMessage(passed);
  let token: string | null = null;
  let is_leading = false;
  let latest: Told | undefined;
  let stop = (): void => {};

  function tell(told: Told): void {
    if (told.say === 'live') latest = told;
    if (navigator.locks !== undefined) pass({pass: 'told', told});
    hear(told);
  }
  function read(): void {
    stop();
    stop = (): void => {};
    latest = undefined;
    if (!is_leading || token === null) return;
    stop = follow(token, said => {
      tell(said);
      if (said.say === 'refused') give(null);
    });
  }
  /** The token of this tab, as the others say it or a person does. */
  function take(given: string | null): void {
    if (given === token) return;
    token = given;
    if (token === null) sessionStorage.removeItem(storage_key);
    else sessionStorage.setItem(storage_key, token);
    hear({say: 'token', token});
    read();
  }
  function give(given: string | null): void {
    pass({pass: 'use', token: given});
    take(given);
  }

  channel.onmessage = ({data}: MessageEvent<Passed>) => {
    if (data.pass === 'told') {
      hear(data.told);
    } else if (data.pass === 'use') {
      take(data.token);
    } else if (token !== null) {
      pass({pass: 'use', token});
      if (is_leading && latest) pass({pass: 'told', told: latest});
    }
  };
  const lead = (): void => {
    is_leading = true;
    read();
  };
  // Without locks each tab reads for itself.
  if (navigator.locks === undefined) lead();
  else void navigator.locks.request(name, () => {
    lead();
    return new Promise<never>(() => {});
  });

  const stored = sessionStorage.getItem(storage_key);
  if (stored === null) setTimeout(() => hear({say: 'token', token}), answer_ms);
  take(stored);
  pass({pass: 'hello'});
  return asked => {
    if (asked.ask === 'token') give(asked.token);
    if (asked.ask === 'forget') give(null);
  };
}
