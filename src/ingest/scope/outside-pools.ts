// What pools outside the scope hold at least, from their events alone: no row, no request.
//
// Every event of a pair has its reserves. Those of a concentrated pool have what came in and went
// out. Counted from zero and never below it, the sum is at most what the pool holds, and equal to
// it if all of its events were seen.

import type { PoolDraft, PoolTicks } from '../../amm/pool-kind.ts';
import { kindOf, takesChange } from '../../amm/pool-kinds.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { PoolChangedEvent, SwapEvent } from '../../model/block-events.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolDescription, PoolKindName, PoolRecord } from '../../model/pool.ts';

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
export function createDraft(description: PoolDescription): Draft {
  const record = {
    ...description,
    ...{ createdBlock: 0, createdAtMs: 0, complete: true, lastSwapAtMs: null },
    state: kindOf(description).stateAtStart,
    liquidityUsdE18: null,
  };
  return record as PoolRecord as Draft;
}

/** The pool's price is exact afterwards; its ticks are not kept. */
export function applyToDraft(draft: Draft, event: SwapEvent | PoolChangedEvent): void {
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
