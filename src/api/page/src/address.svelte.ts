// What the address names: the page, the thing on it, and the filters. Behind the #, so that it stays in the browser.

function read(): {parts: string[]; query: Record<string, string>} {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const decoded = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  return {parts: path.split('/').filter(part => part !== '').map(decoded), query: Object.fromEntries(new URLSearchParams(query))};
}

export const address = $state(read());

export function followAddress(): void {
  addEventListener('hashchange', () => Object.assign(address, read()));
}

/** `link(['queue', 'a/b'], {state: 'waiting'})` */
export function link(parts: readonly string[], query: Record<string, string> = {}): string {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${given && `?${given}`}`;
}

/** Sets filters of this page; an empty one is taken away. Going back does not undo each of them. */
export function filter(change: Record<string, string>): void {
  const query = Object.fromEntries(Object.entries({...address.query, ...change}).filter(([, value]) => value !== ''));
  history.replaceState(null, '', link(address.parts, query));
  address.query = query;
}

/** Several names as one filter: no name of a thing holds a slash. */
export const namesOf = (text: string | undefined): string[] => (text ?? '').split('/').filter(name => name !== '');
export const textOf = (names: Iterable<string>): string => [...names].join('/');

export const jobLink = (label: string): string => {
  const slash = label.indexOf('/');
  return link(['queue', label.slice(0, slash), 'job', label.slice(slash + 1)]);
};
