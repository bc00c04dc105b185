// Quote ids: the terms of a quote in plain text, with a keyed hash so that every node can verify
// them.

import type { PermitTerms } from '../../chains/chain-transactions.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { parseChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import { isLimited, NO_LIMITS, type RouteLimits } from '../routing/route-limits.ts';
import type { TradeRequest } from './priced-trade.ts';

/** How long a quote is valid. */
export const QUOTE_LIFE_MS = 30_000;

export interface QuoteTerms {
  readonly request: Omit<TradeRequest, 'priority'>;
  /** The minimum of the output; the maximum of the input if the output is given. */
  readonly limitRaw: bigint;
  /**
   * The value of a cost unit that the route was chosen with, so that a build on the same pools
   * chooses the same.
   */
  readonly outPerUnit: Ratio | null;
  readonly expiresAtMs: number;
  /** What the wallet was given to sign with this quote; null for most. */
  readonly permit: PermitTerms | null;
}

/** A keyed hash that every node of the service can compute. */
export interface Sealer {
  mark(text: string): string;
  /** Whether the current key of the service or an older one produced the mark. */
  isMark(text: string, mark: string): boolean;
}

const PREFIX = 'mwq_';
const LENGTH_MAX = 2400;

/** An integer over another, each of at most 512 bits; `-` if there is none. */
const RATIO = /^(\d{1,155})\/(\d{1,155})$/;
const NO_RATIO = '-';

type PermitParts = [
  ...[router: string, amount: string, nonce: number, deadline: number],
  form?: PermitTerms['form'],
];

const PERMIT_FORMS: readonly unknown[] = ['permit2', 'eip2612', 'dai'];

type FeeParts = [bps: number, recipient: Address];

type LimitParts = [venues: string[], excludeVenues: string[], directOnly: boolean];

type Parts = [
  ...[ChainSlug, Address, 'b' | 's', 'i' | 'o', string],
  ...[Address, number | 'auto', string, number, string],
  permit?: PermitParts | null,
  limits?: LimitParts | null,
  fee?: FeeParts,
];

function isPermit(value: unknown): value is PermitParts {
  if (!Array.isArray(value) || value.length < 4 || value.length > 5) return false;
  const [router, amount, nonce, deadline, form = 'permit2'] = value as unknown[];
  return (
    typeof router === 'string' &&
    /^\d{1,78}$/.test(String(amount)) &&
    PERMIT_FORMS.includes(form) &&
    [nonce, deadline].every((one) => Number.isSafeInteger(one))
  );
}

function isFeeParts(value: unknown): value is FeeParts {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [bps, recipient] = value as unknown[];
  return Number.isSafeInteger(bps) && typeof recipient === 'string';
}

function isLimitParts(value: unknown): value is LimitParts {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [venues, excludeVenues, directOnly] = value as unknown[];
  const lists = [venues, excludeVenues];
  const areNames = lists.every(
    (list) => Array.isArray(list) && list.every((name) => typeof name === 'string'),
  );
  return areNames && typeof directOnly === 'boolean';
}

function isParts(value: unknown): value is Parts {
  if (!Array.isArray(value) || value.length < 10 || value.length > 13) return false;
  const [chain, mint, side, fixed, amount, quoteMint, slippage, limit, expiry, ratio, ...rest] =
    value as unknown[];
  const [permit = null, limits = null, fee = null] = rest;
  return (
    (permit === null || isPermit(permit)) &&
    (limits === null || isLimitParts(limits)) &&
    (fee === null || isFeeParts(fee)) &&
    [chain, mint, side, fixed, amount, quoteMint, limit, ratio].every(
      (one) => typeof one === 'string',
    ) &&
    parseChainSlug(chain as string) !== null &&
    Number.isSafeInteger(expiry) &&
    (slippage === 'auto' || Number.isSafeInteger(slippage)) &&
    [amount, limit].every((one) => /^\d{1,78}$/.test(one as string)) &&
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
  const { request, limitRaw, outPerUnit, expiresAtMs, permit } = terms;
  const parts: Parts = [
    request.chain,
    request.mint,
    request.side === 'buy' ? 'b' : 's',
    request.fixed === 'input' ? 'i' : 'o',
    request.amountRaw.toString(),
    request.quoteMint,
    request.slippageBps,
    limitRaw.toString(),
    expiresAtMs,
    fromRatio(outPerUnit),
  ];
  const { limits = NO_LIMITS, fee } = request;
  const hasLimits = isLimited(limits);
  if (permit !== null) {
    const { form, router, amountRaw, nonce, deadlineSeconds } = permit;
    const common = [router, amountRaw.toString(), nonce, deadlineSeconds] as const;
    parts.push(form === 'permit2' ? [...common] : [...common, form]);
  }
  if (permit === null && (hasLimits || fee !== undefined)) parts.push(null);
  if (hasLimits) {
    parts.push([[...limits.venues], [...limits.excludeVenues], limits.directOnly]);
  }
  if (fee !== undefined) {
    if (!hasLimits) parts.push(null);
    parts.push([fee.bps, fee.recipient]);
  }
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url');
  return `${PREFIX}${text}.${sealer.mark(text)}`;
}

function parseLimitParts([venues, excludeVenues, directOnly]: LimitParts): RouteLimits {
  return { venues, excludeVenues, directOnly };
}

function parsePermit(parts: PermitParts | null): PermitTerms | null {
  if (parts === null) return null;
  const [router, amount, nonce, deadlineSeconds, form = 'permit2'] = parts;
  return { form, router, amountRaw: BigInt(amount), nonce, deadlineSeconds };
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
  const [chain, mint, side, fixed, amount, quoteMint, slippageBps, ...rest] = parts;
  const [limit, expiresAtMs, ratio, permit = null, limits = null, fee = null] = rest;
  return {
    request: {
      chain,
      mint,
      side: side === 'b' ? 'buy' : 'sell',
      quoteMint,
      fixed: fixed === 'i' ? 'input' : 'output',
      amountRaw: BigInt(amount),
      slippageBps,
      ...(limits === null ? {} : { limits: parseLimitParts(limits) }),
      ...(fee === null ? {} : { fee: { bps: fee[0], recipient: fee[1] } }),
    },
    limitRaw: BigInt(limit),
    outPerUnit: parseRatio(ratio),
    expiresAtMs,
    permit: parsePermit(permit),
  };
}
