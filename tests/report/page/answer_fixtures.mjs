// Data of the pages of answers, as mirab explain, diff, audit, limits and plan write it.
import {hostile_name, team} from './fixtures.mjs';

const head = (kind, title) => ({version: 1, kind, title, command: `mirab ${kind} cluster.yaml`, made: 'mirab 0.1.0, 2026-11-23', cluster: title});
const exact = {status: 'exact', certificate: {kind: 'exact', value: 0}, seconds: 0.001};

const tried = (words, gain, tasks) => ({change: 'server', servers: ['gpu'], amount: 1, tasks, gain, losers: {count: 0, most: [], words: ''}, status: 'exact', words});

/** Two users who are short, one that has all; the name of the first tries to be markup. */
export function survey() {
  const what_ifs = [tried('one more server: gpu', 4, 12), tried('weight 2 instead of 1', 1, 9), tried('1 more cpu on one server: gpu', -0.5, 7.5)];
  const user = (name, asked, tasks, more = {}) => ({
    name, groups: [], weight: 1, asked, tasks, satisfied: asked !== null && tasks >= asked, dominant_share: tasks / 40,
    held_back: {by: 'capacity', words: 'gpu on gpu-large'}, bindings: [], remedy: what_ifs[0], free_remedy: null, what_ifs, untried: 0, ...more});
  return {...head('survey', 'Our cluster'), mechanism: 'drfh', ...exact, satisfied_users: 1, satisfied_of: 3, solved: 5, notices: ['a note'],
    team: null, together: [], teams: [team(hostile_name, {now: 0.1, fair: 0.2, asked: 0.4}), team('endless', {now: 0.25, fair: 0.25}),
      team('has-all', {now: 0.15, fair: 0.15, asked: 0.15, satisfied: true, held_by: null})], users: [
    user(hostile_name, 16, 8), user('endless', null, 10),
    user('has-all', 6, 6, {held_back: {by: 'tasks', words: 'its tasks'}, remedy: null, what_ifs: []})]};
}

/** Of one team, with its shapes that wait and what would help the team. */
export function team_survey() {
  const of_all = survey();
  return {...of_all, title: 'Our cluster: lab', team: 'lab', together: of_all.users[0].what_ifs, teams: [team('lab', {now: 0.1, fair: 0.2, asked: 0.4})]};
}

export function explanation() {
  const {what_ifs} = survey().users[0];
  return {...head('explanation', 'Our cluster: training'), mechanism: 'drfh', ...exact,
    user: {name: 'training', weight: 1, demand: {cpu: 4, gpu: 1}, limit: 14, tasks: 8, dominant_resource: 'gpu', dominant_share: 0.5,
      has_all_tasks: false, held_back: {by: 'capacity', words: 'gpu'}, servers: {gpu: 8}},
    bindings: [{servers: ['gpu'], resource: 'gpu', capacity: 16, held: 8, level: 0.5, others: [{user: 'inference', held: 8}]}],
    what_ifs, untried: 0, notices: []};
}

export function difference() {
  const side = (mechanism, tasks) => ({cluster: 'Our cluster', mechanism, ...exact, users: 3, servers: 4, tasks, satisfied_users: 1, satisfied_of: 3,
    lowest: {tasks: 2, dominant_share: 0.1}, notices: []});
  const share = (tasks, of, satisfied = false) => ({tasks, dominant_share: of, share_of_before: of, asked: satisfied ? tasks : null, satisfied});
  const teams = [['gains', 0.2, 0.4], ['gains-too', 0.1, 0.15], ['stays', 0.3, 0.3], ['loses', 0.5, 0.3]].map(([name, now, fair]) =>
    ({name, before: share(1, now), after: share(1, fair, name === 'stays'), direction: fair > now ? 'gain' : fair < now ? 'lose' : 'unchanged', shapes: [],
      now, fair, asked: null, waiting: null, held_by: null}));
  return {...head('diff', 'Our cluster'), teams, before: side('drf', 12), after: side('pf', 14), gainers: 2, losers: 1, changed_users: {gain: 2, lose: 1, mixed: 0, unchanged: 1},
    users: [
      {name: 'gains', before: share(4, 0.2), after: share(8, 0.4), change: 1, same_task: true},
      {name: 'gains-too', before: share(2, 0.1), after: share(3, 0.15), change: 0.5, same_task: true},
      {name: 'stays', before: share(3, 0.3, true), after: share(3, 0.3, true), change: 0, same_task: false},
      {name: 'loses', before: share(5, 0.5), after: share(3, 0.3), change: -0.4, same_task: true}],
    only_before: [], only_after: [{name: 'comes', ...share(1, 0.05)}],
    utilization: {cpu: {before: 0.5, after: 0.9}, gpu: {before: null, after: 1}}};
}

