// A pool after its birth, after a deposit or withdrawal, after a call that is not decoded, and a
// curve after its end.

import type { PoolChange, PoolDescription } from '../../../model/pool.ts';
import type { PoolCall } from '../venues/pool-call.ts';
import { buildStaleChange } from '../venues/stale-change.ts';

const RUNNING = { isComplete: false, isMigrated: false } as const;

/** Kinds whose state is their reserves; positions of others do not change the price. */
function addToReserves(
  { kind }: PoolDescription,
  [first, second]: readonly [bigint, bigint],
): PoolChange | null {
  const reserves = { reserve0: first, reserve1: second };
  if (kind === 'ceiledProduct') return { poolKind: kind, set: {}, add: reserves };
  if (kind !== 'pump') return null;
  return { poolKind: kind, set: {}, add: { ...reserves, held0: first, held1: second } };
}

function setReserves(
  { kind, terms }: PoolDescription,
  [held0, held1]: readonly [bigint, bigint],
): PoolChange | null {
  if (kind === 'ceiledProduct') {
    return { poolKind: kind, set: { reserve0: held0, reserve1: held1 } };
  }
  if (kind !== 'pump') return null;
  const reserve1 = held1 + terms.virtualQuote;
  const set = { held0, held1, reserve0: held0, reserve1, ...RUNNING };
  return { poolKind: kind, set };
}

/** All that a curve of pump holds goes to the pool. */
const EMPTY = { reserve0: 0n, reserve1: 0n, held0: 0n, held1: 0n } as const;

function endCurve({ kind }: PoolDescription): PoolChange | null {
  const set = { isComplete: true, isMigrated: true };
  if (kind === 'pump') return { poolKind: kind, set: { ...set, ...EMPTY } };
  return kind === 'segments' ? { poolKind: kind, set } : null;
}

/** Null if nothing is known of it. */
export function foldPoolCall(call: PoolCall, description: PoolDescription): PoolChange | null {
  if (call.kind === 'deposit') return addToReserves(description, call.gains);
  if (call.kind === 'end') return endCurve(description);
  if (call.kind === 'touch') return buildStaleChange(description);
  if (call.change?.poolKind === description.kind) return call.change;
  return call.heldAfter === null ? null : setReserves(description, call.heldAfter);
}
