// Follows a sent transaction: each request waits at the server until there is something new.

import { callApi } from '../../../api/call-api.ts';
import type { TradeStatusReply } from '../../../api/contract-types.ts';
import type { BuiltTransaction } from '../../../wallet/page-wallet.ts';

export interface FollowedTransaction {
  readonly chain: string;
  readonly txHash: string;
  /** On Solana: until then it may still be executed, although no node tells of it. */
  readonly lastValidBlockHeight: number | undefined;
}

interface TradeFollower {
  /** What is known of it: the server answers at once if it is something else by now. */
  readonly knownStatus: TradeStatusReply['status'];
  readonly signal: AbortSignal;
  /** Each answer, null for one that did not come. The result ends it. */
  readonly onAnswer: (answer: TradeStatusReply | null) => boolean;
}

/** As long as the API allows. */
const WAIT_MS = 25_000;
/** After a failed request, or where the server lets nobody else wait. */
const PAUSE_MS = 2000;

/** What `/trade/status` needs to know of a transaction. */
export function describeSent(
  chain: string,
  txHash: string,
  transaction: BuiltTransaction,
): FollowedTransaction {
  const isSolana = transaction.type === 'solana-v0';
  return {
    ...{ chain, txHash },
    lastValidBlockHeight: isSolana ? transaction.lastValidBlockHeight : undefined,
  };
}

export async function followTrade(
  sent: FollowedTransaction,
  follower: TradeFollower,
): Promise<void> {
  const { signal, onAnswer } = follower;
  let { knownStatus } = follower;
  while (!signal.aborted) {
    const askedMs = Date.now();
    const query = { ...sent, knownStatus, waitMs: WAIT_MS };
    // A request that failed says nothing: the transaction is on its way whatever we hear.
    const answer = await callApi<TradeStatusReply>('/trade/status', { query, signal }).catch(
      () => null,
    );
    if (signal.aborted || onAnswer(answer)) return;
    const isNews = answer !== null && answer.status !== knownStatus;
    knownStatus = answer?.status ?? knownStatus;
    if (isNews || (answer !== null && Date.now() - askedMs >= PAUSE_MS)) continue;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
