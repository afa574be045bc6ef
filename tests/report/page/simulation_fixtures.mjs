// Simulations to draw, as docs/schema/simulation.schema.json has them: courses of a plausible make, the same at every run.

const resources = ['cpu', 'memory'];
const wave = (at, phase, mean, swing) => mean + swing * Math.sin(at / 37 + phase) * Math.cos(at / 211 + 3 * phase);
const course = (name, times, phase, mean, swing) => ({name, values: times.map((_, at) => wave(at, phase, mean, swing))});

export const quantiles = (count, scale) => count === 0 ?
  {count, mean: 0, p10: 0, p50: 0, p90: 0, p99: 0, max: 0, cdf: {values: [], parts: []}} :
  {count, mean: 3 * scale, p10: 0, p50: scale, p90: 8 * scale, p99: 40 * scale, max: 900 * scale,
    cdf: {values: [0, scale, 8 * scale, 40 * scale, 900 * scale], parts: [0.1, 0.5, 0.9, 0.99, 1]}};

function served(tasks, scale) {
  const finished = Math.floor(tasks * 0.7);
  return {
    submitted: tasks, started: finished + 2, finished, still_running: 2, still_waiting: tasks - finished - 2, lost: 0, oversized: 0, cut: 0,
    waiting: quantiles(finished + 2, scale), slowdown: quantiles(finished, 1 + scale / 100), completion: quantiles(finished, 2 * scale),
    waiting_so_far: quantiles(tasks - finished - 2, scale * 5), unfairness: 12.5 * scale, starvation: 90 * scale,
  };
}

const policies = [['drf', 'best-fit'], ['drf', 'worst-fit'], ['fifo', 'best-fit'], ['asset', 'first-fit'], ['round-robin', 'first-fit'],
  ['fifo', 'first-fit'], ['fifo', 'worst-fit'], ['asset', 'best-fit'], ['asset', 'worst-fit'], ['round-robin', 'best-fit']];

/** `points` samples of each series under each of the contenders. */
export function trace({contenders = 3, points = 400, users = 12} = {}) {
  const times = Array.from({length: points}, (_, at) => at * 86400 / points);
  return {
    version: 1, kind: 'trace', seed: 1, title: 'trace.yaml', command: 'mirab simulate trace.yaml --report page.html',
    cluster: 'park.yaml', workload: 'day.workload', resources, scale: {machines: 0.25, users: 1, load: 1},
    contenders: policies.slice(0, contenders).map(([discipline, placement], at) => ({
      discipline, placement,
      summary: {
        end: 86400, events: 2000, placements: 900, utilization: {cpu: 0.9 - 0.05 * at, memory: 0.6 + 0.03 * at}, used: {cpu: 0.5, memory: 0.4},
        mean_unfairness: 0.0125 * (at + 1), starved_users: at, ...served(1000 + at, 10 + at),
      },
      users: Array.from({length: users}, (_, user) => ({name: `user-${user}`, ...served(20 + user, 3 + user + at), share: 0.1 / (user + 1),
        starved: false})),
      times,
      series: [course('waiting', times, at, 300, 200), course('running', times, at + 1, 200, 50), course('users', times, 0, 20, 4),
        course('jain', times, at, 0.7, 0.2), course('gini', times, at, 0.3, 0.2), course('min_share', times, at, 0.01, 0.008),
        course('unfairness', times, at, 0.01, 0.01), course('fragmentation', times, at, 0.5, 0.3)],
      utilization: resources.map((name, r) => course(name, times, at + r, 0.8, 0.15)),
      used: resources.map((name, r) => course(name, times, at + r, 0.5, 0.15)),
      shares: ['user-0', 'user-1'].map((name, user) => course(name, times, user + at, 0.1, 0.05)),
      share_bands: ['p10', 'p50', 'p90'].map((name, band) => course(name, times, at, 0.01 * (band + 1), 0.005)),
      notices: at === 2 ? ['3 tasks fit on no server.'] : [],
    })),
  };
}

