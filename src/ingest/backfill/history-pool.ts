// A pool while its history is read backwards: its state before the blocks that were read.
//
// The price and the liquidity there are those of the pool's last event before, which stands in an
// older block. Its ticks follow from the newer ones: what positions added since is taken away.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { HistoryBlock } from '../../chains/chain-history.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolKindName, PoolRecord, StateOf } from '../../model/pool.ts';
import type { PoolEvent } from '../adopt/adoption-journal.ts';

interface Tick {
  readonly gross: bigint;
  readonly net: bigint;
}

type HistoryTicks = ReadonlyMap<number, Tick>;

interface KnownState {
  readonly state: StateOf<PoolKindName>;
  /** The block of the event that set it; the pool has no event between it and the next block. */
  readonly since: number;
}

export interface HistoryPool {
  readonly row: PoolRecord;
  /** It has no event before this block; null if that could not be found out. */
  readonly bornBlock: number | null;
  /** Before the next block; null until an event was read that sets it. */
  readonly known: KnownState | null;
  /** Before the next block; null if they are not known: then depths count only its liquidity. */
  readonly ticks: HistoryTicks | null;
}

interface PlacedEvent {
  readonly block: number;
  readonly event: PoolEvent;
}

function listEvents(blocks: readonly HistoryBlock[], pool: PoolId): PlacedEvent[] {
  return blocks.flatMap(({ header, logs }) =>
    logs.flatMap(({ events }) =>
      events.flatMap((event): PlacedEvent[] => {
        if (event.kind !== 'swap' && event.kind !== 'poolChanged') return [];
        return event.pool === pool ? [{ block: header.position, event }] : [];
      }),
    ),
  );
}

const NO_TICKS = { get: () => undefined, change: () => true, order: [] } as const;

/** The state after each event, of a pool of which nothing was known before. */
function* applyEvents(
  row: PoolRecord,
  events: readonly PlacedEvent[],
): Generator<{ readonly block: number; readonly state: StateOf<PoolKindName> }> {
  const kind = kindOf(row);
  const draft = { ...row, state: kind.stateAtStart, complete: false } as PoolRecord;
  for (const { block, event } of events) {
    const { change } = event;
    if (change !== null) {
      const swapped = event.kind === 'swap' ? event : null;
      kind.apply(draft, change, { ticks: NO_TICKS, swapped });
    }
    yield { block, state: draft.state };
  }
}

/** Whether the pool cannot have had an event before these, the oldest that were read. */
function isBornIn({ bornBlock }: HistoryPool, events: readonly PlacedEvent[], fromBlock: number) {
  if (bornBlock !== null && fromBlock <= bornBlock) return true;
  const change = events[0]?.event.change ?? null;
  return change !== null && kindOf({ kind: change.poolKind }).isBirth?.(change) === true;
}

function isWhole(row: PoolRecord, state: StateOf<PoolKindName>): boolean {
  const fields = state as unknown as Readonly<Record<string, unknown>>;
  return kindOf(row).eventFields.every((field) => fields[field] !== null);
}

/** From which block on the pool's state at the start of each block is known; null if never. */
export function findKnownFrom(
  pool: HistoryPool,
  blocks: readonly HistoryBlock[],
  fromBlock: number,
): number | null {
  // Its state judges no trade.
  if (!kindOf(pool.row).hasDepthByLog) return fromBlock;
  if (pool.known !== null && pool.known.since < fromBlock) return fromBlock;
  const events = listEvents(blocks, pool.row.pool);
  if (isBornIn(pool, events, fromBlock)) return fromBlock;
  for (const { block, state } of applyEvents(pool.row, events)) {
    if (isWhole(pool.row, state)) return block + 1;
  }
  return null;
}

