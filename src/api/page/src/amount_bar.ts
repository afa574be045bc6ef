// What a group or queue has of one resource, as the parts of a bar: of its guarantee, beyond it, lent to others, and free.

import {serviceAmount} from 'shared/format';
import {amountOf} from './api';
import type {Amounts} from './api';

export interface Quota {
  guarantee?: Amounts | undefined;
  limit?: Amounts | undefined;
  used?: Amounts | undefined;
  lent?: Amounts | undefined;
}

export interface AmountBar {
  own: number;  // in use, of the guarantee
  borrowed: number;  // in use, beyond it
  lent: number;  // of the guarantee, in use by others
  idle: number;  // of the guarantee, unused
  guarantee: number;
  limit: number | undefined;
}

export function barOf(quota: Quota, resource: string): AmountBar {
  const used = amountOf(quota.used, resource);
  const guarantee = amountOf(quota.guarantee, resource);
  const own = Math.min(used, guarantee);
  const lent = Math.min(amountOf(quota.lent, resource), guarantee - own);
  return {own, borrowed: used - own, lent, idle: guarantee - own - lent, guarantee, limit: quota.limit?.[resource] === undefined ? undefined : amountOf(quota.limit, resource)};
}

export function wordsOf({own, borrowed, lent, guarantee, limit}: AmountBar, resource: string): string {
  const parts = [
    `${serviceAmount(own + borrowed)} ${resource} in use`,
    ...(guarantee > 0 ? [`${serviceAmount(guarantee)} guaranteed`] : []),
    ...(guarantee > 0 && borrowed > 0 ? [`${serviceAmount(borrowed)} borrowed`] : []),
    ...(lent > 0 ? [`${serviceAmount(lent)} lent`] : []),
    ...(limit !== undefined ? [`limit ${serviceAmount(limit)}`] : []),
  ];
  return parts.join(', ');
}
