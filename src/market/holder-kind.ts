// The kind of an owner: a pool, a burn address, a contract or a wallet.

import type { OutputOf } from '../contract/operation.ts';
import type { getHolders } from '../contract/operations/get-holders.ts';
import type { Address } from '../model/ids.ts';
import type { MarketChain } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';

export type HolderKind = OutputOf<typeof getHolders>['holders'][number]['kind'];

/** The kinds of owners; null if only the chain knows and has not been asked yet. */
export async function readHolderKinds(
  reader: AnswerReader,
  market: MarketChain,
  owners: readonly Address[],
): Promise<ReadonlyMap<Address, HolderKind>> {
  const pools = await reader.findPools(market.slug, owners);
  const accounts = await reader.readAccounts(market.slug, owners);
  return new Map(
    owners.map((owner): [Address, HolderKind] => {
      if (market.burnAddresses.has(owner)) return [owner, 'burn'];
      if (pools.has(owner) || market.vaults.has(owner)) return [owner, 'pool'];
      const isContract = accounts.get(owner);
      if (isContract === undefined) return [owner, null];
      return [owner, isContract ? 'contract' : 'wallet'];
    }),
  );
}
