// The maximum rows of a request, by the caller's tier; the error names it.

import type { HandlerContext } from '../contract/handler.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import type { MarketParts, ReadDepth } from './market-parts.ts';

export function checkLimit(
  parts: Pick<MarketParts, 'depthOf'>,
  asked: { readonly limit: number; readonly of: keyof ReadDepth },
  context: Pick<HandlerContext, 'identity'>,
): void {
  const cap = parts.depthOf(context.identity)[asked.of];
  if (asked.limit <= cap) return;
  const hint = context.identity.kind === 'anonymous' ? '; an API key raises the cap' : '';
  throw buildInvalidInputError([{ path: 'limit', message: `must be at most ${cap}${hint}` }]);
}
