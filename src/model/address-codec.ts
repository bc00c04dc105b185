// How a family of chains writes addresses.

import type { Address, PoolId } from './ids.ts';

export interface AddressCodec {
  /** Untrusted text → the one form that is stored; null for what is no address. */
  parse(text: string): Address | null;
  /** The same for pools, whose ids may have another form. */
  parsePool(text: string): PoolId | null;
  /** As people are shown it; a pool's id is taken, too. */
  toShown(address: Address | PoolId): string;
  /** Stands for the native coin wherever an address is asked for. */
  readonly native: Address;
}
