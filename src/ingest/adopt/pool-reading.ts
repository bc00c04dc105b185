// One pool's state as it is read from its contract, page by page, and then joined with the events
// after the block it was read at.

import type { PoolDraft, PoolTicks } from '../../amm/pool-kind.ts';
import { kindOf, takesChange } from '../../amm/pool-kinds.ts';
import type { PoolPage, TickSpan } from '../../chains/adapter.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { PoolKindName, PoolRecord } from '../../model/pool.ts';
import type { PoolEvent } from './adoption-journal.ts';

interface AdoptedTickLiquidity {
  readonly liquidityGross: bigint;
  readonly liquidityNet: bigint;
}

/** The ticks of a reading; changes of ticks that are not covered yet are ignored. */
class ReadTicks implements PoolTicks {
  readonly rows = new Map<number, AdoptedTickLiquidity>();
  covered: TickSpan | null = null;

  get order(): readonly number[] {
    return [...this.rows.keys()].sort((a, b) => a - b);
  }

  get(tick: number): AdoptedTickLiquidity | undefined {
    return this.rows.get(tick);
  }

  change(tick: number, by: { readonly gross: bigint; readonly net: bigint }): boolean {
    if (!this.#isCovered(tick)) return true;
    const { liquidityGross = 0n, liquidityNet = 0n } = this.rows.get(tick) ?? {};
    const gross = liquidityGross + by.gross;
    if (gross > 0n) {
      this.rows.set(tick, { liquidityGross: gross, liquidityNet: liquidityNet + by.net });
    } else {
      this.rows.delete(tick);
    }
    return gross >= 0n;
  }

  #isCovered(tick: number): boolean {
    if (this.covered === null) return false;
    return tick >= this.covered.lower && tick <= this.covered.upper;
  }
}

type ReadingDraft = PoolDraft<PoolKindName>;

/** False if the events contradict the state. */
function replay(draft: ReadingDraft, ticks: PoolTicks, events: readonly PoolEvent[]): boolean {
  const kind = kindOf(draft);
  for (const event of events) {
    const swapped = event.kind === 'swap' ? event : null;
    if (event.change === null) continue;
    if (!takesChange(draft, event.change)) return false;
    const { blockTimeMs } = event;
    const time = blockTimeMs === undefined ? {} : { nowSeconds: Math.floor(blockTimeMs / 1000) };
    kind.apply(draft, event.change, { ticks, swapped, ...time });
    if (!draft.complete) return false;
  }
  return true;
}

export class PoolReading {
  readonly row: PoolRecord;
  /** The last indexed block when the reading began. */
  readonly block: number;
  readonly #ticks = new ReadTicks();
  #last: PoolPage | null = null;

  constructor(row: PoolRecord, block: number) {
    this.row = row;
    this.block = block;
  }

  get covered(): TickSpan | null {
    return this.#ticks.covered;
  }

  get tickCount(): number {
    return this.#ticks.rows.size;
  }

  get isWhole(): boolean {
    return this.#last?.isLast ?? false;
  }

  /** The block that its state is of: `block`, or a later one. */
  get stateBlock(): number {
    return this.#last?.later?.position ?? this.block;
  }

  /** Whether its state is of the branch that the index is on; `findHash` is null for no block. */
  isOfBranch(findHash: (position: number) => string | null): boolean {
    const later = this.#last?.later;
    if (later === undefined) return true;
    const indexed = findHash(later.position);
    return indexed !== null && (later.hash === null || later.hash === indexed);
  }

  add(page: PoolPage): void {
    this.#last = page;
    this.#ticks.covered = page.covered;
    for (const { tick, ...liquidity } of page.ticks) this.#ticks.rows.set(tick, liquidity);
  }

  /**
   * The same ticks moved to a later block, for a node that has pruned this one; null if the events
   * contradict what was read.
   */
  moveTo(block: number, events: readonly PoolEvent[]): PoolReading | null {
    const moved = new PoolReading(this.row, block);
    if (this.#last === null) return moved;
    moved.add({ ...this.#last, isLast: false });
    for (const [tick, liquidity] of this.#ticks.rows) moved.#ticks.rows.set(tick, liquidity);
    const state = { ...kindOf(this.row).stateAtStart, ...this.#last.state };
    const draft = { ...this.row, complete: true, state } as ReadingDraft;
    return replay(draft, moved.#ticks, events) ? moved : null;
  }

  /**
   * The pool after the events that followed its block; null if the parts contradict each other or
   * the events, because something is missing or of another branch.
   */
  join(row: PoolRecord, events: readonly PoolEvent[]): AdoptedPool | null {
    const last = this.#last;
    if (last === null || !last.isLast) return null;
    const kind = kindOf(row);
    const ticks = new ReadTicks();
    ticks.covered = this.#ticks.covered;
    for (const [tick, liquidity] of this.#ticks.rows) ticks.rows.set(tick, liquidity);
    const state = kind.assembleState(last.state, listTicks(ticks));
    if (state === null) return null;
    const feePips = last.feePips ?? row.feePips;
    const draft = { ...row, feePips, complete: true, state } as ReadingDraft;
    if (!replay(draft, ticks, events)) return null;
    if (!agrees(draft, row)) return null;
    const { pool, kind: name } = row;
    return {
      ...{ pool, kind: name, feePips: draft.feePips, state: draft.state },
      ticks: listTicks(ticks),
    };
  }
}

function listTicks({ order, rows }: ReadTicks): AdoptedPool['ticks'] {
  return order.flatMap((tick) => {
    const liquidity = rows.get(tick);
    return liquidity === undefined ? [] : [{ tick, ...liquidity }];
  });
}

/** Whether the state is that of the last event: by fields that events repeat, or by its effect. */
function agrees(draft: ReadingDraft, row: PoolRecord): boolean {
  if (kindOf(row).explains?.(draft, row.state) === false) return false;
  const stored: Readonly<Record<string, unknown>> = { ...row.state };
  const read: Readonly<Record<string, unknown>> = { ...draft.state };
  return kindOf(row).eventFields.every(
    (field) => stored[field] === null || stored[field] === read[field],
  );
}
