// What the logs of new blocks say of a token's contract: something that may have changed what its
// transfers cost, or whether they work. A notice proves nothing; it is a reason to check again.

import type { Address, PoolId } from './ids.ts';

/** The contract emitted something that is neither a transfer nor an approval. */
export interface TokenEventNotice {
  readonly kind: 'event';
  readonly token: Address;
  /** The first topics, a few at most. */
  readonly topics: readonly string[];
  /** Whether one of them tells of a new owner, new code, a new role or a pause. */
  readonly isAdmin: boolean;
}

/** A real swap in which less of the token arrived than was sent. */
export interface TokenTaxNotice {
  readonly kind: 'tax';
  readonly token: Address;
  readonly pool: PoolId;
  /** `in`: lost on the way into the pool; `out`: lost when the pool paid it. */
  readonly side: 'in' | 'out';
  readonly bps: number;
  /**
   * Who got the difference, where that is all that shows it: the payer may have paid them of its
   * own accord. Null where the pool's own figures show the loss.
   */
  readonly payee: Address | null;
}

export type TokenNotice = TokenEventNotice | TokenTaxNotice;
