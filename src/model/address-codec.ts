// How a chain family writes addresses.

import type { Address, PoolId } from './ids.ts';

export interface AddressCodec {
  /** Untrusted text → the stored form; null if it is not an address. */
  parse(text: string): Address | null;
  /** The same for pools, whose ids may have another form. */
  parsePool(text: string): PoolId | null;
  /** The form shown to users; also for a pool's id. */
  toShown(address: Address | PoolId): string;
  /** Stands for the native coin in place of an address. */
  readonly native: Address;
}
