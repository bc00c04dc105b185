// The families of chains that are built in, and which one a chain belongs to.

import { EVM_FAMILY } from '../chains/evm/evm-family.ts';
import type { ChainFamily } from '../chains/family.ts';
import { CHAINS, type ChainInfo, type ChainSlug } from '../model/chain.ts';

const FAMILIES: Readonly<Partial<Record<ChainInfo['family'], ChainFamily>>> = {
  evm: EVM_FAMILY,
};

/** Whether a chain can be followed at all. */
export function hasFamily(slug: ChainSlug): boolean {
  return FAMILIES[CHAINS[slug].family] !== undefined;
}

/** Throws for a chain that cannot be followed: no family of ours knows it. */
export function findFamily(slug: ChainSlug): ChainFamily {
  const family = FAMILIES[CHAINS[slug].family];
  if (family === undefined) throw new Error(`no family is built in for ${slug}`);
  return family;
}
