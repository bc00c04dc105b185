// Signs in the logs of new blocks that a token may have changed: its transfer costs, or whether
// transfers work. A notice proves nothing; it is a reason to check again.

import type { Address, PoolId } from './ids.ts';

/** The contract emitted an event other than a transfer or an approval. */
export interface TokenEventNotice {
  readonly kind: 'event';
  readonly token: Address;
  /** The first topics, a few at most. */
  readonly topics: readonly string[];
  /** Whether one of them announces a new owner, new code, a new role or a pause. */
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
   * Who received the difference, if that is the only sign: the payer may have paid them
   * voluntarily. Null if the pool's own figures show the loss.
   */
  readonly payee: Address | null;
}

export type TokenNotice = TokenEventNotice | TokenTaxNotice;
