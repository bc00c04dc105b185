// The registry of pool kinds.

import type { PoolKindName } from '../model/pool.ts';
import { concentratedKind } from './concentrated/concentrated-kind.ts';
import { constantProductKind } from './constant-product/constant-product-kind.ts';
import type { PoolKind } from './pool-kind.ts';

const KINDS = new Map<PoolKindName, PoolKind>();

/** Tests add their own kinds. */
export function addPoolKind<K extends PoolKindName>(kind: PoolKind<K>): void {
  // The cast is safe: methods are only reached through `kindOf`, with pools of their own kind.
  KINDS.set(kind.name, kind as unknown as PoolKind);
}

addPoolKind(constantProductKind);
addPoolKind(concentratedKind);

export function kindOf(pool: { readonly kind: PoolKindName }): PoolKind {
  const kind = KINDS.get(pool.kind);
  if (kind === undefined) throw new Error(`unknown pool kind ${pool.kind}`);
  return kind;
}
