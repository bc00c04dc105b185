// What handlers of long work may do besides answering. Call these on the context: they may be
// methods of it.

export interface WorkContext {
  /**
   * Charges in advance for work beyond the operation's cost, which is `paid`. If the budget is too
   * small, refunds what was paid and throws: a request that ends with that error costs nothing. One
   * that is answered all the same pays its cost after all. Returns what was charged, which may be
   * less than requested.
   */
  readonly chargeAhead?: (ahead: { readonly cost: number; readonly paid: number }) => number;
  /** Charges for such work after it is done; a negative cost is refunded. */
  readonly chargeDone?: (cost: number) => void;
  /** For queued work: returns a signal that aborts when the client disconnects. */
  readonly watchClient?: () => AbortSignal;
}
