// What kind of owner an address is: a pool, a burn address, a contract or somebody's wallet.

import type { OutputOf } from '../contract/operation.ts';
import type { getHolders } from '../contract/operations/get-holders.ts';
import type { Address } from '../model/market-event.ts';
import type { MarketChain } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';

export type HolderKind = OutputOf<typeof getHolders>['holders'][number]['kind'];

/** Nobody has the keys of these: the precompiled contracts, and addresses that spell it out. */
const BURN_ADDRESSES = new Set([
  ...Array.from({ length: 10 }, (_, number) => `0x${number.toString(16).padStart(40, '0')}`),
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0xdead000000000000000000000000000000000000',
]);

/** The kinds of owners; null where only the chain can tell and has not been asked yet. */
export async function readHolderKinds(
  reader: AnswerReader,
  market: MarketChain,
  owners: readonly Address[],
): Promise<ReadonlyMap<Address, HolderKind>> {
  const pools = await reader.findPools(market.slug, owners);
  const accounts = await reader.readAccounts(market.slug, owners);
  return new Map(
    owners.map((owner): [Address, HolderKind] => {
      if (BURN_ADDRESSES.has(owner)) return [owner, 'burn'];
      if (pools.has(owner) || market.vaults.has(owner)) return [owner, 'pool'];
      const isContract = accounts.get(owner);
      if (isContract === undefined) return [owner, null];
      return [owner, isContract ? 'contract' : 'wallet'];
    }),
  );
}
