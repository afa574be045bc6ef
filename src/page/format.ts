// Numbers as a person reads them. Infinite values arrive as null and are shown as ∞; what is missing is a dash.

export type Format = (value: number | null | undefined) => string;

// Made once each: to make one costs more than to write a hundred numbers with it.
const grouped = Array.from({length: 7}, (_, digits) =>
  new Intl.NumberFormat('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits}));
const three_digits = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 3});
const four_digits = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 4});

function written(value: number | null | undefined, digits: number, scale = 1, suffix = ''): string {
  if (value === undefined) return '–';
  if (value === null || value === Infinity) return '∞';
  return grouped[digits]!.format(value * scale) + suffix;
}

/** Decimals that leave about `significant` digits of a number of this size, at most six. */
function decimals(size: number, significant: number): number {
  if (!(size > 0)) return 0;
  return Math.min(6, Math.max(0, significant - 1 - Math.floor(Math.log10(size))));
}

function largest(values: Iterable<number | null | undefined>, scale = 1): number {
  let size = 0;
  for (const value of values) if (typeof value === 'number') size = Math.max(size, Math.abs(value * scale));
  return size;
}

/** One format for a column, so that its decimal points line up: whole numbers stay whole. */
export function numberColumn(values: readonly (number | null | undefined)[], significant = 4): Format {
  const whole = values.every(value => typeof value !== 'number' || Number.isInteger(value));
  const digits = whole ? 0 : decimals(largest(values), significant);
  return value => written(value, digits);
}

/** The same for parts of one, written as percentages: what is not nothing is not `0.0%`, but `<0.1%`. */
export function percentColumn(values: readonly (number | null | undefined)[], significant = 3): Format {
  const digits = Math.max(1, decimals(largest(values, 100), significant));
  const step = 10 ** -(digits + 2);
  return value => typeof value === 'number' && value > 0 && value < step / 2 ? `<${written(step, digits, 100, '%')}` :
    written(value, digits, 100, '%');
}

/** A single part of one: `66.7%`, `3.92%`, `0.0541%`, `0%`. */
export function percent(value: number): string {
  if (Math.abs(value) >= 0.9995) return written(value, 0, 100, '%');
  return written(value, decimals(Math.abs(value) * 100, 3), 100, '%');
}

/** A whole number: `12,583`. */
export function whole(value: number): string {
  return written(value, 0);
}

const binary_units: readonly [string, number][] = [['Pi', 2 ** 50], ['Ti', 2 ** 40], ['Gi', 2 ** 30], ['Mi', 2 ** 20]];

const decimal_units: readonly [string, number][] = [['E', 1e18], ['P', 1e15], ['T', 1e12], ['G', 1e9], ['M', 1e6]];
const whole_within = 1e-9;  // which sums leave
const last_digits = 1e-12;
const beyond_cpus = 1e9;
const at_most = Array.from({length: 5}, (_, digits) => new Intl.NumberFormat('en-US', {maximumFractionDigits: digits}));

/** To the nearest, halves upwards, by the two operations of the terminal, so that the last digit agrees. */
function rounded(value: number, decimals: number): string {
  const digits = 10 ** decimals;
  return at_most[decimals]!.format(Math.round(value * digits) / digits);
}

/**
 * An amount of a resource with the units of a cluster file: binary ones where it is whole in Mi, or in Ki and not in M, else
 * decimal ones from 10^6 on: `0.25`, `64Gi`, `68.72G`. The terminal follows the same rule (src/model/amount_text.cpp), without
 * commas; tests/amounts.json has cases of both. A part of a resource has a suffix of the kind that all of it has: `113.78Gi`
 * of `256Gi`.
 */
export function amount(value: number, all = value): string {
  const isWholeIn = (size: number, within: number) => Math.abs(all - Math.round(all / size) * size) <= within * all;
  const is_binary = all >= 2 ** 20 && (isWholeIn(2 ** 20, whole_within) || (isWholeIn(2 ** 10, last_digits) && !isWholeIn(1e6, last_digits)));
  const units = is_binary && value >= 2 ** 20 * (1 - whole_within) ? binary_units : decimal_units;
  const unit = units.find(([, size]) => value >= size * (1 - whole_within));
  if (!unit) return rounded(value, value < 1000 ? 4 : 2);
  const scaled = value / unit[1];
  return rounded(scaled, scaled >= 1000 ? 0 : 2) + unit[0];
}

/** Bytes, in an answer of the service, which does not give units: what is beyond all counts of CPUs. */
export const isBytes = (value: number): boolean => value >= beyond_cpus;

