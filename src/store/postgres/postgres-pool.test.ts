// A pool whose server goes away at any moment.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../../test/postgres.ts';
import { startCutProxy } from '../../../test/store-faults.ts';
import { PostgresPool } from './postgres-pool.ts';

const ONE = { sql: 'SELECT 1', takes: [], gives: ['integer'] } as const;

test('a connection that breaks on its way to its caller fails the call, not the process', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const proxy = await startCutProxy(t, database.url);
  const startedMs = performance.now();
  await ask(proxy.url);
  const tookMs = performance.now() - startedMs;
  // From before the connection until after its first answer.
  for (let i = 0; i < 60; i += 1) {
    const asked = ask(proxy.url).catch((error: unknown) => assert.ok(error instanceof Error));
    await sleep((tookMs * i) / 60);
    proxy.cut();
    await asked;
    proxy.restore();
  }
  await ask(proxy.url);
});

async function ask(url: string): Promise<void> {
  const pool = new PostgresPool({ url, poolSize: 2 });
  try {
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => pool.session.query(ONE, [])));
    for (const one of all) if (one.status === 'rejected') throw one.reason;
  } finally {
    await pool.close();
  }
}
