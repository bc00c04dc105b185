// Names as numbers, which make rows and keys much smaller than text: see `ColumnType`.
//
// A number never changes, so it is remembered. Names are added on a connection of their own and
// committed at once, before the rows that use them: a transaction that holds rows never waits for
// another one's names, and whoever can read a row can read its names.
//
// A standby that takes over may lack the last names, and gives their numbers to others: what is
// remembered is of one server (`PostgresPool`), and is not used for another.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { SqlRow } from '../sql.ts';
import { StoreError } from '../store-error.ts';
import { buildDamageError, numberAt, textAt } from '../tables/column-value.ts';

/** Names remembered in memory; others are looked up in the table. */
const CACHE_SIZE_MAX = 200_000;

const SELECT_IDS = 'SELECT id, name FROM names WHERE name = ANY ($1::text[])';
const SELECT_NAMES = 'SELECT id, name FROM names WHERE id = ANY ($1::integer[])';
/** In one order, so that two processes never wait for each other. */
const INSERT_NAMES = `INSERT INTO names (name) SELECT n FROM unnest($1::text[]) AS n ORDER BY n
  ON CONFLICT (name) DO NOTHING`;

type RunStatement = (sql: string, values: readonly unknown[]) => Promise<SqlRow[]>;

export class PostgresNames {
  readonly #run: RunStatement;
  readonly #ids = new BoundedMap<string, number>(CACHE_SIZE_MAX);
  readonly #names = new BoundedMap<number, string>(CACHE_SIZE_MAX);

  #isRetired = false;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  /** From now on every call fails: another server has taken over. */
  retire(): void {
    this.#isRetired = true;
  }

  assertCurrent(): void {
    if (this.#isRetired) throw new StoreError('busy', 'another server has taken over');
  }

  /** The numbers of names; of a name that no row can contain there is none. */
  async findIds(names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    this.assertCurrent();
    const ids = new Map<string, number>();
    const unknown: string[] = [];
    for (const name of names) {
      const id = this.#ids.get(name);
      if (id === undefined) unknown.push(name);
      else ids.set(name, id);
    }
    if (unknown.length > 0) await this.#readIds(unknown, ids);
    return ids;
  }

  /** The numbers of names, assigned now where there is none. */
  async addIds(names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const ids = new Map(await this.findIds(names));
    if (ids.size === names.size) return ids;
    const missing = [...names].filter((name) => !ids.has(name));
    await this.#runCurrent(INSERT_NAMES, [missing]);
    await this.#readIds(missing, ids);
    return ids;
  }

  async findNames(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
    this.assertCurrent();
    const names = new Map<number, string>();
    const unknown: number[] = [];
    for (const id of wanted) {
      const name = this.#names.get(id);
      if (name === undefined) unknown.push(id);
      else names.set(id, name);
    }
    if (unknown.length === 0) return names;
    for (const row of await this.#runCurrent(SELECT_NAMES, [unknown])) {
      names.set(numberAt(row, 0), this.#remember(row));
    }
    for (const id of unknown) {
      if (!names.has(id)) throw buildDamageError(`The store holds no name with the number ${id}`);
    }
    return names;
  }

  async #readIds(names: readonly string[], ids: Map<string, number>): Promise<void> {
    for (const row of await this.#runCurrent(SELECT_IDS, [names])) {
      ids.set(this.#remember(row), numberAt(row, 0));
    }
  }

  async #runCurrent(sql: string, values: readonly unknown[]): Promise<SqlRow[]> {
    const rows = await this.#run(sql, values);
    this.assertCurrent();
    return rows;
  }

  #remember(row: SqlRow): string {
    const [id, name] = [numberAt(row, 0), textAt(row, 1)];
    this.#ids.set(name, id);
    this.#names.set(id, name);
    return name;
  }
}