/** Two classes under two mechanisms; the last load is more than the pool can serve. */
export function traffic() {
  const loads = [0.1, 0.3, 0.5, 0.7, 0.9, 1.1];
  const rate = (load, mechanism, of) => Math.max(0, 1 - load) ** (mechanism === 'pf' && of === 'wide' ? 0.4 : 1);
  return {
    version: 1, kind: 'traffic', seed: 1, title: 'traffic.yaml', command: 'mirab simulate traffic.yaml --report page.html',
    events: 480000, model: 'fluid', sizes: 'exponential', capacity: {cpu: 1, memory: 1}, load_resource: 'cpu', jobs: 20000, mechanisms: ['drf', 'pf'],
    classes: [{name: 'narrow', demand: {cpu: 1, memory: 0.1}, claims: {cpu: 1, memory: 0.1}, arrivals: 0.75, permanent: 0},
      {name: 'wide', demand: {cpu: 0.1, memory: 1}, claims: {cpu: 0.5, memory: 1}, arrivals: 0.25, permanent: 0}],
    points: loads.flatMap(load => ['drf', 'pf'].flatMap(mechanism => ['narrow', 'wide'].map(of => {
      const service_rate = rate(load, mechanism, of);
      const stable = load < 1;
      return {load, mechanism, class: of, service_rate, interval: [service_rate * 0.95, service_rate * 1.05], jobs: stable ? load / service_rate : null, stable, settled: load !== 0.9};
    }))),
    notices: ['pf: 3 divisions did not converge: the shares fit, but are not the mechanism\'s'],
  };
}

export function reallocation({servers = 30, samples = 48} = {}) {
  const times = Array.from({length: samples}, (_, at) => (at + 1) * 300);
  return {
    version: 1, kind: 'reallocation', title: 'reallocation.yaml', command: 'mirab simulate reallocation.yaml --report page.html',
    cluster: 'park.yaml', workload: 'day.workload', resources, interval: 300, window: 3600, claimant: 'job', new_jobs: 'wait',
    contenders: ['tsf', 'drfh', 'alpha-pf-vds:alpha=2'].map((mechanism, at) => ({
      mechanism, status: at === 2 ? 'not_converged' : 'exact', certificate: at === 2 ? {kind: 'relative-duality-gap', value: 2.2e-9} : {kind: '', value: 0}, not_converged: at === 2 ? 1 : 0, divisions: 48,
      solved: 40, seconds: 0.01,
      summary: {jobs: 560, completed: 300 + 20 * at, work: 1e6, done: 6e5 + 1e4 * at, active: 17.2, utilization: {cpu: 0.8 + 0.05 * at, memory: 0.6},
        completion: quantiles(300 + 20 * at, 100 - at)},
      servers: Array.from({length: servers}, (_, server) => ({name: `m-${server}`, count: server === 7 ? 40 : 1, mean: {cpu: 0.7, memory: 0.5},
        series: resources.map((name, r) => course(name, times, at + r + server, 0.7, 0.25))})),
      times, series: [course('active', times, at, 17, 5)], notices: [],
    })),
  };
}

export function demands({iterations = 1000} = {}) {
  const times = Array.from({length: iterations}, (_, at) => at);
  const names = ['granted cpu', 'granted memory', 'run cpu', 'run memory', 'jain dominant cpu', 'sharing incentive'];
  return {
    version: 1, kind: 'demands', seed: 1, title: 'demands.yaml', command: 'mirab simulate demands.yaml --report page.html', resources, iterations,
    repeats: 3, times, dominated: resources.map((name, r) => course(name, times, r, 3, 2)),
    demands: ['user 1', 'user 2'].map((name, user) => ({name, series: resources.map((of, r) => course(of, times, user + r, 300, 90))})),
    contenders: ['mlf-drs', 'drf', 'max-min'].map((mechanism, at) => ({
      mechanism, summary: {...Object.fromEntries(names.map(name => [name, 0.8 - 0.05 * at])), tasks: 8 + at},
      series: [...names.map(name => course(name, times, at, 0.8, 0.15)), course('tasks', times, at, 9, 3)],
      users: ['user 1', 'user 2'].map((name, user) => ({name, bundle: resources.map((of, r) => course(of, times, user + r, 400, 90)),
        tasks: course('', times, user, 2, 1).values})),
    })),
  };
}
