// The kinds of pools that are understood.

import type { PoolKindName } from '../model/pool.ts';
import { concentratedKind } from './concentrated/concentrated-kind.ts';
import { constantProductKind } from './constant-product/constant-product-kind.ts';
import type { PoolKind } from './pool-kind.ts';

const KINDS = new Map<PoolKindName, PoolKind>();

/** Tests add kinds of their own. */
export function addPoolKind<K extends PoolKindName>(kind: PoolKind<K>): void {
  // Methods are called with pools of their own kind only: `kindOf` is the one way to them.
  KINDS.set(kind.name, kind as unknown as PoolKind);
}

addPoolKind(constantProductKind);
addPoolKind(concentratedKind);

export function kindOf(pool: { readonly kind: PoolKindName }): PoolKind {
  const kind = KINDS.get(pool.kind);
  if (kind === undefined) throw new Error(`unknown pool kind ${pool.kind}`);
  return kind;
}
