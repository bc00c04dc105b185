// The alerts of one chain while it is indexed: by token, so that a block touches only those of its
// own tokens.
//
// Decided at the end of each block from its rows, in the order of its trades, then of its pools:
// the outcome depends on the chain and on the block after which an alert began, never on batches.
// What fired and how far each alert is goes to the store with the batch; a rollback there drops
// both, and the book is loaded again.

import { LRUCache } from 'lru-cache';
import { compareTexts, pow10, textToDecimal, toUsdText } from '../lib/decimal.ts';
import type { AlertFiring, AlertRecord, AlertState } from '../model/alert.ts';
import type { Address } from '../model/ids.ts';
import type { BalanceRecord, TradeRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import {
  type Calm,
  computeChangePct,
  createLevel,
  findCalmTrade,
  type Level,
  NEVER_CALM,
} from './levels.ts';
import type { TokenWindow } from './token-window.ts';
import { computeTopPct, TopHolders } from './top-holders.ts';

/** What a block changed in a pool. */
interface PoolChange {
  /** As of the end of the block. */
  readonly row: PoolRecord;
  readonly beforeUsdE18: bigint | null;
}

interface BlockFigures {
  readonly block: number;
  readonly timestampMs: number;
  readonly trades: readonly TradeRecord[];
  /** Of pools that the block changed. */
  readonly pools: readonly PoolChange[];
  /** Those that the block changed, as they are at its end, of tokens whose holders are watched. */
  readonly balances: readonly BalanceRecord[];
  /** The sum of all balances; null while not all are known. */
  findBalanceSum(token: Address): bigint | null;
  /** As of the end of the block, in 1e-18 USD. */
  findLiquidity(token: Address): bigint | null;
}

/** The figures that an alert begins with. */
interface StartFigures {
  readonly priceUsd: string | null;
  readonly liquidityUsd: string | null;
  readonly holdersTop10Pct: string | null;
}

interface FiredAlert {
  readonly alert: string;
  readonly firing: AlertFiring;
}

interface Entry {
  readonly record: AlertRecord;
  /** Made when it is first needed: most alerts are of tokens that rarely trade. */
  level: Level | null | undefined;
  /** Figures in between change nothing; null after a change, until it is needed. */
  calm: Calm | null;
  readonly floorUsdE18: bigint | null;
  state: AlertState;
}

/** A pool that is older is not new, whatever comes into it. */
const NEW_POOL_MS = 86_400_000;
/** Tokens whose windows are in memory; those of others are read again when they trade. */
const WINDOWS_MAX = 2000;
const TOPS_MAX = 1000;

type Found = Pick<AlertFiring, 'figure' | 'bound' | 'pool'> & {
  readonly trade: TradeRecord | null;
};

function toE18(text: string): bigint {
  const { digits, scale } = textToDecimal(text);
  return (digits * pow10(18)) / pow10(scale);
}

function isBetween(figure: number, [above, below]: Calm): boolean {
  return figure > above && figure < below;
}

function findCalm(entry: Entry): Calm {
  if (entry.calm !== null) return entry.calm;
  const { condition, rearmPct } = entry.record.rule;
  if (condition.kind === 'trade') entry.calm = findCalmTrade(condition.valueUsd);
  else {
    entry.level ??= createLevel(condition, rearmPct);
    entry.calm = entry.level?.findCalm(entry.state) ?? NEVER_CALM;
  }
  return entry.calm;
}

/** Alerts of one kind of condition. */
class Entries extends Set<Entry> {
  /** Between the bounds of all of them; null until it is looked at. */
  calm: Calm | null = null;

  /** Whether a figure changes nothing here, whatever the alert. */
  isCalm(figure: number): boolean {
    this.calm ??= this.#findCalm();
    return isBetween(figure, this.calm);
  }

  #findCalm(): Calm {
    let [above, below] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const entry of this) {
      const [from, to] = findCalm(entry);
      above = Math.max(above, from);
      below = Math.min(below, to);
    }
    return [above, below];
  }
}

/** What is watched where: an alert is in one list. */
class Lists {
  readonly #of = new Map<string, Entries>();

  /** Most chains have no alerts of most kinds: then no key is looked up. */
  get(key: string): Entries | undefined {
    return this.#of.size === 0 ? undefined : this.#of.get(key);
  }

  add(key: string, entry: Entry): void {
    const set = this.#of.get(key);
    const entries = set ?? new Entries();
    entries.add(entry);
    entries.calm = null;
    if (set === undefined) this.#of.set(key, entries);
  }

  remove(key: string, entry: Entry): void {
    const set = this.#of.get(key);
    set?.delete(entry);
    if (set !== undefined) set.calm = null;
    if (set?.size === 0) this.#of.delete(key);
  }

