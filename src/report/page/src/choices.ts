// What the reader of the page has chosen, and the controls to choose it.

import {seriesMark} from './chart';
import {element} from 'shared/element';

/** Buttons that show and hide contenders in every chart; the last one shown cannot be hidden. */
export function contenderChips(about: string, names: readonly string[], shown: Set<number>, changed: () => void): HTMLElement {
  const buttons = names.map((name, index) => element('button', {
    type: 'button', class: 'chip', 'aria-pressed': 'true',
    onclick: () => {
      if (shown.has(index) && shown.size > 1) shown.delete(index);
      else shown.add(index);
      buttons.forEach((button, at) => button.setAttribute('aria-pressed', String(shown.has(at))));
      changed();
    },
  }, seriesMark(index), name));
  const chips = element('div', {class: 'chips', role: 'group', 'aria-label': about}, ...buttons);
  // What else stays at the top of the screen stands below them, in however many lines they are (page.css).
  new ResizeObserver(() => document.documentElement.style.setProperty('--chips', `${chips.offsetHeight}px`)).observe(chips);
  return chips;
}

/** A labelled drop-down list of [value, text] pairs. */
export function dropDown(label: string, items: readonly (readonly [string, string])[], chosen: string,
    changed: (value: string) => void): HTMLElement {
  const select = element('select', {onchange: () => changed(select.value)},
      ...items.map(([value, text]) => element('option', {value}, text)));
  select.value = chosen;
  return element('label', {class: 'choice'}, `${label} `, select);
}
