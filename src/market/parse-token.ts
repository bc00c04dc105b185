// Parses what requests have in common: a token reference (untrusted chain and address → a followed
// chain and a token that is not paused), numbers, times, pools, and how many rows they may have.

import type { HandlerContext } from '../contract/handler.ts';
import {
  buildLookupPendingError,
  createLookupCaller,
  isTokenNotFound,
  lookUpToken,
} from '../contract/look-up-token.ts';
import { COSTS, computeRowsCost } from '../contract/operation.ts';
import {
  buildNotReadyError,
  parseAddress,
  parseFollowedChain,
  parsePool,
} from '../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import { decimalToText, textToDecimal } from '../lib/decimal.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { TimeRange } from '../store/market-reads.ts';
import type { MarketChain, MarketParts, ReadDepth } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';

// Untrusted decimal numbers → text in our own form.

const DECIMAL = /^\d{1,20}(\.\d{1,18})?$/;

export function parseDecimal(text: string, path: string): string {
  if (DECIMAL.test(text)) return decimalToText(textToDecimal(text));
  throw buildInvalidInputError([{ path, message: 'must be a decimal number such as 0.5' }]);
}

// The time range of a request, both ends inclusive.

export function parseTimeRange(input: {
  readonly startTime?: number;
  readonly endTime?: number;
}): TimeRange {
  const { startTime = 0, endTime = Number.MAX_SAFE_INTEGER - 1 } = input;
  if (startTime > endTime) {
    throw buildInvalidInputError([{ path: 'endTime', message: 'must not be before startTime' }]);
  }
  return { fromMs: startTime, toMs: endTime + 1 };
}

// Caches what depends on an input alone: a transport passes the same object again for a repeated
// query.

export function createPrepare<Input extends object, Prepared>(
  prepare: (input: Input) => Prepared,
): (input: Input) => Prepared {
  const prepared = new WeakMap<Input, Prepared>();
  return (input) => {
    const known = prepared.get(input);
    if (known !== undefined) return known;
    const made = prepare(input);
    prepared.set(input, made);
    return made;
  };
}

export interface TokenReference {
  readonly chain: ChainSlug;
  readonly token: Address;
  /** How the chain's addresses are written. */
  readonly addresses: AddressCodec;
}

/** `path` is where the two fields are in the input. */
export function parseToken(
  parts: Pick<MarketParts, 'chains'>,
  input: { readonly chain: string; readonly mint: string },
  path = '',
): TokenReference {
  const chain = parseFollowedChain(parts.chains, input.chain, `${path}chain`);
  const addresses = parts.chains.findAddresses(chain);
  const token = parseAddress(addresses, { chain, text: input.mint, field: `${path}mint` });
  return { chain, token, addresses };
}

/** The chain of a token that is not paused. Call it after all input checks. */
export function requireReadable(parts: MarketParts, reference: TokenReference): MarketChain {
  const { chain, token, addresses } = reference;
  if (parts.pauses.isPaused(chain, token)) {
    throw new AppError('TOKEN_PAUSED', { chain, mint: addresses.toShown(token) });
  }
  const market = parts.chains.find(chain);
  if (market === null || parts.states.current(chain) === null) throw buildNotReadyError(chain);
  return market;
}

export function buildTokenNotFoundError({ chain, token, addresses }: TokenReference): AppError {
  return new AppError('TOKEN_NOT_FOUND', { chain, mint: addresses.toShown(token) });
}

// Reads a token; one that the index does not have is looked up, and then read again.

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

// The pool of a token that a request is limited to.

/** Null if the request is about all pools. */
export function parsePoolFilter(
  { addresses, chain }: TokenReference,
  text: string | undefined,
): PoolId | null {
  return text === undefined ? null : parsePool(addresses, chain, text);
}

/** Throws unless the pool is one of the token. */
export async function requirePool(
  reader: AnswerReader,
  { chain, token, addresses }: TokenReference,
  pool: PoolId | null,
): Promise<void> {
  if (pool === null) return;
  const [stored] = await reader.readPools(chain, [pool]);
  if (stored?.token0 === token || stored?.token1 === token) return;
  throw new AppError('POOL_NOT_FOUND', { pool: addresses.toShown(pool) });
}

// The maximum rows of a request, by the caller's tier, and what many rows cost.

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
