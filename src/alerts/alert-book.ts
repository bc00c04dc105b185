// The alerts of one chain while it is indexed: by token, so that a block touches only those of its
// own tokens.
//
// Decided at the end of each block from its rows, in the order of its trades, then of its pools:
// the outcome depends on the chain and on the block after which an alert began, never on batches.
// What fired and how far each alert is goes to the store with the batch; a rollback there drops
// both, and the book is loaded again.

import { LRUCache } from 'lru-cache';
import { compareTexts, pow10, textToDecimal, toUsdText } from '../lib/decimal.ts';
import type { AlertCondition, AlertFiring, AlertRecord, AlertState } from '../model/alert.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { TradeRecord } from '../model/market-record.ts';
import { type Calm, computeChangePct, createLevel, type Level } from './levels.ts';
import type { TokenWindow } from './token-window.ts';

/** What a block changed in a pool. */
interface PoolChange {
  readonly pool: PoolId;
  readonly tokens: readonly Address[];
  readonly createdBlock: number;
  readonly createdAtMs: number;
  readonly beforeUsdE18: bigint | null;
  readonly afterUsdE18: bigint | null;
}

interface BlockFigures {
  readonly block: number;
  readonly timestampMs: number;
  readonly trades: readonly TradeRecord[];
  /** Of pools that the block changed. */
  readonly pools: readonly PoolChange[];
  /** As of the end of the block, in 1e-18 USD. */
  findLiquidity(token: Address): bigint | null;
}

/** The figures that an alert begins with. */
interface StartFigures {
  readonly priceUsd: string | null;
  readonly liquidityUsd: string | null;
}

interface FiredAlert {
  readonly alert: string;
  readonly firing: AlertFiring;
}

interface Entry {
  readonly record: AlertRecord;
  /** Made when it is first needed: most alerts are of tokens that rarely trade. */
  level: Level | null | undefined;
  readonly floorUsdE18: bigint | null;
  state: AlertState;
}

/** A pool that is older is not new, whatever comes into it. */
const NEW_POOL_MS = 86_400_000;
/** Tokens whose windows are in memory; those of others are read again when they trade. */
const WINDOWS_MAX = 2000;

type Found = Pick<AlertFiring, 'figure' | 'bound' | 'pool'> & {
  readonly trade: TradeRecord | null;
};

function toE18(text: string): bigint {
  const { digits, scale } = textToDecimal(text);
  return (digits * pow10(18)) / pow10(scale);
}

class Entries extends Set<Entry> {
  /** Figures in between change nothing here, whatever the alert; null until it is looked at. */
  calm: Calm | null = null;

  /** Whether the figure of a kind of condition changes nothing. */
  isCalm(kind: AlertCondition['kind'], figure: number): boolean {
    this.calm ??= this.#findCalm(kind);
    return figure > this.calm[0] && figure < this.calm[1];
  }

  #findCalm(kind: AlertCondition['kind']): Calm {
    let [above, below] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const entry of this) {
      const { condition, rearmPct } = entry.record.rule;
      if (condition.kind !== kind) continue;
      entry.level ??= createLevel(condition, rearmPct);
      const [from, to] = entry.level?.findCalm(entry.state) ?? [above, below];
      above = Math.max(above, from);
      below = Math.min(below, to);
    }
    return [above, below];
  }
}

/** What is watched where: an alert is in one list. */
class Lists {
  readonly #of = new Map<string, Entries>();

  get(key: string): Entries | undefined {
    return this.#of.get(key);
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
  /** By token: what its trades decide; and what its pools do. */
  readonly #trades = new Lists();
  readonly #pools = new Lists();
  readonly #wallets = new Lists();
  /** How many alerts of a token need its windows. */
  readonly #windowed = new Map<Address, number>();
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
    const entry: Entry = { record, level: undefined, floorUsdE18, state };
    this.#entries.set(record.id, entry);
    const [lists, key] = this.#place(entry);
    lists.add(key, entry);
    if (record.token !== null && isWindowed(record)) {
      this.#windowed.set(record.token, (this.#windowed.get(record.token) ?? 0) + 1);
    }
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
    return this.#windowed.has(token) && !this.#windows.has(token);
  }

  setWindow(token: Address, window: TokenWindow): void {
    this.#windows.set(token, window);
  }

