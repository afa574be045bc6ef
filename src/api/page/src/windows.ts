// How far back a chart looks.

export const windows = [
  {name: '10m', title: '10 minutes', seconds: 600, step: '10s'},
  {name: '1h', title: '1 hour', seconds: 3600, step: '10s'},
  {name: '6h', title: '6 hours', seconds: 6 * 3600, step: '60s'},
  {name: '24h', title: '24 hours', seconds: 86_400, step: '5m'},
  {name: '7d', title: '7 days', seconds: 7 * 86_400, step: '1h'},
  {name: '30d', title: '30 days', seconds: 30 * 86_400, step: '1h'},
] as const;

export const windowNamed = (name: string | undefined) => windows.find(each => each.name === name) ?? windows[1];

/** `from`, `to` and `step` of a question for history. */
export function windowQuery(name: string | undefined): {from: string; to: string; step: string} {
  const {seconds, step} = windowNamed(name);
  const now = Date.now();
  return {from: new Date(now - seconds * 1000).toISOString(), to: new Date(now).toISOString(), step};
}
