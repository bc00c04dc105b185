// What a wallet holds at a block: SOL, and some tokens over all its accounts.

import type { Holdings, HoldingsQuery } from '../../chain-nodes.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { findLastUse, readAccounts } from '../rpc/read-accounts.ts';
import { readOwnerBalances } from './read-owner-balances.ts';

/** Null where it changed since the block: nodes have the present state only. */
export async function readOwnerHoldings(
  endpoint: RpcEndpoint,
  { owner, tokens, block }: HoldingsQuery,
  signal?: AbortSignal,
): Promise<Holdings> {
  const { position } = block;
  const query = { addresses: [owner], minSlot: position };
  const { slot, accounts } = await readAccounts(endpoint, query, signal);
  const used = await findLastUse(endpoint, { address: owner, minSlot: slot }, signal);
  const isSame = slot === position || used === null || used <= position;
  const keys = tokens.map((token) => ({ token, owner }));
  return {
    nativeRaw: isSame ? (accounts.get(owner)?.lamports ?? 0n) : null,
    amountsRaw: await readOwnerBalances(endpoint, { keys, slot: position }, signal),
  };
}
