// One cursor over panels that lie one under the other: it follows the pointer, a finger, or the arrow keys. Its line is
// an element over each chart; the charts beneath are not drawn again, so that it keeps up with the pointer however many
// points they hold.

export interface Span {
  left: number;
  right: number;
}

/**
 * Calls `moved` with the place to which the reader moves the cursor, in px from the left of a panel, or undefined when it
 * leaves; `span` is where a panel's axis lies within it. Each of `lines` is moved along; the host's class `pointed` shows
 * them. The function that is returned puts the cursor at a place, or away.
 */
export function followCursor(host: HTMLElement, lines: readonly HTMLElement[], span: () => Span,
    moved: (place: number | undefined) => void): (place: number | undefined) => void {
  let place: number | undefined;
  const put = (to: number | undefined): void => {
    place = to;
    host.classList.toggle('pointed', to !== undefined);
    // Not by one property of the host: every element of every chart would inherit it.
    if (to !== undefined) for (const line of lines) line.style.transform = `translateX(${to}px)`;
  };
  const move = (to: number | undefined): void => {
    put(to);
    moved(to);
  };
  const hide = (): void => {
    if (place !== undefined) move(undefined);
  };
  const point = (event: PointerEvent): void => {
    const panel = (event.target as Element).closest('.panel .chart');
    if (!panel) return;
    const {left, right} = span();
    move(Math.min(right, Math.max(left, event.clientX - panel.getBoundingClientRect().left)));
  };
  host.addEventListener('pointermove', point);
  host.addEventListener('pointerdown', point);
  host.addEventListener('pointerleave', event => {
    if (event.pointerType === 'mouse') hide();
  });
  host.addEventListener('blur', hide);
  host.addEventListener('keydown', event => {
    const {left, right} = span();
    const step = (right - left) / (event.shiftKey ? 20 : 200);
    const steps = new Map([['ArrowLeft', -step], ['ArrowRight', step], ['Home', -Infinity], ['End', Infinity]]).get(event.key);
    if (event.target !== host || steps === undefined) return;
    event.preventDefault();
    move(Math.min(right, Math.max(left, (place ?? (left + right) / 2) + steps)));
  });
  return put;
}
