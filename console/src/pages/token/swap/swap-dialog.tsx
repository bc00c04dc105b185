// The review of a trade, its signatures and its way to finality.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  followTransaction,
  type SentTransaction,
} from '../../../../../sdk/src/follow-transaction.ts';
import { MintwireError } from '../../../../../sdk/src/mintwire-error.ts';
import { TradeError } from '../../../../../sdk/src/trade-error.ts';
import { api, patientApi } from '../../../api/api-client.ts';
import type { BuiltTradeReply, TradeStatusReply } from '../../../api/contract-types.ts';
import { nowMs } from '../../../clock-tick.ts';
import { groupAddress } from '../../../format/format-address.ts';
import { formatPrice } from '../../../format/format-price.ts';
import { AddressText } from '../../../parts/address-text.tsx';
import { describeWalletError } from '../../../parts/describe-wallet-error.ts';
import { ModalDialog } from '../../../parts/modal-dialog.tsx';
import { buildWalletHref } from '../../../routes.ts';
import { otherAccount } from '../../../state/account.ts';
import { findChain } from '../../../state/chains.ts';
import { texts } from '../../../texts.ts';
import { findSessionWallet } from '../../../wallet/session-wallet.ts';
import { QuoteView } from './quote-view.tsx';
import { PriceMovedError, runSwap, type SigningStep } from './run-swap.ts';
import type { WantedSwap } from './use-quote.ts';

export interface SwapDialogProps {
  readonly request: WantedSwap;
  /** The wallet of the session. */
  readonly owner: string;
  /** Of the token; null if it is not known. */
  readonly priceUsd: string | null;
  readonly onClose: () => void;
}

type SwapState =
  | { readonly kind: 'building' }
  | { readonly kind: 'review'; readonly built: BuiltTradeReply }
  | { readonly kind: 'signing'; readonly steps: readonly SigningStep[] }
  | { readonly kind: 'sent'; readonly sent: SentTransaction }
  | { readonly kind: 'lost'; readonly txHash: string }
  | { readonly kind: 'failed' };

/** The ends of a trade in words; what the wallet itself said stands beside an uncertain one. */
function describeFailure(error: unknown, { request, owner }: SwapDialogProps): string {
  if (error instanceof PriceMovedError) return texts.swap.moved;
  if (!(error instanceof TradeError)) return describeWalletError(error);
  const { code, cause } = error;
  const { chain } = request;
  if (code === 'WRONG_WALLET') return texts.swap.wrongAccount(owner);
  if (code === 'WRONG_CHAIN') return texts.swap.wrongChain(findChain(chain)?.name ?? chain);
  const isSaid = code === 'SEND_UNCERTAIN' && !(cause instanceof MintwireError);
  return `${texts.swap.ends[code]} ${isSaid ? describeWalletError(cause) : ''}`.trim();
}

/** Errors after which the user looks at a new price, instead of at an end. */
function isForReview(error: unknown): boolean {
  if (error instanceof PriceMovedError) return true;
  return error instanceof TradeError && (error.code === 'REFUSED' || error.code === 'EXPIRED');
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
        <li key={name}>{texts.swap.issues[name]}</li>
      ))}
    </ul>
  );
}

interface TradeReviewProps {
  readonly built: BuiltTradeReply;
  readonly priceUsd: string | null;
}

function TradeReview({ built, priceUsd }: TradeReviewProps) {
  const { quote, wallet } = built;
  const { rows, inWords } = texts.swap;
  return (
    <>
      <QuoteView quote={quote} priceUsd={priceUsd} isReview>
        {/* Anybody can copy a symbol: the address is what is bought. */}
        <dt class="row">{rows.token}</dt>
        <dd class="row mono">{groupAddress(quote.mint)}</dd>
        <dt class="row">{rows.wallet}</dt>
        <dd class="row mono">{groupAddress(wallet)}</dd>
      </QuoteView>
      <IssueList issues={built.issues} />
      <details>
        <summary>{inWords}</summary>
        <ul class="summary">
          {built.summary.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
      {built.transactions.length > 1 && (
        <p class="soft">{texts.swap.signatures(built.transactions.length)}</p>
      )}
    </>
  );
}

interface SignButtonProps {
  readonly built: BuiltTradeReply;
  readonly onSign: () => void;
  readonly onAgain: () => void;
}

function SignButton({ built, onSign, onAgain }: SignButtonProps) {
  const isOver = nowMs.value >= built.quote.expiresAt;
  const isShort = built.issues.balance !== undefined || built.issues.nativeForFees !== undefined;
  if (isOver) {
    return (
      <button type="button" class="primary" onClick={onAgain}>
        {texts.swap.again}
      </button>
    );
  }
  return (
    <button type="button" class="primary" disabled={isShort} onClick={onSign}>
      {texts.swap.sign}
    </button>
  );
}

function StepList({ steps, chain }: { steps: readonly SigningStep[]; chain: string }) {
  return (
    <ol class="steps" aria-live="polite">
      {steps.map(({ kind, state, txHash }, at) => (
        <li key={`${kind}${at}`} class={`step-${state}`}>
          {texts.swap.kinds[kind]} <span class="soft">{texts.swap.states[state]}</span>{' '}
          {txHash !== null && <AddressText chain={chain} id={txHash} kind="tx" />}
        </li>
      ))}
    </ol>
  );
}

type Exchanged = TradeStatusReply['paid'];

function ExchangedRow({ name, exchanged }: { name: string; exchanged: Exchanged }) {
  if (exchanged === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd title={exchanged.amount ?? ''}>
        <strong>
          {formatPrice(exchanged.amount)} {exchanged.symbol ?? ''}
        </strong>
      </dd>
    </>
  );
}

/** From mined to final, with what it paid; a reorganisation may still take it back. */
function SentTrade({ sent, owner }: { sent: SentTransaction; owner: string }) {
  const [answer, setAnswer] = useState<TradeStatusReply | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const followUntil = async (
      isEnough: (answer: TradeStatusReply) => boolean,
      options: { readonly wantsTrades: boolean },
    ) => {
      for await (const next of followTransaction(patientApi, sent, { signal, ...options })) {
        setAnswer(next);
        if (isEnough(next)) return;
      }
    };
    const follow = async () => {
      await followUntil(({ tradeIds }) => tradeIds.length > 0, { wantsTrades: true });
      await followUntil(({ status }) => status === 'finalized', { wantsTrades: false });
    };
    // What is shown stays true; the tape shows what becomes of it.
    follow().catch(() => undefined);
    return () => abort.abort();
  }, [sent]);
  const { status, paid, received, toWallet } = texts.swap;
  return (
    <>
      <p class="note" role="status">
        {status[answer?.status ?? 'confirmed']}
      </p>
      <dl class="quote result">
        <ExchangedRow name={paid} exchanged={answer?.paid ?? null} />
        <ExchangedRow name={received} exchanged={answer?.received ?? null} />
        <dt>{texts.token.trades.columns.transaction}</dt>
        <dd>
          <AddressText chain={sent.chain} id={sent.txHash} kind="tx" />
        </dd>
      </dl>
      <p>
        <a href={buildWalletHref({ wallet: owner })}>{toWallet}</a>
      </p>
    </>
  );
}

