// A request whose handler reads the body itself, and what it answers: for protocols within HTTP.

import type { WorkContext } from './work-context.ts';

export interface RawRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Begins one message of the request: what it is charged and how it ends is counted as a request
   * of its own. Only names from a bounded list.
   */
  begin(operation: string): RawMessage;
  /** Says in log and metrics what was asked for; only names from a bounded list. */
  rename(operation: string): void;
}

export interface RawMessage {
  /**
   * Charges for the message; throws `RATE_LIMITED`. The first one of a request is paid for in part
   * already, by what every request costs before it is read.
   */
  charge(cost: number): void;
  /** For work beyond that. */
  readonly work: WorkContext;
  /** With the status that the same request over HTTP would have had. */
  end(status: number): void;
}

export interface RawAnswer {
  readonly status: number;
  /** JSON, or the bytes of it in pieces; null for an answer without a body. */
  readonly body: string | readonly Buffer[] | null;
  /** When a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}
