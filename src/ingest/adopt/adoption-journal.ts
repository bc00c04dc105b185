// Records the events of pools while their states are read: a reading is of one block, and the
// events after that block are applied to it when it is complete. Some nodes have the newest state
// only: then the block is a later one, and the reading waits until it is indexed.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { BlockEvents, PoolChangedEvent, SwapEvent } from '../../model/block-events.ts';
import type { PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';

/** With the time of its block, which some pools' fees follow. */
export type PoolEvent = (PoolChangedEvent | SwapEvent) & { readonly blockTimeMs?: number };

interface WatchedPool {
  /** The last indexed block when the watch began. */
  block: number;
  /** The later block that the state turned out to be of; null if it is of `block`. */
  laterBlock: number | null;
  events: { readonly block: number; readonly event: PoolEvent }[];
}

/** A pool with more events than this during its reading is read again. */
const EVENT_COUNT_MAX = 50_000;
const POOL_COUNT_MAX = 64;

type Tip = Pick<Checkpoint, 'block' | 'blockHash'>;

/** An indexed block that something is read at. */
export interface BranchPoint extends Tip {
  /** Whether the block was rolled back, so that the reading is void. */
  isGone: boolean;
}

export class AdoptionJournal {
  readonly #watched = new BoundedMap<PoolId, WatchedPool>(POOL_COUNT_MAX);
  readonly #points = new Set<BranchPoint>();
  #tip: Tip | null = null;

  /** The position of the last indexed block; −1 if nothing is indexed. */
  get tipBlock(): number {
    return this.#tip?.block ?? -1;
  }

  /** Records a pool's events after the last indexed block; null if nothing is indexed. */
  watch(pool: PoolId): Tip | null {
    if (this.#tip === null) return null;
    this.#watched.set(pool, { block: this.#tip.block, laterBlock: null, events: [] });
    return this.#tip;
  }

  /** The state that was read is of a later block, which may not be indexed yet. */
  noteLater(pool: PoolId, laterBlock: number): void {
    const watched = this.#watched.get(pool);
    if (watched !== undefined) watched.laterBlock = laterBlock;
  }

  /**
   * The events after the block that the state is of, for a watch that began at `block`; null if
   * they are no longer known.
   */
  read(pool: PoolId, block: number): readonly PoolEvent[] | null {
    const watched = this.#watched.get(pool);
    if (watched?.block !== block) return null;
    const from = watched.laterBlock ?? block;
    return watched.events.filter((each) => each.block > from).map(({ event }) => event);
  }

  forget(pool: PoolId): void {
    this.#watched.delete(pool);
  }

  /** The last indexed block, to be closed when the reading is done; null if nothing is indexed. */
  openPoint(): BranchPoint | null {
    if (this.#tip === null) return null;
    const { block, blockHash } = this.#tip;
    const point = { block, blockHash, isGone: false };
    this.#points.add(point);
    return point;
  }

  closePoint(point: BranchPoint): void {
    this.#points.delete(point);
  }

  /** Must be called after each commit, with the blocks that it added. */
  record(blocks: readonly BlockEvents[], tip: Tip): void {
    this.#tip = tip;
    if (this.#watched.size === 0) return;
    for (const { header, events } of blocks) {
      for (const event of events) {
        if (event.kind !== 'swap' && event.kind !== 'poolChanged') continue;
        const watched = this.#watched.get(event.pool);
        if (watched === undefined) continue;
        const { position: block, timestampMs: blockTimeMs } = header;
        watched.events.push({ block, event: { ...event, blockTimeMs } });
        if (watched.events.length > EVENT_COUNT_MAX) this.#watched.delete(event.pool);
      }
    }
  }

  /** Drops the events of blocks above the new tip, and readings that began at any of them. */
  rollBack(tip: Tip): void {
    this.#tip = tip;
    for (const point of this.#points) point.isGone ||= point.block > tip.block;
    for (const [pool, watched] of [...this.#watched.entries()]) {
      const readBlock = watched.laterBlock ?? watched.block;
      if (readBlock > tip.block) this.#watched.delete(pool);
      else watched.events = watched.events.filter(({ block }) => block <= tip.block);
    }
  }

  /** After the store was read again: drops everything, unless the store is at the last commit. */
  reconcile(tip: Tip | null): void {
    if (tip?.block !== this.#tip?.block || tip?.blockHash !== this.#tip?.blockHash) {
      this.#watched.clear();
      for (const point of this.#points) point.isGone = true;
    }
    this.#tip = tip;
  }
}
