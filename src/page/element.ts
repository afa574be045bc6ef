// Builds page elements. Text only ever becomes a text node, so no name in the data can become markup.

type Child = Node | string;
type Attributes = Record<string, string | number | ((event: Event) => void)>;

/** `element('button', {class: 'chip', onclick: …}, 'drf')` */
export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A name that may be broken after each slash, where its cell is narrow: `observability/` `prometheus`. */
export function breakable(name: string): Child[] {
  return name.split(/(?<=\/)/).flatMap((part, at) => at === 0 ? [part] : [document.createElement('wbr'), part]);
}
