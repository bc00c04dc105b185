// USD prices of the quote assets at the end of a block, before any of its events are applied to
// rows: the anchor pools are followed here as well.

import type { PoolDraft } from '../../amm/pool-kind.ts';
import {
  findRank,
  listMarketViews,
  listRankedAssets,
  type MarketView,
  RANK_STABLE,
} from '../../chains/quote-rule.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { PoolChangedEvent, PoolCreatedEvent, SwapEvent } from '../../model/block-events.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolKindName, PoolRecord } from '../../model/pool.ts';
import { priceInUsdE18 } from '../apply/value-pools.ts';
import { priceNativeInUsd } from '../state/anchor-price.ts';
import type { MarketState } from '../state/market-state.ts';
import type { ScopeSource } from './chain-scope.ts';
import { applyToDraft, createDraft } from './outside-pools.ts';

interface AnchorPool {
  readonly row: PoolDraft<PoolKindName>;
  readonly views: readonly MarketView[];
}

const ONE: Ratio = { numerator: 1n, denominator: 1n };

/** Of every quote asset, from the store or else from its contract. */
export async function readQuoteDecimals(
  source: ScopeSource,
): Promise<ReadonlyMap<Address, number | null>> {
  const { adapter, reader, signal } = source;
  const { coin, coinUnit } = adapter.assets;
  const tokens = listRankedAssets(adapter.assets).filter((token) => token !== coin);
  const rows = await reader.readTokens(adapter.chain, tokens);
  const known = new Set(rows.map(({ token }) => token));
  const missing = tokens.filter((token) => !known.has(token));
  const read = missing.length === 0 ? [] : await adapter.readTokenMetadata(missing, { signal });
  return new Map([
    [coin, coinUnit.decimals] as const,
    ...[...rows, ...read].map((one) => [one.token, one.decimals] as const),
  ]);
}

export class QuotePrices {
  readonly #state: MarketState;
  readonly #decimals: ReadonlyMap<Address, number | null>;
  readonly #anchors = new Map<PoolId, AnchorPool>();

  constructor(state: MarketState, decimals: ReadonlyMap<Address, number | null>) {
    this.#state = state;
    this.#decimals = decimals;
    for (const pool of state.assets.anchorPools) {
      const entry = state.pools.get(pool);
      if (entry === undefined) continue;
      const row = { ...entry.row } as PoolDraft<PoolKindName>;
      this.#anchors.set(pool, { row, views: entry.views });
    }
  }

  /** Events in the order of the chain. */
  note(event: PoolCreatedEvent | PoolChangedEvent | SwapEvent): void {
    const { assets } = this.#state;
    if (event.kind !== 'poolCreated') {
      const anchor = this.#anchors.get(event.pool);
      if (anchor !== undefined) applyToDraft(anchor.row, event);
      return;
    }
    const { description } = event;
    const { pool } = description;
    if (!assets.anchorPools.includes(pool) || this.#anchors.has(pool)) return;
    const views = listMarketViews(assets, description);
    this.#anchors.set(pool, { row: createDraft(description), views });
  }

  /** In 1e-18 USD; null if the price is unknown. */
  toUsdE18(asset: Address, amountRaw: bigint): bigint | null {
    const { assets } = this.#state;
    const price = findRank(assets, asset) === RANK_STABLE ? ONE : this.#findAnchorPrice();
    return priceInUsdE18(amountRaw, { price, decimals: this.#decimals.get(asset) ?? null });
  }

  #findAnchorPrice(): Ratio | null {
    const findDecimals = (token: Address) => this.#decimals.get(token) ?? null;
    for (const pool of this.#state.assets.anchorPools) {
      const anchor = this.#anchors.get(pool);
      if (anchor === undefined) continue;
      const { views } = anchor;
      const price = priceNativeInUsd({ row: anchor.row as PoolRecord, views }, findDecimals);
      if (price !== null) return price;
    }
    return null;
  }
}
