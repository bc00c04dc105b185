// What happens in pools while their states are being read: a reading is of one block, and the
// events after that block are applied to it when it is complete.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { BlockEvents, PoolChangedEvent, SwapEvent } from '../../model/block-events.ts';
import type { PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';

export type PoolEvent = PoolChangedEvent | SwapEvent;

interface WatchedPool {
  /** The block that its state is read at. */
  block: number;
  events: { readonly block: number; readonly event: PoolEvent }[];
}

/** A pool that is busier than this while it is read is read again. */
const EVENT_COUNT_MAX = 50_000;
const POOL_COUNT_MAX = 64;

type Tip = Pick<Checkpoint, 'block' | 'blockHash'>;

export class AdoptionJournal {
  readonly #watched = new BoundedMap<PoolId, WatchedPool>(POOL_COUNT_MAX);
  #tip: Tip | null = null;

  /** Notes what happens in a pool after the last indexed block; null where nothing is indexed. */
  watch(pool: PoolId): Tip | null {
    if (this.#tip === null) return null;
    this.#watched.set(pool, { block: this.#tip.block, events: [] });
    return this.#tip;
  }

  /** The events after the block it was watched from; null where they are not known any more. */
  read(pool: PoolId, block: number): readonly PoolEvent[] | null {
    const watched = this.#watched.get(pool);
    return watched?.block === block ? watched.events.map(({ event }) => event) : null;
  }

  forget(pool: PoolId): void {
    this.#watched.delete(pool);
  }

  /** To be called after a commit, with the blocks that it added. */
  record(blocks: readonly BlockEvents[], tip: Tip): void {
    this.#tip = tip;
    if (this.#watched.size === 0) return;
    for (const { header, events } of blocks) {
      for (const event of events) {
        if (event.kind !== 'swap' && event.kind !== 'poolChanged') continue;
        const watched = this.#watched.get(event.pool);
        if (watched === undefined) continue;
        watched.events.push({ block: header.position, event });
        if (watched.events.length > EVENT_COUNT_MAX) this.#watched.delete(event.pool);
      }
    }
  }

  /** Blocks above the new tip were taken back, and with them what was read at any of them. */
  rollBack(tip: Tip): void {
    this.#tip = tip;
    for (const [pool, watched] of [...this.#watched.entries()]) {
      if (watched.block > tip.block) this.#watched.delete(pool);
      else watched.events = watched.events.filter(({ block }) => block <= tip.block);
    }
  }

  /** The store was read again: unless it stands where the last commit left it, nothing is known. */
  reconcile(tip: Tip | null): void {
    if (tip?.block !== this.#tip?.block || tip?.blockHash !== this.#tip?.blockHash) {
      this.#watched.clear();
    }
    this.#tip = tip;
  }
}
