// Pools whose swaps only their contract computes: it is asked for one trade's amount, at the block
// of the last commit. That costs a request, so it happens only where no computed route is good, for
// a few pools between the two tokens, and so often a second at most.

import { CalledPool } from '../../amm/trades-only/called-pool.ts';
import { joinFlags } from '../../amm/unchecked-flag.ts';
import type { CalledQuery } from '../../chains/chain-nodes.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';
import type { GraphPool, PoolRules } from '../graph/pool-graph-pool.ts';

interface CalledQuotesOptions {
  readonly chain: ChainSlug;
  readonly store: Pick<MarketReader, 'readPoolsOfTokens'>;
  /** What pools pay for each of the amounts; null where a contract refuses. */
  readonly quotePools: (
    query: CalledQuery,
    signal: AbortSignal,
  ) => Promise<readonly (readonly (bigint | null)[])[]>;
  readonly listRouters: () => readonly TradeRouter[];
  readonly rules: Pick<PoolRules, 'findSwapCost' | 'findHopBytes'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A trade by tokens that pools hold: the wrapped coin for the native one. */
export interface CalledTrade {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly block: number;
}

export interface CalledRoute {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
  readonly amountOut: bigint;
  readonly router: string;
}

/** How long a quote waits. */
const WAIT_MS = 2000;
const POOLS_MAX = 4;
/** Asked for the price without impact. */
const SMALL_PART = 1000n;
/** Requests of all callers together: a burst, and then so many a second. */
const BURST_MAX = 8;
const PER_SECOND = 4;
/** A pool whose trade failed in a simulation is not asked for so long. */
const REFUSED_MS = 600_000;
const REFUSED_MAX = 1000;

export class CalledQuotes {
  readonly #options: CalledQuotesOptions;
  readonly #refusedUntilMs = new BoundedMap<PoolId, number>(REFUSED_MAX);
  #left = BURST_MAX;
  #countedAtMs: number;

  constructor(options: CalledQuotesOptions) {
    this.#options = options;
    this.#countedAtMs = options.clock.monotonicMs();
  }

  /** Null if there is no such pool, none answers in time, or too many were asked just now. */
  async find(trade: CalledTrade): Promise<CalledRoute | null> {
    const pools = await this.#listPools(trade);
    if (pools.length === 0 || !this.#take()) return null;
    const { tokenIn, amountIn, block } = trade;
    const small = amountIn / SMALL_PART || 1n;
    const query = { pools, tokenIn, amounts: [amountIn, small], block };
    const answers = await this.#options
      .quotePools(query, AbortSignal.timeout(WAIT_MS))
      .catch(() => []);
    let best: CalledRoute | null = null;
    for (const [index, row] of pools.entries()) {
      const [amountOut = null, smallOut = null] = answers[index] ?? [];
      if (amountOut === null || (best !== null && amountOut <= best.amountOut)) continue;
      const asked = { amountIn, amountOut };
      const price = smallOut === null ? asked : { amountIn: small, amountOut: smallOut };
      best = this.#toRoute(row, trade, { asked, small: price }) ?? best;
    }
    return best;
  }

  /** A trade through these pools failed. */
  refuse(pools: readonly PoolId[]): void {
    const untilMs = this.#options.clock.monotonicMs() + REFUSED_MS;
    for (const pool of pools) this.#refusedUntilMs.set(pool, untilMs);
  }

  /** Those that traded last. */
  async #listPools({ tokenIn, tokenOut }: CalledTrade): Promise<PoolRecord[]> {
    const { chain, store, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const rows = await store.readPoolsOfTokens(chain, [tokenIn], [tokenOut]);
    return rows
      .filter(({ kind, lastSwapAtMs, pool, venue }) => {
        const isRefused = (this.#refusedUntilMs.get(pool) ?? 0) > nowMs;
        return (
          kind === 'tradesOnly' && lastSwapAtMs !== null && !isRefused && this.#findRouter(venue)
        );
      })
      .sort((a, b) => (b.lastSwapAtMs ?? 0) - (a.lastSwapAtMs ?? 0))
      .slice(0, POOLS_MAX);
  }

  #findRouter(venue: string): TradeRouter | undefined {
    return this.#options.listRouters().find(({ venues }) => venues.has(venue));
  }

  #toRoute(
    row: PoolRecord,
    { tokenIn }: CalledTrade,
    answers: Pick<ConstructorParameters<typeof CalledPool>[0], 'asked' | 'small'>,
  ): CalledRoute | null {
    const { pool, venue, token0, token1, feePips, vault, kind, terms } = row;
    const router = this.#findRouter(venue);
    if (router === undefined) return null;
    const zeroForOne = tokenIn === token0;
    const { rules } = this.#options;
    const called = {
      ...{ pool, venue, token0, token1, feePips, vault, kind, terms },
      ...{ cost: rules.findSwapCost(row), bytes: rules.findHopBytes(row) },
      ...{ inexact: 'unchecked', unchecked: joinFlags(['called']) },
      curve: new CalledPool({ zeroForOne, ...answers }),
    } as GraphPool;
    return { pool: called, zeroForOne, amountOut: answers.asked.amountOut, router: router.name };
  }

  /** False if too many were asked just now. */
  #take(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const gained = ((nowMs - this.#countedAtMs) / 1000) * PER_SECOND;
    this.#left = Math.min(BURST_MAX, this.#left + gained);
    this.#countedAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