/** Adds what positions added in these blocks, or takes it away. */
export function moveTicks(
  ticks: HistoryTicks,
  blocks: readonly HistoryBlock[],
  move: { readonly pool: PoolId; readonly direction: 'forward' | 'back' },
): HistoryTicks {
  const moved = new Map(ticks);
  const add = (tick: number, gross: bigint, net: bigint): void => {
    const own = moved.get(tick) ?? { gross: 0n, net: 0n };
    const sum = { gross: own.gross + gross, net: own.net + net };
    if (sum.gross === 0n) moved.delete(tick);
    else moved.set(tick, sum);
  };
  for (const { event } of listEvents(blocks, move.pool)) {
    const { change } = event;
    const position = change && kindOf({ kind: change.poolKind }).findPosition?.(change);
    if (position == null) continue;
    const { tickLower, tickUpper, liquidityDelta } = position;
    const delta = move.direction === 'forward' ? liquidityDelta : -liquidityDelta;
    add(tickLower, delta, delta);
    add(tickUpper, delta, -delta);
  }
  return moved;
}

/** The pool before the block `cut`, from the blocks that were read on both sides of it. */
export function moveBack(
  pool: HistoryPool,
  blocks: readonly HistoryBlock[],
  at: { readonly cut: number; readonly isBottom: boolean },
): HistoryPool {
  const { row, known, ticks, bornBlock } = pool;
  const older = blocks.filter(({ header }) => header.position < at.cut);
  const newer = blocks.filter(({ header }) => header.position >= at.cut);
  const last = [...applyEvents(row, listEvents(older, row.pool))].at(-1);
  const stays = known !== null && known.since < at.cut ? known : null;
  const isUnborn = at.isBottom || isBornIn(pool, listEvents(newer, row.pool), at.cut);
  const unborn = isUnborn ? { state: kindOf(row).stateAtStart, since: -1 } : null;
  return {
    ...{ row, bornBlock },
    known: last === undefined ? (stays ?? unborn) : { state: last.state, since: last.block },
    ticks: ticks === null ? null : moveTicks(ticks, newer, { pool: row.pool, direction: 'back' }),
  };
}

type PoolTuple = readonly [
  pool: PoolId,
  bornBlock: number | null,
  since: number | null,
  state: string | null,
  ticks: readonly (readonly [tick: number, gross: string, net: string])[] | null,
];

/** The pools as text, for the job's row. */
export function encodeHistoryPools(pools: readonly HistoryPool[]): string {
  const tuples = pools.map(
    ({ row, bornBlock, known, ticks }): PoolTuple => [
      row.pool,
      bornBlock,
      known?.since ?? null,
      known === null ? null : kindOf(row).encodeState(known.state),
      ticks === null
        ? null
        : Array.from(ticks, ([tick, { gross, net }]) => [tick, gross.toString(), net.toString()]),
    ],
  );
  return JSON.stringify(tuples);
}

/** The memory of a job that begins again: some of its trades are stored. */
export const NO_POOLS = '[]';

/** Whether the job knows its pools; otherwise it has yet to begin. */
export function hasHistoryPools(memory: string): boolean {
  return memory !== '' && memory !== NO_POOLS;
}

export function listHistoryPoolIds(memory: string): PoolId[] {
  if (memory === '') return [];
  return (JSON.parse(memory) as readonly PoolTuple[]).map(([pool]) => pool);
}

/** Null if the pool was of another kind then: it is read again. */
function decodeKnown(row: PoolRecord, since: number, state: string): HistoryPool['known'] {
  try {
    return { since, state: kindOf(row).decodeState(state) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function decodeHistoryPools(memory: string, rows: readonly PoolRecord[]): HistoryPool[] {
  const byId = new Map(rows.map((row) => [row.pool, row]));
  return (JSON.parse(memory) as readonly PoolTuple[]).map(
    ([pool, bornBlock, since, state, ticks]) => {
      const row = byId.get(pool);
      if (row === undefined) throw new Error(`pool ${pool} is not stored`);
      return {
        ...{ row, bornBlock },
        known: since === null || state === null ? null : decodeKnown(row, since, state),
        ticks:
          ticks === null
            ? null
            : new Map(
                ticks.map(([tick, gross, net]) => [
                  tick,
                  { gross: BigInt(gross), net: BigInt(net) },
                ]),
              ),
      };
    },
  );
}