/** An amount in an answer of the service: that of bytes has a binary suffix whatever it is a multiple of, `59.6Gi`. */
export function serviceAmount(value: number): string {
  return amount(value, isBytes(value) ? 2 ** 20 : value);
}

/** A number inside a sentence: `1 user`, `12,583 servers`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

const characters = new Intl.Segmenter('en', {granularity: 'grapheme'});

/** A name cut to a length that fits an axis, between two characters as a reader counts them. */
export function shortened(name: string, length: number): string {
  if (name.length <= length) return name;
  const each = Array.from(characters.segment(name), ({segment}) => segment);
  return each.length <= length ? name : `${each.slice(0, length - 1).join('')}…`;
}

/**
 * Each name cut at its end, but in the middle those that would read the same: where as many of them as possible stay apart.
 * The tables of the terminal follow the same rule (src/report/text/width.cpp).
 */
export function shortenedApart(names: readonly string[], length: number): string[] {
  const cut = names.map(name => shortened(name, length));
  const alike = new Set(cut.filter((one, at) => cut.some((other, of) => other === one && names[of] !== names[at])));
  const withEnd = (name: string, last: number): string => {
    const each = Array.from(characters.segment(name), ({segment}) => segment);
    return each.length <= length ? name : `${each.slice(0, length - 1 - last).join('')}…${each.slice(each.length - last).join('')}`;
  };
  const different = (texts: readonly string[]): number => new Set(texts).size;
  const whole = names.filter((_, at) => alike.has(cut[at]!));
  let best = Math.floor(length / 2);
  for (let last = best; last <= length - 2; ++last) {
    if (different(whole.map(name => withEnd(name, last))) > different(whole.map(name => withEnd(name, best)))) best = last;
  }
  return cut.map((one, at) => alike.has(one) ? withEnd(names[at]!, best) : one);
}

/** A name of at most twice the length in two lines, cut where words or parts of it end if both lines have room for that. */
export function inTwoLines(name: string, length: number): string {
  if (name.length <= length) return name;
  const each = Array.from(characters.segment(name), ({segment}) => segment);
  if (each.length <= length) return name;
  let end = length;
  for (let at = length; at >= each.length - length && at > 0; --at) {
    if (!'/- '.includes(each[at - 1]!)) continue;
    end = at;
    break;
  }
  return `${each.slice(0, end).join('').trimEnd()}\n${each.slice(end).join('').trimStart()}`;
}

/**
 * Seconds in three digits, in the unit that fits them: `120 µs`, `3.4 ms`, `24.9 s`, `79 min`, `12 d`. The unit is that of
 * the rounded time. The tables of the terminal follow the same rule (src/report/text/format.cpp).
 */
export function duration(seconds: number | null | undefined): string {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return written(seconds, 0);
  if (seconds === 0) return '0 s';
  if (seconds < 1e-6) return '< 1 µs';
  const rounded = Number(seconds.toPrecision(3));
  const unit = rounded < 1e-3 ? {sign: 'µs', seconds: 1e-6} : rounded < 1 ? {sign: 'ms', seconds: 1e-3} : timeUnit(rounded);
  return `${three_digits.format(seconds / unit.seconds)} ${unit.sign}`;
}

/** A moment as a clock shows it: `0:20` after twenty minutes, `0:00:30` after half of one. */
export function clock(seconds: number): string {
  const whole_seconds = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole_seconds / 3600), Math.floor(whole_seconds / 60) % 60, whole_seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${hours}:${two(minutes)}${rest === 0 ? '' : `:${two(rest)}`}`;
}

export interface TimeUnit {
  sign: string;
  seconds: number;
}

const time_units: readonly TimeUnit[] = [
  {sign: 'd', seconds: 86400}, {sign: 'h', seconds: 3600}, {sign: 'min', seconds: 60},
  {sign: 's', seconds: 1},
];

/** The unit in which a span of seconds reads best: the largest that it holds twice. */
export function timeUnit(span: number): TimeUnit {
  return time_units.find(({seconds}) => span >= seconds * 2) ?? time_units[time_units.length - 1]!;
}

/** A figure by itself, four digits long, wherever it has no column: `0.9758`, `12,583`, `1.2e-9`. */
export function figure(value: number | null | undefined): string {
  if (typeof value !== 'number') return written(value, 0);
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(1);
  return Math.abs(value) >= 1e4 ? whole(value) : four_digits.format(value);
}
