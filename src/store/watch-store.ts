// The tokens that an operator watches by command; those in the configuration are not here.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';

export interface WatchStore {
  /** Returns whether it was added: false if it was there. */
  add(chain: ChainSlug, token: Address, nowMs: number): Promise<boolean>;
  /** Returns whether it was there. */
  remove(chain: ChainSlug, token: Address): Promise<boolean>;
  list(chain: ChainSlug): Promise<Address[]>;
}
