// Calls of exchanges that no decoder knows, counted by their kind.

export interface UndecodedCount {
  /** `unlisted` for programs that move tokens like an exchange, and are in no list. */
  readonly venue: string;
  /**
   * The first bytes of the call's data, in hex; of an unlisted program its id. Empty for a
   * transaction that is malformed.
   */
  readonly discriminator: string;
  readonly count: number;
}
