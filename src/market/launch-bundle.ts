// What was bought of a token in the very block in which a launchpad opened its curve: purchases
// that nobody could make who was not told before.

import { kindOf } from '../amm/pool-kinds.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import type { AnswerReader } from './read-at.ts';

export type LaunchBundle =
  | {
      readonly kind: 'known';
      readonly block: number;
      readonly boughtRaw: bigint;
      readonly walletCount: number;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

interface BundleQuery {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly pools: readonly PoolRecord[];
  readonly checkpoint: Checkpoint | null;
}

/** Null for a token without a launchpad's curve. */
export async function readLaunchBundle(
  reader: Pick<AnswerReader, 'readTradeRange'>,
  { chain, token, pools, checkpoint }: BundleQuery,
): Promise<LaunchBundle | null> {
  const curve = pools.find((row) => {
    return row.token0 === token && (kindOf(row).findLaunch?.(row) ?? null) !== null;
  });
  if (curve === undefined) return null;
  const { pool, createdBlock: block, createdAtMs: fromMs } = curve;
  if (fromMs === 0) return { kind: 'unknown', reason: 'The launch is older than the index.' };
  if (fromMs < (checkpoint?.tradesFromMs ?? 0)) {
    return { kind: 'unknown', reason: 'Trades of that time are no longer stored.' };
  }
  const trades = await reader.readTradeRange(chain, { token, pool }, { fromMs, toMs: fromMs + 1 });
  const bought = trades.filter((trade) => trade.block === block && trade.side === 'buy');
  return {
    ...{ kind: 'known', block },
    boughtRaw: bought.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
    walletCount: new Set(bought.map(({ wallet }) => wallet)).size,
  };
}
