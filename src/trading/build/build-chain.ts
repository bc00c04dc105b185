// The followed chains for building transactions.

import type { ChainTransactions } from '../../chains/chain-transactions.ts';
import type { ChainFamily } from '../../chains/family.ts';
import type { ChainSlug } from '../../model/chain.ts';

export interface BuildChains {
  findFamily(slug: ChainSlug): ChainFamily;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): ChainTransactions | null;
}
