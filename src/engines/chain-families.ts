// The families of chains that are built in, and which one a chain belongs to. The only file that
// imports from their folders.

import { EVM_FAMILY } from '../chains/evm/evm-family.ts';
import type { ChainFamily, FamilyMarkets } from '../chains/family.ts';
import { SOLANA_FAMILY } from '../chains/solana/solana-family.ts';
import { type ChainInfo, type ChainSlug, findFamilyName } from '../model/chain.ts';

export const FAMILIES: Readonly<Record<ChainInfo['family'], ChainFamily>> = {
  evm: EVM_FAMILY,
  solana: SOLANA_FAMILY,
};

export function findFamily(slug: ChainSlug): ChainFamily {
  return FAMILIES[findFamilyName(slug)];
}

/** Throws for a chain that cannot be followed. */
export function requireMarkets(slug: ChainSlug): FamilyMarkets {
  const { markets } = findFamily(slug);
  if (markets === null) throw new Error(`${slug} cannot be followed`);
  return markets;
}
