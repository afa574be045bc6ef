// Numbers and times of the live page, beside those that all pages share (shared/format).

import {amount, percentColumn, serviceAmount, whole} from 'shared/format';
import type {Amounts, Role} from './api';

/** Parts of one in a column: their decimal points stand below each other. */
export const percents = percentColumn([0.999]);

/** Amounts times hours in a column, to a hundredth; what is less than that is no 0. */
export function hours(value: number): string {
  return value > 0 && value < 0.005 ? '<0.01' : value.toLocaleString('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 2});
}

/** A difference of shares, in percentage points: `+3.1`, `−21.9`; what is nothing is 0.0. */
export function points(difference: number): string {
  const text = Math.abs(difference * 100).toFixed(1);
  return text === '0.0' ? text : `${difference < 0 ? '−' : '+'}${text}`;
}

/** `8 cpu, 64Gi memory`; nothing is a dash. */
export function amounts(of: Amounts | undefined): string {
  const parts = Object.entries(of ?? {}).filter(([, value]) => Number(value) !== 0).map(([name, value]) => `${serviceAmount(Number(value))} ${name}`);
  return parts.join(', ') || '–';
}

/** What a task of a job asks for; of a job with roles `1 launcher: 1 cpu; 4 worker: 2 cpu, 1 gpu`. */
export function demand(of: {demand?: Amounts; roles?: Role[]}): string {
  return of.roles?.map(role => `${whole(role.tasks)} ${role.name}: ${amounts(role.demand)}`).join('; ') ?? amounts(of.demand);
}

/** `1.5Gi`; what is not known is a dash. */
export function bytes(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 2 ** 20 ? `${amount(value / 2 ** 10)}Ki` : amount(value, 2 ** 20);
}

/** `40 s`, `3 min 40 s`, `2 h 5 min`, `3 d 4 h`. */
export function wait(seconds: number | undefined): string {
  if (seconds === undefined || seconds <= 0) return '–';
  const units = [[86_400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']] as const;
  const whole_seconds = Math.max(1, Math.round(seconds));
  const at = units.findIndex(([size]) => whole_seconds >= size);
  const [[size, sign], smaller] = [units[at]!, units[at + 1]];
  const rest = smaller ? Math.floor(whole_seconds % size / smaller[0]) : 0;
  return `${Math.floor(whole_seconds / size)} ${sign}${rest > 0 ? ` ${rest} ${smaller![1]}` : ''}`;
}

export const ago = (time: string): number => (Date.now() - Date.parse(time)) / 1000;

const same_day = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false});
const other_day = new Intl.DateTimeFormat(undefined, {month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false});

/** A moment, short: the time of today, else with the day. */
export function moment(time: string | number | undefined): string {
  if (time === undefined) return '–';
  const at = new Date(time);
  return (at.toDateString() === new Date().toDateString() ? same_day : other_day).format(at);
}
