// A build before it is encoded, and what its simulation changed of the wallet's balances.

import type { Address } from '../../../model/ids.ts';
import { SYSTEM_PROGRAM } from '../data/solana-ids.ts';
import type { SolanaAccounts } from '../rpc/read-accounts.ts';
import { AMOUNT_OFFSET, readAmount } from './held-accounts.ts';
import type { InstructionPlan } from './plan-instructions.ts';
import type { simulateTransaction } from './simulate-transaction.ts';
import { SIGNATURE_LAMPORTS } from './solana-fees.ts';

export interface PreparedBuild {
  readonly plan: InstructionPlan;
  /** The wallet, its token accounts, the mints. */
  readonly accounts: SolanaAccounts;
  readonly held: ReadonlyMap<Address, Address>;
}

/** What a simulation changed of a wallet's balances. */
export class SimulatedChange {
  readonly #prepared: PreparedBuild;
  readonly #watched: readonly Address[];
  readonly #after: Awaited<ReturnType<typeof simulateTransaction>>['watched'];

  constructor(
    prepared: PreparedBuild,
    watched: readonly Address[],
    after: Awaited<ReturnType<typeof simulateTransaction>>['watched'],
  ) {
    this.#prepared = prepared;
    this.#watched = watched;
    this.#after = after;
  }

  find(token: Address): bigint {
    if (token === SYSTEM_PROGRAM) return this.#findLamports();
    const { held, accounts } = this.#prepared;
    const account = held.get(token) ?? token;
    const after = this.#after.get(account)?.data.u64(AMOUNT_OFFSET) ?? 0n;
    return after - readAmount(accounts.get(account));
  }

  /** If all of its accounts are watched, rent and what is wrapped stay there. Without the fee. */
  #findLamports(): bigint {
    const { accounts } = this.#prepared;
    const changes = this.#watched.map(
      (one) => (this.#after.get(one)?.lamports ?? 0n) - (accounts.get(one)?.lamports ?? 0n),
    );
    return changes.reduce((sum, one) => sum + one, SIGNATURE_LAMPORTS);
  }
}
