// The review of a trade, its signatures and its way to finality.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem, callApi } from '../../../api/call-api.ts';
import type { BuiltTradeReply, TradeStatusReply } from '../../../api/contract-types.ts';
import { nowMs } from '../../../clock-tick.ts';
import { dialogTexts } from '../../../dialog-texts.ts';
import { AddressText } from '../../../parts/address-text.tsx';
import { ModalDialog } from '../../../parts/modal-dialog.tsx';
import { describeProblem } from '../../../parts/problem-note.tsx';
import { otherAccount } from '../../../state/account.ts';
import { texts } from '../../../texts.ts';
import { findSessionWallet } from '../../../wallet/session-wallet.ts';
import { WalletError } from '../../../wallet/wallet-error.ts';
import { type FollowedTransaction, followTrade } from './follow-trade.ts';
import { QuoteView } from './quote-view.tsx';
import { LostTransactionError, PriceMovedError, runSwap, type SigningStep } from './run-swap.ts';
import type { WantedSwap } from './use-quote.ts';

export interface SwapDialogProps {
  readonly request: WantedSwap;
  /** The wallet of the session. */
  readonly owner: string;
  readonly onClose: () => void;
}

type SwapState =
  | { readonly kind: 'building' }
  | { readonly kind: 'review'; readonly built: BuiltTradeReply }
  | { readonly kind: 'signing'; readonly steps: readonly SigningStep[] }
  | { readonly kind: 'sent'; readonly sent: FollowedTransaction }
  | { readonly kind: 'lost'; readonly txHash: string }
  | { readonly kind: 'failed' };

function describeFailure(error: unknown): string {
  if (error instanceof ApiProblem) return describeProblem(error);
  if (error instanceof PriceMovedError) return dialogTexts.swap.moved;
  const isForUser = error instanceof WalletError || error instanceof LostTransactionError;
  return isForUser ? error.message : String(error);
}

/** Errors after which the user looks at a new price, instead of at an end. */
function isForReview(error: unknown): boolean {
  if (error instanceof PriceMovedError) return true;
  return error instanceof WalletError && error.isRefusal;
}

function buildTrade(request: WantedSwap): Promise<BuiltTradeReply> {
  return callApi<BuiltTradeReply>('/trade/build', { method: 'POST', body: request });
}

function IssueList({ issues }: Pick<BuiltTradeReply, 'issues'>) {
  // An allowance that is missing is what the approvals are for.
  const names = (['balance', 'nativeForFees'] as const).filter(
    (name) => issues[name] !== undefined,
  );
  if (names.length === 0) return null;
  return (
    <ul class="warnings">
      {names.map((name) => (
        <li key={name}>{dialogTexts.swap.issues[name]}</li>
      ))}
    </ul>
  );
}

interface ReviewProps {
  readonly built: BuiltTradeReply;
  readonly onSign: () => void;
  readonly onAgain: () => void;
}