/** `failures` of one property, each by another mechanism. */
/** The user of a group without a weight, with a change of which rounding left less than nothing before it was 0. */
export function grouped_explanation() {
  const data = explanation();
  return {...data, what_ifs: [...data.what_ifs, tried('weight 2 instead of 1 for lab', 0, 8)],
    path: [{name: 'lab', weight: 0, share: 0.5, beyond: 0.5, lowest_sibling: {name: 'shop', beyond: 0.25}},
      {name: data.user.name, weight: 1, share: 0.5, beyond: 0.5, lowest_sibling: null}],
    holder: {name: 'lab', by: 'no-weight', resources: ['gpu'], part: 0.5, sibling: 'shop', words: 'It is held back at lab: its weight is 0.'}};
}

/** research gained, vision came, and old went. */
export function grouped_difference() {
  const share = (part, more = {}) => ({parent: null, weight: 1, share: part, share_of_before: part, beyond: part, used: {gpu: 8}, guarantee: {gpu: 4}, borrowed: {gpu: 4}, lent: {gpu: 0}, ...more});
  return {...difference(), groups: [
    {name: 'research', is_user: false, before: share(0.4), after: share(0.5), gain: 0.1, moved: false, settings: ['weight']},
    {name: 'old', is_user: false, before: share(0.1), after: null, gain: 0, moved: false, settings: []},
    {name: 'web', is_user: true, before: share(0.1), after: share(0.1), gain: 0, moved: false, settings: []},
    {name: 'vision', is_user: false, before: null, after: share(0.2, {parent: 'research'}), gain: 0, moved: false, settings: []}]};
}

export function audit(failures = 1) {
  const verdict = (property, more) => ({property, decided: true, holds: true, vacuous: false, scope: 'instance', tried: 1, ...more});
  const cluster = {version: 1, resources: ['cpu'], servers: [{name: 'pool', capacity: {cpu: 2}, count: 3}], users: [{name: 'A', demand: {cpu: 1}}, {name: 'B', demand: {cpu: 2}}]};
  const event = {words: 'A could run 2.25 tasks on its half of the cluster, mlf-drs gives it 1.636', user: 'A', tasks: 1.636, alone: 2.25, size: 0.27};
  const failing = Array.from({length: failures}, (_, at) => ({mechanism: `mlf-drs:${at}`, status: 'exact', properties: [
    verdict('feasible'), verdict('sharing-incentive', {holds: false, witness: event, smallest: {...event, cluster}}), verdict('bottleneck-fairness', {vacuous: true, note: 'several'})]}));
  return {...head('audit', 'Our cluster'), audited: 'Our cluster', budget: 100, seed: 1, outcomes: [
    {mechanism: 'drf', status: 'exact', properties: [verdict('feasible'), verdict('sharing-incentive', {scope: 'searched', tried: 50}),
      verdict('bottleneck-fairness', {decided: false, holds: null, note: 'too large'})]},
    ...failing, {mechanism: 'max-min', refused: 'divides one resource', properties: []}]};
}

export function limits() {
  const container = (request, old_limit, limit, role = 'main') => ({name: 'app', role, request: {cpu: request, memory: '400Mi'}, old_limit: {cpu: old_limit, memory: null},
    limit: {cpu: limit, memory: '1Gi'}});
  const pod = (name, pods, containers) => ({name, kind: 'Pod', namespace: 'shop', pods, weight: 1, devices: {}, share: {cpu: 1, memory: 2 ** 30}, containers});
  return {...head('limits', 'pods.yaml'), mechanism: 'drf', status: 'exact', certificate: {kind: 'exact', value: 0}, recalculated: true, node: '', nodes: 2,
    allocatable: {cpu: '4', memory: '4Gi'}, requested: {cpu: '1', memory: '1Gi'}, old_limits: {cpu: '5', memory: null}, limits: {cpu: '4', memory: '4Gi'},
    pods: [pod('web', 2, [container('500m', '1', '1500m')]), pod('db', 1, [container('100m', '3', '1', 'init'), container('500m', '3', '1')])],
    on_nodes: [{name: 'n1', allocatable: {cpu: '2', memory: '2Gi'}, pods: {web: 1, db: 1}}, {name: 'n2', allocatable: {cpu: '2', memory: '2Gi'}, pods: {web: 1}}],
    evictions: [{name: 'web', pods: 1, resource: 'memory', above_request: '624Mi', qos: 'Burstable', priority: 0}], notices: []};
}

export function plan() {
  const kind = (name, price_of_one, count) => ({name, is_new: false, capacity: {cpu: 16}, price_of_one, count, price: price_of_one * count});
  return {...head('plan', 'Our cluster'), mechanism: 'drfh', ...exact, user: 'gains', wanted: 8, shapes: [], tasks_before: 4, tasks_after: 8,
    kinds: [kind('small', 9000, 0), kind('large', 25000, 2)], price: 50000, least_price: 50000, exact: true, falls_after: null, solved: 12,
    words: 'No cheaper purchase of these kinds is enough.', difference: difference()};
}
