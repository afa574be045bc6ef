// What explains a bend in a chart: policies that changed, servers that failed. From the log, as far as it goes back.

import {get, Refused, withQuery} from './api';
import type {Change, LiveEvent} from './stream';

export interface Mark {
  at: number;  // seconds since 1970
  text: string;
  is_failure: boolean;
}

const kinds: Record<string, (event: LiveEvent) => string> = {
  'policy-changed': ({why}) => `policy changed to ${why ?? 'another'}`,
  'server-lost': ({server}) => `${server ?? 'a server'} failed`,
  'server-silent': ({server}) => `${server ?? 'a server'} fell silent`,
  'server-back': ({server}) => `${server ?? 'a server'} is back`,
  'server-drained': ({server}) => `${server ?? 'a server'} drained`,
};
const looked_back = 50_000;  // revisions
const most_pieces = 60;

export const is_marked = ({events}: Change): boolean => events.some(({kind}) => Object.hasOwn(kinds, kind));

export interface Marks {
  marks: Mark[];
  /** The revision from which on the log was read. */
  from: number;
}

/** Marks of the latest revisions, the oldest first. */
export async function readMarks(): Promise<Marks> {
  const {revision} = await get<{revision: number}>('/v1/cluster');
  let after = Math.max(0, revision - looked_back);
  let from = after;
  const marks: Mark[] = [];
  for (let piece = 0; after < revision && piece < most_pieces; ++piece) {
    try {
      const query = new URLSearchParams(Object.keys(kinds).map(kind => ['kind', kind]));
      const found = await get<{changes: Change[]; revision: number}>(`${withQuery('/v1/events', {after, wait: '0s'})}&${query}`);
      for (const {at, events} of found.changes) {
        for (const event of events) {
          const words = kinds[event.kind];
          if (words) marks.push({at: Date.parse(at) / 1000, text: words(event), is_failure: event.kind === 'server-lost' || event.kind === 'server-silent'});
        }
      }
      if (found.revision <= after) break;
      after = found.revision;
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 410) throw error;
      after = from = Number(error.body['oldest'] ?? revision);
    }
  }
  return {marks, from};
}
