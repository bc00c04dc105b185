// Which addresses programs control, and no key.

import type { Address } from '../../../model/ids.ts';
import { isSignable } from '../data/program-address.ts';
import { SYSTEM_PROGRAM } from '../data/solana-ids.ts';
import { readAccounts } from './read-accounts.ts';
import type { SolanaNode } from './solana-node.ts';

/**
 * True for accounts of programs, programs, and addresses that no key can sign for; these need no
 * account. The system program owns the accounts of wallets.
 */
export async function findProgramOwned(
  node: SolanaNode,
  addresses: readonly Address[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Address, boolean>> {
  const { accounts } = await readAccounts(node, { addresses, minSlot: 0 }, signal);
  return new Map(
    addresses.map((address) => {
      const owner = accounts.get(address)?.owner ?? SYSTEM_PROGRAM;
      return [address, owner !== SYSTEM_PROGRAM || !isSignable(address)];
    }),
  );
}
