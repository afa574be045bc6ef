// What the explanation of a waiting job is drawn from, as words: a line each, the most telling first.

import {count, percent, whole} from 'shared/format';
import type {Amounts, Explanation} from './api';
import {link} from './address.svelte';
import {amounts, moment} from './words';

export interface EvidenceLine {
  what: string;
  says: string;
  server?: {name: string; link: string};  // stands before the words
}

interface Counts {
  [what: string]: number | Amounts | undefined;
  lacking?: Amounts;
  too_small_in?: Amounts;
}
interface Role {
  role: string;
  together: number;
  room: number;
}
interface Holder {
  queue: string;
  share: number;
  holds?: string;
}
interface Wish {
  wish: string;
  excludes: number;
  alone: number;
}
interface Preempted {
  tasks: number;
  says?: string;
}
interface OverBudget {
  tasks: number;
  left: number;
  free_at?: string;
}
interface OnServer {
  server: string;
  since?: string;
  to_free?: Amounts;
  missing?: Amounts;
}

const kinds: [string, string][] = [
  ['with_room', 'with room'], ['full', 'full'], ['too_small', 'too small'], ['not_allowed', 'excluded by its wishes'], ['drained', 'drained'], ['silent', 'silent'],
  ['kept', 'kept for others'], ['pack', 'excluded by pack'], ['per_server', 'at its limit per server'], ['spread', 'excluded by spread'],
];
const too_little = (of: Amounts | undefined): string => {
  const parts = Object.entries(of ?? {}).filter(([, servers]) => Number(servers) > 0).map(([name, servers]) => `${name} on ${whole(Number(servers))}`);
  return parts.length > 0 ? ` (too little ${parts.join(', ')})` : '';
};

function servers(of: Counts): string {
  const parts = kinds.flatMap(([key, words]) => {
    const number = Number(of[key] ?? 0);
    const why = key === 'full' ? too_little(of.lacking) : key === 'too_small' ? too_little(of.too_small_in) : '';
    return number > 0 ? [`${whole(number)} ${words}${why}`] : [];
  });
  return parts.length > 0 ? `${whole(Number(of['total'] ?? 0))}: ${parts.join(', ')}` : 'none';
}

function ahead(of: {queues?: number; tied?: number; own?: number; next?: string}): string {
  return [
    of.own ? `at least ${count(of.own, 'job')} of its own queue` : '',
    of.queues ? count(of.queues, 'other queue') : '',
    of.tied ? `${count(of.tied, 'queue')} with the same key` : '',
    of.next ? `the first is ${of.next}` : '',
  ].filter(text => text !== '').join(', ');
}

function gang(of: {together: number; room: number; roles?: Role[]}): string {
  const roles = (of.roles ?? []).map(each => `${each.role} ${whole(each.room)} of ${whole(each.together)}`);
  return `${count(of.together, 'task')}, with room for ${whole(of.room)}${roles.length > 0 ? ` (${roles.join(', ')})` : ''}`;
}

const on_server = (of: OnServer, says: string): Omit<EvidenceLine, 'what'> => ({says, server: {name: of.server, link: link(['cluster'], {server: of.server})}});

/** Each key of an explanation that is evidence, as the page words it. */
const lines: [string, string, (value: never, why: Explanation) => string | Omit<EvidenceLine, 'what'>][] = [
  ['condition', 'Condition', (of: {message?: string}) => of.message ?? ''],
  ['gang', 'Starts together', gang],
  ['servers', 'Servers', servers],
  ['holders', 'Who holds the room', (of: Holder[]) => of.map(each => `${each.queue} ${percent(each.share)}${each.holds ? ` (${each.holds})` : ''}`).join(', ')],
  ['ahead', 'Comes before it', ahead],
  ['nearest_miss', 'Closest server', (of: OnServer) => on_server(of, `with ${amounts(of.to_free)} freed`)],
  ['kept_for_it', 'Kept for it', (of: OnServer) => on_server(of, `since ${moment(of.since)}; to be freed there: ${amounts(of.missing)}`)],
  ['constraints', 'Wishes', (of: Wish[]) => of.map(each => `${each.wish} excludes ${count(each.excludes, 'server')}, ${whole(each.alone)} of them alone`).join('; ')],
  ['wishes', 'Asks for', (of: string) => of],
  ['covered_by', 'Within the guarantee of', (of: unknown) => [of].flat().join(', ')],
  ['preempted', 'Ended for others', (of: Preempted) => `${count(of.tasks, 'task')}${of.says ? `; ${of.says}` : ''}`],
  ['over_budget', 'Preemption', (of: OverBudget) => `${count(of.tasks, 'task')} would end; ${of.free_at ? `its budget has ${whole(of.left)} left, and allows that at ${moment(of.free_at)}` : 'that is more than its budget'}`],
  ['key', 'Key of its queue', (of: number, why: Explanation) => `${of.toPrecision(3)}; ${why.last ? `but ${String(why.last)} has weight 0 and comes last beyond its guarantee` : 'the lower comes first'}`],
  ['with_weight', 'Next with a weight above', (of: number) => of.toPrecision(3)],
];

export function evidenceOf(why: Explanation): EvidenceLine[] {
  return lines.flatMap(([key, what, worded]) => {
    if (why[key] === undefined || why[key] === null) return [];
    const line = worded(why[key] as never, why);
    const {says, server} = typeof line === 'string' ? {says: line, server: undefined} : line;
    return says === '' ? [] : [{what, says, ...(server && {server})}];
  });
}
