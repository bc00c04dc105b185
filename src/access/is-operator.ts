// Whose sessions may read the state of the whole service.

import type { Identity } from '../contract/identity.ts';

/** Ids of EVM wallets are compared in lower case, as `OPERATOR_WALLETS` has them. */
export function isOperator(identity: Identity, wallets: readonly string[]): boolean {
  if (identity.kind !== 'session') return false;
  const { id } = identity.wallet;
  return wallets.includes(id.startsWith('eip155:') ? id.toLowerCase() : id);
}
