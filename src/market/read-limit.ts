// The maximum rows of a request, by the caller's tier, and what many rows cost.

import type { HandlerContext } from '../contract/handler.ts';
import { COSTS, computeRowsCost } from '../contract/operation.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import type { MarketParts, ReadDepth } from './market-parts.ts';

/** Tokens are counted; rows are asked for. */
function describeCap(of: keyof ReadDepth, cap: number) {
  return of === 'prices'
    ? { path: 'tokens', message: `must have at most ${cap} entries` }
    : { path: 'limit', message: `must be at most ${cap}` };
}

export function checkLimit(
  parts: Pick<MarketParts, 'depthOf'>,
  asked: { readonly limit: number; readonly of: keyof ReadDepth },
  context: Pick<HandlerContext, 'identity'>,
): void {
  const cap = parts.depthOf(context.identity)[asked.of];
  if (asked.limit <= cap) return;
  const hint = context.identity.kind === 'anonymous' ? '; an API key raises the cap' : '';
  const { path, message } = describeCap(asked.of, cap);
  throw buildInvalidInputError([{ path, message: `${message}${hint}` }]);
}

/** Charges for rows beyond those that a read includes; returns what the request has paid. */
export function chargeRows(rows: number, context: Pick<HandlerContext, 'chargeAhead'>): number {
  const cost = computeRowsCost(rows);
  if (cost === 0) return COSTS.read;
  return COSTS.read + (context.chargeAhead?.({ cost, paid: COSTS.read }) ?? 0);
}