function useSwap(props: SwapDialogProps) {
  const { request, owner } = props;
  const [state, setState] = useState<SwapState>({ kind: 'building' });
  const [message, setMessage] = useState<string | null>(null);
  const abort = useRef(new AbortController());
  const build = useCallback(() => {
    const { signal } = abort.current;
    setState({ kind: 'building' });
    api.buildTrade(request, { signal }).then(
      (built) => setState({ kind: 'review', built }),
      (error: unknown) => {
        if (signal.aborted) return;
        setMessage(describeFailure(error, props));
        setState({ kind: 'failed' });
      },
    );
  }, [request]);
  useEffect(() => {
    // Of this request: what the last one had is aborted.
    const own = new AbortController();
    abort.current = own;
    build();
    return () => own.abort();
  }, [build]);
  const sign = async (built: BuiltTradeReply) => {
    setMessage(null);
    setState({ kind: 'signing', steps: [] });
    const { signal } = abort.current;
    try {
      const wallet = await findSessionWallet(owner);
      const sent = await runSwap({
        ...{ request, built, signal },
        wallet: await wallet.findSender(owner, request.chain),
        rebuild: () => api.buildTrade(request, { signal }),
        onSteps: (steps) => setState({ kind: 'signing', steps }),
      });
      setState({ kind: 'sent', sent });
    } catch (error) {
      if (signal.aborted) return;
      setMessage(describeFailure(error, props));
      const lost = error instanceof TradeError ? error.progress.sent.at(-1) : undefined;
      if (isForReview(error)) build();
      else if (typeof lost === 'string') setState({ kind: 'lost', txHash: lost });
      else setState({ kind: 'failed' });
    }
  };
  return { state, message, build, sign };
}

export function SwapDialog(props: SwapDialogProps) {
  const { state, message, build, sign } = useSwap(props);
  const { chain, side } = props.request;
  const shownQuote = state.kind === 'review' ? state.built.quote : null;
  const bought = side === 'buy' ? shownQuote?.output : shownQuote?.input;
  const name = state.kind === 'sent' ? texts.swap.result : texts.swap.review;
  const title = shownQuote === null ? name : texts.swap.heading[side](bought?.symbol ?? '');
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
      <h2>
        {title} <span class="soft">{findChain(chain)?.name ?? chain}</span>
      </h2>
      {message !== null && (
        <p class="note" role="alert">
          {message}
        </p>
      )}
      {state.kind === 'building' && <div class="quote-space" aria-busy="true" />}
      {state.kind === 'review' && <TradeReview built={state.built} priceUsd={props.priceUsd} />}
      {state.kind === 'signing' && <StepList steps={state.steps} chain={chain} />}
      {state.kind === 'sent' && <SentTrade sent={state.sent} owner={props.owner} />}
      {state.kind === 'lost' && (
        <p>
          <AddressText chain={chain} id={state.txHash} kind="tx" />
        </p>
      )}
      {state.kind !== 'signing' && (
        <div class="actions">
          {state.kind === 'review' && (
            <SignButton built={state.built} onSign={() => void sign(state.built)} onAgain={build} />
          )}
          {state.kind === 'failed' && (
            <button type="button" onClick={build}>
              {texts.swap.again}
            </button>
          )}
          <button type="button" onClick={props.onClose}>
            {texts.close}
          </button>
        </div>
      )}
    </ModalDialog>
  );
}
