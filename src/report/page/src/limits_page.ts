// The page of limits: what pods request and may use, against what the node has. What mirab limits reports.

import {bulletBars, stackedBars} from './answer_charts';
import type {Stack} from './answer_charts';
import type {Limited, LimitedPod} from './answer_data';
import {seriesMark} from './chart';
import {dropDown} from './choices';
import {element} from 'shared/element';
import {count, figure, listed, percent} from 'shared/format';
import {chartFigure, noticesSection, pageHeader, section, whenPlaced} from './layout';
import {sortableTable} from 'shared/sortable_table';

const nodes_at_most = 60;
const named_at_most = 7;  // pods with a colour of their own

const units = [{sign: 'Ti', size: 2 ** 40}, {sign: 'Gi', size: 2 ** 30}, {sign: 'Mi', size: 2 ** 20}];

type Which = 'request' | 'old_limit' | 'limit';
const kinds: readonly [Which, string][] = [['request', 'requests'], ['old_limit', 'old limits'], ['limit', 'new limits']];

const suffixes: Record<string, number> = {m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40};

/** `720m`, `81Mi`: as Kubernetes writes amounts. */
export function quantity(text: string): number {
  const [, digits = '0', suffix = ''] = /^([0-9.]+)([A-Za-z]*)$/.exec(text) ?? [];
  return Number(digits) * (suffixes[suffix] ?? 1);
}

export function showLimits(page: HTMLElement, limited: Limited): void {
  const resources = Object.keys(limited.allocatable);
  page.replaceChildren(pageHeader(limited, ...lead(limited, resources)));
  const pods = byPart(limited, resources);
  for (const resource of resources) page.append(resourceSection({...limited, pods}, resource));
  const nodes = nodesSection(limited, resources);
  if (nodes) page.append(nodes);
  page.append(podsSection(limited, resources));
  if (limited.evictions.length > 0) page.append(evictionsSection(limited));
  const notices = noticesSection([{label: limited.mechanism, notices: limited.notices}]);
  if (notices) page.append(notices);
}

function lead({pods, node, nodes, mechanism, allocatable, old_limits, evictions}: Limited, resources: readonly string[]): string[] {
  const all = pods.reduce((sum, pod) => sum + pod.pods, 0);
  const where = nodes > 1 ? `${nodes} nodes` : node === '' ? 'a node' : `node ${node}`;
  const beyond = resources.filter(resource => typeof old_limits[resource] === 'string' && quantity(old_limits[resource]!) > quantity(allocatable[resource]!));
  const unlimited = resources.filter(resource => old_limits[resource] === null);
  return [`${count(all, 'pod shares', 'pods share')} ${where} by ${mechanism}. The new limits together are at most what ${nodes > 1 ? 'each node' : 'it'} has.`,
    ...(beyond.length > 0 ? [`The old limits allow more ${listed(beyond)} than there is.`] : []),
    ...(unlimited.length > 0 ? [`Of ${listed(unlimited)} some containers had no limit.`] : []),
    ...(evictions.length > 0 ? ['If all used what the old limits allow, Kubernetes would evict pods.'] : [])];
}

/** Of all pods of a template: containers run together, init containers before them; an amount that a container lacks is none. */
function held({pods, containers}: LimitedPod, resource: string, which: Which): number | undefined {
  let running = 0;
  let most = 0;
  for (const container of containers) {
    const text = container[which][resource];
    if (typeof text !== 'string') return undefined;
    if (container.role === 'init') most = Math.max(most, running + quantity(text));
    else running += quantity(text);
  }
  return pods * Math.max(running, most);
}

/** The largest first, by what their new limits are of any one resource: in this order they have their colours in all charts. */
function byPart({pods, allocatable}: Limited, resources: readonly string[]): LimitedPod[] {
  const part = (pod: LimitedPod) => Math.max(...resources.map(resource => (held(pod, resource, 'limit') ?? 0) / quantity(allocatable[resource]!)));
  return pods.map(pod => ({pod, size: part(pod)})).sort((a, b) => b.size - a.size).map(({pod}) => pod);
}

