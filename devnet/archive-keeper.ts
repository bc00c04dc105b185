// Copies blocks into the archive before the node drops their transactions.

import type { Hex } from 'viem';
import { STATES_KEPT } from './anvil-node.ts';
import type { ArchiveEntry, BlockArchive } from './block-archive.ts';
import { toHexQuantity } from './block-writer.ts';
import type { JsonRpc } from './json-rpc.ts';

export interface Keeping {
  /** Blocks this far below the head are archived: they can no longer change. */
  readonly archiveDepth: number;
  /** The node keeps the transactions of this many blocks. */
  readonly transactionBlocks: number;
  /** How many blocks are archived at a time. */
  readonly chunkBlocks: number;
  /** From a saved chain larger than this, archived blocks are removed before it is loaded. */
  readonly stateBytes: number;
  /** After this many blocks the node is replaced by one without the archived blocks. */
  readonly rollBlocks: number;
}

/** They compress better together than one by one. */
const CHUNK_BLOCKS = 64;

export const DEVNET_KEEPING: Keeping = {
  // A reorganisation needs the state that it goes back to, so it cannot go further back than this.
  archiveDepth: STATES_KEPT + 8,
  // Some ten minutes of trading.
  transactionBlocks: STATES_KEPT + 8 + 8 * CHUNK_BLOCKS,
  chunkBlocks: CHUNK_BLOCKS,
  stateBytes: 100_000_000,
  // Half an hour of trading.
  rollBlocks: 1_800,
};

const NO_TRANSACTIONS_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

export class BlockLostError extends Error {
  constructor(number: number) {
    super(`the node no longer has all of block ${number}, and no archive has it`);
    this.name = 'BlockLostError';
  }
}

async function readChunk(
  rpc: JsonRpc,
  { chunkBlocks, blockCount: first }: BlockArchive,
): Promise<ArchiveEntry[]> {
  const tags = Array.from({ length: chunkBlocks }, (_, index) => toHexQuantity(first + index));
  const [blocks, receipts] = await Promise.all([
    rpc.batch<ArchiveEntry['block'] | null>(
      tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, true] })),
    ),
    rpc.batch<ArchiveEntry['receipts'] | null>(
      tags.map((tag) => ({ method: 'eth_getBlockReceipts', params: [tag] })),
    ),
  ]);
  return blocks.map((block, index) => {
    const isComplete =
      block !== null &&
      receipts[index]?.length === block.transactions.length &&
      (block.transactions.length > 0 || block.transactionsRoot === NO_TRANSACTIONS_ROOT);
    if (!isComplete) throw new BlockLostError(first + index);
    return { block, receipts: receipts[index] ?? [] };
  });
}

export class ArchiveKeeper {
  readonly #rpc: JsonRpc;
  readonly #archive: BlockArchive;
  readonly #keeping: Keeping;
  #running: Promise<void> = Promise.resolve();

  constructor(rpc: JsonRpc, archive: BlockArchive, keeping: Keeping) {
    this.#rpc = rpc;
    this.#archive = archive;
    this.#keeping = keeping;
  }

  /** Blocks that may be added between two calls of `keepUp`, with a margin. */
  get blocksAtOnceMax(): number {
    const { archiveDepth, transactionBlocks } = this.#keeping;
    return Math.floor((transactionBlocks - archiveDepth - this.#archive.chunkBlocks) / 3);
  }

  /** Archives every whole chunk that can no longer change. */
  keepUp(): Promise<void> {
    const done = this.#running.then(() => this.#archiveChunks());
    this.#running = done.catch(() => undefined);
    return done;
  }

  /** Drops blocks that the chain no longer has, because it went back to an earlier state. */
  follow(): Promise<void> {
    const done = this.#running.then(() => this.#dropOrphans());
    this.#running = done.catch(() => undefined);
    return done;
  }

  async #archiveChunks(): Promise<void> {
    const head = Number(await this.#rpc.call<Hex>('eth_blockNumber'));
    while (
      this.#archive.blockCount + this.#archive.chunkBlocks <=
      head - this.#keeping.archiveDepth
    ) {
      this.#archive.append(await readChunk(this.#rpc, this.#archive));
    }
  }

  async #dropOrphans(): Promise<void> {
    while (this.#archive.blockCount > 0) {
      const last = this.#archive.blockCount - 1;
      const found = await this.#rpc.call<{ hash: Hex } | null>(
        'eth_getBlockByNumber',
        toHexQuantity(last),
        false,
      );
      if (found !== null && found.hash === this.#archive.read(last)?.block.hash) return;
      this.#archive.dropLastChunk();
    }
  }
}
