// Scope `liquid`: a token comes in when one of its pools against a quote asset is worth a floor in
// USD at the end of a block, and stays. Before that there is no row and no request for it.
//
// Its events count from the next block on. The pool is stored as one met mid-life, so that it is
// adopted; the token's other pools follow with their next event. A pool of two tokens counts once
// both are in.

import type { PoolDraft, PoolTicks } from '../../amm/pool-kind.ts';
import { kindOf, takesChange } from '../../amm/pool-kinds.ts';
import type { BlockRange, ChainAssets } from '../../chains/adapter.ts';
import {
  findRank,
  listMarketViews,
  listRankedAssets,
  type MarketView,
  RANK_STABLE,
  RANK_TOKEN,
} from '../../chains/quote-rule.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type {
  BlockEvents,
  MarketEvent,
  PoolChangedEvent,
  PoolCreatedEvent,
  SwapEvent,
} from '../../model/block-events.ts';
import type { Address, PoolId, TransactionId } from '../../model/ids.ts';
import type { PoolDescription, PoolKindName, PoolRecord } from '../../model/pool.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import { loadPoolRows } from '../apply/load-state.ts';
import { priceInUsdE18, valueAgainstQuote } from '../apply/value-pools.ts';
import type { MarketState } from '../state/market-state.ts';
import { priceNativeInUsd } from '../state/price-trade.ts';
import {
  type BlocksRead,
  type ChainScope,
  type PoolTokens,
  ScopeEntries,
  type ScopeSource,
  type SelectedBlocks,
} from './chain-scope.ts';

// What pools outside the scope hold at least, from their events alone: no row, no request.
//
// Every event of a pair has its reserves. Those of a concentrated pool have what came in and went
// out. Counted from zero and never below it, the sum is at most what the pool holds, and equal to
// it if all of its events were seen.

type Draft = PoolDraft<PoolKindName>;

/** Its description comes with each event. */
interface OutsidePool extends Pick<Draft, 'state' | 'feePips'> {
  readonly lastBlock: number;
}

/** Beyond this many, those without an event for the longest time are forgotten. */
const POOLS_MAX = 20_000;

const NO_TICKS: PoolTicks = { get: () => undefined, change: () => true, order: [] };

/** What cannot be known of holdings counts as nothing. */
function countFromNothing(draft: Draft): void {
  if (kindOf(draft).holdings(draft.state) !== null) return;
  const { state } = draft as unknown as { state: Record<string, unknown> };
  if ('amount0' in state) Object.assign(draft, { state: { ...state, amount0: 0n, amount1: 0n } });
}

/** A pool with the state before any event, of which nothing is known. */
function createDraft(description: PoolDescription): Draft {
  const record = {
    ...description,
    ...{ createdBlock: 0, createdAtMs: 0, complete: true, lastSwapAtMs: null },
    state: kindOf(description).stateAtStart,
    liquidityUsdE18: null,
  };
  return record as PoolRecord as Draft;
}

/** The pool's price is exact afterwards; its ticks are not kept. */
function applyToDraft(draft: Draft, event: SwapEvent | PoolChangedEvent): void {
  const { change } = event;
  if (change === null || !takesChange(draft, change)) return;
  const swapped = event.kind === 'swap' ? event : null;
  kindOf(draft).apply(draft, change, { ticks: NO_TICKS, swapped });
}

export class OutsidePools {
  readonly #pools: BoundedMap<PoolId, OutsidePool>;

