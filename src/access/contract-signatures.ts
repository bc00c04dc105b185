// Signatures of contract wallets. Only a node can check them, so callers have a budget for it.
//
// There is none for a wallet: others could spend it, and its owner could not sign in.

import type { SignedText } from '../chains/wallet-signatures.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChainSlug } from '../model/chain.ts';
import { Limiter } from './limits/limiter.ts';

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
  /** How many checks of each caller are under way. */
  readonly #byCaller = new Map<string, number>();
  #underWay = 0;

  constructor(options: ContractSignaturesOptions) {
    this.#verify = options.verify;
    this.#limiter = new Limiter({ ...options, budget: BUDGET });
  }

  /** Null if no node of the chain is configured. */
  async verify(query: ContractSignature, addressGroup: string): Promise<boolean | null> {
    this.#spend(addressGroup);
    this.#enter(addressGroup);
    try {
      return await this.#verify(query, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      throw error instanceof AppError ? error : buildNodeError(query.chain, error);
    } finally {
      this.#leave(addressGroup);
    }
  }

  #enter(addressGroup: string): void {
    const own = this.#byCaller.get(addressGroup) ?? 0;
    if (this.#underWay >= AT_ONCE_MAX || own >= AT_ONCE_PER_CALLER_MAX) {
      throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
    }
    this.#underWay += 1;
    this.#byCaller.set(addressGroup, own + 1);
  }

  #leave(addressGroup: string): void {
    this.#underWay -= 1;
    const own = (this.#byCaller.get(addressGroup) ?? 0) - 1;
    if (own > 0) this.#byCaller.set(addressGroup, own);
    else this.#byCaller.delete(addressGroup);
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