  clear(): void {
    this.#of.clear();
  }
}

/** Where a condition about trades or pools of the whole chain is listed. */
const CHAIN = '*';

export class AlertBook {
  readonly #entries = new Map<string, Entry>();
  /** By token, or for the whole chain; those about wallets by wallet. */
  readonly #prices = new Lists();
  readonly #windowed = new Lists();
  readonly #trades = new Lists();
  readonly #allTrades = new Lists();
  readonly #liquidity = new Lists();
  readonly #newPools = new Lists();
  readonly #wallets = new Lists();
  readonly #holders = new Lists();
  readonly #tops = new LRUCache<Address, TopHolders>({ max: TOPS_MAX });
  readonly #windows = new LRUCache<Address, TokenWindow>({ max: WINDOWS_MAX });
  #fired: FiredAlert[] = [];
  /** The states that changed: by alert, the last one of each block. */
  #changed: AlertState[] = [];

  get size(): number {
    return this.#entries.size;
  }

  has(alert: string): boolean {
    return this.#entries.has(alert);
  }

  /** Goes on with an alert from a stored state. */
  add(record: AlertRecord, state: AlertState): void {
    this.#drop(record.id);
    const { minLiquidityUsd } = record.rule;
    const floorUsdE18 = minLiquidityUsd === null ? null : toE18(minLiquidityUsd);
    const entry: Entry = { record, level: undefined, calm: null, floorUsdE18, state };
    this.#entries.set(record.id, entry);
    const [lists, key] = this.#place(entry);
    lists.add(key, entry);
  }

  /** An alert decides about the blocks after this one. */
  begin(record: AlertRecord, block: number, figures: StartFigures): void {
    const level = createLevel(record.rule.condition, record.rule.rearmPct);
    const start = level?.start(findStart(record, figures)) ?? { isArmed: true, mark: null };
    const state: AlertState = {
      ...{ alert: record.id, block, fromBlock: block, endedBlock: null, ...start },
      ...{ firings: 0, firedAtMs: null, figure: null },
    };
    this.add(record, state);
    this.#changed.push(state);
  }

  /** It decides about no block after this one. */
  end(alert: string, block: number): void {
    const entry = this.#entries.get(alert);
    if (entry === undefined) return;
    this.#changed.push({ ...entry.state, block, endedBlock: block });
    this.#drop(alert);
  }

  /** Whether a trade of the token needs its windows, and they are not in memory. */
  lacksWindow(token: Address): boolean {
    return this.#windowed.get(token) !== undefined && !this.#windows.has(token);
  }

  setWindow(token: Address, window: TokenWindow): void {
    this.#windows.set(token, window);
  }

  watchesHolders(token: Address): boolean {
    return this.#holders.get(token) !== undefined;
  }

  /** Whether a transfer of the token needs its largest balances, and they are not in memory. */
  lacksTop(token: Address): boolean {
    return this.watchesHolders(token) && !this.#tops.has(token);
  }

  /** Null if they may have changed without a block. */
  setTop(token: Address, balances: readonly BalanceRecord[] | null): void {
    if (balances === null) this.#tops.delete(token);
    else this.#tops.set(token, new TopHolders(balances));
  }

