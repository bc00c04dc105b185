// Tokens that the index does not have, or whose pools it does not know in full, are looked up on
// their chain: what handlers need for that, and how they answer while there is no result.

import { AppError } from '../errors/app-error.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { LookupOutcome } from '../model/lookup-outcome.ts';
import type { HandlerContext } from './handler.ts';
import type { Identity } from './identity.ts';
import { LOOKUP_COST } from './operation.ts';

export interface TokenRequest {
  readonly chain: ChainSlug;
  readonly token: Address;
  /** Whether the index has it: then only its older pools are looked for, once in a while. */
  readonly isKnown: boolean;
}

/** Who asks, and how it pays. */
export interface LookupCaller {
  readonly key: string;
  /** Charges for a lookup and returns how much; throws if the budget is too small. */
  charge(): number;
  refund(cost: number): void;
}

/** A caller of the API, whose tier limits its lookups. */
export interface ClientCaller extends LookupCaller {
  readonly identity: Identity;
}

export interface LookupDesk {
  /** Waits a bounded time; `pending` if that was too short. */
  find(request: TokenRequest, caller: ClientCaller): Promise<LookupOutcome | 'pending'>;
  /** A client asked about a token that the index has. */
  noteKnown(chain: ChainSlug, token: Address): void;
}

const RETRY_AFTER_SECONDS = 5;

function buildPendingError(context: {
  readonly chain: ChainSlug;
  readonly mint: string;
  readonly what: string;
}): AppError {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return new AppError('LOOKUP_PENDING', { ...context, retryAfterSeconds }, { retryAfterSeconds });
}

export function buildLookupPendingError(chain: ChainSlug, mint: string): AppError {
  const what = 'it is new to this server and is being looked up';
  return buildPendingError({ chain, mint, what });
}

/** Of a token that the index has, while the state of its pools is not known in full. */
export function buildPoolsPendingError(chain: ChainSlug, mint: string): AppError {
  return buildPendingError({ chain, mint, what: 'the state of its pools is being read' });
}

function buildLookupError(
  outcome: Exclude<LookupOutcome, 'found' | 'unchanged' | 'noToken'> | 'pending',
  { chain, mint }: { readonly chain: ChainSlug; readonly mint: string },
): AppError {
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  switch (outcome) {
    case 'failed': {
      const upstream = `The node of ${chain}, which is needed to look this token up,`;
      return new AppError('UPSTREAM_UNAVAILABLE', { upstream }, retry);
    }
    case 'notReady': {
      const reason = `The chain ${chain} is not indexed up to its head, so a token that is new to the index cannot be looked up yet.`;
      return new AppError('NOT_READY', { reason }, retry);
    }
    case 'busy':
      return new AppError('OVERLOADED', {}, retry);
    case 'pending':
      return buildLookupPendingError(chain, mint);
  }
}

/**
 * `paid` is what the request has cost so far. It gives that back only where the budget is too small
 * for the lookup: where the tier refuses, the store has been read for it already.
 */
export function createLookupCaller(context: HandlerContext, paid: number): ClientCaller {
  const { identity } = context;
  return {
    key: `${identity.kind} ${identity.key}`,
    identity,
    charge: () => context.chargeAhead?.({ cost: LOOKUP_COST, paid }) ?? 0,
    refund: (cost) => context.chargeDone?.(-cost),
  };
}

/** Whether the lookup may have brought something; throws if that is not known yet. */
export async function lookUpToken(
  lookups: LookupDesk,
  request: TokenRequest & { /** As clients see it. */ readonly mint: string },
  caller: ClientCaller,
): Promise<boolean> {
  const outcome = await lookups.find(request, caller);
  if (outcome === 'found') return true;
  if (outcome === 'noToken' || outcome === 'unchanged') return false;
  throw buildLookupError(outcome, request);
}

export function isTokenNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'TOKEN_NOT_FOUND';
}
