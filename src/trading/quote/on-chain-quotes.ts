// Pools whose swaps only their contract computes, or a hook: it is asked for one trade's amount, at
// the block of the last commit. That costs a request, so it happens only where no computed route is
// good, for a few pools between the two tokens, and no more often than `CallAllowance` allows.

import { concentratedKind } from '../../amm/concentrated/concentrated-kind.ts';
import { joinFlags } from '../../amm/unchecked-flag.ts';
import { OnChainPool } from '../../amm/unpriced/on-chain-pool.ts';
import { isUnpriced, unpricedKind } from '../../amm/unpriced/unpriced-kind.ts';
import type { OnChainQuery, OnChainQuote } from '../../chains/chain-nodes.ts';
import { listMarketViews, type PricingAssets } from '../../chains/quote-rule.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import { isLoggedOutage } from '../../errors/unavailable-error.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Budget, Limiter } from '../../lib/limiter.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { decidesSwaps } from '../../model/pool-hook.ts';
import type { MarketStore } from '../../store/store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { GraphPool, PoolRules } from '../graph/pool-graph-pool.ts';

// The pools between two tokens that are worth a call. Anybody can create such pools and trade once
// in them, so only those with some volume count, the largest first; newer pools never take the
// place of older ones. A pool that is known but for its hook needs none: its own price is known.

type OnChainPoolStore = Pick<MarketStore, 'readPoolsOfPair' | 'readCandleRanges'>;

interface OnChainPoolQuery {
  readonly chain: ChainSlug;
  readonly assets: PricingAssets;
  /** Once more with the native coin, if one of the tokens is the wrapped one. */
  readonly pairs: readonly (readonly [Address, Address])[];
  /** The time of the chain's head. */
  readonly headMs: number;
  readonly findHook: PoolRules['findHook'];
}

/** The oldest ones are read. */
const READ_MAX = 100;
const WINDOW_MS = 7 * 86_400_000;
/** Within those days. */
const VOLUME_USD_MIN = 1000;

