// A stored pool in the graph: ready for swaps, with its inexactness.

import { kindOf } from '../../amm/pool-kinds.ts';
import { isOpenAt, type PoolMoment, type PoolOpening } from '../../amm/pool-moment.ts';
import type { SwapPool } from '../../amm/swap-pool.ts';
import type { PoolTransferFees } from '../../amm/transfer-fee.ts';
import { joinFlags } from '../../amm/unchecked-flag.ts';
import type { FamilyMarkets } from '../../chains/family.ts';
import type { HopBytes, SwapCost } from '../../chains/transaction-costs.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import type { PoolRecord, PoolTerms } from '../../model/pool.ts';
import { decidesSwaps, type PoolHook } from '../../model/pool-hook.ts';

/**
 * Why a pool's swaps cannot be promised to the unit: a hook decides them, so that searches leave
 * such a pool out; ticks are missing; or it has features that our maths was never compared with.
 */
type Inexactness = 'hook' | 'ticks' | 'unchecked';

interface AnyGraphPool {
  readonly pool: PoolId;
  readonly venue: string;
  readonly token0: Address;
  readonly token1: Address;
  /** The pool's own fee, without the protocol's. */
  readonly feePips: number;
  /** The contract that holds its tokens. */
  readonly vault: Address;
  /** What a swap in it uses of a transaction. */
  readonly cost: SwapCost;
  readonly bytes: HopBytes;
  readonly inexact: Inexactness | null;
  /** The features, if `inexact` is `unchecked`; separated by spaces. */
  readonly unchecked?: string;
  /** What it calls around swaps; absent if nothing. */
  readonly hook?: PoolHook;
  /** What its tokens deduct from transfers, included in the curve's amounts; absent if nothing. */
  readonly transferFees?: PoolTransferFees;
  /** Names the pool that this row shares with others: a swap in one of them changes the rest. */
  readonly shared?: string;
  readonly curve: SwapPool;
  /** From when on it can be traded; absent if it could from the start. */
  readonly opens?: PoolOpening;
}

/** Immutable: a changed pool is a new object. */
export type GraphPool = AnyGraphPool & PoolTerms;

function pickTerms({ kind, terms }: PoolTerms): PoolTerms {
  return { kind, terms } as PoolTerms;
}

/** Rules about pools that only the chain's family knows. */
export type PoolRules = Pick<FamilyMarkets, 'findHook' | 'findSwapCost' | 'findHopBytes'>;

/** Facts about a pool that are not in its row. */
interface PoolContext extends PoolRules {
  /** What the pool was before. */
  readonly previous?: GraphPool | undefined;
}

function findInexactness(
  row: PoolRecord,
  hook: PoolHook | null,
  unchecked: string,
): Inexactness | null {
  if (decidesSwaps(hook)) return 'hook';
  if (!row.complete && kindOf(row).hasTicks) return 'ticks';
  return unchecked === '' ? null : 'unchecked';
}

function findUnchecked(row: PoolRecord, hook: PoolHook | null): string {
  const flags = kindOf(row).findFlags?.(row.state, row.terms) ?? '';
  return hook?.setsFee === true ? `${flags} ${joinFlags(['unannouncedFee'])}`.trim() : flags;
}

/** Null for a pool in which nothing can be traded. */
export function createGraphPool(
  row: PoolRecord,
  ticks: readonly TickRecord[],
  context: PoolContext,
): GraphPool | null {
  const kind = kindOf(row);
  const curve = kind.createSwapPool(row, ticks, context.previous?.curve);
  if (curve === null) return null;
  const { pool, venue, token0, token1, feePips, vault } = row;
  const transferFees = kind.findTransferFees?.(row.state) ?? null;
  const shared = kind.findShared?.(row) ?? null;
  const opens = kind.findOpening?.(row.state) ?? null;
  const hook = context.findHook(row);
  const unchecked = findUnchecked(row, hook);
  return {
    ...{ pool, venue, token0, token1, feePips, vault, curve },
    ...pickTerms(row),
    cost: context.findSwapCost(row),
    bytes: context.findHopBytes(row),
    inexact: findInexactness(row, hook, unchecked),
    unchecked,
    ...(hook === null ? {} : { hook }),
    ...(transferFees === null ? {} : { transferFees }),
    ...(shared === null ? {} : { shared }),
    ...(opens === null ? {} : { opens }),
  };
}

/**
 * Whether a hook that is called after its pool's swap may move a pool that is swapped in later: the
 * pools are in the order of execution.
 */
export function mayMoveLater(pools: readonly Pick<GraphPool, 'hook'>[]): boolean {
  return pools.slice(0, -1).some(({ hook }) => hook?.class === 'after');
}

/** The pool in a block; null if it cannot be traded then. */
export function evaluatePool(pool: GraphPool, moment: PoolMoment): GraphPool | null {
  const { opens, curve: before } = pool;
  if (opens !== undefined && !isOpenAt(opens, moment)) return null;
  const curve = before.at?.(moment) ?? before;
  return curve === before ? pool : { ...pool, curve, feePips: curve.feePips(true) };
}
