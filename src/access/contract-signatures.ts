// Signatures of contract wallets. Only a node can check them, so the checks have their own budget.

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
const BUDGET = { policy: 'contract-signature', perMinute: 20, burst: 10 };
const RETRY_SECONDS = 5;

export class ContractSignatures {
  readonly #verify: VerifyContractSignature;
  readonly #limiter: Limiter;
  #underWay = 0;

  constructor(options: ContractSignaturesOptions) {
    this.#verify = options.verify;
    this.#limiter = new Limiter({ ...options, budget: BUDGET });
  }

  async verify(query: ContractSignature, addressGroup: string): Promise<boolean> {
    this.#spend(`caller ${addressGroup}`);
    this.#spend(`wallet ${query.chain} ${query.address}`);
    if (this.#underWay >= AT_ONCE_MAX)
      throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
    this.#underWay += 1;
    try {
      const verdict = await this.#verify(query, AbortSignal.timeout(TIMEOUT_MS));
      if (verdict === null) throw buildUnavailableError(query.chain);
      return verdict;
    } catch (error) {
      throw error instanceof AppError ? error : buildUnavailableError(query.chain, error);
    } finally {
      this.#underWay -= 1;
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

function buildUnavailableError(chain: ChainSlug, cause?: unknown): AppError {
  return new AppError(
    'UPSTREAM_UNAVAILABLE',
    { upstream: `The node of ${chain}, which is needed to check this signature,` },
    { retryAfterSeconds: RETRY_SECONDS, ...(cause === undefined ? {} : { cause }) },
  );
}
