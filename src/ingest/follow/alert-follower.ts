// Keeps the alerts of a chain in the index's memory: loads them with their states, and begins and
// ends them between two batches as their owners add and delete them.

import type { AlertBook } from '../../alerts/alert-book.ts';
import { listWindowRanges, TokenWindow } from '../../alerts/token-window.ts';
import { computeTopPct, TOP_LOADED } from '../../alerts/top-holders.ts';
import type { Clock } from '../../lib/clock.ts';
import { toUsdText } from '../../lib/decimal.ts';
import type { AlertRecord, AlertState } from '../../model/alert.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import { pickTokenLiquidity, type TokenRecord } from '../../model/market-record.ts';
import type { AlertReads } from '../../store/alert-store.ts';
import type { MarketReads } from '../../store/market-reads.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BatchToCommit } from '../commit/commit-batch.ts';
import type { LoadFigures } from './prepare-batch.ts';

const POLL_MS = 1000;
const PAGE_SIZE = 1000;

interface AlertFollowerOptions {
  readonly chain: ChainSlug;
  readonly store: MarketReader & AlertReads & Pick<MarketReads, 'readBalancePage'>;
  readonly book: AlertBook;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Where the index is once all that was prepared is stored. */
interface IndexTip {
  readonly untilStored: () => Promise<void>;
  readonly findBlock: () => number;
}

export class AlertFollower {
  readonly #options: AlertFollowerOptions;
  #isLoaded = false;
  #change = 0;
  #polledAtMs = 0;
  /** The block of the last state of each alert in the store. */
  readonly #last = new Map<string, number>();
  /** All of them, ascending, of alerts that have more than one. */
  readonly #several = new Map<string, readonly number[]>();

  constructor(options: AlertFollowerOptions) {
    this.#options = options;
  }

  /** The book was cleared: everything is loaded again before the next batch. */
  reset(): void {
    this.#isLoaded = false;
    this.#change = 0;
    this.#last.clear();
    this.#several.clear();
  }

  /** Call it before each batch. What begins now decides about that batch. */
  async refresh(tip: IndexTip): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    if (!this.#isLoaded) {
      await tip.untilStored();
      await this.#load(tip.findBlock());
    } else if (nowMs - this.#polledAtMs >= POLL_MS) {
      const changed = await this.#readChanged();
      if (changed.length > 0) {
        await tip.untilStored();
        await this.#apply(changed, tip.findBlock());
      }
    } else {
      return;
    }
    this.#polledAtMs = nowMs;
  }

  /** Begins alerts after a block, which must be stored. */
  async begin(records: readonly AlertRecord[], block: number): Promise<void> {
    const { store, chain, book } = this.#options;
    const tokens = new Set(records.flatMap(({ token }) => token ?? []));
    const rows = await store.readTokens(chain, [...tokens]);
    const byToken = new Map(rows.map((row) => [row.token, row]));
    for (const record of records) {
      const row = record.token === null ? undefined : byToken.get(record.token);
      const isOfHolders = record.rule.condition.kind === 'holdersTop10Pct';
      book.begin(record, block, {
        priceUsd: row?.priceUsd ?? null,
        liquidityUsd: row === undefined ? null : toUsdText(pickTokenLiquidity(row)),
        holdersTop10Pct: isOfHolders && row !== undefined ? await this.#readTopPct(row) : null,
      });
    }
  }