function TradeReview({ built, onSign, onAgain }: ReviewProps) {
  const isOver = nowMs.value >= built.quote.expiresAt;
  const isShort = built.issues.balance !== undefined || built.issues.nativeForFees !== undefined;
  return (
    <>
      <ul class="summary">
        {built.summary.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <QuoteView quote={built.quote} />
      <IssueList issues={built.issues} />
      {built.transactions.length > 1 && (
        <p class="soft">{dialogTexts.swap.signatures(built.transactions.length)}</p>
      )}
      {isOver ? (
        <button type="button" class="primary" onClick={onAgain}>
          {dialogTexts.swap.again}
        </button>
      ) : (
        <button type="button" class="primary" disabled={isShort} onClick={onSign}>
          {dialogTexts.swap.sign}
        </button>
      )}
    </>
  );
}

function StepList({ steps, chain }: { steps: readonly SigningStep[]; chain: string }) {
  return (
    <ol class="steps" aria-live="polite">
      {steps.map(({ kind, state, txHash }, at) => (
        <li key={`${kind}${at}`} class={`step-${state}`}>
          {dialogTexts.swap.kinds[kind]} <span class="soft">{dialogTexts.swap.states[state]}</span>{' '}
          {txHash !== null && <AddressText chain={chain} id={txHash} kind="tx" />}
        </li>
      ))}
    </ol>
  );
}

/** From mined to final; a reorganisation may still take it back. */
function SentTrade({ sent }: { sent: FollowedTransaction }) {
  const [status, setStatus] = useState<TradeStatusReply['status']>('confirmed');
  useEffect(() => {
    const abort = new AbortController();
    void followTrade(sent, {
      knownStatus: 'confirmed',
      signal: abort.signal,
      onAnswer: (answer) => {
        if (answer !== null) setStatus(answer.status);
        return answer?.status === 'finalized';
      },
    });
    return () => abort.abort();
  }, [sent]);
  return (
    <p class="note" role="status">
      {dialogTexts.swap.status[status]}{' '}
      <AddressText chain={sent.chain} id={sent.txHash} kind="tx" />
    </p>
  );
}

function useSwap({ request, owner }: SwapDialogProps) {
  const [state, setState] = useState<SwapState>({ kind: 'building' });
  const [message, setMessage] = useState<string | null>(null);
  const abort = useRef(new AbortController());
  const build = useCallback(() => {
    setState({ kind: 'building' });
    buildTrade(request).then(
      (built) => setState({ kind: 'review', built }),
      (error: unknown) => {
        setMessage(describeFailure(error));
        setState({ kind: 'failed' });
      },
    );
  }, [request]);
  useEffect(() => {
    const own = abort.current;
    build();
    return () => own.abort();
  }, [build]);
  const sign = async (built: BuiltTradeReply) => {
    setMessage(null);
    setState({ kind: 'signing', steps: [] });
    try {
      const sent = await runSwap({
        wallet: await findSessionWallet(owner),
        owner,
        chain: request.chain,
        built,
        rebuild: () => buildTrade(request),
        onSteps: (steps) => setState({ kind: 'signing', steps }),
        signal: abort.current.signal,
      });
      setState({ kind: 'sent', sent });
    } catch (error) {
      setMessage(describeFailure(error));
      if (isForReview(error)) build();
      else if (!(error instanceof LostTransactionError)) setState({ kind: 'failed' });
      else setState({ kind: 'lost', txHash: error.txHash });
    }
  };
  return { state, message, build, sign };
}

export function SwapDialog(props: SwapDialogProps) {
  const { state, message, build, sign } = useSwap(props);
  const { chain } = props.request;
  const isForOther = otherAccount.value !== null && state.kind === 'review';
  // The trade was built for the account that the wallet has left: the form says so.
  useEffect(() => {
    if (isForOther) props.onClose();
  });
  return (
    <ModalDialog
      label={texts.swap.review}
      onClose={props.onClose}
      isFirm={state.kind === 'signing'}
    >
      <h2>{texts.swap.review}</h2>
      {message !== null && (
        <p class="note" role="alert">
          {message}
        </p>
      )}
      {state.kind === 'building' && <div class="quote-space" aria-busy="true" />}
      {state.kind === 'review' && (
        <TradeReview built={state.built} onSign={() => void sign(state.built)} onAgain={build} />
      )}
      {state.kind === 'signing' && <StepList steps={state.steps} chain={chain} />}
      {state.kind === 'sent' && <SentTrade sent={state.sent} />}
      {state.kind === 'lost' && (
        <p>
          <AddressText chain={chain} id={state.txHash} kind="tx" />
        </p>
      )}
      {state.kind === 'failed' && (
        <button type="button" onClick={build}>
          {dialogTexts.swap.again}
        </button>
      )}{' '}
      {state.kind !== 'signing' && (
        <button type="button" onClick={props.onClose}>
          {dialogTexts.close}
        </button>
      )}
    </ModalDialog>
  );
}
