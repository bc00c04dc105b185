// Signs and sends a trade: approvals one after the other, then the swap, priced again after them.

import type { BuiltTradeReply } from '../../../api/contract-types.ts';
import { dialogTexts } from '../../../dialog-texts.ts';
import type { BuiltTransaction, PageWallet } from '../../../wallet/page-wallet.ts';
import { WalletError } from '../../../wallet/wallet-error.ts';
import { describeSent, type FollowedTransaction, followTrade } from './follow-trade.ts';
import { isAsGood } from './is-as-good.ts';

export interface SigningStep {
  readonly kind: BuiltTransaction['kind'];
  readonly state: 'next' | 'asked' | 'sent' | 'done';
  readonly txHash: string | null;
}

interface SwapRunOptions {
  readonly wallet: PageWallet;
  readonly owner: string;
  readonly chain: string;
  /** What the user has reviewed. */
  readonly built: BuiltTradeReply;
  /** Builds the same trade on the current state. */
  readonly rebuild: () => Promise<BuiltTradeReply>;
  readonly onSteps: (steps: readonly SigningStep[]) => void;
  readonly signal: AbortSignal;
}

/** The price is worse than what was reviewed: the user decides again. */
export class PriceMovedError extends Error {}

/** The network has not known the transaction for a while: nobody can say what became of it. */
export class LostTransactionError extends Error {
  readonly txHash: string;

  constructor(txHash: string) {
    super(dialogTexts.swap.lost);
    this.txHash = txHash;
  }
}

const LOST_AFTER_MS = 120_000;

/** Waits for its block; refuses one that failed, or that the network has forgotten. */
async function untilMined(sent: FollowedTransaction, signal: AbortSignal): Promise<void> {
  let knownMs = Date.now();
  await followTrade(sent, {
    // What was just sent waits for its block: anything else is news.
    knownStatus: 'pending',
    signal,
    onAnswer: (answer) => {
      const status = answer?.status;
      if (status === 'reverted') throw new WalletError(dialogTexts.swap.reverted);
      const isLost = status === 'unknown' && Date.now() - knownMs >= LOST_AFTER_MS;
      if (isLost) throw new LostTransactionError(sent.txHash);
      if (status === 'pending') knownMs = Date.now();
      return status === 'confirmed' || status === 'finalized';
    },
  });
  if (signal.aborted) throw new WalletError(dialogTexts.swap.stopped);
}

/** The swap, once it is mined. */
export async function runSwap(options: SwapRunOptions): Promise<FollowedTransaction> {
  const { wallet, built } = options;
  let steps: readonly SigningStep[] = built.transactions.map(({ kind }) => {
    return { kind, state: 'next', txHash: null };
  });
  const show = (at: number, change: Partial<SigningStep>) => {
    steps = steps.map((step, index) => (index === at ? { ...step, ...change } : step));
    options.onSteps(steps);
  };
  const send = async (at: number, transaction: BuiltTransaction) => {
    if (options.signal.aborted) throw new WalletError(dialogTexts.swap.stopped);
    show(at, { state: 'asked' });
    const txHash = await wallet.send(transaction, options);
    show(at, { state: 'sent', txHash });
    const sent = describeSent(options.chain, txHash, transaction);
    await untilMined(sent, options.signal);
    show(at, { state: 'done' });
    return sent;
  };
  const approvals = built.transactions.filter(({ kind }) => kind !== 'swap');
  for (const [at, approval] of approvals.entries()) await send(at, approval);
  const current = approvals.length === 0 ? built : await options.rebuild();
  if (!isAsGood(built, current)) throw new PriceMovedError();
  const [swap, ...others] = current.transactions;
  if (swap?.kind !== 'swap' || others.length > 0)
    throw new WalletError(dialogTexts.swap.notApproved);
  return send(approvals.length, swap);
}
