// Which amount of a quote is exact, which is quoted, and what bounds the quoted one.

import type { QuoteReply } from '../../../api/contract-types.ts';
import { formatUnits } from '../../../format/token-units.ts';

type QuoteAmount = Pick<QuoteReply['output'], 'amount' | 'amountRaw' | 'decimals' | 'symbol'>;

interface QuotedTrade {
  readonly input: QuoteAmount & { readonly maxAmountRaw?: string | undefined };
  readonly output: QuoteAmount & { readonly minAmountRaw?: string | undefined };
}

/** The limit is of the quoted amount, so in the units of its token. */
export function findQuoteLimit({ input, output }: QuotedTrade) {
  const isExactOut = input.maxAmountRaw !== undefined;
  const quoted: QuoteAmount = isExactOut ? input : output;
  const limitRaw = input.maxAmountRaw ?? output.minAmountRaw ?? output.amountRaw;
  return { isExactOut, quoted, limit: formatUnits(limitRaw, quoted.decimals) };
}