  clear(): void {
    this.#entries.clear();
    for (const lists of [this.#prices, this.#windowed, this.#trades, this.#allTrades])
      lists.clear();
    for (const lists of [this.#liquidity, this.#newPools, this.#wallets, this.#holders])
      lists.clear();
    this.#tops.clear();
    this.#windows.clear();
    this.#fired = [];
    this.#changed = [];
  }

  /** What fired since the last call, in order. */
  takeFired(): readonly FiredAlert[] {
    const fired = this.#fired;
    this.#fired = [];
    return fired;
  }

  /** The states that changed since the last call; of an alert and block the last one. */
  takeStates(): readonly AlertState[] {
    const states = new Map(this.#changed.map((state) => [`${state.alert} ${state.block}`, state]));
    this.#changed = [];
    return [...states.values()];
  }

  /** Must be called once for each block, in order. */
  decide(block: BlockFigures): void {
    for (const trade of block.trades) this.#onTrade(block, trade);
    const seen = new Set<Address>();
    for (const change of block.pools) this.#onPool(block, change, seen);
    this.#onBalances(block);
  }

  #onTrade(block: BlockFigures, trade: TradeRecord): void {
    const { token, priceUsd, valueUsd } = trade;
    const windowed = this.#windowed.get(token);
    if (windowed !== undefined) this.#onWindow(block, trade, windowed);
    if (trade.outlier) return;
    const priced = priceUsd === null ? undefined : this.#prices.get(token);
    if (priced !== undefined && priceUsd !== null && !priced.isCalm(Number(priceUsd))) {
      this.#stepAll(block, priced, { figure: priceUsd, trade });
    }
    if (valueUsd !== null) {
      for (const entries of [this.#trades.get(token), this.#allTrades.get(CHAIN)]) {
        if (entries === undefined || entries.isCalm(Number(valueUsd))) continue;
        for (const entry of entries) this.#tellTrade(block, entry, trade);
      }
    }
    for (const entry of this.#wallets.get(trade.wallet) ?? []) {
      if (entry.record.token !== null && entry.record.token !== token) continue;
      const figure = valueUsd ?? '0';
      this.#tell(block, entry, { figure, bound: '0', trade, pool: trade.pool });
    }
  }

  #onWindow(block: BlockFigures, trade: TradeRecord, entries: Entries): void {
    const window = this.#windows.get(trade.token);
    if (!trade.outlier && window !== undefined) {
      // Figures of windows change with time alone: first as they are without this trade.
      for (const entry of entries)
        this.#stepWindow(block, { entry, trade, window, isBefore: true });
    }
    window?.add(trade);
    if (trade.outlier) return;
    for (const entry of entries) this.#stepWindow(block, { entry, trade, window, isBefore: false });
  }

  #stepAll(
    block: BlockFigures,
    entries: Entries,
    of: { readonly figure: string; readonly trade: TradeRecord | null },
  ): void {
    const figure = Number(of.figure);
    for (const entry of entries) {
      if (!isBetween(figure, findCalm(entry))) this.#step(block, { entry, ...of });
    }
  }

  #onPool(block: BlockFigures, change: PoolChange, seen: Set<Address>): void {
    const { token0, token1 } = change.row;
    for (const token of [token0, token1]) {
      for (const entry of this.#newPools.get(token) ?? []) this.#tellPool(block, entry, change);
      const entries = this.#liquidity.get(token);
      if (entries === undefined || seen.has(token)) continue;
      seen.add(token);
      const figure = block.findLiquidity(token);
      if (figure === null || entries.isCalm(Number(figure) / 1e18)) continue;
      this.#stepAll(block, entries, { figure: toUsdText(figure), trade: null });
    }
    for (const entry of this.#newPools.get(CHAIN) ?? []) this.#tellPool(block, entry, change);
  }

  #onBalances(block: BlockFigures): void {
    const tokens = new Set<Address>();
    for (const { token, owner, amountRaw } of block.balances) {
      this.#tops.get(token)?.set(owner, amountRaw);
      tokens.add(token);
    }
    for (const token of tokens) {
      const topRaw = this.#tops.get(token)?.sum() ?? null;
      // It is read again before the next batch.
      if (topRaw === null) this.#tops.delete(token);
      const sumRaw = block.findBalanceSum(token);
      const figure = topRaw === null || sumRaw === null ? null : computeTopPct(topRaw, sumRaw);
      if (figure === null) continue;
      for (const entry of this.#holders.get(token) ?? []) {
        this.#step(block, { entry, trade: null, figure });
      }
    }
  }

  #stepWindow(
    block: BlockFigures,
    of: {
      readonly entry: Entry;
      readonly trade: TradeRecord;
      readonly window: TokenWindow | undefined;
      readonly isBefore: boolean;
    },
  ): void {
    const { entry, trade, window, isBefore } = of;
    const { condition } = entry.record.rule;
    if (condition.kind !== 'changePct' && condition.kind !== 'volumeUsd') return;
    // Only what lets it fire again may come from time alone: trades fire.
    if (window === undefined || (isBefore && entry.state.isArmed)) return;
    const figures = window.read(condition.window, trade.timestampMs);
    if (condition.kind === 'volumeUsd') {
      this.#step(block, { entry, trade, figure: figures.volumeUsd });
    } else {
      const price = isBefore ? figures.last : trade.priceUsd;
      if (figures.before === null || price === null) return;
      const figure = computeChangePct(figures.before, price);
      if (figure !== null) this.#step(block, { entry, trade, figure });
    }
  }

  #step(
    block: BlockFigures,
    of: { readonly entry: Entry; readonly trade: TradeRecord | null; readonly figure: string },
  ): void {
    const { entry, trade, figure } = of;
    const { record, state } = entry;
    entry.level ??= createLevel(record.rule.condition, record.rule.rearmPct);
    const { level } = entry;
    if (level === null || !this.#mayDecide(block, entry)) return;
    const { passed, ...memory } = level.next(state, figure);
    if (memory.isArmed !== state.isArmed || memory.mark !== state.mark) {
      this.#set(entry, { ...state, ...memory, block: block.block });
    }
    if (passed === null) return;
    this.#tell(block, entry, { figure, bound: passed, trade, pool: trade?.pool ?? null });
  }

  #tellTrade(block: BlockFigures, entry: Entry, trade: TradeRecord): void {
    const { condition } = entry.record.rule;
    if (condition.kind !== 'trade' || trade.valueUsd === null) return;
    if (condition.side !== null && condition.side !== trade.side) return;
    if (compareTexts(trade.valueUsd, condition.valueUsd) <= 0) return;
    const { valueUsd: bound } = condition;
    this.#tell(block, entry, { figure: trade.valueUsd, bound, trade, pool: trade.pool });
  }

  /** A pool whose liquidity comes to the floor, while it is young. */
  #tellPool(block: BlockFigures, entry: Entry, { row, beforeUsdE18 }: PoolChange): void {
    const { condition } = entry.record.rule;
    const { liquidityUsdE18: afterUsdE18 } = row;
    if (condition.kind !== 'newPool' || afterUsdE18 === null) return;
    if (row.createdBlock <= entry.state.fromBlock) return;
    if (block.timestampMs - row.createdAtMs > NEW_POOL_MS) return;
    const floor = toE18(condition.minLiquidityUsd);
    if (afterUsdE18 < floor || (beforeUsdE18 ?? -1n) >= floor) return;
    const figure = toUsdText(afterUsdE18);
    this.#tell(block, entry, {
      ...{ figure, bound: condition.minLiquidityUsd, trade: null, pool: row.pool },
    });
  }

  #mayDecide(block: BlockFigures, { record, state, floorUsdE18 }: Entry): boolean {
    if (block.block <= state.fromBlock || (record.rule.once && state.firings > 0)) return false;
    if (floorUsdE18 === null || record.token === null) return true;
    return (block.findLiquidity(record.token) ?? -1n) >= floorUsdE18;
  }

  /** Within the cool-down an edge is not told, and not made up for. */
  #tell(block: BlockFigures, entry: Entry, found: Found): void {
    if (!this.#mayDecide(block, entry)) return;
    const { record, state } = entry;
    const { cooldownMs } = record.rule;
    const { block: position, timestampMs: firedAtMs } = block;
    if (state.firedAtMs !== null && firedAtMs < state.firedAtMs + cooldownMs) return;
    const { figure } = found;
    const firings = state.firings + 1;
    this.#set(entry, { ...state, block: position, firings, firedAtMs, figure });
    this.#fired.push({ alert: record.id, firing: toFiring(record, found) });
  }

  #set(entry: Entry, state: AlertState): void {
    entry.state = state;
    entry.calm = null;
    const [lists, key] = this.#place(entry);
    const entries = lists.get(key);
    if (entries !== undefined) entries.calm = null;
    this.#changed.push(state);
  }

  #place({ record }: Entry): readonly [Lists, string] {
    const { condition } = record.rule;
    if (condition.kind === 'wallet') return [this.#wallets, condition.wallet];
    if (condition.kind === 'holdersTop10Pct') return [this.#holders, record.token ?? CHAIN];
    const token = record.token ?? CHAIN;
    if (condition.kind === 'priceUsd') return [this.#prices, token];
    if (condition.kind === 'liquidityUsd') return [this.#liquidity, token];
    if (condition.kind === 'newPool') return [this.#newPools, token];
    if (condition.kind !== 'trade') return [this.#windowed, token];
    return [record.token === null ? this.#allTrades : this.#trades, token];
  }

  #drop(alert: string): void {
    const entry = this.#entries.get(alert);
    if (entry === undefined) return;
    this.#entries.delete(alert);
    const [lists, key] = this.#place(entry);
    lists.remove(key, entry);
    const { token } = entry.record;
    if (token === null) return;
    if (this.#windowed.get(token) === undefined) this.#windows.delete(token);
    // From here on nobody notes what it would have to follow.
    if (!this.watchesHolders(token)) this.#tops.delete(token);
  }
}

function findStart({ rule }: AlertRecord, figures: StartFigures): string | null {
  switch (rule.condition.kind) {
    case 'priceUsd':
      return figures.priceUsd;
    case 'liquidityUsd':
      return figures.liquidityUsd;
    case 'holdersTop10Pct':
      return figures.holdersTop10Pct;
    default:
      // A window is asked only when the token trades.
      return null;
  }
}

function toFiring({ owner, webhook, rule, token }: AlertRecord, found: Found): AlertFiring {
  const { figure, bound, pool, trade } = found;
  return {
    ...{ owner, webhook, rule, figure, bound, pool },
    token: token ?? trade?.token ?? null,
    trade: trade && {
      txHash: trade.txHash,
      index: trade.index,
      side: trade.side,
      wallet: trade.wallet,
      valueUsd: trade.valueUsd,
    },
  };
}
