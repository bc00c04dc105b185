// Stores names as numbers, which makes SQLite's rows and keys much smaller than text.
//
// A token's address is in every balance, candle and trade of that token, in their keys and in their
// indexes. As a number it halves the size of files and speeds up bulk writes by half.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { buildDamageError } from '../tables/column-value.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Names remembered in memory; others are looked up in the table. */
const CACHE_SIZE_MAX = {
  writer: 200_000,
  /** Of requests: what they ask for often is answered from elsewhere. */
  reader: 50_000,
  /** Those of some pages: a scan meets most names once, and lets go of them soon. */
  snapshot: 10_000,
} as const;

const SELECT_ID = { sql: 'SELECT id FROM names WHERE name = ?', takes: [] };
const SELECT_NAME = { sql: 'SELECT name FROM names WHERE id = ?', takes: [] };
const INSERT_NAME = { sql: 'INSERT INTO names (name) VALUES (?)', takes: [] };

export class NameTable {
  readonly #connection: SqliteConnection;
  readonly #ids: BoundedMap<string, number>;
  readonly #names: BoundedMap<number, string>;
  /** Numbers assigned by the current transaction, which may still roll back. */
  readonly #added: { readonly name: string; readonly id: number }[] = [];

  constructor(connection: SqliteConnection, use: keyof typeof CACHE_SIZE_MAX) {
    this.#connection = connection;
    this.#ids = new BoundedMap(CACHE_SIZE_MAX[use]);
    this.#names = new BoundedMap(CACHE_SIZE_MAX[use]);
  }

  /** The number of a name; null if no row can contain it. */
  findId(name: string): number | null {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const row = this.#connection.prepare(SELECT_ID).get(name);
    if (row === undefined) return null;
    const [id] = row as unknown as [number];
    this.#remember(id, name);
    return id;
  }

  /** The number of a name, assigned now if it has none. */
  addId(name: string): number {
    const known = this.#ids.get(name) ?? this.findId(name);
    if (known !== null) return known;
    const insert = this.#connection.prepare(INSERT_NAME);
    const id = Number(insert.run(name).lastInsertRowid);
    this.#remember(id, name);
    this.#added.push({ name, id });
    return id;
  }

  findName(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const row = this.#connection.prepare(SELECT_NAME).get(id);
    if (row === undefined) throw buildDamageError(`The store holds no name with the number ${id}`);
    const [name] = row as unknown as [string];
    this.#remember(id, name);
    return name;
  }

  onCommit(): void {
    this.#added.length = 0;
  }

  /** The assigned numbers may now go to other names. */
  onRollback(): void {
    for (const { name, id } of this.#added) {
      this.#ids.delete(name);
      this.#names.delete(id);
    }
    this.#added.length = 0;
  }

  #remember(id: number, name: string): void {
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }
}
