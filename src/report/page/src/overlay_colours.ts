// The colours of an overlay, as the page's style has them (overlay.css): utilities run along a scale whose lightness falls
// evenly (viridis), so that dark means a poor user, on light paper as on dark.

export interface Palette {
  /** From the lowest utility to the highest. */
  scale: readonly string[];
  empty: string;
  room: string;
  ink: string;
  paper: string;
  chosen: string;
  /** Edges to a higher utility; the same from servers without users; the others. */
  rising: string;
  joining: string;
  other: string;
}

const stops = 7;   // that overlay.css names
const shades = 64;  // more than an eye tells apart

export function paletteOf(host: HTMLElement): Palette {
  const style = getComputedStyle(host);
  const named = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const marks = Array.from({length: stops}, (_, at) => channels(named(`utility-${at}`)));
  const scale = Array.from({length: shades}, (_, at) => {
    const place = at / (shades - 1) * (stops - 1);
    const low = Math.min(stops - 2, Math.floor(place));
    return `rgb(${marks[low]!.map((from, channel) => Math.round(from + (marks[low + 1]![channel]! - from) * (place - low))).join(' ')})`;
  });
  return {
    scale, empty: named('rest'), room: named('axis'), ink: named('ink'), paper: named('paper'), chosen: named('chosen'),
    rising: named('edge-rising'), joining: named('edge-joining'), other: named('edge-other'),
  };
}

/** Which of the shades, from 0 to 63, a utility has between the lowest and the highest. */
export function shadeOf(utility: number, {low, high}: Span): number {
  return high > low ? Math.round(Math.min(1, Math.max(0, (utility - low) / (high - low))) * (shades - 1)) : shades - 1;
}

export interface Span {
  low: number;
  high: number;
}

/** Of all utilities; of none it is a point. */
export function spanOf(utilities: Iterable<number | null>): Span {
  const span = {low: Infinity, high: -Infinity};
  for (const utility of utilities) {
    if (utility === null) continue;
    span.low = Math.min(span.low, utility);
    span.high = Math.max(span.high, utility);
  }
  return span.low <= span.high ? span : {low: 0, high: 0};
}

/** `#0a1b2c` as three numbers. */
function channels(colour: string): number[] {
  return [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
}
