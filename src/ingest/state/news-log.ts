// What the blocks of a batch bring: new tokens and pools, launches, and the ends of launches.

import type { LaunchStage } from '../../amm/pool-kind.ts';
import { kindOf } from '../../amm/pool-kinds.ts';
import type { AlertFiring } from '../../model/alert.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { News, NewsSubject } from '../../model/news.ts';
import type { PoolRecord } from '../../model/pool.ts';

function findLaunch(row: PoolRecord): LaunchStage | null {
  return kindOf(row).findLaunch?.(row) ?? null;
}

export class NewsLog {
  #news: News[] = [];
  #header: Pick<BlockHeader, 'position' | 'timestampMs'> | null = null;
  /** Launches that the current block changes, as they were before. */
  readonly #open = new Map<PoolRecord, LaunchStage>();

  /** News from here on belong to this block. */
  beginBlock(header: BlockHeader): void {
    this.#endBlock();
    this.#header = header;
  }

  addToken({ token }: TokenRecord): void {
    this.#note({ kind: 'token', token });
  }

  /** `row` is the one that the block goes on to change. */
  addPool(row: PoolRecord): void {
    const { pool, createdAtMs } = row;
    this.#note({ kind: 'pool', pool });
    const stage = findLaunch(row);
    if (stage === null) return;
    // A pool that is older than the index was launched before.
    if (createdAtMs > 0) this.#note({ kind: 'launch', pool });
    this.#open.set(row, createdAtMs > 0 ? 'open' : stage);
  }

  addAlert(alert: string, firing: AlertFiring): void {
    this.#note({ kind: 'alert', alert, firing });
  }

  /** Must be called before a pool's row is changed. */
  watch(row: PoolRecord): void {
    const stage = this.#open.has(row) ? null : findLaunch(row);
    if (stage !== null) this.#open.set(row, stage);
  }

  /** Everything since the last call. */
  take(): readonly News[] {
    this.#endBlock();
    const news = this.#news;
    this.clear();
    return news;
  }

  clear(): void {
    this.#news = [];
    this.#open.clear();
    this.#header = null;
  }

  #note(subject: NewsSubject): void {
    if (this.#header === null) throw new Error('no block has been started');
    const { position: block, timestampMs } = this.#header;
    this.#news.push({ ...subject, block, timestampMs });
  }

  #endBlock(): void {
    for (const [row, before] of this.#open) {
      const isDone = before === 'open' && findLaunch(row) === 'graduated';
      if (isDone) this.#note({ kind: 'graduation', pool: row.pool });
    }
    this.#open.clear();
  }
}