function resourceSection({pods, allocatable, nodes}: Limited, resource: string): HTMLElement {
  const named = pods.slice(0, pods.length > named_at_most + 1 ? named_at_most : pods.length);
  const rest = pods.slice(named.length);
  const names = [...named.map(({name, pods: of}) => of > 1 ? `${name} ×${of}` : name), ...(rest.length > 0 ? [`${rest.length} others`] : [])];
  const available = quantity(allocatable[resource]!);
  const unit = units.find(({size}) => available >= size) ?? {sign: '', size: 1};
  const stacks = kinds.map(([which, name]): Stack => {
    const part = (pod: LimitedPod) => (held(pod, resource, which) ?? 0) / unit.size;
    const parts = [...named.map(part), ...(rest.length > 0 ? [rest.reduce((sum, pod) => sum + part(pod), 0)] : [])];
    const lacking = pods.filter(pod => held(pod, resource, which) === undefined).length;
    return {name: lacking > 0 ? `${name} (${lacking} without)` : name, parts, total: parts.reduce((sum, each) => sum + each, 0)};
  });
  const {host, figure: chart} = chartFigure(`${resource}: requests, old limits and new limits of the pods`,
      `Stacked by pod, against what ${nodes > 1 ? 'the nodes have together' : 'the node has'}.`, []);
  chart.append(element('ul', {class: 'legend'}, ...names.map((name, at) =>
    element('li', {}, at === named.length ? element('span', {class: 'mark mark-rest', 'aria-hidden': 'true'}) : seriesMark(at), name))));
  whenPlaced(() => stackedBars(host, names, stacks, available / unit.size, unit.sign ? `${resource} (${unit.sign})` : resource, figure));
  return section(resource, '', chart);
}

/** Each node of a cluster: what its pods request and may use, of what it has. */
function nodesSection({pods, on_nodes = []}: Limited, resources: readonly string[]): HTMLElement | undefined {
  if (on_nodes.length < 2) return undefined;
  const by_name = new Map(pods.map(pod => [pod.name, pod]));
  let resource = resources[0]!;
  let which: Which = 'request';
  const bullets = () => on_nodes.slice(0, nodes_at_most).map(({name, allocatable, pods: counts}) => {
    const sum = (kind: Which) => Object.entries(counts).reduce((all, [template, count]) => {
      const pod = by_name.get(template);
      return all + (pod ? (held(pod, resource, kind) ?? held(pod, resource, 'request') ?? 0) / pod.pods * count : 0);
    }, 0) / quantity(allocatable[resource]!);
    return {name, got: sum(which), asked: undefined, fair: 1};
  });
  const choices = [
    dropDown('Resource', resources.map(name => [name, name]), resource, value => {
      resource = value;
      drawn.redraw();
    }),
    dropDown('Show', kinds.map(([kind, name]) => [kind, name]), which, value => {
      which = value as Which;
      drawn.redraw();
    })];
  const {host, figure: chart} = chartFigure('What the pods of each node request and may use', 'Of what is allocatable there, which is the tick' +
    `${on_nodes.length > nodes_at_most ? `; the first ${nodes_at_most} of ${on_nodes.length} nodes` : ''}. A pod without an old limit counts with its request.`, choices);
  const drawn = whenPlaced(() => bulletBars(host, () => ({bullets: bullets(), axis: `${resource} (% of allocatable)`}), percent));
  return section('Every node', '', chart);
}

function podsSection({pods}: Limited, resources: readonly string[]): HTMLElement {
  const rows = pods.flatMap(pod => pod.containers.map(container => ({pod, container})));
  const sum = (text: string | null | undefined) => typeof text === 'string' ? quantity(text) : -1;
  return section('Every container', '', sortableTable('Every container', [
    {heading: 'pod', key: ({pod}) => pod.name, text: ({pod}) => pod.pods > 1 ? `${pod.name} ×${pod.pods}` : pod.name},
    ...(pods.some(({namespace}) => namespace !== '') ? [{heading: 'namespace', key: ({pod}: {pod: LimitedPod}) => pod.namespace, text: ({pod}: {pod: LimitedPod}) => pod.namespace}] : []),
    {heading: 'container', key: ({container}) => container.name, text: ({container}) => container.name + (container.role === 'main' ? '' : ` (${container.role})`)},
    ...resources.flatMap(resource => kinds.map(([which, name]) => ({
      heading: name.replace(/s$/, ''), group: resource,
      key: ({container}: (typeof rows)[number]) => sum(container[which][resource]),
      text: ({container}: (typeof rows)[number]) => container[which][resource] ?? '–'}))),
  ], rows));
}

function evictionsSection({evictions}: Limited): HTMLElement {
  return section('Who would be evicted', 'If all used what their old limits allow, in this order.', sortableTable('Who would be evicted', [
    {heading: 'pod', key: each => each.name, text: each => each.pods > 1 ? `${each.name}, ${each.pods} of them` : each.name},
    {heading: 'runs out', key: each => each.resource, text: each => each.resource},
    {heading: 'above its request', key: each => quantity(each.above_request), text: each => each.above_request},
    {heading: 'class', key: each => each.qos, text: each => each.qos},
    {heading: 'priority', key: each => each.priority, text: each => String(each.priority)},
  ], evictions));
}
