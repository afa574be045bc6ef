// What the token may do, found out once by asking: the service has no question for it.

import {getText, get, Refused} from './api';

export const rights = $state({is_known: false, is_operator: false, is_admin: false});

async function may(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

export async function findRights(): Promise<void> {
  const is_operator = await may(() => getText('/metrics'));
  const is_admin = is_operator && await may(() => get('/v1/tenants?limit=1'));
  Object.assign(rights, {is_known: true, is_operator, is_admin});
}
