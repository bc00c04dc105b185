// Signatures of contract wallets. Only a node can check them, so callers have a budget for it.
//
// There is none for a wallet: others could spend it, and its owner could not sign in.

import type { SignedText } from '../chains/wallet-signatures.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { HeldSlots } from '../lib/held-slots.ts';
import { Limiter } from '../lib/limiter.ts';
import type { ChainSlug } from '../model/chain.ts';

interface ContractSignature extends SignedText {
  readonly chain: ChainSlug;
}

/**
 * Asks the chain whether the contract at the address accepts the signature, deployed or yet to be;
 * false if there is no contract. Null if no node of that chain is
 * configured; rejects if none responds.
 */
export type VerifyContractSignature = (
  query: ContractSignature,
  signal: AbortSignal,
) => Promise<boolean | null>;

interface ContractSignaturesOptions {
  readonly verify: VerifyContractSignature;
  readonly clock: Clock;
  readonly identitiesMax: number;
}

const TIMEOUT_MS = 5000;
const AT_ONCE_MAX = 8;
const AT_ONCE_PER_CALLER_MAX = 2;
const BUDGET = { policy: 'contract-signature', perMinute: 20, burst: 10 };
const RETRY_SECONDS = 5;

export class ContractSignatures {
  readonly #verify: VerifyContractSignature;
  readonly #limiter: Limiter;
  /** Of checks under way. */
  readonly #slots = new HeldSlots({ totalMax: AT_ONCE_MAX, perHolderMax: AT_ONCE_PER_CALLER_MAX });

  constructor(options: ContractSignaturesOptions) {
    this.#verify = options.verify;
    this.#limiter = new Limiter({ ...options, budget: BUDGET });
  }

  /** Null if no node of the chain is configured. */
  async verify(query: ContractSignature, addressGroup: string): Promise<boolean | null> {
    this.#spend(addressGroup);
    const free = this.#slots.take(addressGroup, null);
    if (free === null) throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
    try {
      return await this.#verify(query, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      throw error instanceof AppError ? error : buildNodeError(query.chain, error);
    } finally {
      free();
    }
  }

  #spend(identity: string): void {
    const decision = this.#limiter.take(identity, 1);
    if (decision.allowed) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(decision.resetMs / 1000));
    const { policy } = BUDGET;
    throw new AppError('RATE_LIMITED', { policy, retryAfterSeconds }, { retryAfterSeconds });
  }
}

export function buildNodeError(chain: ChainSlug, cause?: unknown): AppError {
  return new AppError(
    'UPSTREAM_UNAVAILABLE',
    { upstream: `The node of ${chain}, which is needed to check this signature,` },
    { retryAfterSeconds: RETRY_SECONDS, ...(cause === undefined ? {} : { cause }) },
  );
}
