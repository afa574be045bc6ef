// The picture of one run: its graph, the scale of its colours, what it says in words, and the server that was chosen.

import {element} from 'shared/element';
import {figure} from 'shared/format';
import type {Span} from './overlay_colours';
import {overlayGraph} from './overlay_graph';
import type {Moment} from './overlay_moment';
import {momentWords, serverWords, tickWords} from './overlay_words';

export interface Pane {
  host: HTMLElement;
  /** What takes the keys. */
  canvas: HTMLCanvasElement;
  show(label: string, moment: Moment, span: Span): void;
  choose(server: number | undefined): void;
}

export function overlayPane(names: readonly string[], picked: (server: number | undefined) => void): Pane {
  let moment: Moment | undefined;
  let chosen: number | undefined;
  const heading = element('h3', {});
  const [low, high] = [element('span', {}), element('span', {})];
  const words = element('p', {class: 'quiet', 'aria-live': 'polite'});
  const about = element('div', {class: 'server', 'aria-live': 'polite'});
  const tip = element('div', {class: 'tooltip overlay-tip', 'aria-hidden': 'true'});
  tip.hidden = true;

  const graph = overlayGraph('', {
    picked,
    pointed: (server, x, y) => {
      tip.hidden = server === undefined;
      graph.choose(server ?? chosen);
      if (server === undefined || !moment) return;
      tip.replaceChildren(serverWords(moment, names, server));
      const {clientWidth} = graph.canvas;
      tip.style.left = `${Math.max(0, Math.min(x + 16, clientWidth - tip.offsetWidth))}px`;
      tip.style.top = `${y + 20}px`;
    },
  });

  function tell(): void {
    if (!moment) return;
    about.replaceChildren(...(chosen === undefined ? [] : [serverWords(moment, names, chosen)]));
    const text = momentWords(moment, names);
    words.textContent = text;
    graph.canvas.setAttribute('aria-label', `${heading.textContent}, ${tickWords(moment.tick)}: ${text} The arrow keys step in time and along the ranks.`);
  }

  const legend = element('div', {class: 'utility-legend'}, 'lowest share here:', low, element('span', {class: 'utility-scale', 'aria-hidden': 'true'}), high, 'dark = poorest user here');
  const host = element('figure', {class: 'overlay-pane'}, element('figcaption', {}, heading, legend),
      element('div', {class: 'overlay-canvas'}, graph.canvas, tip), words, about);
  return {
    host,
    canvas: graph.canvas,
    show: (label, next, span) => {
      moment = next;
      heading.textContent = label;
      [low.textContent, high.textContent] = next.peopled > 0 ? [figure(Math.abs(span.low)), figure(Math.abs(span.high))] : ['', ''];
      tip.hidden = true;
      graph.choose(chosen);
      graph.show(next, span);
      tell();
    },
    choose: server => {
      chosen = server;
      graph.choose(server);
      tell();
    },
  };
}
