// How many distinct wallets traded a subject in each window, on each side, and for how much.
//
// A trader is a wallet with trades of a subject. It counts while at least one of them is in the
// window, and its volume up to a limit.

import { STATS_WINDOWS } from './window-subject.ts';

const WINDOWS = STATS_WINDOWS.length;
/** Windows times sides. */
const COUNTS_PER_TRADER = 2 * WINDOWS;
const WALLETS_END = 2 ** 32;
const TRADERS_FIRST = 256;

/** 1,000 USD, in 1e-6 USD: how much of a wallet's volume in a window counts for `trending`. */
export const WALLET_VOLUME_MAX_E6 = 1_000_000_000;

interface Wallet {
  readonly address: string;
  /** The subjects that it traded. */
  subjects: number;
}

function createColumns(size: number) {
  return {
    /** How many trades there are, in windows or not. */
    trades: new Uint32Array(size),
    subject: new Uint32Array(size),
    wallet: new Uint32Array(size),
    counts: new Uint32Array(size * COUNTS_PER_TRADER),
    volumesE6: new Float64Array(size * WINDOWS),
  };
}

type TraderColumns = ReturnType<typeof createColumns>;

function growColumns(columns: TraderColumns, size: number): TraderColumns {
  const grown = createColumns(size);
  for (const name of Object.keys(grown) as (keyof TraderColumns)[]) {
    (grown[name] as Float64Array).set(columns[name] as Float64Array);
  }
  return grown;
}

export class TraderCounts {
  readonly #wallets: (Wallet | null)[] = [];
  readonly #freeWallets: number[] = [];
  readonly #walletIds = new Map<string, number>();
  /** By subject and wallet. */
  readonly #traders = new Map<number, number>();
  readonly #freeTraders: number[] = [];
  #used = 0;
  #capacity = TRADERS_FIRST;
  #columns = createColumns(TRADERS_FIRST);

  /** The trader's number; call `release` once for each call. */
  retain(subject: number, address: string): number {
    const wallet = this.#findWallet(address);
    const key = subject * WALLETS_END + wallet;
    const trader = this.#traders.get(key) ?? this.#open(key, subject, wallet);
    this.#columns.trades[trader] = (this.#columns.trades[trader] ?? 0) + 1;
    return trader;
  }

  /** For a trade that is in no window any more. */
  release(trader: number): void {
    const { trades, subject, wallet } = this.#columns;
    const left = (trades[trader] ?? 0) - 1;
    trades[trader] = left;
    if (left > 0) return;
    const walletId = wallet[trader] ?? 0;
    this.#traders.delete((subject[trader] ?? 0) * WALLETS_END + walletId);
    this.#freeTraders.push(trader);
    this.#leaveWallet(walletId);
  }

  /** Whether it is the trader's first trade in this window and side. */
  enter(trader: number, window: number, isBuy: boolean): boolean {
    const at = trader * COUNTS_PER_TRADER + window * 2 + Number(isBuy);
    const count = (this.#columns.counts[at] ?? 0) + 1;
    this.#columns.counts[at] = count;
    return count === 1;
  }

  /** Whether it was the trader's last trade in this window and side. */
  leave(trader: number, window: number, isBuy: boolean): boolean {
    const at = trader * COUNTS_PER_TRADER + window * 2 + Number(isBuy);
    const count = this.#columns.counts[at] ?? 0;
    if (count === 0) throw new Error('The trader was never counted');
    this.#columns.counts[at] = count - 1;
    return count === 1;
  }

  /**
   * Adds to a trader's volume in a window; gives by how much its limited volume changed. One trade
   * adds at most the limit, in whole 1e-6 USD: such sums are exact in a double.
   */
  addVolume(trader: number, window: number, valueE6: number): number {
    const at = trader * WINDOWS + window;
    const before = this.#columns.volumesE6[at] ?? 0;
    const after = before + valueE6;
    this.#columns.volumesE6[at] = after;
    return Math.min(after, WALLET_VOLUME_MAX_E6) - Math.min(before, WALLET_VOLUME_MAX_E6);
  }

  #findWallet(address: string): number {
    const known = this.#walletIds.get(address);
    if (known !== undefined) return known;
    const id = this.#freeWallets.pop() ?? this.#wallets.length;
    this.#wallets[id] = { address, subjects: 0 };
    this.#walletIds.set(address, id);
    return id;
  }

  #leaveWallet(id: number): void {
    const wallet = this.#wallets[id];
    if (wallet === undefined || wallet === null) return;
    wallet.subjects -= 1;
    if (wallet.subjects > 0) return;
    this.#walletIds.delete(wallet.address);
    this.#wallets[id] = null;
    this.#freeWallets.push(id);
  }

  #open(key: number, subject: number, wallet: number): number {
    const trader = this.#freeTraders.pop() ?? this.#used++;
    if (trader >= this.#capacity) {
      this.#capacity *= 2;
      this.#columns = growColumns(this.#columns, this.#capacity);
    }
    this.#traders.set(key, trader);
    this.#columns.subject[trader] = subject;
    this.#columns.wallet[trader] = wallet;
    const owner = this.#wallets[wallet];
    if (owner) owner.subjects += 1;
    return trader;
  }
}
