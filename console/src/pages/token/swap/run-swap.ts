// Signs and sends a trade by the SDK: approvals one after the other, then the swap, priced again
// after them.

import type { SentTransaction } from '../../../../../sdk/src/follow-transaction.ts';
import { sendTrade } from '../../../../../sdk/src/send-trade.ts';
import type { TradeWallet } from '../../../../../sdk/src/trade-wallet-sender.ts';
import { patientApi } from '../../../api/api-client.ts';
import type { BuiltTradeReply } from '../../../api/contract-types.ts';
import { texts } from '../../../texts.ts';
import { WalletError } from '../../../wallet/wallet-error.ts';
import { isAsGood } from './is-as-good.ts';
import type { WantedSwap } from './use-quote.ts';

type BuiltTransaction = BuiltTradeReply['transactions'][number];

export interface SigningStep {
  readonly kind: BuiltTransaction['kind'];
  readonly state: 'next' | 'asked' | 'sent' | 'done';
  readonly txHash: string | null;
}

interface SwapRunOptions {
  readonly wallet: TradeWallet;
  readonly request: WantedSwap;
  /** What the user has reviewed. */
  readonly built: BuiltTradeReply;
  /** Builds the same trade on the current state. */
  readonly rebuild: (signal: AbortSignal) => Promise<BuiltTradeReply>;
  readonly onSteps: (steps: readonly SigningStep[]) => void;
  readonly signal: AbortSignal;
}

/** The price is worse than what was reviewed: the user decides again. */
export class PriceMovedError extends Error {}

/** The network may take its time to know a transaction: the wallet sends it, not we. */
const LOST_AFTER_MS = 120_000;

/** What becomes of the transactions from `first` on, by what the SDK has sent of them. */
function updateSteps(
  steps: readonly SigningStep[],
  first: number,
  sent: readonly (string | null)[],
): SigningStep[] {
  return steps.map((step, at) => {
    const txHash = sent[at - first];
    if (txHash === undefined) return step;
    const isLast = at - first === sent.length - 1;
    if (!isLast) return { ...step, txHash, state: 'done' };
    return { ...step, txHash, state: txHash === null ? 'asked' : 'sent' };
  });
}

/** The swap, once it is mined. */
export async function runSwap(options: SwapRunOptions): Promise<SentTransaction> {
  const { wallet, request, built, signal } = options;
  let steps: readonly SigningStep[] = built.transactions.map(({ kind }) => {
    return { kind, state: 'next', txHash: null };
  });
  const show = (next: readonly SigningStep[]) => {
    steps = next;
    options.onSteps(steps);
  };
  /** Has the wallet sign and send them; each is mined before the next. */
  const send = async (part: BuiltTradeReply, first: number) => {
    show(updateSteps(steps, first, [null]));
    const { hashes } = await sendTrade(patientApi, request, {
      ...{ wallet, signal, until: 'confirmed', lostAfterMs: LOST_AFTER_MS, timeoutMs: Infinity },
      resume: { built: part, sent: [] },
      onProgress: ({ sent }) => show(updateSteps(steps, first, sent)),
    });
    show(steps.map((step) => (step.state === 'sent' ? { ...step, state: 'done' } : step)));
    return hashes.at(-1) ?? '';
  };
  const approvals = built.transactions.filter(({ kind }) => kind !== 'swap');
  if (approvals.length > 0) await send({ ...built, transactions: approvals }, 0);
  const current = approvals.length === 0 ? built : await options.rebuild(signal);
  if (!isAsGood(built, current)) throw new PriceMovedError();
  const [swap, ...others] = current.transactions;
  if (swap?.kind !== 'swap' || others.length > 0) {
    throw new WalletError(texts.swap.notApproved);
  }
  const txHash = await send(current, approvals.length);
  const isSolana = swap.type === 'solana-v0';
  return {
    ...{ chain: request.chain, txHash },
    lastValidBlockHeight: isSolana ? swap.lastValidBlockHeight : undefined,
  };
}
