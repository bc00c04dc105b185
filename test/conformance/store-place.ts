// The place of a conformance run's store: the same tests run on each engine.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'node:test';
import { Client } from 'pg';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import type { OnTiming } from '../../src/store/sql.ts';
import { createSqliteStore } from '../../src/store/sqlite/create-sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createTestDatabase } from '../postgres.ts';

export interface StorePlace {
  /** What a child process needs to open the same data. */
  readonly address: {
    readonly engine: Store['engine'];
    readonly target: string;
    readonly isThreaded?: boolean;
  };
  /** Opens the existing data, as another process would. */
  open(onTiming?: OnTiming): Promise<Store>;
  /** Bypasses the store, to inspect or damage its data. */
  run(sql: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

export type CreatePlace = () => Promise<StorePlace>;

export interface StoreScene {
  place: StorePlace;
  store: Store;
}

/** A store for the suite around the call: opened before its tests and removed after them. */
export function useStore(createPlace: CreatePlace): Readonly<StoreScene> {
  const scene = {} as StoreScene;
  before(async () => {
    scene.place = await createPlace();
    scene.store = await scene.place.open();
  });
  after(async () => {
    await scene.store.close();
    await scene.place.remove();
  });
  return scene;
}

export function openStoreAt(address: StorePlace['address'], onTiming?: OnTiming): Promise<Store> {
  return address.engine === 'sqlite'
    ? createSqliteStore({ file: address.target, isThreaded: address.isThreaded, onTiming })
    : createPostgresStore({ url: address.target, poolSize: 4, onTiming });
}

export async function createThreadedPlace(): Promise<StorePlace> {
  return createSqlitePlace({ isThreaded: true });
}

export async function createSqlitePlace(
  options: { readonly isThreaded?: boolean } = {},
): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-store-'));
  const address = { engine: 'sqlite', target: join(folder, 'store.db'), ...options } as const;
  return {
    address,
    open: (onTiming) => openStoreAt(address, onTiming),
    run: async (sql) => {
      const database = new DatabaseSync(address.target, { timeout: 5000 });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** With tables that are divided by time, as retention does. */
export async function createDividedPlace(): Promise<StorePlace> {
  const place = await createPostgresPlace();
  const { market, close } = await place.open();
  const plan = { chain: 'devnet', spanDays: 1, nowMs: 1_700_000_000_000, floorMs: 0 } as const;
  for (const table of ['trades', 'candles'] as const) await market.partitions?.rotate(table, plan);
  await close();
  return place;
}

export async function createPostgresPlace(): Promise<StorePlace> {
  const database = await createTestDatabase();
  const address = { engine: 'postgres', target: database.url } as const;
  return {
    address,
    open: (onTiming) => openStoreAt(address, onTiming),
    run: async (sql) => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    remove: () => database.drop(),
  };
}
