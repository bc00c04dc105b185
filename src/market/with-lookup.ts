// Reads a token; one that the index does not have is looked up, and then read again.

import type { HandlerContext } from '../contract/handler.ts';
import {
  buildLookupPendingError,
  createLookupCaller,
  isTokenNotFound,
  lookUpToken,
} from '../contract/look-up-token.ts';
import { COSTS } from '../contract/operation.ts';
import type { MarketParts } from './market-parts.ts';
import type { TokenReference } from './parse-token.ts';

interface LookupRequest {
  readonly reference: TokenReference;
  readonly context: HandlerContext;
  /** What the request has paid so far; the cost of a read by default. */
  readonly paid?: number;
}

/** `read` throws `TOKEN_NOT_FOUND` for a token that the index does not have. */
export function withLookup<T>(
  { lookups }: Pick<MarketParts, 'lookups'>,
  request: LookupRequest,
  read: () => T | Promise<T>,
): T | Promise<T> {
  const answer = read();
  if (lookups === undefined || !(answer instanceof Promise)) return answer;
  return answer.catch(async (error: unknown) => {
    if (!isTokenNotFound(error)) throw error;
    const { chain, token, addresses } = request.reference;
    const mint = addresses.toShown(token);
    const wanted = { chain, token, mint, isKnown: false };
    const caller = createLookupCaller(request.context, request.paid ?? COSTS.read);
    if (!(await lookUpToken(lookups, wanted, caller))) throw error;
    try {
      return await read();
    } catch (again) {
      // A reorganisation has removed it; it is looked up again.
      throw isTokenNotFound(again) ? buildLookupPendingError(chain, mint) : again;
    }
  });
}
