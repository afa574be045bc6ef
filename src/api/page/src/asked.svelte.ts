// A question whose answer a page shows: asked again when something changed, but not more often than the service likes.

import {Refused} from './api';
import {connection, onChanges} from './connection.svelte';
import type {Change} from './stream';

export class Asked<T> {
  value = $state.raw<T | undefined>(undefined);
  problem = $state<string>('');
  /** Nothing of that name is there, or none that may be seen. */
  is_missing = $state(false);
  /** Asks again now. */
  again: () => void = () => {};
}

interface Options {
  /** Milliseconds from one question to the next, at least; a slow answer makes it four times its own. */
  least?: number;
  /** Milliseconds after which it is asked again even if nothing is known to have changed; 0: never. */
  most?: number;
  concerns?: (change: Change) => boolean;
}

/**
 * To be called while a component is made. `key` names what is asked; where it changes, the old answer is dropped. `show`
 * takes what is there of a first answer that comes in pieces.
 */
export function asked<T>(key: () => string, ask: (key: string, show: (part: T) => void) => Promise<T>, {least = 1000, most = 15_000, concerns = () => true}: Options = {}): Asked<T> {
  const result = new Asked<T>();
  let last_key: string | undefined;
  const current = $derived(key());  // asked again when the key changes, not with each change of the address
  $effect(() => {
    const now = current;
    if (connection.token === null) return;
    if (now !== last_key) {
      result.value = undefined;
      result.problem = '';
      result.is_missing = false;
    }
    last_key = now;
    let is_over = false;
    let is_asking = false;
    let is_due = false;
    let is_partial = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ready_at = 0;

    function plan(wait: number): void {
      clearTimeout(timer);
      timer = setTimeout(run, wait);
    }
    function soon(): void {
      is_due = true;
      if (!is_asking) plan(Math.max(0, ready_at - Date.now()));
    }
    async function run(): Promise<void> {
      is_asking = true;
      is_due = false;
      const begun = Date.now();
      try {
        const value = await ask(now, part => {
          if (!is_over && (result.value === undefined || is_partial)) {
            result.value = part;
            is_partial = true;
          }
        });
        is_partial = false;
        if (is_over) return;
        result.value = value;
        result.problem = '';
        result.is_missing = false;
      } catch (error) {
        if (is_over) return;
        // While the service is away the banner says so, and what was shown stays.
        if (error instanceof Refused) [result.problem, result.is_missing] = [error.message, error.status === 404];
        is_due = !(error instanceof Refused) || error.status === 429 || error.status >= 500;
      }
      is_asking = false;
      ready_at = Date.now() + Math.max(least, 4 * (Date.now() - begun), result.problem ? 2000 : 0);
      if (is_due) soon();
      else if (most > 0) plan(most);
    }
    result.again = () => {
      ready_at = 0;
      soon();
    };
    const stop = onChanges(changes => {
      if (changes === undefined || changes.some(concerns)) soon();
    });
    void run();
    return () => {
      is_over = true;
      clearTimeout(timer);
      stop();
    };
  });
  return result;
}
