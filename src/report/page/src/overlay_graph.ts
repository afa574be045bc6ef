// The picture of an overlay on the page: a canvas that moves from one moment to the next, tells which server is pointed
// at, and follows the width and the colours of the page.

import {element} from 'shared/element';
import {paletteOf} from './overlay_colours';
import type {Palette, Span} from './overlay_colours';
import {circleOf, drawScene} from './overlay_drawing';
import type {Scene} from './overlay_drawing';
import type {Moment} from './overlay_moment';
import {between, spiralPlaces, spiralRadius} from './overlay_spiral';
import type {Places} from './overlay_spiral';

export interface Graph {
  canvas: HTMLCanvasElement;
  /** Moves there, unless the reader prefers no motion. */
  show(moment: Moment, span: Span): void;
  /** Draws the edges of a server apart, or those of none. */
  choose(server: number | undefined): void;
}

/** `server` is undefined when no server is pointed at any more; the place is in px of the canvas. */
export interface Pointing {
  pointed(server: number | undefined, x: number, y: number): void;
  picked(server: number | undefined): void;
}

const motion_ms = 350;
const largest = 640;  // px
const most_pixels_per_px = 2;
const finger = 8;  // px around a server's circle that still mean it

export function overlayGraph(label: string, pointing: Pointing): Graph {
  const canvas = element('canvas', {class: 'overlay-graph', tabindex: 0, role: 'img', 'aria-label': label});
  let [moment, span]: [Moment | undefined, Span] = [undefined, {low: 0, high: 0}];
  let chosen: number | undefined;
  let places: Places | undefined;
  let palette: Palette | undefined;
  let motion = 0;

  const size = (): number => Math.min(largest, canvas.clientWidth);
  const sceneOf = (shown: Moment, at: Places): Scene =>
    ({moment: shown, places: at, middle: size() / 2, step: size() / 2 / spiralRadius(shown.order.length), span, chosen});

  function draw(): void {
    if (!moment || !places || size() === 0) return;
    const ratio = Math.min(most_pixels_per_px, devicePixelRatio);
    const pixels = Math.round(size() * ratio);
    if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
    const pen = canvas.getContext('2d')!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size(), size());
    drawScene(pen, sceneOf(moment, places), palette ??= paletteOf(canvas));
  }

  function move(from: Places, to: Places): void {
    cancelAnimationFrame(motion);
    const begin = performance.now();
    const advance = (now: number): void => {
      const part = Math.min(1, Math.max(0, (now - begin) / motion_ms));
      places = between(from, to, part * part * (3 - 2 * part));
      draw();
      if (part < 1) motion = requestAnimationFrame(advance);
    };
    advance(matchMedia('(prefers-reduced-motion: reduce)').matches ? Infinity : begin);
  }

  function serverAt(event: PointerEvent): {server: number | undefined; x: number; y: number} {
    const {left, top} = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    return {server: moment && places ? nearest(sceneOf(moment, places), x, y) : undefined, x, y};
  }

  canvas.addEventListener('pointermove', event => {
    const {server, x, y} = serverAt(event);
    pointing.pointed(server, x, y);
  });
  canvas.addEventListener('pointerleave', () => pointing.pointed(undefined, 0, 0));
  canvas.addEventListener('click', event => pointing.picked(serverAt(event as PointerEvent).server));
  new ResizeObserver(draw).observe(canvas);
  for (const look of ['(prefers-color-scheme: dark)', 'print']) {
    matchMedia(look).addEventListener('change', () => {
      palette = undefined;
      draw();
    });
  }

  return {
    canvas,
    show: (next, over) => {
      const to = spiralPlaces(next.rank);
      const from = places ?? to;
      [moment, span] = [next, over];
      move(from, to);
    },
    choose: server => {
      chosen = server;
      draw();
    },
  };
}

/** The server whose circle is there, or near enough for a finger. */
function nearest({places: {x, y}, middle, step}: Scene, at: number, down: number): number | undefined {
  let found: number | undefined;
  let least = circleOf(step) + Math.min(finger, step * 0.2);
  for (let server = 0; server < x.length; ++server) {
    const distance = Math.hypot(middle + x[server]! * step - at, middle + y[server]! * step - down);
    if (distance <= least) [found, least] = [server, distance];
  }
  return found;
}
