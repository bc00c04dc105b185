// A request whose handler reads the body itself, and what it answers: for protocols within HTTP.

export interface RawRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Charges one message of the request; throws `RATE_LIMITED`. The first one is paid for in part
   * already, by what every request costs before it is read.
   */
  charge(cost: number): void;
  /** Says in log and metrics what was asked for; only names from a bounded list. */
  rename(operation: string): void;
}

export interface RawAnswer {
  readonly status: number;
  /** JSON, or the bytes of it in pieces; null for an answer without a body. */
  readonly body: string | readonly Buffer[] | null;
  /** When a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}