  constructor(poolsMax = POOLS_MAX) {
    this.#pools = new BoundedMap(poolsMax);
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Applies an event and returns the pool after it. */
  apply(
    event: SwapEvent | PoolChangedEvent,
    at: { readonly block: number; readonly description: PoolDescription },
  ): PoolRecord {
    const { pool } = event;
    const draft = createDraft(at.description);
    const known = this.#pools.get(pool);
    if (known !== undefined) Object.assign(draft, { state: known.state, feePips: known.feePips });
    countFromNothing(draft);
    applyToDraft(draft, event);
    countFromNothing(draft);
    // The newest event comes last, so that the oldest is evicted first.
    this.#pools.delete(pool);
    const { state, feePips } = draft;
    if (kindOf(draft).hasTicks) this.#pools.set(pool, { state, feePips, lastBlock: at.block });
    return draft as PoolRecord;
  }

  forget(pool: PoolId): void {
    this.#pools.delete(pool);
  }

  /** Forgets pools with events above a block. */
  rollBack(toBlock: number): void {
    for (const [pool, { lastBlock }] of [...this.#pools.entries()]) {
      if (lastBlock > toBlock) this.#pools.delete(pool);
    }
  }

  clear(): void {
    this.#pools.clear();
  }
}

// USD prices of the quote assets at the end of a block, before any of its events are applied to
// rows: the anchor pools are followed here as well.

interface AnchorPool {
  readonly row: PoolDraft<PoolKindName>;
  readonly views: readonly MarketView[];
}

const ONE: Ratio = { numerator: 1n, denominator: 1n };

/** Of every quote asset, from the store or else from its contract. */
async function readQuoteDecimals(
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

class QuotePrices {
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

interface LiquidScopeOptions {
  /**
   * What a pool must be worth; or which token it brought in from a block on, to repeat that: what
   * is decided depends on what was known of a pool when it was decided.
   */
  readonly floorUsdE18: bigint | ((pool: PoolId, fromBlock: number) => Address | null);
  readonly assets: ChainAssets;
}

/** What one batch has shown so far. */
interface Selection {
  readonly state: MarketState;
  readonly prices: QuotePrices;
  readonly entered: Map<Address, ScopeEntry>;
  readonly descriptions: Map<PoolId, PoolDescription>;
  /** Pools whose creation is among the selected events. */
  readonly announced: Set<PoolId>;
}

export class LiquidScope implements ChainScope {
  readonly name = 'liquid';
  readonly #options: LiquidScopeOptions;
  readonly #entries = new ScopeEntries();
  readonly #outside = new OutsidePools();
  #decimals: ReadonlyMap<Address, number | null> | null = null;

  constructor(options: LiquidScopeOptions) {
    this.#options = options;
  }

  load(entries: readonly ScopeEntry[]): void {
    this.#entries.load(entries);
    // It may have seen blocks that were not committed.
    this.#outside.clear();
  }

  rollBack(toBlock: number): void {
    this.#entries.rollBack(toBlock);
    this.#outside.rollBack(toBlock);
  }

  async refresh(): Promise<readonly ScopeEntry[]> {
    return [];
  }

  async isOutdated(): Promise<boolean> {
    return false;
  }

  describeRange(): Pick<BlockRange, 'describesPools'> {
    return { describesPools: true };
  }

  noteRead(): void {}

  async select(
    { blocks, fromBlock, fromMs }: BlocksRead,
    state: MarketState,
    source: ScopeSource,
  ): Promise<SelectedBlocks> {
    await loadPoolRows(state, source, []);
    this.#decimals ??= await readQuoteDecimals(source);
    const selection: Selection = {
      state,
      prices: new QuotePrices(state, this.#decimals),
      entered: new Map(),
      descriptions: new Map(),
      announced: new Set(),
    };
    for (const token of listRankedAssets(state.assets)) {
      if (this.#entries.open.has(token)) continue;
      selection.entered.set(token, { token, fromBlock, fromMs, leftBlock: null, pool: null });
    }
    const selected = blocks.map((block) => this.#selectBlock(block, selection));
    return {
      blocks: selected.filter(({ events }) => events.length > 0),
      entries: [...selection.entered.values()],
    };
  }

  noteCommitted({ scoped = [] }: Parameters<ChainScope['noteCommitted']>[0]): void {
    this.#entries.add(scoped);
  }

  hasToken(token: Address): boolean {
    return this.#isIn(token);
  }

  findEntry(token: Address): ScopeEntry | null {
    return this.#entries.find(token);
  }

  /** None ever leaves. */
  listLeft(): readonly Address[] {
    return [];
  }

  /** Their pools are met with their next event; to look for all of them would cost too much. */
  takeEntered(): readonly ScopeEntry[] {
    return [];
  }

  hasPool({ token0, token1 }: PoolTokens): boolean {
    return this.#isIn(token0) && this.#isIn(token1);
  }

  #isIn(token: Address, entered?: Selection['entered']): boolean {
    if (this.#entries.open.has(token) || entered?.has(token)) return true;
    // Quote assets are always in.
    return findRank(this.#options.assets, token) !== RANK_TOKEN;
  }

  #selectBlock(block: BlockEvents, selection: Selection): BlockEvents {
    const { header } = block;
    const events: MarketEvent[] = [];
    const outside = new Map<PoolId, PoolRecord>();
    const swapCounts = new Map<TransactionId, number>();
    for (const event of block.events) {
      if (event.kind === 'transfer') {
        if (this.#isIn(event.token, selection.entered)) events.push(event);
        continue;
      }
      selection.prices.note(event);
      if (event.kind === 'poolCreated') {
        selection.descriptions.set(event.description.pool, event.description);
        if (this.#isPoolIn(event.description, selection)) this.#announce(event, selection, events);
        continue;
      }
      const numbered = event.kind === 'swap' ? countSwap(event, swapCounts) : event;
      const description = selection.descriptions.get(event.pool);
      if (description === undefined) continue;
      if (this.#isPoolIn(description, selection)) {
        const created = { kind: 'poolCreated', description, complete: false } as const;
        if (!selection.announced.has(event.pool)) this.#announce(created, selection, events);
        events.push(numbered);
      } else if (event.change !== null) {
        const at = { block: header.position, description };
        outside.set(event.pool, this.#outside.apply(event, at));
      }
    }
    this.#admit({ header, outside, events }, selection);
    return { header, events };
  }

  #isPoolIn(pool: PoolTokens, { entered }: Selection): boolean {
    return this.#isIn(pool.token0, entered) && this.#isIn(pool.token1, entered);
  }

  #announce(
    event: Extract<MarketEvent, { kind: 'poolCreated' }>,
    { announced }: Selection,
    events: MarketEvent[],
  ): void {
    announced.add(event.description.pool);
    events.push(event);
  }

  /** At the end of a block, so that a loan within one cannot lift a pool above the floor. */
  #admit(
    block: {
      readonly header: BlockEvents['header'];
      readonly outside: ReadonlyMap<PoolId, PoolRecord>;
      readonly events: MarketEvent[];
    },
    selection: Selection,
  ): void {
    const { position, timestampMs } = block.header;
    for (const [pool, row] of block.outside) {
      const token = this.#findPassing(row, { selection, position });
      const description = selection.descriptions.get(pool);
      if (token === null || description === undefined) continue;
      selection.entered.set(token, {
        ...{ token, fromBlock: position + 1, fromMs: timestampMs, leftBlock: null, pool },
      });
      this.#outside.forget(pool);
      const created = { kind: 'poolCreated', description, complete: false } as const;
      this.#announce(created, selection, block.events);
    }
  }

  /** The token that a pool brings in; null if it does not. */
  #findPassing(
    row: PoolRecord,
    at: { readonly selection: Selection; readonly position: number },
  ): Address | null {
    const { state, prices, entered } = at.selection;
    const { floorUsdE18 } = this.#options;
    if (typeof floorUsdE18 !== 'bigint') return floorUsdE18(row.pool, at.position + 1);
    const [view] = listMarketViews(state.assets, row);
    if (view === undefined || findRank(state.assets, view.base) !== RANK_TOKEN) return null;
    if (view.quoteRank === RANK_TOKEN || entered.has(view.base)) return null;
    const valueUsdE18 = valueAgainstQuote(row, {
      baseIsToken0: view.baseIsToken0,
      toUsdE18: (amountRaw) => prices.toUsdE18(view.quote, amountRaw),
    });
    return valueUsdE18 !== null && valueUsdE18 >= floorUsdE18 ? view.base : null;
  }
}

/** Says which swap of its transaction it is, since others may be left out. */
function countSwap(event: SwapEvent, counts: Map<TransactionId, number>): SwapEvent {
  const index = counts.get(event.txHash) ?? 0;
  counts.set(event.txHash, index + 1);
  return { ...event, index };
}
