// Buys and sells a token: amount, quote while typing, review, signatures, status.

import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { api } from '../../../api/api-client.ts';
import type { QuoteReply, TokenReply, WalletBalancesReply } from '../../../api/contract-types.ts';
import { useResource } from '../../../api/use-resource.ts';
import { formatPrice } from '../../../format/format-price.ts';
import { formatUnits, parseUnits } from '../../../format/token-units.ts';
import { createLazyPart } from '../../../lazy-part.tsx';
import { SignInButton } from '../../../parts/account-menu.tsx';
import { CheckField, ChoiceGroup, SelectField } from '../../../parts/choice-fields.tsx';
import { DangerBadges } from '../../../parts/danger-badges.tsx';
import { ProblemNote } from '../../../parts/problem-note.tsx';
import { findOwnAddress, me, otherAccount, walletStand } from '../../../state/account.ts';
import { findChain } from '../../../state/chains.ts';
import { texts } from '../../../texts.ts';
import type { TokenFeed } from '../token-feed.ts';
import { pickTokenFigures } from '../token-figures.ts';
import { IdleFigures } from './idle-figures.tsx';
import { pickMaxSpend } from './pick-max-spend.ts';
import { pickCoinAmounts, pickParts } from './pick-quick-amounts.ts';
import { QuoteView } from './quote-view.tsx';
import type { SwapDialogProps } from './swap-dialog.tsx';
import { useQuote, type WantedSwap } from './use-quote.ts';

const SwapDialog = createLazyPart<SwapDialogProps>(
  async () => (await import('./swap-dialog.tsx')).SwapDialog,
  null,
);

const SLIPPAGES_BPS = [10, 50, 100, 300, 500] as const;
/** As the API bounds it. */
const SLIPPAGE_PCT_MAX = 50;
const AUTO = 'auto';
const OWN = 'own';
const OWN_DEFAULT_PCT = '2';
const BPS_PER_PERCENT = 100;
const AMOUNT_MAX = 60;
const NATIVE_DECIMALS = 18;

export interface SwapPanelProps {
  readonly token: TokenReply;
  readonly feed: TokenFeed;
  /** Codes of its safety; empty until they are known. */
  readonly warnings: readonly string[];
}

type Side = WantedSwap['side'];
/** Whether what is paid or what is received is given. */
type FixedEnd = 'in' | 'out';

interface SwapAsset {
  readonly symbol: string;
  readonly decimals: number;
  readonly isNative: boolean;
  /** Of the signed-in wallet; null if it is not known. */
  readonly balanceRaw: string | null;
}

/** Counts the signed-in wallet's trades as they are indexed: each leaves other balances. */
function useOwnTrades(chain: string, feed: TokenFeed): number {
  const own = findOwnAddress(chain)?.toLowerCase();
  const [count, setCount] = useState(0);
  useEffect(() => {
    const add = () => setCount((before) => before + 1);
    return feed.listen({
      revert: add,
      trade: ({ wallet }) => {
        if (wallet.toLowerCase() === own) add();
      },
    });
  }, [feed, own]);
  return count;
}

/** A new round forgets what was read before. */
function useBalances(chain: string, round: number): WalletBalancesReply | null {
  const wallet = findOwnAddress(chain);
  const { value } = useResource<WalletBalancesReply>({
    key: wallet === null ? null : `${chain}:${wallet}:${round}`,
    load: (signal) => api.getWalletBalances({ chain, wallet: wallet ?? '' }, { signal }),
    refreshMs: 30_000,
  });
  return value;
}

interface EnteredEnd {
  readonly side: Side;
  readonly fixed: FixedEnd;
}

/** The asset whose amount is entered; null if the token's units are not known. */
function pickEnteredAsset(
  token: TokenReply,
  balances: WalletBalancesReply | null,
  { side, fixed }: EnteredEnd,
): SwapAsset | null {
  const { symbol, decimals } = token;
  if (decimals === null) return null;
  if ((side === 'sell') === (fixed === 'in')) {
    const held = balances?.balances.find(({ mint }) => mint === token.mint);
    const balanceRaw = held?.amountRaw ?? null;
    return { symbol: symbol ?? '', decimals, isNative: false, balanceRaw };
  }
  const native = findChain(token.chain)?.native;
  return {
    symbol: native?.symbol ?? '',
    decimals: native?.decimals ?? NATIVE_DECIMALS,
    isNative: true,
    balanceRaw: balances?.native.amountRaw ?? null,
  };
}

const SLIPPAGE_OPTIONS = [
  [AUTO, texts.swap.auto] as const,
  ...SLIPPAGES_BPS.map(
    (bps) => [String(bps), texts.swap.slippage(`${bps / BPS_PER_PERCENT}%`)] as const,
  ),
  [OWN, texts.swap.own] as const,
];

