// The holders of tokens at a past block, where nodes have the present state only: those that are
// listed now, with the transfers since the block taken back. Each block since then is read once for
// all tokens.

import type { ChainAdapter, HoldersReading } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address } from '../../model/ids.ts';
import { type ReadSizes, readAhead } from '../read/read-ahead.ts';

interface ListedHoldersOptions {
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly signal: AbortSignal;
  /** Of the block that the holders are wanted at. */
  readonly header: BlockHeader;
  /** Transfers of others are not kept. */
  readonly tokens: ReadonlySet<Address>;
  /** How far behind the chain's head the block may be: bounds what is read and kept. */
  readonly blocksMax?: number;
}

interface OwnerMove {
  readonly block: number;
  readonly owner: Address;
  readonly deltaRaw: bigint;
}

/** How often to begin again if the chain leaves the branch of a list. */
const ATTEMPTS_MAX = 5;

export class ListedHolders {
  readonly #options: ListedHoldersOptions;
  /** The last block whose transfers were read. */
  #last: Pick<BlockHeader, 'position' | 'hash'>;
  readonly #moves = new Map<Address, OwnerMove[]>();
  #callCount = 0;

  constructor(options: ListedHoldersOptions) {
    this.#options = options;
    this.#last = options.header;
  }

  /** What the lists have cost so far. */
  get callCount(): number {
    return this.#callCount;
  }

  /**
   * Those that hold something, by owner; null if the block is too long ago, or branches keep
   * changing. Rejects with a `HistoryUnavailableError` if no node lists them.
   */
  async read(token: Address): Promise<ReadonlyMap<Address, bigint> | null> {
    const { header, blocksMax = Number.POSITIVE_INFINITY } = this.#options;
    for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
      const listed = await this.#list(token);
      const { position } = listed.at;
      if (position - header.position > blocksMax) return null;
      if (await this.#readUpTo(listed.at)) return this.#takeBack(token, listed);
    }
    return null;
  }

  async #list(token: Address): Promise<HoldersReading> {
    const { adapter, header, signal } = this.#options;
    const query = { token, minBlock: header.position };
    const listed = await adapter.readHolders?.(query, signal);
    if (listed === undefined) throw new Error(`${adapter.chain} does not list holders`);
    this.#callCount += listed.callCount;
    return listed;
  }

  /** False if the list is of another branch. */
  async #readUpTo({ position, hash }: HoldersReading['at']): Promise<boolean> {
    const { adapter, sizes, signal, header } = this.#options;
    const known = await adapter.readHeader(this.#last.position, signal);
    if (known?.hash !== this.#last.hash) {
      // What was read is of a branch that was left.
      this.#last = header;
      this.#moves.clear();
    }
    const range = { adapter, fromBlock: this.#last.position + 1, toBlock: position, sizes, signal };
    if (range.fromBlock <= position) {
      for await (const { reading, last } of readAhead(range)) {
        for (const { header: at, events } of reading.blocks) {
          for (const event of events) {
            if (event.kind !== 'transfer') continue;
            const { token, from, to, amountRaw } = event;
            this.#note(token, { block: at.position, owner: from, deltaRaw: -amountRaw });
            this.#note(token, { block: at.position, owner: to, deltaRaw: amountRaw });
          }
        }
        this.#last = last;
      }
    }
    const listed = await adapter.readHeader(position, signal);
    return listed?.position === position && (hash ?? listed.hash) === listed.hash;
  }

  #note(
    token: Address,
    { block, owner, deltaRaw }: Omit<OwnerMove, 'owner'> & { readonly owner: Address | null },
  ): void {
    if (owner === null || !this.#options.tokens.has(token)) return;
    const moves = this.#moves.get(token) ?? [];
    moves.push({ block, owner, deltaRaw });
    this.#moves.set(token, moves);
  }

  #takeBack(token: Address, { at, balances }: HoldersReading): ReadonlyMap<Address, bigint> {
    const before = new Map(balances);
    for (const { block, owner, deltaRaw } of this.#moves.get(token) ?? []) {
      if (block <= at.position) before.set(owner, (before.get(owner) ?? 0n) - deltaRaw);
    }
    return new Map([...before].filter(([, amountRaw]) => amountRaw !== 0n));
  }
}
