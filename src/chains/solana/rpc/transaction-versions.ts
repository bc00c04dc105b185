// Versions of transactions. A node refuses a whole block if one of its transactions is newer than
// what was asked for, so that an unknown version must be asked for, too: it is told and counted,
// and read as far as it has the shape of the others.

import type { UndecodedCount } from '../../../model/undecoded-count.ts';
import type { ChainLog } from '../../family.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';

/** In blocks since 15 September 2026; it differs from 0 by limits that are written in front. */
export const NEWEST_VERSION = 1;

const VERSION_MAX = 255;
/** The version that was asked for is too low (agave, `rpc_custom_error.rs`). */
const TOO_LOW = -32015;
const ATTEMPTS_MAX = 4;

export class TransactionVersions {
  readonly #log: ChainLog;
  readonly #unknown = new Map<number, number>();
  #asked: number = NEWEST_VERSION;

  constructor(log: ChainLog) {
    this.#log = log;
  }

  /** Asks with the newest version that there is, and again if the node has a newer one. */
  async ask<T>(request: (maxSupportedTransactionVersion: number) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const asked = this.#asked;
      try {
        return await request(asked);
      } catch (error) {
        if (!isRpcError(error) || error.code !== TOO_LOW) throw error;
        if (attempt === ATTEMPTS_MAX || asked === VERSION_MAX) {
          // Another endpoint may be right.
          throw new RpcError('invalidReply', error.message, { endpoint: error.endpoint });
        }
        const named = Number(/version \((\d+)\)/i.exec(error.message)?.[1] ?? 0);
        const next = named > asked ? named : asked + 1;
        this.#asked = Math.max(this.#asked, Math.min(VERSION_MAX, next));
      }
    }
  }

  /** Whether a transaction, as a node sent it, has an unknown version; it is counted then. */
  noteUnknown(transaction: unknown): boolean {
    const version: unknown = (transaction as { readonly version?: unknown } | null)?.version;
    if (typeof version !== 'number' || version <= NEWEST_VERSION) return false;
    const count = this.#unknown.get(version);
    this.#unknown.set(version, (count ?? 0) + 1);
    if (count === undefined) {
      this.#log.warn({ version }, 'transactions have an unknown version: update the service');
    }
    return true;
  }

  /** For operators. */
  listLimitations(): string[] {
    return Array.from(
      this.#unknown,
      ([version, count]) =>
        `${count} transactions had the unknown version ${version}: trades and transfers may be missing; update the service`,
    );
  }

  listCounts(): UndecodedCount[] {
    return Array.from(this.#unknown, ([version, count]) => ({
      ...{ venue: 'unknown-transaction', discriminator: `version-${version}`, count },
    }));
  }
}
