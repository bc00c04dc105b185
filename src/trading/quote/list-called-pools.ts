// The pools between two tokens that are worth a call. Anybody can create such pools and trade once
// in them, so only those with some volume count, the largest first; newer pools never take the
// place of older ones.

import { listMarketViews, type PricingAssets } from '../../chains/quote-rule.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketStore } from '../../store/store.ts';

export type CalledPoolStore = Pick<MarketStore, 'readPoolsOfPair' | 'readCandleRanges'>;

interface CalledPoolQuery {
  readonly chain: ChainSlug;
  readonly assets: PricingAssets;
  /** Once more with the native coin, if one of the tokens is the wrapped one. */
  readonly pairs: readonly (readonly [Address, Address])[];
  /** The time of the chain's head. */
  readonly headMs: number;
}

/** The oldest ones are read. */
const READ_MAX = 100;
const WINDOW_MS = 7 * 86_400_000;
/** Within those days. */
const VOLUME_USD_MIN = 1000;

/** A pool of two tokens that price each other has the same trades under both. */
async function readVolumes(
  store: CalledPoolStore,
  { chain, assets, headMs }: CalledPoolQuery,
  rows: readonly PoolRecord[],
): Promise<ReadonlyMap<PoolId, number>> {
  const range = { interval: '1d' as const, fromMs: headMs - WINDOW_MS, toMs: headMs + 1 };
  const series = rows.flatMap((row) => {
    const [view] = listMarketViews(assets, row);
    return view === undefined ? [] : [{ ...range, token: view.base, pool: row.pool }];
  });
  const volumes = new Map<PoolId, number>();
  for (const { pool, quoteVolumeUsd } of await store.readCandleRanges(chain, series)) {
    if (pool !== null) volumes.set(pool, (volumes.get(pool) ?? 0) + Number(quoteVolumeUsd));
  }
  return volumes;
}

/** The one with the largest volume first. */
export async function listCalledPools(
  store: CalledPoolStore,
  query: CalledPoolQuery,
): Promise<readonly PoolRecord[]> {
  const page = { kind: 'tradesOnly', limit: READ_MAX } as const;
  const read = await Promise.all(
    query.pairs.map((pair) => store.readPoolsOfPair(query.chain, pair, page)),
  );
  const rows = read.flat();
  if (rows.length === 0) return [];
  const volumes = await readVolumes(store, query, rows);
  const volumeOf = ({ pool }: PoolRecord) => volumes.get(pool) ?? 0;
  return rows
    .filter((row) => volumeOf(row) >= VOLUME_USD_MIN)
    .sort((a, b) => volumeOf(b) - volumeOf(a));
}
