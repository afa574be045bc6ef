// The slider over the frames, with play and pause. On the slider the arrow keys step, as a browser has it; the space bar plays.

import {element} from 'shared/element';

export interface Player {
  host: HTMLElement;
  /** Advances by this many frames; Infinity is the end. */
  step(frames: number): void;
  /** Shows the frame; what plays is paused. */
  go(frame: number): void;
  /** Plays, or pauses. */
  toggle(): void;
  /** There are other frames now, and one of them is shown. */
  refill(frames: number, shown: number): void;
}

const frame_ms = 700;

/** `changed` shows a frame, and says in words which it is. */
export function player(changed: (frame: number) => string): Player {
  let playing: number | undefined;
  const slider = element('input', {type: 'range', min: 0, max: 0, step: 1, 'aria-label': 'Frame', oninput: () => go(Number(slider.value))});
  const button = element('button', {type: 'button', class: 'chip play', onclick: () => toggle()});
  const words = element('output', {class: 'frame-words'});

  function show(frame: number): void {
    slider.value = String(Math.max(0, Math.min(Number(slider.max), frame)));
    words.textContent = changed(Number(slider.value));
    slider.setAttribute('aria-valuetext', words.textContent);
  }
  function pause(): void {
    clearInterval(playing);
    playing = undefined;
    button.textContent = '▶ Play';
  }
  function go(frame: number): void {
    pause();
    show(frame);
  }
  function toggle(): void {
    if (playing !== undefined) return pause();
    if (slider.value === slider.max) show(0);
    button.textContent = '❚❚ Pause';
    playing = setInterval(() => {
      show(Number(slider.value) + 1);
      if (slider.value === slider.max) pause();
    }, frame_ms);
  }
  function refill(frames: number, shown: number): void {
    slider.max = String(frames - 1);
    go(shown);
  }
  slider.addEventListener('keydown', event => {
    if (event.key !== ' ') return;
    event.preventDefault();
    toggle();
  });
  pause();
  const host = element('div', {class: 'player', role: 'group', 'aria-label': 'Time'}, button, slider, words);
  return {host, go, toggle, refill, step: by => go(Number(slider.value) + by)};
}
