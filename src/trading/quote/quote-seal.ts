// Quote ids: the terms of a quote in plain text, with a keyed hash so that every node can verify
// them.

import { AppError } from '../../errors/app-error.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { CHAINS } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRequest } from './priced-trade.ts';

/** How long a quote is valid. */
export const QUOTE_LIFE_MS = 30_000;

export interface QuoteTerms {
  readonly request: TradeRequest;
  readonly minAmountOutRaw: bigint;
  /**
   * The value of a cost unit that the route was chosen with, so that a build on the same pools
   * chooses the same.
   */
  readonly outPerUnit: Ratio | null;
  readonly expiresAtMs: number;
}

/** A keyed hash that every node of the service can compute. */
export interface Sealer {
  mark(text: string): string;
  /** Whether the current key of the service or an older one produced the mark. */
  isMark(text: string, mark: string): boolean;
}

const PREFIX = 'mwq_';
const LENGTH_MAX = 2000;

/** An integer over another, each of at most 512 bits; `-` if there is none. */
const RATIO = /^(\d{1,155})\/(\d{1,155})$/;
const NO_RATIO = '-';

type Parts = [ChainSlug, Address, 'b' | 's', string, Address, number, string, number, string];

function isParts(value: unknown): value is Parts {
  if (!Array.isArray(value) || value.length !== 9) return false;
  const [chain, mint, side, amount, quoteMint, slippage, minimum, expiry, ratio] =
    value as unknown[];
  return (
    [chain, mint, side, amount, quoteMint, minimum, ratio].every(
      (one) => typeof one === 'string',
    ) &&
    (chain as string) in CHAINS &&
    [slippage, expiry].every((one) => Number.isSafeInteger(one)) &&
    [amount, minimum].every((one) => /^\d{1,78}$/.test(one as string)) &&
    (ratio === NO_RATIO || RATIO.test(ratio as string))
  );
}

function fromRatio(ratio: Ratio | null): string {
  return ratio === null ? NO_RATIO : `${ratio.numerator}/${ratio.denominator}`;
}

function parseRatio(text: string): Ratio | null {
  const [, numerator, denominator] = RATIO.exec(text) ?? [];
  if (numerator === undefined || denominator === undefined) return null;
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

export function sealQuote(sealer: Sealer, terms: QuoteTerms): string {
  const { request, minAmountOutRaw, outPerUnit, expiresAtMs } = terms;
  const parts: Parts = [
    request.chain,
    request.mint,
    request.side === 'buy' ? 'b' : 's',
    request.amountInRaw.toString(),
    request.quoteMint,
    request.slippageBps,
    minAmountOutRaw.toString(),
    expiresAtMs,
    fromRatio(outPerUnit),
  ];
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url');
  return `${PREFIX}${text}.${sealer.mark(text)}`;
}

/** Does not check expiry. Throws `INVALID_QUOTE_ID`. */
export function openQuote(sealer: Sealer, quoteId: string): QuoteTerms {
  const match = /^mwq_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(quoteId);
  const [, text = '', mark = ''] = match ?? [];
  if (text === '' || quoteId.length > LENGTH_MAX || !sealer.isMark(text, mark)) {
    throw new AppError('INVALID_QUOTE_ID', {});
  }
  const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  // The mark is ours, so this can only be the format of another version of the service.
  if (!isParts(parts)) throw new AppError('INVALID_QUOTE_ID', {});
  const [chain, mint, side, amountInRaw, quoteMint, slippageBps, minimum, expiresAtMs, ratio] =
    parts;
  return {
    request: {
      chain,
      mint,
      side: side === 'b' ? 'buy' : 'sell',
      quoteMint,
      amountInRaw: BigInt(amountInRaw),
      slippageBps,
    },
    minAmountOutRaw: BigInt(minimum),
    outPerUnit: parseRatio(ratio),
    expiresAtMs,
  };
}
