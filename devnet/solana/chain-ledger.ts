// The chain on disk: blocks with their transactions, who used which account, and all accounts as of
// the last block. A block is one commit, so a killed process loses nothing that was sealed.

import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ExecutedTransaction } from './execute-transaction.ts';
import type { ChainAccount } from './svm.ts';
import { readTokenBalance } from './token-balance.ts';

export interface LedgerBlock {
  readonly slot: number;
  readonly height: number;
  readonly hash: string;
  readonly parentSlot: number;
  readonly parentHash: string;
  readonly seconds: number;
}

export interface LedgerTransaction {
  /** As it was sent. */
  readonly bytes: Buffer;
  readonly executed: ExecutedTransaction;
}

interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
  readonly seconds: number;
  readonly err: unknown;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS blocks (slot INTEGER PRIMARY KEY, height INTEGER NOT NULL,
  hash TEXT NOT NULL, parent_slot INTEGER NOT NULL, parent_hash TEXT NOT NULL,
  seconds INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS transactions (slot INTEGER NOT NULL, place INTEGER NOT NULL,
  signature TEXT NOT NULL UNIQUE, err TEXT NOT NULL, bytes BLOB NOT NULL, json BLOB NOT NULL,
  PRIMARY KEY (slot, place)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keys (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS uses (key INTEGER NOT NULL, slot INTEGER NOT NULL,
  place INTEGER NOT NULL, PRIMARY KEY (key, slot, place)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS uses_by_slot ON uses (slot);
CREATE TABLE IF NOT EXISTS accounts (address TEXT PRIMARY KEY, lamports TEXT NOT NULL,
  owner TEXT NOT NULL, data BLOB NOT NULL, executable INTEGER NOT NULL, mint TEXT, holder TEXT)
  STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS accounts_by_holder ON accounts (holder, mint);
CREATE INDEX IF NOT EXISTS accounts_by_mint ON accounts (mint);
`;

const TABLES_BY_SLOT = ['blocks', 'transactions', 'uses'] as const;

type Row = Readonly<Record<string, SQLOutputValue>>;

function toBlock(row: Row): LedgerBlock {
  return {
    slot: Number(row['slot']),
    height: Number(row['height']),
    hash: String(row['hash']),
    parentSlot: Number(row['parent_slot']),
    parentHash: String(row['parent_hash']),
    seconds: Number(row['seconds']),
  };
}

function toSignature(row: Row): SignatureRow {
  return {
    signature: String(row['signature']),
    slot: Number(row['slot']),
    seconds: Number(row['seconds']),
    err: JSON.parse(String(row['err'])) as unknown,
  };
}

export class ChainLedger {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    this.#database.exec(SCHEMA);
  }

  close(): void {
    this.#database.close();
  }

  readFact(name: string): string | null {
    const row = this.#get('SELECT value FROM facts WHERE name = ?', name);
    return row === undefined ? null : String(row['value']);
  }

  writeFact(name: string, value: string): void {
    this.#run('INSERT OR REPLACE INTO facts VALUES (?, ?)', name, value);
  }

  inTransaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** With all that its transactions changed. */
  addBlock(block: LedgerBlock, transactions: readonly LedgerTransaction[]): void {
    const { slot, height, hash, parentSlot, parentHash, seconds } = block;
    const row = [slot, height, hash, parentSlot, parentHash, seconds];
    this.#run('INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)', ...row);
    for (const [place, { bytes, executed }] of transactions.entries()) {
      const { signature, err, json, accountKeys, changes } = executed;
      const body = deflateRawSync(JSON.stringify(json), { level: 3 });
      const values = [slot, place, signature, JSON.stringify(err), bytes, body];
      this.#run('INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?)', ...values);
      for (const address of new Set(accountKeys)) {
        this.#run('INSERT INTO uses VALUES (?, ?, ?)', this.#takeKey(address), slot, place);
      }
      for (const [address, { after }] of changes) this.writeAccount(address, after);
    }
  }

  /** Takes a block back; its accounts are the caller's to restore. */
  removeBlock(slot: number): void {
    for (const table of TABLES_BY_SLOT) this.#run(`DELETE FROM ${table} WHERE slot = ?`, slot);
  }

  /** Forgets blocks below a slot; accounts stay. */
  prune(slot: number): void {
    for (const table of TABLES_BY_SLOT) this.#run(`DELETE FROM ${table} WHERE slot < ?`, slot);
  }

  writeAccount(address: string, account: ChainAccount | null): void {
    if (account === null) {
      this.#run('DELETE FROM accounts WHERE address = ?', address);
      return;
    }
    const { lamports, owner, data, isExecutable } = account;
    const { mint = null, owner: holder = null } = readTokenBalance(account) ?? {};
    const row = [address, String(lamports), owner, data, isExecutable ? 1 : 0, mint, holder];
    this.#run('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)', ...row);
  }

  /** Addresses of token accounts; those of an owner, of a mint, or of both. */
  listTokenAccounts({
    owner,
    mint,
  }: {
    readonly owner?: string;
    readonly mint?: string;
  }): string[] {
    const terms = [...(owner === undefined ? [] : ['holder = ?']), ...(mint ? ['mint = ?'] : [])];
    const sql = `SELECT address FROM accounts WHERE ${terms.join(' AND ')} ORDER BY address`;
    const values = [owner, mint].filter((one) => one !== undefined);
    return this.#all(sql, ...values).map((row) => String(row['address']));
  }

  /** Addresses of the accounts that a program owns. */
  listOwned(program: string): string[] {
    const sql = 'SELECT address FROM accounts WHERE owner = ? ORDER BY address';
    return this.#all(sql, program).map((row) => String(row['address']));
  }

  *listAccounts(): Generator<[string, ChainAccount]> {
    for (const row of this.#prepare('SELECT * FROM accounts').iterate()) {
      const account = {
        lamports: BigInt(String(row['lamports'])),
        owner: String(row['owner']),
        data: Buffer.from(row['data'] as Uint8Array),
        isExecutable: row['executable'] === 1,
      };
      yield [String(row['address']), account];
    }
  }

  readBlock(slot: number): LedgerBlock | null {
    const row = this.#get('SELECT * FROM blocks WHERE slot = ?', slot);
    return row === undefined ? null : toBlock(row);
  }

  /** Newest first. */
  listLastBlocks(count: number): LedgerBlock[] {
    return this.#all('SELECT * FROM blocks ORDER BY slot DESC LIMIT ?', count).map(toBlock);
  }

  findFirstSlot(): number | null {
    const slot = this.#get('SELECT min(slot) AS slot FROM blocks')?.['slot'];
    return slot == null ? null : Number(slot);
  }

  listSlots(from: number, to: number): number[] {
    const sql = 'SELECT slot FROM blocks WHERE slot BETWEEN ? AND ? ORDER BY slot';
    return this.#all(sql, from, to).map((row) => Number(row['slot']));
  }

  listSignatures(slot: number): string[] {
    const sql = 'SELECT signature FROM transactions WHERE slot = ? ORDER BY place';
    return this.#all(sql, slot).map((row) => String(row['signature']));
  }

  /** As it was sent, in order. */
  listBytes(slot: number): Buffer[] {
    const sql = 'SELECT bytes FROM transactions WHERE slot = ? ORDER BY place';
    return this.#all(sql, slot).map((row) => Buffer.from(row['bytes'] as Uint8Array));
  }

  /** JSON text of each, in order. */
  listTransactions(slot: number): string[] {
    const sql = 'SELECT json FROM transactions WHERE slot = ? ORDER BY place';
    return this.#all(sql, slot).map((row) =>
      inflateRawSync(row['json'] as Uint8Array).toString('utf8'),
    );
  }

  findTransaction(signature: string): { readonly slot: number; readonly json: string } | null {
    const row = this.#get('SELECT slot, json FROM transactions WHERE signature = ?', signature);
    if (row === undefined) return null;
    const json = inflateRawSync(row['json'] as Uint8Array).toString('utf8');
    return { slot: Number(row['slot']), json };
  }

  findSignature(signature: string): SignatureRow | null {
    const sql = `SELECT signature, t.slot, seconds, err FROM transactions t
      JOIN blocks b ON b.slot = t.slot WHERE signature = ?`;
    const row = this.#get(sql, signature);
    return row === undefined ? null : toSignature(row);
  }

  /** Newest first, between two signatures that are not part of it. */
  listSignaturesOf(
    address: string,
    page: { readonly before?: string; readonly until?: string; readonly limit: number },
  ): SignatureRow[] {
    const [below, above] = [page.before, page.until].map((signature) => this.#findPlace(signature));
    const sql = `SELECT signature, t.slot, seconds, err FROM uses u
      JOIN transactions t ON t.slot = u.slot AND t.place = u.place
      JOIN blocks b ON b.slot = t.slot
      WHERE u.key = (SELECT id FROM keys WHERE address = ?)
        AND (u.slot, u.place) < (?, ?) AND (u.slot, u.place) > (?, ?)
      ORDER BY u.slot DESC, u.place DESC LIMIT ?`;
    const end = below ?? [Number.MAX_SAFE_INTEGER, 0];
    const start = above ?? [-1, 0];
    return this.#all(sql, address, ...end, ...start, page.limit).map(toSignature);
  }

  #findPlace(signature: string | undefined): [number, number] | null {
    if (signature === undefined) return null;
    const sql = 'SELECT slot, place FROM transactions WHERE signature = ?';
    const row = this.#get(sql, signature);
    return row === undefined ? null : [Number(row['slot']), Number(row['place'])];
  }

  #takeKey(address: string): number {
    const found = this.#get('SELECT id FROM keys WHERE address = ?', address);
    if (found !== undefined) return Number(found['id']);
    return Number(this.#run('INSERT INTO keys (address) VALUES (?)', address).lastInsertRowid);
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]) {
    return this.#prepare(sql).run(...values);
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#prepare(sql).all(...values);
  }
}
