// The shared worker of all tabs: it holds the token, and reads the one stream of events. Both are gone with the last tab.

import {follow} from './stream';
import type {Said} from './stream';

/** What a tab says. */
export type Asked = {ask: 'hello'} | {ask: 'token'; token: string} | {ask: 'forget'} | {ask: 'bye'};
/** What the worker says besides. */
export type Told = Said | {say: 'token'; token: string | null};

const ports = new Set<MessagePort>();
let token: string | null = null;
let latest: Said | undefined;
let stop = (): void => {};

function tell(said: Told): void {
  for (const port of ports) port.postMessage(said);
}

function use(given: string | null): void {
  stop();
  token = given;
  latest = undefined;
  tell({say: 'token', token});
  if (token === null) return;
  stop = follow(token, said => {
    if (said.say === 'live') latest = said;
    tell(said);
    if (said.say === 'refused') use(null);
  });
}

addEventListener('connect', event => {
  const port = (event as MessageEvent).ports[0]!;
  port.onmessage = ({data}: MessageEvent<Asked>) => {
    if (data.ask === 'bye') {
      ports.delete(port);
    } else if (data.ask === 'hello') {
      ports.add(port);
      port.postMessage({say: 'token', token} satisfies Told);
      if (latest) port.postMessage(latest);
    } else if (data.ask === 'forget' || data.token !== token) {
      use(data.ask === 'token' ? data.token : null);
    }
  };
});
