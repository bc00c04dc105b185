// How many distinct wallets traded a subject in each window, on each side, and for how much.
//
// A wallet counts while at least one of its trades is in the window, and its volume up to a limit.

/** Windows times sides. */
const COUNTS_PER_TRADER = 8;
const WINDOWS = 4;
const WALLETS_END = 2 ** 32;
const RECORDS_FIRST = 256;

/** 1,000 USD, in 1e-6 USD: how much of a wallet's volume in a window counts for `trending`. */
export const WALLET_VOLUME_MAX_E6 = 1_000_000_000;

/** A trade of a wallet enters or leaves a window. */
interface TraderStep {
  readonly subject: number;
  readonly wallet: number;
  readonly window: number;
  readonly isBuy: boolean;
  /** In whole 1e-6 USD, at most `WALLET_VOLUME_MAX_E6`; such sums are exact in a double. */
  readonly valueE6: number;
}

interface TraderChange {
  /** Whether it was the wallet's first trade in this window and side, or now was its last. */
  readonly isEnd: boolean;
  /** By how much the wallet's limited volume changed. */
  readonly volumeE6: number;
}

interface Wallet {
  readonly address: string;
  trades: number;
}

export class TraderCounts {
  readonly #wallets: (Wallet | null)[] = [];
  readonly #freeWallets: number[] = [];
  readonly #walletIds = new Map<string, number>();
  /** By subject and wallet: the number of their record. */
  readonly #records = new Map<number, number>();
  readonly #freeRecords: number[] = [];
  #recordsUsed = 0;
  #counts = new Uint32Array(RECORDS_FIRST * COUNTS_PER_TRADER);
  #volumesE6 = new Float64Array(RECORDS_FIRST * WINDOWS);

  /** The wallet's number; call `release` once for each call. */
  retain(address: string): number {
    const known = this.#walletIds.get(address);
    const wallet = known === undefined ? null : (this.#wallets[known] ?? null);
    if (known !== undefined && wallet !== null) {
      wallet.trades += 1;
      return known;
    }
    const id = this.#freeWallets.pop() ?? this.#wallets.length;
    this.#wallets[id] = { address, trades: 1 };
    this.#walletIds.set(address, id);
    return id;
  }

  release(id: number): void {
    const wallet = this.#wallets[id];
    if (wallet === undefined || wallet === null) return;
    wallet.trades -= 1;
    if (wallet.trades > 0) return;
    this.#walletIds.delete(wallet.address);
    this.#wallets[id] = null;
    this.#freeWallets.push(id);
  }

  enter(step: TraderStep): TraderChange {
    const key = step.subject * WALLETS_END + step.wallet;
    const record = this.#records.get(key) ?? this.#open(key);
    const count = this.#count(record, step, 1);
    return { isEnd: count === 1, volumeE6: this.#addVolume(record, step.window, step.valueE6) };
  }

  leave(step: TraderStep): TraderChange {
    const key = step.subject * WALLETS_END + step.wallet;
    const record = this.#records.get(key);
    if (record === undefined) throw new Error('The trader was never counted');
    const count = this.#count(record, step, -1);
    const volumeE6 = this.#addVolume(record, step.window, -step.valueE6);
    if (count === 0 && this.#isEmpty(record)) {
      this.#records.delete(key);
      this.#freeRecords.push(record);
    }
    return { isEnd: count === 0, volumeE6 };
  }

  #count(record: number, { window, isBuy }: TraderStep, by: number): number {
    const at = record * COUNTS_PER_TRADER + window * 2 + Number(isBuy);
    const count = (this.#counts[at] ?? 0) + by;
    this.#counts[at] = count;
    return count;
  }

  #addVolume(record: number, window: number, valueE6: number): number {
    const at = record * WINDOWS + window;
    const before = this.#volumesE6[at] ?? 0;
    const after = before + valueE6;
    this.#volumesE6[at] = after;
    return Math.min(after, WALLET_VOLUME_MAX_E6) - Math.min(before, WALLET_VOLUME_MAX_E6);
  }

  #open(key: number): number {
    const record = this.#freeRecords.pop() ?? this.#recordsUsed++;
    if ((record + 1) * COUNTS_PER_TRADER > this.#counts.length) {
      const counts = new Uint32Array(this.#counts.length * 2);
      const volumesE6 = new Float64Array(this.#volumesE6.length * 2);
      counts.set(this.#counts);
      volumesE6.set(this.#volumesE6);
      this.#counts = counts;
      this.#volumesE6 = volumesE6;
    }
    this.#records.set(key, record);
    return record;
  }

  #isEmpty(record: number): boolean {
    const start = record * COUNTS_PER_TRADER;
    for (let at = start; at < start + COUNTS_PER_TRADER; at += 1) {
      if (this.#counts[at] !== 0) return false;
    }
    return true;
  }
}