/** In 1/100 of a per cent; null if it is no share of a price. */
function parseSlippage(choice: string, ownPct: string): WantedSwap['slippageBps'] | null {
  if (choice === AUTO) return AUTO;
  if (choice !== OWN) return Number(choice);
  const pct = /^\s*\d+(?:[.,]\d{1,2})?\s*$/.test(ownPct) ? Number(ownPct.replace(',', '.')) : null;
  return pct === null || pct > SLIPPAGE_PCT_MAX ? null : Math.round(pct * BPS_PER_PERCENT);
}

const SIDE_CHOICES = (['buy', 'sell'] as const).map((value) => {
  return { value, text: texts.token.trades[value] };
});

const FIXED_CHOICES = (['in', 'out'] as const).map((value) => {
  return { value, text: texts.swap.fixed[value] };
});

function useTradeForm({ token, feed }: Pick<SwapPanelProps, 'token' | 'feed'>) {
  const [side, setSide] = useState<Side>('buy');
  const [fixed, setFixed] = useState<FixedEnd>('in');
  const [entry, setEntry] = useState({ amount: '', isMax: false });
  const [slippage, setSlippage] = useState<string>(AUTO);
  const [ownPct, setOwnPct] = useState(OWN_DEFAULT_PCT);
  const slippageBps = parseSlippage(slippage, ownPct);
  const balances = useBalances(token.chain, useOwnTrades(token.chain, feed));
  const asset = pickEnteredAsset(token, balances, { side, fixed });
  const amountRaw = asset === null ? null : parseUnits(entry.amount, asset.decimals);
  const { chain, mint } = token;
  const terms = { chain, mint, side, slippageBps };
  const amount = fixed === 'in' ? { amountInRaw: amountRaw } : { amountOutRaw: amountRaw };
  const isComplete = amountRaw !== null && slippageBps !== null;
  const request = isComplete ? ({ ...terms, ...amount } as WantedSwap) : null;
  const empty = () => setEntry({ amount: '', isMax: false });
  return {
    ...{ side, fixed, entry, asset, amountRaw, request, balances },
    ...{ slippage, setSlippage, ownPct, setOwnPct, isSlippageWrong: slippageBps === null },
    changeSide: (next: Side) => {
      setSide(next);
      empty();
    },
    changeFixed: (next: FixedEnd) => {
      setFixed(next);
      empty();
    },
    enter: (text: string) => setEntry({ amount: text, isMax: false }),
    /** As much as there is; what the network takes of it is known with the quote. */
    enterMax: (raw: string) =>
      setEntry({ amount: formatUnits(raw, asset?.decimals ?? null) ?? '', isMax: true }),
  };
}

type TradeForm = ReturnType<typeof useTradeForm>;

/** Once all of the native coin was quoted, leaves what the network may cost. */
function useFeeReserve(form: TradeForm, quote: QuoteReply | null): void {
  const { asset, entry, amountRaw, enterMax } = form;
  const costRaw = quote?.networkCost?.totalRaw;
  // Before anybody can click: the whole balance is never reviewed.
  useLayoutEffect(() => {
    const balanceRaw = asset?.balanceRaw ?? null;
    if (!entry.isMax || asset?.isNative !== true || balanceRaw === null) return;
    if (amountRaw === null || costRaw === undefined) return;
    const most = pickMaxSpend({ balanceRaw, amountRaw, costRaw });
    if (most !== null) enterMax(most);
  });
}

interface AmountFieldProps {
  readonly form: TradeForm;
  readonly asset: SwapAsset;
  readonly chain: string;
}

function AmountField({ form, asset, chain }: AmountFieldProps) {
  const { symbol, decimals, balanceRaw } = asset;
  const { fixed, entry, amountRaw } = form;
  const isWrong = entry.amount.trim() !== '' && amountRaw === null;
  return (
    <div class="amount">
      <label class="field">
        <span class="soft">
          {fixed === 'in' ? texts.swap.youPay(symbol) : texts.swap.youReceive(symbol)}
        </span>
        <input
          inputMode="decimal"
          autocomplete="off"
          maxLength={AMOUNT_MAX}
          value={entry.amount}
          aria-invalid={isWrong}
          onInput={(event) => form.enter(event.currentTarget.value)}
        />
      </label>
      {fixed === 'in' && balanceRaw !== null && (
        <button type="button" onClick={() => form.enterMax(balanceRaw)}>
          {texts.swap.max}
        </button>
      )}
      {isWrong && <p class="soft small">{texts.swap.wrongAmount(decimals)}</p>}
      <QuickAmounts form={form} asset={asset} chain={chain} />
    </div>
  );
}

/** What is there, and parts of it; of the coin that pays, round amounts. */
function QuickAmounts({ form, asset, chain }: AmountFieldProps) {
  const { decimals, balanceRaw, isNative, symbol } = asset;
  if (form.fixed === 'out') return null;
  const coinUsd = findChain(chain)?.native.priceUsd ?? null;
  const parts = balanceRaw === null ? [] : pickParts(balanceRaw, decimals);
  const amounts = isNative ? pickCoinAmounts(coinUsd) : parts;
  return (
    <>
      {amounts.length > 0 && (
        <fieldset class="quick" aria-label={texts.swap.quick}>
          {amounts.map(({ text, amount }) => (
            <button key={text} type="button" onClick={() => form.enter(amount)}>
              {text}
            </button>
          ))}
        </fieldset>
      )}
      {balanceRaw !== null && (
        <p class="soft small" title={formatUnits(balanceRaw, decimals) ?? ''}>
          {texts.swap.balance(formatPrice(formatUnits(balanceRaw, decimals)), symbol)}
        </p>
      )}
    </>
  );
}