  clear(): void {
    this.#entries.clear();
    for (const lists of [this.#trades, this.#pools, this.#wallets]) lists.clear();
    this.#windowed.clear();
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
  }

  #onTrade(block: BlockFigures, trade: TradeRecord): void {
    const window = this.#windows.get(trade.token);
    const entries = this.#trades.get(trade.token);
    if (!trade.outlier && entries !== undefined && window !== undefined) {
      // Figures of windows change with time alone: first as they are without this trade.
      for (const entry of entries)
        this.#stepWindow(block, { entry, trade, window, isBefore: true });
    }
    window?.add(trade);
    if (trade.outlier) return;
    const isCalm =
      trade.priceUsd === null || entries?.isCalm('priceUsd', Number(trade.priceUsd)) === true;
    for (const entry of entries ?? []) {
      const { condition } = entry.record.rule;
      if (condition.kind === 'priceUsd') {
        if (!isCalm && trade.priceUsd !== null)
          this.#step(block, { entry, trade, figure: trade.priceUsd });
      } else if (condition.kind === 'trade') {
        this.#tellTrade(block, entry, trade);
      } else {
        this.#stepWindow(block, { entry, trade, window, isBefore: false });
      }
    }
    for (const entry of this.#trades.get(CHAIN) ?? []) this.#tellTrade(block, entry, trade);
    for (const entry of this.#wallets.get(trade.wallet) ?? []) {
      const { token } = entry.record;
      if (token !== null && token !== trade.token) continue;
      const figure = trade.valueUsd ?? '0';
      this.#tell(block, entry, { figure, bound: '0', trade, pool: trade.pool });
    }
  }

  #onPool(block: BlockFigures, change: PoolChange, seen: Set<Address>): void {
    for (const token of change.tokens) {
      const entries = this.#pools.get(token);
      if (entries === undefined) continue;
      const isFirst = !seen.has(token);
      seen.add(token);
      for (const entry of entries) {
        if (entry.record.rule.condition.kind === 'newPool') this.#tellPool(block, entry, change);
        else if (isFirst) {
          const figure = block.findLiquidity(token);
          if (figure === null || entries.isCalm('liquidityUsd', Number(figure) / 1e18)) continue;
          this.#step(block, { entry, trade: null, figure: toUsdText(figure) });
        }
      }
    }
    for (const entry of this.#pools.get(CHAIN) ?? []) this.#tellPool(block, entry, change);
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
  #tellPool(block: BlockFigures, entry: Entry, change: PoolChange): void {
    const { condition } = entry.record.rule;
    if (condition.kind !== 'newPool' || change.afterUsdE18 === null) return;
    if (change.createdBlock <= entry.state.fromBlock) return;
    if (block.timestampMs - change.createdAtMs > NEW_POOL_MS) return;
    const floor = toE18(condition.minLiquidityUsd);
    if (change.afterUsdE18 < floor || (change.beforeUsdE18 ?? -1n) >= floor) return;
    const figure = toUsdText(change.afterUsdE18);
    const { minLiquidityUsd: bound } = condition;
    this.#tell(block, entry, { figure, bound, trade: null, pool: change.pool });
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
    const [lists, key] = this.#place(entry);
    const entries = lists.get(key);
    if (entries !== undefined) entries.calm = null;
    this.#changed.push(state);
  }

  #place({ record }: Entry): readonly [Lists, string] {
    const { condition } = record.rule;
    if (condition.kind === 'wallet') return [this.#wallets, condition.wallet];
    const isOfPools = condition.kind === 'liquidityUsd' || condition.kind === 'newPool';
    return [isOfPools ? this.#pools : this.#trades, record.token ?? CHAIN];
  }

  #drop(alert: string): void {
    const entry = this.#entries.get(alert);
    if (entry === undefined) return;
    this.#entries.delete(alert);
    const [lists, key] = this.#place(entry);
    lists.remove(key, entry);
    const { record } = entry;
    if (record.token === null || !isWindowed(record)) return;
    const left = (this.#windowed.get(record.token) ?? 1) - 1;
    if (left > 0) this.#windowed.set(record.token, left);
    else {
      this.#windowed.delete(record.token);
      this.#windows.delete(record.token);
    }
  }
}

function isWindowed({ rule }: Pick<AlertRecord, 'rule'>): boolean {
  return rule.condition.kind === 'changePct' || rule.condition.kind === 'volumeUsd';
}

function findStart({ rule }: AlertRecord, figures: StartFigures): string | null {
  switch (rule.condition.kind) {
    case 'priceUsd':
      return figures.priceUsd;
    case 'liquidityUsd':
      return figures.liquidityUsd;
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
