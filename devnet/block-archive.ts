// Old blocks with their receipts, compressed in a file, so that the node need not keep them.

import { DatabaseSync } from 'node:sqlite';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Hex } from 'viem';

export interface ArchivedTransaction {
  readonly hash: Hex;
}

/** As returned by the node, with full transactions. */
export interface ArchivedBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly transactionsRoot: Hex;
  readonly transactions: readonly ArchivedTransaction[];
}

export interface ArchivedLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

export interface ArchivedReceipt {
  readonly transactionHash: Hex;
  readonly logs: readonly ArchivedLog[];
}

export interface ArchiveEntry {
  readonly block: ArchivedBlock;
  readonly receipts: readonly ArchivedReceipt[];
}

/** Blocks are read in order, so a few chunks are enough. */
const DECODED_CHUNKS_MAX = 4;
const COMPRESSION_LEVEL = 6;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS hashes (hash BLOB PRIMARY KEY, number INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS hashes_by_number ON hashes (number);
`;

function toBytes(hash: string): Buffer {
  return Buffer.from(hash.slice(2), 'hex');
}

export class BlockArchive {
  readonly #database: DatabaseSync;
  readonly #decoded = new Map<number, readonly ArchiveEntry[]>();
  /** How many are appended at a time; constant for a file. */
  readonly chunkBlocks: number;
  #blockCount: number;

  constructor(file: string, chunkBlocks: number) {
    this.chunkBlocks = chunkBlocks;
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    this.#database.exec(SCHEMA);
    this.#blockCount = this.#readBlockCount();
  }

  /** Every block below this number is here. */
  get blockCount(): number {
    return this.#blockCount;
  }

  /** Takes the next `chunkBlocks` blocks. */
  append(entries: readonly ArchiveEntry[]): void {
    if (
      entries.length !== this.chunkBlocks ||
      Number(entries[0]?.block.number) !== this.#blockCount
    ) {
      throw new Error(`the archive ends at ${this.#blockCount} and takes whole chunks only`);
    }
    const body = deflateRawSync(JSON.stringify(entries), { level: COMPRESSION_LEVEL });
    const id = this.#blockCount / this.chunkBlocks;
    this.#inTransaction(() => {
      this.#database.prepare('INSERT INTO chunks (id, body) VALUES (?, ?)').run(id, body);
      const insert = this.#database.prepare(
        'INSERT OR REPLACE INTO hashes (hash, number) VALUES (?, ?)',
      );
      for (const { block } of entries) {
        insert.run(toBytes(block.hash), Number(block.number));
        for (const { hash } of block.transactions) insert.run(toBytes(hash), Number(block.number));
      }
    });
    this.#blockCount += this.chunkBlocks;
  }

  /** Drops the last chunk, whose blocks are no longer part of the chain. */
  dropLastChunk(): void {
    const id = this.#blockCount / this.chunkBlocks - 1;
    this.#inTransaction(() => {
      this.#database.prepare('DELETE FROM chunks WHERE id = ?').run(id);
      this.#database.prepare('DELETE FROM hashes WHERE number >= ?').run(id * this.chunkBlocks);
    });
    this.#decoded.delete(id);
    this.#blockCount -= this.chunkBlocks;
  }

  read(number: number): ArchiveEntry | null {
    if (number < 0 || number >= this.#blockCount) return null;
    return (
      this.#readChunk(Math.floor(number / this.chunkBlocks))[number % this.chunkBlocks] ?? null
    );
  }

  /** The number of the block with this hash, or with a transaction with this hash. */
  findNumber(hash: string): number | null {
    const row = this.#database
      .prepare('SELECT number FROM hashes WHERE hash = ?')
      .get(toBytes(hash));
    return row === undefined ? null : Number(row['number']);
  }

  close(): void {
    this.#database.close();
  }

  #readBlockCount(): number {
    const row = this.#database.prepare('SELECT count(*) AS count FROM chunks').get();
    return Number(row?.['count']) * this.chunkBlocks;
  }

  #readChunk(id: number): readonly ArchiveEntry[] {
    const known = this.#decoded.get(id);
    if (known !== undefined) return known;
    const row = this.#database.prepare('SELECT body FROM chunks WHERE id = ?').get(id);
    const body = inflateRawSync(row?.['body'] as Uint8Array).toString('utf8');
    const entries = JSON.parse(body) as readonly ArchiveEntry[];
    this.#decoded.set(id, entries);
    const [oldest] = this.#decoded.keys();
    if (this.#decoded.size > DECODED_CHUNKS_MAX && oldest !== undefined) {
      this.#decoded.delete(oldest);
    }
    return entries;
  }

  #inTransaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
