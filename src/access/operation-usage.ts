// Counts what wallets' keys and sessions were used for, by hour and operation: in memory, and
// stored periodically, so that no request waits for the store.

import type { Identity } from '../contract/identity.ts';
import type { Clock } from '../lib/clock.ts';
import type { WalletId } from '../model/ids.ts';
import { type AccessStore, type OperationUse, SESSION_SOURCE } from '../store/access-store.ts';

/** What is known of a request when its answer is sent. */
export interface AnsweredRequest {
  readonly operation: string;
  /** What it was charged. */
  readonly cost: number;
  readonly status: number;
  /** Whether it is further work of a request that was counted: only its cost is added. */
  readonly isMore?: boolean;
}

type PendingUse = { -readonly [Field in keyof OperationUse]: OperationUse[Field] };

const HOUR_MS = 3_600_000;
/** Between two flushes; above this new ones are not counted. */
const ENTRIES_MAX = 50_000;
const LIMITED = 429;
/** The client has disconnected: neither side's error. */
const GONE = 499;

/** Whose use it is; null for callers without a wallet. */
function findSource(identity: Identity): { walletId: WalletId; source: string } | null {
  if (identity.kind === 'key') return { walletId: identity.walletId, source: identity.keyId };
  if (identity.kind === 'anonymous') return null;
  return { walletId: identity.wallet.id, source: SESSION_SOURCE };
}

export class OperationUsage {
  readonly #store: AccessStore;
  readonly #clock: Clock;
  /** By key, or by wallet for its sessions; then by operation. All of one hour. */
  #pending = new Map<string, Map<string, PendingUse>>();
  #hour: number;
  /** Of earlier hours, or of a flush that failed. */
  #waiting: OperationUse[] = [];
  #size = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: { readonly store: AccessStore; readonly clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#hour = Math.floor(options.clock.nowMs() / HOUR_MS);
  }

  count(identity: Identity, { operation, cost, status, isMore }: AnsweredRequest): void {
    if (identity.kind === 'anonymous') return;
    const hour = Math.floor(this.#clock.nowMs() / HOUR_MS);
    if (hour !== this.#hour) this.#turn(hour);
    const use = this.#find(identity, operation);
    if (use === null) return;
    if (status === LIMITED) {
      use.limited += 1;
      return;
    }
    use.costMilli += Math.round(cost * 1000);
    if (isMore === true) return;
    use.requests += 1;
    if (status >= 400 && status !== GONE) use.errors += 1;
  }

  /** Resolves when everything counted before is stored; one flush at a time. */
  flush(): Promise<void> {
    const result = this.#flushing.then(() => this.#flush());
    this.#flushing = result.catch(() => undefined);
    return result;
  }

  #find(identity: Identity, operation: string): PendingUse | null {
    const name = identity.kind === 'key' ? identity.keyId : identity.key;
    const byOperation = this.#pending.get(name);
    const known = byOperation?.get(operation);
    if (known !== undefined) return known;
    const source = this.#size >= ENTRIES_MAX ? null : findSource(identity);
    if (source === null) return null;
    const counts = { requests: 0, costMilli: 0, limited: 0, errors: 0 };
    const use: PendingUse = { ...source, hour: this.#hour, operation, ...counts };
    if (byOperation === undefined) this.#pending.set(name, new Map([[operation, use]]));
    else byOperation.set(operation, use);
    this.#size += 1;
    return use;
  }

  /** Begins a new hour; what was counted in the last one waits for the next flush. */
  #turn(hour: number): void {
    for (const byOperation of this.#pending.values()) this.#waiting.push(...byOperation.values());
    this.#pending = new Map();
    this.#hour = hour;
  }

  async #flush(): Promise<void> {
    this.#turn(this.#hour);
    if (this.#waiting.length === 0) return;
    const uses = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    try {
      await this.#store.addOperationUsage(uses);
    } catch (error) {
      this.#waiting = [...uses, ...this.#waiting].slice(0, ENTRIES_MAX);
      this.#size = this.#waiting.length;
      throw error;
    }
  }
}
