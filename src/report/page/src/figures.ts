// The figures of an outcome, from src/audit/figures.hpp: `make generated` writes this file.

import type {Outcome} from './report_data';

/** A figure that the table shows: a column, or one for each resource. */
export interface Figure {
  heading: string;
  by_resource?: true;
  unit: 'number' | 'share';
  better: 'more' | 'less' | undefined;
  meaning: string;
  of: (outcome: Outcome, resource: string) => number | null | undefined;
}

export const figures: readonly Figure[] = [
  {
    heading: "lowest share", unit: 'share', better: 'more',
    meaning: "The lowest dominant share, not per weight: the part that this user holds of the resource it needs most.",
    of: outcome => outcome.lowest_share_short ?? undefined,
  },
  {
    heading: "Gini", unit: 'number', better: 'less',
    meaning: "The Gini coefficient of the dominant shares per weight: 0 when all are equal, 1 − 1/N when one user has all.",
    of: outcome => outcome.metrics_short?.gini,
  },
  {
    heading: "Jain", unit: 'number', better: 'more',
    meaning: "Jain's index of the dominant shares per weight: 1 when all are equal, 1/N when one user has all.",
    of: outcome => outcome.metrics_short?.jain,
  },
  {
    heading: "top/bottom 20%", unit: 'number', better: 'less',
    meaning: "What the fifth of the users with the highest shares holds over what the fifth with the lowest holds, per weight: 1 when all are equal, infinite when the lowest hold nothing.",
    of: outcome => outcome.metrics_short?.ratio_20_20,
  },
  {
    heading: "std deviation", unit: 'number', better: 'less',
    meaning: "The sample standard deviation of the dominant shares per weight: 0 when all are equal.",
    of: outcome => outcome.metrics_short?.sample_standard_deviation,
  },
  {
    heading: "used", by_resource: true, unit: 'share', better: 'more',
    meaning: "How much of the resource is in use, of its capacity.",
    of: (outcome, resource) => outcome.metrics.utilization[resource],
  },
  {
    heading: "placed tasks", unit: 'number', better: 'more',
    meaning: "How many tasks were placed. Task by task only.",
    of: outcome => outcome.placed,
  },
  {
    heading: "out of turn", unit: 'number', better: 'less',
    meaning: "How many tasks were placed for a user who did not have the lowest share per weight of the users that could be served. Task by task only.",
    of: outcome => outcome.errors,
  },
];
