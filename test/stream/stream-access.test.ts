// Streams end with the credential that opened them, wherever it was ended.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Access } from '../../src/access/create-access.ts';
import type { HandlerContext } from '../../src/contract/handler.ts';
import type { SessionIdentity } from '../../src/contract/identity.ts';
import type { HttpStream } from '../open-http-stream.ts';
import { createEvmWallet } from '../wallets.ts';
import { type StreamServer, startStreamServer } from './stream-server.ts';

const WITHIN_MS = 1000;
const GIVE_UP_MS = 10_000;

/** Ends the credential and measures how long the stream continued. */
async function measureEnd(stream: HttpStream, end: () => Promise<unknown>): Promise<number> {
  const done = end().then(() => performance.now());
  // A stream that never ends must fail its test, not hang the suite.
  const gaveUp = delay(GIVE_UP_MS, 'open' as const, { ref: false });
  const how = await Promise.race([stream.ended, gaveUp]);
  if (how === 'open') stream.leave();
  assert.equal(how, 'clean');
  return performance.now() - (await done);
}

async function openWith(server: StreamServer, bearer: string): Promise<HttpStream> {
  const stream = await server.open('', { headers: { authorization: `Bearer ${bearer}` } });
  assert.equal(stream.status, 200);
  await stream.until(({ event }) => event === 'snapshot');
  return stream;
}

/** A request that reaches another node: this one is not notified. */
async function askElsewhere(
  access: Access,
  token: string,
  ask: (handlers: Access['handlers'], context: HandlerContext) => unknown,
): Promise<void> {
  const identity = (await access.identify({
    authorization: `Bearer ${token}`,
    sessionCookie: undefined,
    addressGroup: '203.0.113.1',
  })) as SessionIdentity;
  const context: HandlerContext = {
    ...{ identity, requestId: 'test', addressGroup: '203.0.113.1', origin: null },
    idempotencyKey: null,
  };
  await ask(access.handlers, context);
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    test('a revoked key ends its streams within a second, and no other', async (t) => {
      const server = await startStreamServer(t, { engine });
      const { token } = await server.signIn(createEvmWallet());
      const [first, second] = [await server.issueKey(token), await server.issueKey(token)];
      const stream = await openWith(server, first.key);
      const other = await openWith(server, second.key);
      const anonymous = await server.open();
      const ms = await measureEnd(stream, () =>
        server.send('DELETE', `/keys?id=${first.id}`, { bearer: token }),
      );
      assert.ok(ms < WITHIN_MS, `${ms} ms`);
      const again = await server.open('', { headers: { authorization: `Bearer ${first.key}` } });
      assert.equal(again.status, 401);
      const elsewhere = await measureEnd(other, () =>
        askElsewhere(server.otherAccess, token, (handlers, context) =>
          handlers.revokeKey({ id: second.id }, context),
        ),
      );
      assert.ok(elsewhere < WITHIN_MS, `${elsewhere} ms after another node revoked it`);
      const still = await Promise.race([anonymous.ended, Promise.resolve('open')]);
      assert.equal(still, 'open');
      assert.equal(server.streams.hub.clientCount, 1);
      anonymous.leave();
    });

    test("logging out ends the session's streams within a second", async (t) => {
      const server = await startStreamServer(t, { engine });
      const { token } = await server.signIn(createEvmWallet());
      const stream = await openWith(server, token);
      const ms = await measureEnd(stream, () =>
        server.send('DELETE', '/auth/session', { bearer: token }),
      );
      assert.ok(ms < WITHIN_MS, `${ms} ms`);
      assert.equal(server.access.watch.size, 0);
    });

    test('a session ended on another node ends its streams, and no other', async (t) => {
      const server = await startStreamServer(t, { engine });
      const wallet = createEvmWallet();
      const [first, second] = [await server.signIn(wallet), await server.signIn(wallet)];
      const stream = await openWith(server, first.token);
      const other = await openWith(server, second.token);
      await measureEnd(stream, () =>
        askElsewhere(server.otherAccess, first.token, (handlers, context) =>
          handlers.endSession({}, context),
        ),
      );
      assert.equal(server.streams.hub.clientCount, 1);
      await measureEnd(other, () =>
        askElsewhere(server.otherAccess, second.token, (handlers, context) =>
          handlers.endAllSessions({}, context),
        ),
      );
      assert.equal(server.access.watch.size, 0);
    });
  });
}
