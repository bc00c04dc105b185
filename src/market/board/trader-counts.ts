// How many distinct wallets traded a subject in each window, on each side.
//
// A wallet counts while at least one of its trades is in the window.

/** Windows times sides. */
const COUNTS_PER_TRADER = 8;
const WALLETS_END = 2 ** 32;
const RECORDS_FIRST = 256;

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

  /** Returns whether the wallet is new in this window and side (`place`, 0 to 7). */
  enter(subject: number, wallet: number, place: number): boolean {
    const key = subject * WALLETS_END + wallet;
    const record = this.#records.get(key) ?? this.#open(key);
    const at = record * COUNTS_PER_TRADER + place;
    const count = (this.#counts[at] ?? 0) + 1;
    this.#counts[at] = count;
    return count === 1;
  }

  /** Returns whether that was the wallet's last trade in this window and side. */
  leave(subject: number, wallet: number, place: number): boolean {
    const key = subject * WALLETS_END + wallet;
    const record = this.#records.get(key);
    if (record === undefined) throw new Error('The trader was never counted');
    const at = record * COUNTS_PER_TRADER + place;
    const count = (this.#counts[at] ?? 0) - 1;
    this.#counts[at] = count;
    if (count === 0 && this.#isEmpty(record)) {
      this.#records.delete(key);
      this.#freeRecords.push(record);
    }
    return count === 0;
  }

  #open(key: number): number {
    const record = this.#freeRecords.pop() ?? this.#recordsUsed++;
    if ((record + 1) * COUNTS_PER_TRADER > this.#counts.length) {
      const grown = new Uint32Array(this.#counts.length * 2);
      grown.set(this.#counts);
      this.#counts = grown;
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