  async #readTopPct({ token, balanceSumRaw }: TokenRecord): Promise<string | null> {
    const { store, chain } = this.#options;
    const top = await store.readBalancePage(chain, token, { after: null, limit: 10 });
    const topRaw = top.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
    return computeTopPct(topRaw, balanceSumRaw);
  }

  /** Loads windows and largest holders of tokens of the next batch that have alerts about them. */
  async loadFigures({
    traded,
    moved,
    ...of
  }: Parameters<LoadFigures>[0] & Pick<IndexTip, 'untilStored'>): Promise<void> {
    const { store, chain, book } = this.#options;
    const untopped = [...moved].filter((token) => book.lacksTop(token));
    const missing = [...traded].filter((token) => book.lacksWindow(token));
    if (untopped.length === 0 && missing.length === 0) return;
    await of.untilStored();
    for (const token of untopped) {
      const page = { after: null, limit: TOP_LOADED };
      book.setTop(token, await store.readBalancePage(chain, token, page));
    }
    if (missing.length > 0) await this.#loadWindows(missing, of.timestampMs);
  }

  async #loadWindows(missing: readonly Address[], timestampMs: number): Promise<void> {
    const { store, chain, book } = this.#options;
    const toMs = Number.MAX_SAFE_INTEGER;
    const ranges = missing.flatMap((token) =>
      listWindowRanges(timestampMs).map((range) => ({ token, pool: null, ...range, toMs })),
    );
    const candles = await store.readCandleRanges(chain, ranges);
    const byToken = Map.groupBy(candles, ({ token }) => token);
    for (const token of missing) {
      const own = byToken.get(token) ?? [];
      const sorted = own.sort((a, b) => a.openTimeMs - b.openTimeMs);
      book.setWindow(token, new TokenWindow(sorted));
    }
  }

  /** Of final blocks only the last state of an alert is kept. */
  planRows(changed: readonly AlertState[], finalizedBlock: number): BatchToCommit['alertStates'] {
    const put = new Map<string, AlertState>();
    for (const state of changed) {
      const isFinal = state.block <= finalizedBlock;
      put.set(isFinal ? state.alert : `${state.alert} ${state.block}`, state);
      this.#note(state);
    }
    const kept = [...put.values()];
    const deleted: Pick<AlertState, 'alert' | 'block'>[] = [];
    for (const [alert, blocks] of this.#several) {
      const last = blocks.findLast((block) => block <= finalizedBlock) ?? -1;
      for (const block of blocks) if (block < last) deleted.push({ alert, block });
      const left = blocks.filter((block) => block >= last);
      if (left.length > 1) this.#several.set(alert, left);
      else this.#several.delete(alert);
    }
    return { put: kept, deleted };
  }

  /** The first state stays: `verify` begins with it. */
  #note({ alert, block, fromBlock }: AlertState): void {
    if (block === fromBlock) return;
    const before = this.#last.get(alert);
    this.#last.set(alert, block);
    if (before === undefined || before === block) return;
    this.#several.set(alert, [...(this.#several.get(alert) ?? [before]), block]);
  }

  async #load(block: number): Promise<void> {
    const { store, chain, book } = this.#options;
    const last = new Map<string, AlertState>();
    for await (const states of store.scanAlertStates(chain)) {
      for (const state of states) {
        last.set(state.alert, state);
        this.#note(state);
      }
    }
    const changed = await this.#readChanged();
    for (const record of changed) {
      const state = last.get(record.id);
      if (state !== undefined && state.endedBlock === null) book.add(record, state);
    }
    await this.#apply(changed, block, last);
    this.#isLoaded = true;
  }

  /** In the order of the changes. */
  async #readChanged(): Promise<AlertRecord[]> {
    const { store, chain } = this.#options;
    const changed = new Map<string, AlertRecord>();
    for (;;) {
      const page = await store.readAlertChanges(chain, { after: this.#change, limit: PAGE_SIZE });
      for (const record of page) changed.set(record.id, record);
      this.#change = page.at(-1)?.change ?? this.#change;
      if (page.length < PAGE_SIZE) return [...changed.values()];
    }
  }

  async #apply(
    changed: readonly AlertRecord[],
    block: number,
    known: ReadonlyMap<string, AlertState> = new Map(),
  ): Promise<void> {
    const { book } = this.#options;
    const isNew = ({ id, endedAtMs }: AlertRecord) =>
      endedAtMs === null && !book.has(id) && !known.has(id);
    await this.begin(changed.filter(isNew), block);
    for (const { id, endedAtMs } of changed) if (endedAtMs !== null) book.end(id, block);
  }
}
