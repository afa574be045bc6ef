// What the page of reproductions is given (docs/schema/reproduction.schema.json), checked once. A number that is infinite
// or none arrives as null.

import {demand, isFigures, isFilled} from './page_data';
import type {PageData} from './page_data';
import type * as types from './schema_types';

export type {Check, Curve, Plot, Result, Verdict} from './schema_types';

export type Reproduction = PageData & types.Reproduction;

export function readReproduction(page: PageData): Reproduction {
  const reproduction = page as Reproduction;
  demand(isFilled(reproduction.results), 'its data holds no result');
  for (const {id, checks, figures, tables, remarks} of reproduction.results) {
    demand(typeof id === 'string' && isFilled(checks), `the experiment ${JSON.stringify(id)} has no checks`);
    demand([figures, tables, remarks].every(Array.isArray), `${id} needs figures, tables and remarks, if only empty ones`);
    for (const {name, x, y, low, high, printed = []} of figures.flatMap(figure => figure.curves)) {
      const whole = isFigures(x) && isFigures(y, x.length) && [low, high, printed].every(list => isFigures(list) && [0, x.length].includes(list.length));
      demand(whole, `${id}: the curve ${JSON.stringify(name)} has not as many y as x`);
    }
  }
  return reproduction;
}
