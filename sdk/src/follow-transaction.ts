// Follows a sent transaction: each request waits at the server until there is something new.

import type { TradeStatus } from './contract.gen.ts';
import type { MintwireClient } from './create-client.ts';
import { waitMs } from './wait-ms.ts';

export interface SentTransaction {
  readonly chain: string;
  readonly txHash: string;
  /** On Solana, of the build: until then it is `pending`, even if no node knows it yet. */
  readonly lastValidBlockHeight?: number | undefined;
}

export interface FollowTransactionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Between two requests that do not wait at the server; a second by default. */
  readonly pollMs?: number | undefined;
  /** How long a request may wait at the server; 25 seconds by default, which is the most. */
  readonly waitMaxMs?: number | undefined;
  /** Whether the trades of a mined transaction are waited for, too. */
  readonly wantsTrades?: boolean | undefined;
}

export const POLL_MS = 1000;
const WAIT_MAX_MS = 25_000;
/** What an answer may take beyond the wait that was asked for. */
const ANSWER_MAX_MS = 10_000;

/** Gives its status whenever the server was asked for it, without end: leave the loop. */
export async function* followTransaction(
  client: MintwireClient,
  sent: SentTransaction,
  options: FollowTransactionOptions = {},
): AsyncGenerator<TradeStatus, never, undefined> {
  const { signal, pollMs = POLL_MS, waitMaxMs = WAIT_MAX_MS, wantsTrades = false } = options;
  let known: TradeStatus['status'] | undefined;
  for (;;) {
    const askedMs = Date.now();
    // Trades may be indexed between two requests, and are no other status: nothing would wake it.
    const isMined = known === 'confirmed' || known === 'finalized';
    const canWait = known !== undefined && !(wantsTrades && isMined);
    const serverMs = Math.min(waitMaxMs, WAIT_MAX_MS);
    const wait = canWait ? { knownStatus: known, waitMs: serverMs } : {};
    // The client's own timeout may be shorter than the wait, which is no fault of the server.
    const timeoutMs = canWait ? serverMs + ANSWER_MAX_MS : undefined;
    const answer = await client.getTradeStatus({ ...sent, ...wait }, { signal, timeoutMs });
    yield answer;
    const isNews = answer.status !== known;
    known = answer.status;
    // The server lets only so many requests wait; others are answered at once.
    const restMs = pollMs - (Date.now() - askedMs);
    if (!isNews && restMs > 0) await waitMs(restMs, signal);
  }
}
