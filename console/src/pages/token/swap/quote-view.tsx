// What a trade pays, costs and risks: the figures that matter first, each once.

import type { ComponentChildren } from 'preact';
import type { QuoteReply } from '../../../api/contract-types.ts';
import { nowMs } from '../../../clock-tick.ts';
import { formatDuration } from '../../../format/format-age.ts';
import { formatCompactUsd, formatPercent } from '../../../format/format-amount.ts';
import { formatCost, formatPrice } from '../../../format/format-price.ts';
import { estimateUsd, formatUnits } from '../../../format/token-units.ts';
import { findChain } from '../../../state/chains.ts';
import { texts } from '../../../texts.ts';
import { estimateFees } from './estimate-fees.ts';
import { findQuoteLimit } from './find-quote-limit.ts';

const BPS_PER_PERCENT = 100;

/** In the chain's coin and in USD. */
function CoinCost({ chain, raw }: { chain: string; raw: string | null }) {
  const native = findChain(chain)?.native ?? null;
  if (raw === null || native === null) return <>–</>;
  const units = formatUnits(raw, native.decimals);
  return (
    <span title={units ?? ''}>
      {texts.swap.about} {formatCost(units)} {native.symbol}{' '}
      <span class="soft">{formatCompactUsd(estimateUsd(units, native.priceUsd))}</span>
    </span>
  );
}

/** What pools and tokens take; trades here are paid with the chain's coin, or pay it. */
function TradeFees({ quote }: { quote: QuoteReply }) {
  const { percent, coinRaw } = estimateFees(quote);
  return (
    <>
      {formatPercent(percent)} <CoinCost chain={quote.chain} raw={coinRaw} />
    </>
  );
}

/** `70% uniswap-v3 → uniswap-v2, 30% uniswap-v4` */
function describeRoute({ route }: QuoteReply): string {
  return route
    .map(({ shareBps, hops }) => {
      const venues = hops.map(({ venue }) => venue).join(' → ');
      return `${formatPercent(shareBps / BPS_PER_PERCENT, 0)} ${venues}`;
    })
    .join(', ');
}

interface AmountRowProps {
  readonly name: string;
  readonly amount: string | null;
  readonly symbol: string | null;
  /** Of one unit; null if it is not to be shown. */
  readonly priceUsd?: string | null;
  readonly isMain?: boolean;
}

function AmountRow({ name, amount, symbol, priceUsd = null, isMain }: AmountRowProps) {
  const usd = estimateUsd(amount, priceUsd);
  const shown = `${formatPrice(amount)} ${symbol ?? ''}`;
  return (
    <>
      <dt>{name}</dt>
      <dd title={amount ?? ''}>
        {isMain === true ? <strong>{shown}</strong> : shown}{' '}
        {usd !== null && <span class="soft">{formatCompactUsd(usd)}</span>}
      </dd>
    </>
  );
}

interface QuoteViewProps {
  readonly quote: QuoteReply;
  /** Of the token; null if it is not known. */
  readonly priceUsd: string | null;
  /** What was entered is said, too: in the form it stands above. */
  readonly isReview?: boolean;
  /** Further rows. */
  readonly children?: ComponentChildren;
}

/** What is given exactly, what it is quoted at, and the limit of that. */
function AmountRows({ quote, priceUsd, isReview }: QuoteViewProps) {
  const { rows } = texts.swap;
  const { input, output } = quote;
  const { isExactOut, quoted, limit } = findQuoteLimit(quote);
  const coinUsd = findChain(quote.chain)?.native.priceUsd ?? null;
  const given = isExactOut ? output : input;
  const findPrice = (asset: { native: boolean }) => (asset.native ? coinUsd : priceUsd);
  return (
    <>
      {isReview === true && (
        <AmountRow
          {...given}
          name={isExactOut ? rows.exactly : rows.payExactly}
          priceUsd={findPrice(given)}
          isMain
        />
      )}
      <AmountRow
        {...quoted}
        name={isExactOut ? rows.pay : rows.receive}
        priceUsd={findPrice(isExactOut ? input : output)}
        isMain
      />
      <AmountRow
        name={isExactOut ? rows.maximum : rows.minimum}
        amount={limit}
        symbol={quoted.symbol}
      />
    </>
  );
}

export function QuoteView(props: QuoteViewProps) {
  const { quote } = props;
  const { rows, automatic } = texts.swap;
  const slippage = formatPercent(quote.slippageBps / BPS_PER_PERCENT);
  return (
    <>
      <dl class="quote">
        <AmountRows {...props} />
        <dt>{rows.impact}</dt>
        <dd>{formatPercent(quote.priceImpactBps / BPS_PER_PERCENT)}</dd>
        {quote.againstMarketBps !== null && (
          <>
            <dt>{rows.market}</dt>
            <dd>{formatPercent(-quote.againstMarketBps / BPS_PER_PERCENT)}</dd>
          </>
        )}
        <dt>{rows.slippage}</dt>
        <dd title={quote.autoSlippage?.reason ?? ''}>
          {quote.autoSlippage === undefined ? slippage : automatic(slippage)}
        </dd>
        <dt>{rows.fees}</dt>
        <dd>
          <TradeFees quote={quote} />
        </dd>
        <dt>{rows.network}</dt>
        <dd>
          <CoinCost chain={quote.chain} raw={quote.networkCost?.totalRaw ?? null} />
        </dd>
        <dt>{rows.route}</dt>
        <dd class={props.isReview === true ? '' : 'line'} title={describeRoute(quote)}>
          {describeRoute(quote)}
        </dd>
        <dt>{rows.expires}</dt>
        <dd>{formatDuration(Math.max(0, quote.expiresAt - nowMs.value))}</dd>
        {props.children}
      </dl>
      {quote.warnings.length > 0 && (
        <ul class="warnings">
          {quote.warnings.map(({ code, message }) => (
            <li key={`${code}${message}`}>{message}</li>
          ))}
        </ul>
      )}
    </>
  );
}
