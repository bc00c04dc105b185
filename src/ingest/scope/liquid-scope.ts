// Scope `liquid`: a token comes in when one of its pools against a quote asset is worth a floor in
// USD at the end of a block, and stays. Before that there is no row and no request for it.
//
// Its events count from the next block on. The pool is stored as one met mid-life, so that it is
// adopted; the token's other pools follow with their next event. A pool of two tokens counts once
// both are in.

import type { BlockRange, ChainAssets } from '../../chains/adapter.ts';
import {
  findRank,
  listMarketViews,
  listRankedAssets,
  RANK_TOKEN,
} from '../../chains/quote-rule.ts';
import type { BlockEvents, MarketEvent, SwapEvent } from '../../model/block-events.ts';
import type { Address, PoolId, TransactionId } from '../../model/ids.ts';
import type { PoolDescription, PoolRecord } from '../../model/pool.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import { loadPoolRows } from '../apply/load-state.ts';
import { valueAgainstQuote } from '../apply/value-pools.ts';
import type { MarketState } from '../state/market-state.ts';
import {
  type BlocksRead,
  type ChainScope,
  type PoolTokens,
  ScopeEntries,
  type ScopeSource,
  type SelectedBlocks,
} from './chain-scope.ts';
import { OutsidePools } from './outside-pools.ts';
import { QuotePrices, readQuoteDecimals } from './quote-prices.ts';

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
