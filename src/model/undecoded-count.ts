// Calls of a venue's program that no decoder knows, counted by their kind.

export interface UndecodedCount {
  readonly venue: string;
  /** The first bytes of the call's data, in hex; empty for a transaction that is malformed. */
  readonly discriminator: string;
  readonly count: number;
}
