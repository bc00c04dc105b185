// Records the transfers of tokens whose balances are about to be joined with the index: those of
// blocks that are committed but not final yet.

import type { BlockEvents, TransferEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';

export interface PlacedTransfer {
  readonly block: number;
  readonly event: TransferEvent;
}

interface WatchedToken {
  /** Transfers after this block are recorded. */
  readonly block: number;
  transfers: PlacedTransfer[];
}

const TRANSFER_COUNT_MAX = 50_000;
const TOKEN_COUNT_MAX = 16;

type JournalTip = Pick<Checkpoint, 'block' | 'blockHash'>;

export class TransferJournal {
  readonly #watched = new Map<Address, WatchedToken>();
  #tip: JournalTip | null = null;

  /** The last indexed block whose transfers are recorded; -1 before the first. */
  get tipBlock(): number {
    return this.#tip?.block ?? -1;
  }

  /**
   * Records the token's transfers after the last indexed block, unless it does so already. While
   * there are too many others it does not: to drop one of those would void what it waits for.
   */
  watch(token: Address): void {
    if (this.#tip === null || this.#watched.has(token)) return;
    if (this.#watched.size >= TOKEN_COUNT_MAX) return;
    this.#watched.set(token, { block: this.#tip.block, transfers: [] });
  }

  /** The block after which the token's transfers are recorded; null if they are not. */
  findStart(token: Address): number | null {
    return this.#watched.get(token)?.block ?? null;
  }

  /** The transfers after a block; null if they were not recorded from there on. */
  read(token: Address, block: number): readonly PlacedTransfer[] | null {
    const watched = this.#watched.get(token);
    if (watched === undefined || watched.block > block) return null;
    return watched.transfers.filter((transfer) => transfer.block > block);
  }

  forget(token: Address): void {
    this.#watched.delete(token);
  }

  /** Must be called after each commit, with the blocks that it added. */
  record(blocks: readonly BlockEvents[], tip: JournalTip): void {
    this.#tip = tip;
    if (this.#watched.size === 0) return;
    for (const { header, events } of blocks) {
      for (const event of events) {
        const watched = event.kind === 'transfer' ? this.#watched.get(event.token) : undefined;
        if (event.kind !== 'transfer' || watched === undefined) continue;
        watched.transfers.push({ block: header.position, event });
        if (watched.transfers.length > TRANSFER_COUNT_MAX) this.#watched.delete(event.token);
      }
    }
  }

  /** Drops the transfers of blocks above the new tip, and what was watched only from there on. */
  rollBack(tip: JournalTip): void {
    this.#tip = tip;
    for (const [token, watched] of [...this.#watched.entries()]) {
      if (watched.block > tip.block) this.#watched.delete(token);
      else watched.transfers = watched.transfers.filter(({ block }) => block <= tip.block);
    }
  }

  /** After the store was read again: drops everything, unless the store is at the last commit. */
  reconcile(tip: JournalTip | null): void {
    if (tip?.block !== this.#tip?.block || tip?.blockHash !== this.#tip?.blockHash) {
      this.#watched.clear();
    }
    this.#tip = tip;
  }
}