function TradeChoices({ form }: { form: TradeForm }) {
  return (
    <div class="bar">
      <ChoiceGroup
        label={texts.swap.title}
        choices={SIDE_CHOICES}
        chosen={form.side}
        onChoose={form.changeSide}
      />
      <SelectField
        label={texts.swap.slippageLabel}
        value={form.slippage}
        options={SLIPPAGE_OPTIONS}
        onChange={form.setSlippage}
      />
      {form.slippage === OWN && (
        <label class="field own-slippage">
          <span class="hidden">{texts.swap.ownLabel}</span>
          <input
            inputMode="decimal"
            maxLength={5}
            value={form.ownPct}
            aria-invalid={form.isSlippageWrong}
            onInput={(event) => form.setOwnPct(event.currentTarget.value)}
          />{' '}
          %
        </label>
      )}
      <ChoiceGroup
        label={texts.swap.fixedLabel}
        choices={FIXED_CHOICES}
        chosen={form.fixed}
        onChoose={form.changeFixed}
      />
    </div>
  );
}

/** For who is signed in with a wallet of other chains, too. */
function SignInForTrade({ chain }: { chain: string }) {
  return (
    <>
      {me.value !== null && (
        <p class="soft small">{texts.swap.otherWallet(findChain(chain)?.name ?? chain)}</p>
      )}
      <SignInButton className="primary" />
    </>
  );
}

/** Who asks for a quote, and where their wallet stands. */
function describeReader(owner: string | null): string {
  return [owner, walletStand.value?.account, walletStand.value?.caip2].join();
}

/** What stands between the review and a signature, before the wallet is asked. */
function WalletWarning({ owner, chain }: { owner: string; chain: string }) {
  const { otherAccount: textOfAccount, otherChain } = texts.swap;
  const known = findChain(chain);
  const caip2 = walletStand.value?.caip2 ?? null;
  const isElsewhere = caip2 !== null && known !== null && caip2 !== known.caip2;
  if (otherAccount.value !== null) return <p class="warn small">{textOfAccount(owner)}</p>;
  return isElsewhere ? <p class="warn small">{otherChain(known.name)}</p> : null;
}

export function SwapPanel(props: SwapPanelProps) {
  const { token } = props;
  const form = useTradeForm(props);
  const { request, asset } = form;
  const [reviewed, setReviewed] = useState<WantedSwap | null>(null);
  const owner = findOwnAddress(token.chain);
  const quote = useQuote(reviewed === null ? request : null, describeReader(owner));
  useFeeReserve(form, quote.value);
  const { priceUsd } = pickTokenFigures(props);
  const [isAccepted, setAccepted] = useState(false);
  const known = [...props.warnings, ...(quote.value?.warnings ?? []).map(({ code }) => code)];
  const isTrap = form.side === 'buy' && known.includes('UNSELLABLE');
  if (asset === null) return <p class="note">{texts.swap.noDecimals}</p>;
  return (
    <section class="swap" aria-label={texts.swap.title}>
      <TradeChoices form={form} />
      <AmountField form={form} asset={asset} chain={token.chain} />
      <div class="quote-space">
        {quote.problem !== null && <ProblemNote problem={quote.problem} onRetry={quote.reload} />}
        {quote.value !== null && <QuoteView quote={quote.value} priceUsd={priceUsd} />}
        {form.entry.amount === '' && (
          <>
            <p class="soft small">{texts.swap.hint[form.fixed]}</p>
            <IdleFigures {...props} balances={form.balances} />
          </>
        )}
      </div>
      {owner === null ? (
        <SignInForTrade chain={token.chain} />
      ) : (
        <>
          <WalletWarning owner={owner} chain={token.chain} />
          <p class="badges">
            <DangerBadges codes={known} />
          </p>
          {isTrap && (
            <div class="note danger" role="alert">
              <p>{texts.swap.unsellable}</p>
              <CheckField label={texts.swap.buyAnyway} isOn={isAccepted} onChange={setAccepted} />
            </div>
          )}
          <button
            type="button"
            class="primary"
            disabled={
              quote.value === null ||
              request === null ||
              otherAccount.value !== null ||
              (isTrap && !isAccepted)
            }
            onClick={() => setReviewed(request)}
          >
            {texts.swap.review}
          </button>
        </>
      )}
      {reviewed !== null && owner !== null && (
        <SwapDialog
          request={reviewed}
          owner={owner}
          priceUsd={priceUsd}
          onClose={() => setReviewed(null)}
        />
      )}
    </section>
  );
}
