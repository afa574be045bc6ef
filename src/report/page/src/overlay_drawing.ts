// Draws one moment of an overlay on a canvas. An edge runs from the server that names a neighbour to the neighbour: it is a
// wedge, wide where it begins (Holten and van Wijk 2009 find that read best of all drawings of direction), or, of very many,
// a hairline that is darker there. A server is a disc that fills its circle as the server fills.
// Cost: without a graphics card 5 to 10 µs a wedge and 1 µs a hairline, which is the one kind of line that a browser draws
// without finding out first what its path covers; 10,000 edges as wedges would take a tenth of a second. A circle is quick
// as long as it is alone in its path.

import {shadeOf} from './overlay_colours';
import type {Palette, Span} from './overlay_colours';
import type {Moment} from './overlay_moment';
import type {Places} from './overlay_spiral';

export interface Scene {
  moment: Moment;
  places: Places;
  /** The middle of the picture and a step of the spiral, px. */
  middle: number;
  step: number;
  span: Span;
  /** Whose edges are drawn apart. */
  chosen: number | undefined;
}

type Pen = CanvasRenderingContext2D;

const wedges_at_most = 2000;
const edges_in_full = 1400;  // more are fainter, lest they be one area
const begin = 0.45;          // of a hairline is darker
const least_disc = 0.5;  // of its circle's radius, that the colour of an empty server is seen

/** Radius of a server's circle, px. */
export const circleOf = (step: number): number => Math.min(15, Math.max(2, step * 0.4));

export function drawScene(pen: Pen, scene: Scene, palette: Palette): void {
  drawEdges(pen, scene, palette);
  drawServers(pen, scene, palette);
  drawCentre(pen, scene, palette);
  if (scene.chosen !== undefined) drawChosen(pen, scene, palette, scene.chosen);
}

/** Faint ones first; fainter altogether when a server is chosen. */
function drawEdges(pen: Pen, scene: Scene, palette: Palette): void {
  const {moment: {view, rank, peopled}, step, chosen} = scene;
  const edges = view.reduce((sum, neighbours) => sum + neighbours.length, 0);
  const width = edges <= wedges_at_most ? Math.min(3.2, Math.max(1, step * 0.09)) : 0;
  pen.globalAlpha = Math.min(1, Math.sqrt(edges_in_full / edges)) * (chosen === undefined ? 1 : 0.35);
  const isRising = (server: number, neighbour: number): boolean => rank[neighbour]! < rank[server]!;
  const isPeopled = (server: number): boolean => rank[server]! < peopled;
  drawKind(pen, scene, palette.other, width, (server, neighbour) => !isRising(server, neighbour));
  drawKind(pen, scene, palette.joining, width, (server, neighbour) => isRising(server, neighbour) && !isPeopled(server));
  drawKind(pen, scene, palette.rising, width, (server, neighbour) => isRising(server, neighbour) && isPeopled(server));
  pen.globalAlpha = 1;
}

function drawKind(pen: Pen, scene: Scene, colour: string, width: number, isKind: (server: number, neighbour: number) => boolean): void {
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = 0.95 / pen.getTransform().a;
  pen.beginPath();
  scene.moment.view.forEach((neighbours, server) => {
    for (const neighbour of neighbours) {
      if (!isKind(server, neighbour)) continue;
      if (width > 0) wedge(pen, scene, server, neighbour, width);
      else hairline(pen, scene, server, neighbour);
    }
  });
  if (width === 0) pen.stroke();
}

/** Its beginning twice. */
function hairline(pen: Pen, {places: {x, y}, middle, step}: Scene, from: number, to: number): void {
  const [x0, y0, x1, y1] = [middle + x[from]! * step, middle + y[from]! * step, middle + x[to]! * step, middle + y[to]! * step];
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.moveTo(x0, y0);
  pen.lineTo(x0 + (x1 - x0) * begin, y0 + (y1 - y0) * begin);
}

/** One by one, that edges which lie upon each other are darker. */
function wedge(pen: Pen, {places: {x, y}, middle, step}: Scene, from: number, to: number, width: number): void {
  const [x0, y0, x1, y1] = [middle + x[from]! * step, middle + y[from]! * step, middle + x[to]! * step, middle + y[to]! * step];
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length === 0) return;
  const [across, down] = [(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2];
  pen.beginPath();
  pen.moveTo(x0 + across, y0 - down);
  pen.lineTo(x1, y1);
  pen.lineTo(x0 - across, y0 + down);
  pen.fill();
}

function drawServers(pen: Pen, scene: Scene, palette: Palette): void {
  const {moment: {utility, used}, step, span} = scene;
  const radius = circleOf(step);
  utility.forEach((value, server) => {
    circle(pen, scene, server, radius);
    pen.fillStyle = palette.paper;
    pen.fill();
    ring(pen, palette.room, Math.min(1, radius / 5));
    circle(pen, scene, server, radius * Math.sqrt(least_disc ** 2 + (1 - least_disc ** 2) * Math.min(1, used[server]!)));
    pen.fillStyle = value === null ? palette.empty : palette.scale[shadeOf(value, span)]!;
    pen.fill();
  });
}

/** Two rings around the server of the highest utility. */
function drawCentre(pen: Pen, scene: Scene, palette: Palette): void {
  const {moment: {order, peopled}, step} = scene;
  if (peopled === 0) return;
  for (const apart of [1.5, 4.5]) {
    circle(pen, scene, order[0]!, circleOf(step) + apart);
    ring(pen, palette.ink, 1.5);
  }
}

/** Who is chosen, whom it names, and by whom it is named. */
function drawChosen(pen: Pen, scene: Scene, palette: Palette, chosen: number): void {
  const {moment: {view}, step} = scene;
  const radius = circleOf(step);
  const width = Math.max(3, radius * 0.5);
  pen.fillStyle = palette.chosen;
  pen.globalAlpha = 0.4;
  view.forEach((neighbours, server) => {
    if (neighbours.includes(chosen)) wedge(pen, scene, server, chosen, width * 0.6);
  });
  pen.globalAlpha = 0.9;
  for (const neighbour of view[chosen]!) wedge(pen, scene, chosen, neighbour, width);
  pen.globalAlpha = 1;
  for (const marked of [...view[chosen]!, chosen]) {
    circle(pen, scene, marked, radius + 1.5);
    ring(pen, palette.chosen, 2);
  }
}

function circle(pen: Pen, {places: {x, y}, middle, step}: Scene, server: number, radius: number): void {
  pen.beginPath();
  pen.arc(middle + x[server]! * step, middle + y[server]! * step, radius, 0, 2 * Math.PI);
}

function ring(pen: Pen, colour: string, width: number): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
}
