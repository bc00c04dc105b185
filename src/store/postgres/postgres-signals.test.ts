// Signals of a real PostgreSQL, over a network that swallows everything without closing.

import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '../../../test/postgres.ts';
import { PostgresPool } from './postgres-pool.ts';
import { PostgresSignals } from './postgres-signals.ts';

/** Forwards connections to the server; `freeze` silences those that are open, not later ones. */
async function startProxy(t: TestContext, target: URL) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const one of [near, far]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const one of sockets) one.destroy();
    server.close();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const freeze = () => {
    for (const one of sockets) one.unpipe().pause();
  };
  return { url: url.href, freeze };
}

test('a connection that no longer answers is replaced by one that hears', async (t) => {
  const database = await createTestDatabase();
  const pool = new PostgresPool({ url: database.url });
  t.after(async () => {
    await pool.close();
    await database.drop();
  });
  const proxy = await startProxy(t, new URL(database.url));
  const engine = {
    session: pool.session,
    transaction: () => assert.fail('not needed'),
    snapshot: () => assert.fail('not needed'),
  };
  const signals = new PostgresSignals(engine, proxy.url, { everyMs: 50, answerMs: 2000 });
  const heard: string[] = [];
  const end = signals.listen('test_channel', (text) => heard.push(text));
  const untilHeard = async (text: string) => {
    const deadlineMs = Date.now() + 60_000;
    while (!heard.includes(text)) {
      if (Date.now() > deadlineMs) assert.fail(`${text} was not heard`);
      await signals.send('test_channel', text);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await untilHeard('before');
  proxy.freeze();
  await untilHeard('after');
  await end();
});
