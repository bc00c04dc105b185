// What processes share of limits: the arrival time of each caller, and its open streams.

/** What a process reports and asks of a caller. All in milliseconds of refill. */
export interface LedgerEntry {
  /** Of the budget; there are few. */
  readonly policy: string;
  /** Unique over all policies. */
  readonly name: string;
  readonly burstMs: number;
  /** The debt is at least this: what this process knew before the ledger was lost. */
  readonly floorMs: number;
  /** Spent already, whatever the budget says. */
  readonly spentMs: number;
  /**
   * The part of that for work that was done before its cost was known. It is forgiven where the
   * debt exceeds two bursts; the rest never is.
   */
  readonly doneMs: number;
  /** To be spent if the budget allows it; 0 for nothing. */
  readonly wantedMs: number;
}

export interface LedgerReply {
  /** Whether what was wanted is spent now. */
  readonly allowed: boolean;
  /** Until the budget is full again. */
  readonly debtMs: number;
}

export interface StreamClaim {
  readonly owner: string;
  /** The owner's streams on this process, with the one that is asked for. */
  readonly count: number;
  /** Over all processes. */
  readonly limit: number;
  /** The processes that are there: what others have counted is forgotten. */
  readonly nodes: readonly string[];
}

export interface LimitLedger {
  /** False while it does not answer. */
  readonly isUp: boolean;
  /** Another number after each time that it was down: what it had may be lost. */
  readonly term: number;
  /** One reply for each entry, in order; rejects if there is no answer in time. */
  settle(entries: readonly LedgerEntry[]): Promise<readonly LedgerReply[]>;
  /** Counts an owner's streams on this process, if the limit allows one more. */
  takeStream(request: StreamClaim): Promise<boolean>;
  /** Says how many streams owners have on this process. */
  putStreams(counts: ReadonlyMap<string, number>): Promise<void>;
}
