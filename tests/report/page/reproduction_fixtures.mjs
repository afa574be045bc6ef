// Reproductions to draw, as docs/schema/reproduction.schema.json has them.

const check = (what, more) =>
  ({what, printed: null, ours: 1, interval: null, holds: true, undecided: false, corrected: false, reading: 'number', note: '', ...more});

/** `count` experiments of all verdicts by turns; three of four have figures. */
export function reproduction({count = 33} = {}) {
  const x = [0.1, 0.3, 0.5, 0.7, 0.9];
  const long = Array.from({length: 1000}, (_, at) => at);
  const figures = (at) => [
    {title: 'Rates', x_label: 'load of the CPU', y_label: 'service rate γ', curves: [
      {name: 'DRF, class 1', x, y: x.map(load => 1 - load), low: x.map(load => 0.95 - load * 0.95), high: x.map(load => 1.05 - load)},
      {name: 'DRF, class 1, exact', x, y: x.map(load => 1 - load), low: [], high: []},
      {name: 'PF, class 1', x, y: x.map(load => 1 - load * load), low: x.map(load => 0.9 - load * load * 0.9), high: x.map(load => 1.1 - load * load)}]},
    {title: 'Iteration by iteration', x_label: 'iteration', y_label: 'Jain', curves: ['mlf-drs', 'drf'].map((name, user) =>
      ({name, x: long, y: long.map(step => 0.8 + 0.1 * Math.sin(step / 37 + user + at)), low: [], high: []}))},
  ];
  return {
    version: 1, kind: 'reproduce', seed: 1, effort: 'quick', title: 'The papers, reproduced', command: 'mirab reproduce --all --quick --report page.html',
    results: Array.from({length: count}, (_, at) => ({
      id: `paper-fig${at}`, paper: `Bonald and Roberts 2014, figure ${at}`, title: `What figure ${at} shows`,
      verdict: ['agrees', 'shape agrees', 'differs'][at % 3], data: at % 3 === 1 ? 'stand-in: a trace of the same kind' : 'as published',
      checks: [check('γ at load 0.9', {printed: 0.1, ours: 0.1034, interval: [0.0912, 0.1161]}), check('DRF: envy-freeness', {printed: 1, reading: 'yes-no'}),
        check('slope', {printed: 10, ours: 1.69, corrected: true, note: 'the printed limit is a slip'}), check('order', {printed: null, ours: null, holds: at % 3 !== 2})],
      figures: at % 4 === 3 ? [] : figures(at),
      tables: [{title: 'Certificates', head: ['mechanism', 'states'], rows: [['DRF', '73,441'], ['PF', '9,999']]}],
      remarks: at % 3 === 0 ? [] : ['The paper prints 10 where 2 is meant.'],
    })),
  };
}
