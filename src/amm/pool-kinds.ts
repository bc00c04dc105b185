// The registry of pool kinds.

import type { PoolChange, PoolKindName, PoolRecord } from '../model/pool.ts';
import { binsKind } from './bins/bins-kind.ts';
import { ceiledProductKind } from './ceiled-product/ceiled-product-kind.ts';
import { clmmX64Kind } from './clmm-x64/clmm-x64-kind.ts';
import { concentratedKind } from './concentrated/concentrated-kind.ts';
import { constantProductKind } from './constant-product/constant-product-kind.ts';
import { launchCurveKind } from './launch-curve/launch-curve-kind.ts';
import { liquidityBookKind } from './liquidity-book/liquidity-book-kind.ts';
import type { PoolKind } from './pool-kind.ts';
import { isOpenAt, type PoolMoment } from './pool-moment.ts';
import { pumpKind } from './pump/pump-kind.ts';
import { segmentsKind } from './segments/segments-kind.ts';
import { singleRangeKind } from './single-range/single-range-kind.ts';
import { solidlyPairKind } from './solidly-pair/solidly-pair-kind.ts';
import { stableSwapKind } from './stable-swap/stable-swap-kind.ts';
import { takeTransferFees } from './transfer-fee-pool.ts';
import { unpricedKind } from './unpriced/unpriced-kind.ts';
import { weightedKind } from './weighted/weighted-kind.ts';

const KINDS = new Map<PoolKindName, PoolKind>();

/** Tests add their own kinds. */
export function addPoolKind<K extends PoolKindName>(kind: PoolKind<K>): void {
  // The cast is safe: methods are only reached through `kindOf`, with pools of their own kind.
  KINDS.set(kind.name, kind as unknown as PoolKind);
}

addPoolKind(constantProductKind);
addPoolKind(concentratedKind);
addPoolKind(takeTransferFees(ceiledProductKind));
addPoolKind(pumpKind);
addPoolKind(takeTransferFees(launchCurveKind));
addPoolKind(takeTransferFees(clmmX64Kind));
addPoolKind(takeTransferFees(binsKind));
addPoolKind(liquidityBookKind);
addPoolKind(takeTransferFees(singleRangeKind));
addPoolKind(takeTransferFees(segmentsKind));
addPoolKind(solidlyPairKind);
addPoolKind(stableSwapKind);
addPoolKind(weightedKind);
addPoolKind(unpricedKind);

export function kindOf(pool: { readonly kind: PoolKindName }): PoolKind {
  const kind = KINDS.get(pool.kind);
  if (kind === undefined) throw new Error(`unknown pool kind ${pool.kind}`);
  return kind;
}

/** The features of a pool, and in a block before it opens what keeps it from being traded. */
export function findFlagsAt(row: PoolRecord, moment: PoolMoment): string {
  const kind = kindOf(row);
  const flags = kind.findFlags?.(row.state, row.terms) ?? '';
  const opening = kind.findOpening?.(row.state) ?? null;
  return opening === null || isOpenAt(opening, moment) ? flags : `${flags} ${opening.flag}`.trim();
}

/** Whether a change can be applied to a pool of this kind. */
export function takesChange(pool: { readonly kind: PoolKindName }, change: PoolChange): boolean {
  return change.poolKind === pool.kind || change.poolKind === kindOf(pool).sharesChangesOf;
}
