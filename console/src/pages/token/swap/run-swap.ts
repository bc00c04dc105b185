// Signs and sends a trade: approvals one after the other, then the swap, priced again after them.

import { callApi } from '../../../api/call-api.ts';
import type { BuiltTradeReply, TradeStatusReply } from '../../../api/contract-types.ts';
import { texts } from '../../../texts.ts';
import type { BuiltTransaction, PageWallet } from '../../../wallet/page-wallet.ts';
import { WalletError } from '../../../wallet/wallet-error.ts';
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
    super(texts.swap.lost);
    this.txHash = txHash;
  }
}

const POLL_MS = 2000;
const LOST_AFTER_MS = 120_000;

export function readTradeStatus(chain: string, txHash: string): Promise<TradeStatusReply> {
  return callApi<TradeStatusReply>('/trade/status', { query: { chain, txHash } });
}

async function untilMined(options: SwapRunOptions, txHash: string): Promise<void> {
  let knownMs = Date.now();
  while (!options.signal.aborted) {
    // A missed poll is no outcome: the transaction is on its way whatever we hear.
    const status = await readTradeStatus(options.chain, txHash).catch(() => null);
    if (status?.status === 'reverted') throw new WalletError(texts.swap.reverted);
    if (status?.status === 'confirmed' || status?.status === 'finalized') return;
    if (status?.status === 'pending') knownMs = Date.now();
    const isLost = status !== null && Date.now() - knownMs >= LOST_AFTER_MS;
    if (isLost) throw new LostTransactionError(txHash);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new WalletError(texts.swap.stopped);
}

/** The hash of the swap, once it is mined. */
export async function runSwap(options: SwapRunOptions): Promise<string> {
  const { wallet, built } = options;
  let steps: readonly SigningStep[] = built.transactions.map(({ kind }) => {
    return { kind, state: 'next', txHash: null };
  });
  const show = (at: number, change: Partial<SigningStep>) => {
    steps = steps.map((step, index) => (index === at ? { ...step, ...change } : step));
    options.onSteps(steps);
  };
  const send = async (at: number, transaction: BuiltTransaction) => {
    show(at, { state: 'asked' });
    const txHash = await wallet.send(transaction, options);
    show(at, { state: 'sent', txHash });
    await untilMined(options, txHash);
    show(at, { state: 'done' });
    return txHash;
  };
  const approvals = built.transactions.filter(({ kind }) => kind !== 'swap');
  for (const [at, approval] of approvals.entries()) await send(at, approval);
  const current = approvals.length === 0 ? built : await options.rebuild();
  if (!isAsGood(built, current)) throw new PriceMovedError();
  const [swap, ...others] = current.transactions;
  if (swap?.kind !== 'swap' || others.length > 0) throw new WalletError(texts.swap.notApproved);
  return send(approvals.length, swap);
}
