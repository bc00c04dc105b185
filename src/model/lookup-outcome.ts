// What came of a lookup.

export type LookupOutcome =
  /** The index has the token now. */
  | 'found'
  /** The index has it, and its older pools were looked for not long ago. */
  | 'unchanged'
  /** The address has no contract, or not a token's. */
  | 'noToken'
  /** The index is not at the chain's head, so nothing can be added. */
  | 'notReady'
  /** No node answered. */
  | 'failed'
  /** Too many lookups wait. */
  | 'busy';
