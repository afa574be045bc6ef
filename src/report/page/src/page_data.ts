// What every page is given: the JSON that Mirab puts into the template, read and checked once.

import type {SpreadEntry} from './seeds';

export interface PageData {
  /** Absent on the page of outcomes. */
  kind?: string;
  title: string;
  command: string;
  /** By which version, and when. */
  made?: string;
  seed?: number;
  /** Of several runs, of which the page shows the first. */
  seeds?: number[];
  spread?: SpreadEntry[];
}

/** Throws an Error that says what is wrong with the text, in words for the page's reader. */
export function readPage(text: string): PageData {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`its data is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const page = value as PageData & {version: number};
  demand(page?.version === 1, `its data must have version 1, and has ${JSON.stringify(page?.version)}`);
  demand(typeof page.title === 'string', 'its data has no title');
  return page;
}

export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

export function isTexts(value: unknown): value is string[] {
  return isFilled(value) && value.every(item => typeof item === 'string');
}

export function isFilled(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

/** A number may be null: what is infinite, or none. */
export function isFigures(value: unknown, length?: number): value is (number | null)[] {
  return Array.isArray(value) && (length === undefined || value.length === length) &&
    value.every(item => item === null || typeof item === 'number');
}
