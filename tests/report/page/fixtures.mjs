// Reports to draw: the slides' two users, and clusters of a plausible make with a fixed seed. The larger ones come from a
// small task-by-task filling, so that shares, steps and servers belong together.

/** Uniform numbers in [0, 1): mulberry32. */
export function uniform(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const resources = ['cpu', 'memory'];
const machine_classes = [[0.5, 0.5], [0.5, 0.25], [0.5, 0.75], [1, 1], [0.25, 0.25]];
const class_weights = [0.53, 0.31, 0.08, 0.06, 0.02];

function cluster(users, servers, seed) {
  const random = uniform(seed);
  const pick = () => {
    let left = random();
    return class_weights.findIndex((weight, i) => (left -= weight) < 0 || i === class_weights.length - 1);
  };
  const lognormal = (median, spread) =>
    median * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
  const name = () => Array.from({length: 12}, () => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/'[Math.floor(random() * 64)]).join('') + '=';
  return {
    servers: Array.from({length: servers}, (_, i) => ({name: `m${4820000 + i * 37}`, capacity: machine_classes[pick()]})),
    users: Array.from({length: users}, () => ({
      name: name(),
      demand: [Math.min(0.25, lognormal(0.025, 0.6)), Math.min(0.25, lognormal(0.016, 0.7))],
      wants: random() < 0.2 ? Math.ceil(random() * 20) : Infinity,
    })),
  };
}

const keys = {
  fifo: (user) => user.index,
  'round-robin': (user) => user.tasks,
  drf: (user) => user.share,
  asset: (user) => user.tasks * user.parts.reduce((a, b) => a + b),
  memory: (user) => user.tasks * user.parts[1],
};

/** First-fit, one task after the other, by the lowest key. */
function filled({users, servers}, discipline, label, steps) {
  const total = resources.map((_, r) => servers.reduce((sum, server) => sum + server.capacity[r], 0));
  const free = servers.map(server => [...server.capacity]);
  const state = users.map((user, index) => ({...user, index, tasks: 0, share: 0, from: 0, open: true, where: new Map(),
    parts: user.demand.map((d, r) => d / total[r])}));
  const trace = [];
  for (let step = 1; ; ++step) {
    let next;
    for (const user of state) if (user.open && (!next || keys[discipline](user) < keys[discipline](next))) next = user;
    if (!next) break;
    while (next.from < servers.length && next.demand.some((d, r) => d > free[next.from][r] + 1e-12)) next.from += 1;
    if (next.from === servers.length || next.tasks >= next.wants) {
      next.open = false;
      step -= 1;
      continue;
    }
    next.demand.forEach((d, r) => { free[next.from][r] -= d; });
    next.tasks += 1;
    next.where.set(next.from, (next.where.get(next.from) ?? 0) + 1);
    next.share = next.tasks * Math.max(...next.parts);
    trace.push({step, user: next.name, server: servers[next.from].name, share: next.share});
  }
  const used = servers.map((server, i) => server.capacity.map((c, r) => c - free[i][r]));
  return {
    discipline, placement: 'first-fit', tie: 'first', label, notices: [], errors: 0,
    users: state.map(user => ({
      name: user.name, tasks: user.tasks, dominant_share: user.share,
      dominant_resource: resources[user.parts[0] >= user.parts[1] ? 0 : 1],
      servers: Object.fromEntries([...user.where].map(([i, tasks]) =>
        [servers[i].name, {tasks, resources: named(user.demand.map(d => d * tasks))}])),
    })),
    servers: servers.map((server, i) => ({name: server.name, count: 1, capacity: named(server.capacity), used: named(used[i])})),
    metrics: metrics(state.map(user => user.share), total.map((c, r) => used.reduce((sum, u) => sum + u[r], 0) / c)),
    ...(steps ? {steps: trace} : {}),
  };
}

const named = (vector) => Object.fromEntries(resources.map((resource, r) => [resource, vector[r]]));

function metrics(shares, utilization) {
  const n = shares.length;
  const sum = shares.reduce((a, b) => a + b);
  const sorted = [...shares].sort((a, b) => a - b);
  const fifth = Math.ceil(n / 5);
  const poorest = sorted.slice(0, fifth).reduce((a, b) => a + b);
  const richest = sorted.slice(-fifth).reduce((a, b) => a + b);
  return {
    jain: sum * sum / (n * shares.reduce((a, b) => a + b * b, 0)),
    gini: sorted.reduce((total, share, i) => total + (2 * i + 1 - n) * share, 0) / (n * sum),
    ratio_20_20: poorest > 0 ? richest / poorest : null,
    sample_standard_deviation: Math.sqrt(shares.reduce((a, b) => a + (b - sum / n) ** 2, 0) / (n - 1)),
    min_dominant_share: sorted[0],
    utilization: named(utilization),
    beta_dominant: Math.abs(utilization[0] - utilization[1]),
    beta_non_dominant: Math.abs(utilization[0] - utilization[1]) / 2,
  };
}

/** A row of the answer by team: without more it asks without end, and nobody knows what it has now. */
export function team(name, more) {
  return {name, weight: 1, shapes: [], dominant_resource: 'cpu', now: null, fair: 0, asked: null, tasks: 0, asked_tasks: null, waiting: null,
    waiting_now: null, satisfied: false, held_by: 'cpu', ...more};
}

/** No user asks for a number of tasks, so all are short of them. */
function report(title, command, size, outcomes) {
  for (const outcome of outcomes) {
    outcome.metrics_short = outcome.metrics;
    outcome.lowest_share_short = outcome.metrics.min_dominant_share;
    outcome.satisfied_users = 0;
    for (const user of outcome.users) Object.assign(user, {asked: null, asked_share: null, satisfied: false});
    outcome.teams = outcome.users.map(({name, tasks, dominant_resource, dominant_share}) => team(name, {dominant_resource, fair: dominant_share, tasks}));
  }
  return {version: 1, title, command, seed: 1, problem: {resources, ...size}, outcomes};
}

/** The slides' users A and B on 9 CPUs and 18 GB; the tasks are theirs. */
export function twoUsers() {
  const outcome = (label, a, b) => {
    const used = [a + 3 * b, 4 * a + b];
    const shares = [4 * a / 18, 3 * b / 9];
    return {
      mechanism: label, label, status: label === 'pf' ? 'converged' : 'exact', certificate: {kind: 'duality-gap', value: 0},
      seconds: 1e-6, notices: [],
      users: [{name: 'A', tasks: a, dominant_resource: 'memory', dominant_share: shares[0]},
        {name: 'B', tasks: b, dominant_resource: 'cpu', dominant_share: shares[1]}],
      servers: [{name: 'pool', count: 1, capacity: named([9, 18]), used: named(used)}],
      metrics: metrics(shares, [used[0] / 9, used[1] / 18]),
    };
  };
  return report('two-users.yaml', 'mirab allocate two-users.yaml --mechanism drf --mechanism asset --mechanism pf --report two.html',
      {users: 2, servers: 1, server_classes: 1}, [outcome('drf', 3, 2), outcome('asset', 2.52, 2.16), outcome('pf', 45 / 11, 18 / 11)]);
}

export function twentyUsers() {
  const problem = cluster(20, 100, 3);
  const outcomes = ['drf', 'asset', 'round-robin', 'memory', 'fifo'].map(discipline =>
    filled(problem, discipline, `${discipline === 'memory' ? 'max-min' : discipline}/first-fit`, 'steps'));
  outcomes[4].notices.push('memory: the amounts have no common power-of-ten unit; demands are rounded up and capacities down.');
  outcomes[4].errors = 1012;
  return report('google2011-100x20.yaml',
      'mirab fill google2011-100x20.yaml --discipline drf --discipline asset --discipline round-robin --discipline fifo --placement first-fit --trace --report page.html',
      {users: 20, servers: 100, server_classes: 5}, outcomes);
}

export function sixHundredUsers() {
  const problem = cluster(600, 1200, 5);
  return report('google2011-600-users.yaml', 'mirab fill google2011-600-users.yaml --discipline drf --trace --report page.html',
      {users: 600, servers: 1200, server_classes: 5},
      [filled(problem, 'drf', 'drf/first-fit', 'steps'), filled(problem, 'asset', 'asset/first-fit'), filled(problem, 'fifo', 'fifo/first-fit', 'steps')]);
}

export const hostile_name = '</script><img src=x onerror=alert(1)>';

/** Names that try to become markup, in every place that shows one. */
export function hostileNames() {
  const hostile = twoUsers();
  hostile.title = hostile.command = hostile_name;
  hostile.problem.resources = [hostile_name, 'memory'];
  for (const outcome of hostile.outcomes) {
    outcome.label += hostile_name;
    outcome.notices = [hostile_name];
    outcome.users[0].name = hostile_name;
    outcome.users[0].dominant_resource = hostile_name;
    outcome.servers = ['a', 'b'].map(name => ({name: name + hostile_name, count: 1,
      capacity: {[hostile_name]: 4, memory: 9}, used: {[hostile_name]: 4, memory: 7}}));
    outcome.metrics.utilization = {[hostile_name]: 1, memory: 0.8};
    outcome.users[0].servers = {['a' + hostile_name]: {tasks: 1, resources: {[hostile_name]: 4, memory: 3}}};
    outcome.users[1].servers = {};
    outcome.steps = [{step: 1, user: hostile_name, server: hostile_name, share: 0.5}, {step: 2, user: 'B', server: 'b', share: 0.3}];
  }
  return hostile;
}

/** Names that every object of the language has. */
export const inherited_names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** The data under other names: those of `names` become, wherever they stand whole, the inherited ones. */
export function underInheritedNames(data, names) {
  const renamed = names.reduce((text, name, at) => text.replaceAll(JSON.stringify(name), JSON.stringify(inherited_names[at])),
      JSON.stringify(data));
  return JSON.parse(renamed);
}

/** As Mirab does it: every `<` escaped, so that nothing in the data can end its element. */
export function filledTemplate(template, data) {
  return template.split('__MIRAB_DATA__').join(JSON.stringify(data).replaceAll('<', '\\u003c'));
}
