// What a trade's pools and tokens take of it, in the coin that it is paid with or pays.

import type { QuoteReply } from '../../../api/contract-types.ts';

const WHOLE_BPS = 10_000;
const WHOLE_PARTS = 10 ** 9;

interface QuotedFees {
  readonly side: QuoteReply['side'];
  readonly fees: readonly Pick<QuoteReply['fees'][number], 'bps' | 'mint'>[];
  readonly route: readonly {
    readonly shareBps: number;
    readonly hops: readonly Pick<
      QuoteReply['route'][number]['hops'][number],
      'tokenIn' | 'tokenOut'
    >[];
  }[];
  readonly input: Pick<QuoteReply['input'], 'amountRaw'>;
  readonly output: Pick<QuoteReply['output'], 'amountRaw'>;
}

interface FeeEstimate {
  /** Of the whole trade. */
  readonly percent: number;
  /** In the coin's smallest unit. */
  readonly coinRaw: string;
}

/** How much of the trade goes through a token. */
function findPartBps({ route }: QuotedFees, mint: string): number {
  const through = route.filter(({ hops }) =>
    hops.some(({ tokenIn, tokenOut }) => tokenIn === mint || tokenOut === mint),
  );
  return through.reduce((sum, { shareBps }) => sum + shareBps, 0);
}

/** A fee is a part of what goes through its token, which a divided trade does in parts. */
export function estimateFees(quote: QuotedFees): FeeEstimate {
  const bps = quote.fees.reduce(
    (sum, fee) => sum + (fee.bps * findPartBps(quote, fee.mint)) / WHOLE_BPS,
    0,
  );
  const coin = quote.side === 'buy' ? quote.input : quote.output;
  const parts = BigInt(Math.round((bps * WHOLE_PARTS) / WHOLE_BPS));
  const coinRaw = (BigInt(coin.amountRaw) * parts) / BigInt(WHOLE_PARTS);
  return { percent: (bps * 100) / WHOLE_BPS, coinRaw: coinRaw.toString() };
}
