// The maximum rows of a request, by the caller's tier; the error names it.

import type { HandlerContext } from '../contract/handler.ts';
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