/** A pool of two tokens that price each other has the same trades under both. */
async function readVolumes(
  store: OnChainPoolStore,
  { chain, assets, headMs }: OnChainPoolQuery,
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
async function listOnChainPools(
  store: OnChainPoolStore,
  query: OnChainPoolQuery,
): Promise<readonly PoolRecord[]> {
  const kinds = [unpricedKind.name, concentratedKind.name];
  const read = await Promise.all(
    query.pairs.flatMap((pair) =>
      kinds.map((kind) => store.readPoolsOfPair(query.chain, pair, { kind, limit: READ_MAX })),
    ),
  );
  // Of the others, those that a hook decides.
  const rows = read.flat().filter((row) => isUnpriced(row) || decidesSwaps(query.findHook(row)));
  if (rows.length === 0) return [];
  const volumes = await readVolumes(store, query, rows);
  const volumeOf = ({ pool }: PoolRecord) => volumes.get(pool) ?? 0;
  return rows
    .filter((row) => !isUnpriced(row) || volumeOf(row) >= VOLUME_USD_MIN)
    .sort((a, b) => volumeOf(b) - volumeOf(a));
}

// How often pools are called: a burst, and then some a second, for all callers together and for
// each of them less, so that one of them does not use up what the others have.

const ALL: Budget = { policy: 'calls', perMinute: 240, burst: 8 };
const ONE: Budget = { policy: 'calls', perMinute: 120, burst: 4 };
const CALLERS_MAX = 10_000;

class CallAllowance {
  readonly #ofAll: Limiter;
  readonly #ofCallers: Limiter;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#ofAll = new Limiter({ budget: ALL, identitiesMax: 1, clock });
    this.#ofCallers = new Limiter({ budget: ONE, identitiesMax: CALLERS_MAX, clock });
  }

  /** False if too many were asked just now. */
  take(caller: string): boolean {
    if (!this.#ofCallers.take(caller, 1).allowed) return false;
    if (this.#ofAll.take('all', 1).allowed) return true;
    this.#ofCallers.giveBack(caller, 1);
    return false;
  }

  /** What was taken was not used. */
  giveBack(caller: string): void {
    this.#ofCallers.giveBack(caller, 1);
    this.#ofAll.giveBack('all', 1);
  }
}

interface OnChainQuotesOptions {
  readonly chain: ChainSlug;
  readonly store: OnChainPoolStore;
  readonly assets: PricingAssets;
  /** The two forms of the native coin: a pool holds one of them. */
  readonly native: { readonly coin: Address; readonly wrapped: Address };
  readonly quotePools: (
    query: OnChainQuery,
    signal: AbortSignal,
  ) => Promise<readonly OnChainQuote[]>;
  readonly listRouters: () => readonly TradeRouter[];
  readonly rules: PoolRules;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A trade by assets: the wrapped coin stands for the native one, too. */
export interface OnChainTrade {
  /** Who asks, as identified by limits. */
  readonly caller: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** What the wallet spends and receives: the native coin as itself. */
  readonly ends: readonly [Address, Address];
  readonly amountIn: bigint;
  /** More than this is not believed. */
  readonly amountOutMax: bigint;
  /** The name of the only router that may be used. */
  readonly router: string | undefined;
  /** Whether the caller allows a venue; all of them if absent. */
  readonly isAllowed?: (venue: string) => boolean;
  readonly block: number;
  /** The time of that block. */
  readonly headMs: number;
}

export interface OnChainRoute {
  readonly pool: GraphPool;
  readonly zeroForOne: boolean;
  readonly amountOut: bigint;
  readonly router: string;
}

/**
 * `none`: no such pool, or none that pays. `busy`: too many were asked just now. `failed`: no node
 * has answered in time. After the last two, a later request may find something.
 */
export type OnChainAnswer =
  | { readonly kind: 'found'; readonly route: OnChainRoute }
  | { readonly kind: 'none' | 'busy' | 'failed' };

interface AskedPool extends Pick<OnChainQuote, 'isStable'> {
  readonly pool: PoolRecord;
  readonly zeroForOne: boolean;
}

interface ListedPools {
  readonly untilMs: number;
  readonly pools: Promise<readonly PoolRecord[]>;
}

type Swap = ConstructorParameters<typeof OnChainPool>[0]['asked'];

/** How many pools are asked for a quote. */
const POOLS_MAX = 4;
/**
 * How long the list of a pair's pools is kept. Every quote needs it, and reading it takes
 * milliseconds where a pair has hundreds of other pools.
 */
const LISTED_MS = 5000;
const LISTED_MAX = 1000;
/** How long a quote waits. */
const WAIT_MS = 2000;
/** Asked for the price without impact, the smallest that tells it first. */
const SMALL_PARTS = [1000n, 30n, 4n];
/** Of fewer units paid, rounding is too much of the price. */
const PRECISE_MIN = 1000n;
/** A pool whose trades failed in simulations of so many wallets is not asked for so long. */
const FAILED_WALLETS_MAX = 3;
const REFUSED_MS = 600_000;
const REFUSED_MAX = 1000;

export class OnChainQuotes {
  readonly #options: OnChainQuotesOptions;
  readonly #allowance: CallAllowance;
  /** Anybody can name a wallet whose trade fails, so one counts once. */
  readonly #failed = new BoundedMap<PoolId, { untilMs: number; wallets: Set<Address> }>(
    REFUSED_MAX,
  );

  /** By the two tokens. */
  readonly #listed = new BoundedMap<string, ListedPools>(LISTED_MAX);

  constructor(options: OnChainQuotesOptions) {
    this.#options = options;
    this.#allowance = new CallAllowance(options.clock);
  }

  async find(trade: OnChainTrade): Promise<OnChainAnswer> {
    const { caller, amountIn, block } = trade;
    // Before the store is read, which costs something, too.
    if (!this.#allowance.take(caller)) return { kind: 'busy' };
    const pools = await this.#listPools(trade);
    if (pools.length === 0) {
      this.#allowance.giveBack(caller);
      return { kind: 'none' };
    }
    const amounts = [amountIn, ...SMALL_PARTS.map((part) => amountIn / part || 1n)];
    const isIn = (token: Address) => this.#toAsset(token) === trade.tokenIn;
    const swaps = pools.map((pool) => ({ pool, zeroForOne: isIn(pool.token0) }));
    const answers = await this.#ask({ swaps, amounts, block });
    if (answers === null) return { kind: 'failed' };
    let best: OnChainRoute | null = null;
    for (const [index, asked] of swaps.entries()) {
      const { amountsOut = [], isStable = null } = answers[index] ?? {};
      const paid = amountsOut.map((amountOut, at): Swap | null =>
        amountOut === null ? null : { amountIn: amounts[at] ?? 0n, amountOut },
      );
      const route = this.#toRoute({ ...asked, isStable }, trade, paid);
      if (route !== null && route.amountOut > (best?.amountOut ?? 0n)) best = route;
    }
    return best === null ? { kind: 'none' } : { kind: 'found', route: best };
  }

  /** A trade through these pools failed. */
  refuse({ pools, wallet }: { readonly pools: readonly PoolId[]; readonly wallet: Address }): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const pool of pools) {
      const known = this.#failed.get(pool);
      const isNew = known === undefined || known.untilMs <= nowMs;
      const { wallets } = isNew ? { wallets: new Set<Address>() } : known;
      if (wallets.size >= FAILED_WALLETS_MAX) continue;
      wallets.add(wallet);
      this.#failed.set(pool, { untilMs: nowMs + REFUSED_MS, wallets });
    }
  }

  async #ask(query: OnChainQuery) {
    try {
      return await this.#options.quotePools(query, AbortSignal.timeout(WAIT_MS));
    } catch (error) {
      const { chain, log } = this.#options;
      if (!isLoggedOutage(error)) {
        log.warn({ chain, err: error }, 'pools could not be asked what they pay');
      }
      return null;
    }
  }

  #toAsset(token: Address): Address {
    const { coin, wrapped } = this.#options.native;
    return token === coin ? wrapped : token;
  }

  async #listPools(trade: OnChainTrade): Promise<readonly PoolRecord[]> {
    const { router, ends, isAllowed = () => true } = trade;
    const pools = await this.#readPools(trade);
    const isAsked = ({ pool, venue, token0, token1 }: PoolRecord) => {
      const { name, cannotWrap } = this.#findRouter(venue) ?? {};
      if (name === undefined || name !== (router ?? name)) return false;
      if (cannotWrap && !ends.every((token) => token === token0 || token === token1)) return false;
      return isAllowed(venue) && !this.#isRefused(pool);
    };
    return pools.filter(isAsked).slice(0, POOLS_MAX);
  }

  #readPools({ tokenIn, tokenOut, headMs }: OnChainTrade): Promise<readonly PoolRecord[]> {
    const { chain, store, assets, native, rules, clock } = this.#options;
    const key = [tokenIn, tokenOut].sort().join(' ');
    const nowMs = clock.monotonicMs();
    const known = this.#listed.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.pools;
    const toCoin = (token: Address) => (token === native.wrapped ? native.coin : token);
    const hasCoin = tokenIn === native.wrapped || tokenOut === native.wrapped;
    const pools = listOnChainPools(store, {
      ...{ chain, assets, headMs, findHook: rules.findHook },
      pairs: [
        [tokenIn, tokenOut],
        ...(hasCoin ? [[toCoin(tokenIn), toCoin(tokenOut)] as const] : []),
      ],
    });
    this.#listed.delete(key);
    this.#listed.set(key, { untilMs: nowMs + LISTED_MS, pools });
    // A store that could not be read is asked again.
    pools.catch(() => this.#listed.delete(key));
    return pools;
  }

  #isRefused(pool: PoolId): boolean {
    const failed = this.#failed.get(pool);
    if (failed === undefined || failed.wallets.size < FAILED_WALLETS_MAX) return false;
    return failed.untilMs > this.#options.clock.monotonicMs();
  }

  #findRouter(venue: string): TradeRouter | undefined {
    return this.#options.listRouters().find(({ venues }) => venues.has(venue));
  }

  /** Null if the pool refuses, pays what is not believed, or so little that it has no price. */
  #toRoute(
    { pool: row, zeroForOne, isStable }: AskedPool,
    { amountOutMax }: OnChainTrade,
    [asked = null, ...parts]: readonly (Swap | null)[],
  ): OnChainRoute | null {
    const { pool, venue, token0, token1, feePips, vault, kind, terms } = row;
    const router = this.#findRouter(venue);
    const small = parts.find((one) => one !== null && one.amountOut >= PRECISE_MIN);
    if (router === undefined || asked === null || !small) return null;
    if (asked.amountOut > amountOutMax) return null;
    const { rules } = this.#options;
    const hook = rules.findHook(row);
    const called = {
      ...{ pool, venue, token0, token1, feePips, vault, kind, terms },
      ...{ cost: rules.findSwapCost(row), bytes: rules.findHopBytes(row) },
      ...{ inexact: 'unchecked', unchecked: joinFlags(['called']) },
      ...(hook === null ? {} : { hook }),
      curve: new OnChainPool({ zeroForOne, asked, small, isStable }),
    } as GraphPool;
    return { pool: called, zeroForOne, amountOut: asked.amountOut, router: router.name };
  }
}
