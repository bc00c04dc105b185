// What a trade pays, costs and risks.

import type { QuoteReply } from '../../../api/contract-types.ts';
import { nowMs } from '../../../clock-tick.ts';
import { formatDuration } from '../../../format/format-age.ts';
import { formatCompactUsd, formatPercent } from '../../../format/format-amount.ts';
import { formatPrice } from '../../../format/format-price.ts';
import { formatUnits } from '../../../format/token-units.ts';
import { findChain } from '../../../state/chains.ts';
import { texts } from '../../../texts.ts';
import { estimateFees } from './estimate-fees.ts';
import { findQuoteLimit } from './find-quote-limit.ts';

const BPS_PER_PERCENT = 100;
const USD_DIGITS = 6;

/** A value for orientation, so a float will do. */
function estimateUsd(units: string | null, priceUsd: string | null): string | null {
  if (units === null || priceUsd === null) return null;
  return (Number(units) * Number(priceUsd)).toFixed(USD_DIGITS);
}

/** In the chain's coin and in USD. */
function CoinCost({ chain, raw }: { chain: string; raw: string | null }) {
  const native = findChain(chain)?.native ?? null;
  if (raw === null || native === null) return <>–</>;
  const units = formatUnits(raw, native.decimals);
  return (
    <span title={units ?? ''}>
      {texts.swap.about} {formatPrice(units)} {native.symbol}{' '}
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

/** What is given exactly, what it is quoted at, and the limit of that. */
function AmountRows({ quote }: { quote: QuoteReply }) {
  const { rows } = texts.swap;
  const { output } = quote;
  const { isExactOut, quoted, limit } = findQuoteLimit(quote);
  const symbol = quoted.symbol ?? '';
  return (
    <>
      {isExactOut && (
        <>
          <dt>{rows.exactly}</dt>
          <dd title={output.amount ?? ''}>
            {formatPrice(output.amount)} {output.symbol ?? ''}
          </dd>
        </>
      )}
      <dt>{isExactOut ? rows.pay : rows.receive}</dt>
      <dd title={quoted.amount ?? ''}>
        <strong>
          {formatPrice(quoted.amount)} {symbol}
        </strong>
      </dd>
      <dt>{isExactOut ? rows.maximum : rows.minimum}</dt>
      <dd title={limit ?? ''}>
        {formatPrice(limit)} {symbol}
      </dd>
    </>
  );
}

export function QuoteView({ quote }: { quote: QuoteReply }) {
  const { rows } = texts.swap;
  return (
    <>
      <dl class="quote">
        <AmountRows quote={quote} />
        <dt>{rows.impact}</dt>
        <dd>{formatPercent(quote.priceImpactBps / BPS_PER_PERCENT)}</dd>
        <dt>{rows.fees}</dt>
        <dd>
          <TradeFees quote={quote} />
        </dd>
        <dt>{rows.network}</dt>
        <dd>
          <CoinCost chain={quote.chain} raw={quote.networkCost?.totalRaw ?? null} />
        </dd>
        <dt>{rows.route}</dt>
        <dd class="line" title={describeRoute(quote)}>
          {describeRoute(quote)}
        </dd>
        <dt>{rows.expires}</dt>
        <dd>{formatDuration(Math.max(0, quote.expiresAt - nowMs.value))}</dd>
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
