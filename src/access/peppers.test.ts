// Rotating the pepper invalidates nothing: hashes with an older pepper are still found.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext, test } from 'node:test';
import { openTestStore } from '../../test/market-scene.ts';
import { type AccessServer, createTestAccess, startAccess } from '../../test/start-access.ts';
import { createEvmWallet } from '../../test/wallets.ts';
import type { VersionedSecret } from '../lib/versioned-secret.ts';
import { Peppers } from './peppers.ts';

const V1: VersionedSecret = { version: 1, secret: randomBytes(32) };
const V2: VersionedSecret = { version: 2, secret: randomBytes(32) };

/** Uses a token on a node restarted with other peppers; returns the error code, if any. */
async function useAfterRestart(
  server: AccessServer,
  secrets: readonly VersionedSecret[],
  token: string,
): Promise<string> {
  const { store, clock } = server;
  const access = createTestAccess(store, clock, { peppers: new Peppers(secrets) });
  try {
    const identity = await access.identify({
      authorization: `Bearer ${token}`,
      sessionCookie: undefined,
      addressGroup: '203.0.113.1',
    });
    return identity.kind;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function startUnderV1(t: TestContext) {
  const server = await startAccess(t, { peppers: new Peppers([V1]) });
  const { token } = await server.signIn(createEvmWallet());
  const { key, id } = await server.issueKey(token);
  return { server, token, key, id };
}

describe('older peppers', () => {
  it('keys and sessions of version 1 work after a restart with versions 2 and 1', async (t) => {
    const { server, token, key } = await startUnderV1(t);
    assert.equal(await useAfterRestart(server, [V2, V1], key), 'key');
    assert.equal(await useAfterRestart(server, [V2, V1], token), 'session');
  });

  it('a key that was used moves to the newest pepper and outlives the older one', async (t) => {
    const { server, key } = await startUnderV1(t);
    assert.equal(await useAfterRestart(server, [V2, V1], key), 'key');
    assert.equal(await useAfterRestart(server, [V2], key), 'key');
    assert.equal(await useAfterRestart(server, [V1], key), 'INVALID_API_KEY');
  });

  it('keys and sessions do not work without the pepper of their hash', async (t) => {
    const { server, token, key } = await startUnderV1(t);
    assert.equal(await useAfterRestart(server, [V2], key), 'INVALID_API_KEY');
    assert.equal(await useAfterRestart(server, [V2], token), 'INVALID_SESSION');
  });

  it('hashes and marks differ by version and purpose', () => {
    const peppers = new Peppers([V2, V1]);
    assert.deepEqual(peppers.versions, [2, 1]);
    assert.equal(peppers.hash('x').version, 2);
    assert.deepEqual(peppers.olderHashes('x'), [new Peppers([V1]).hash('x')]);
    assert.notEqual(peppers.olderHashes('x')[0]?.hash, peppers.hash('x').hash);
    assert.ok(peppers.isMark('quote', 'x', new Peppers([V1]).mark('quote', 'x')));
    assert.ok(!peppers.isMark('word', 'x', peppers.mark('quote', 'x')));
  });
});

test('what was sealed under an older pepper is read, and not without it', () => {
  const sealed = new Peppers([V1]).seal('webhook', 'a secret');
  assert.equal(new Peppers([V2, V1]).unseal('webhook', sealed), 'a secret');
  assert.equal(new Peppers([V2]).unseal('webhook', sealed), null);
  assert.equal(new Peppers([V2, V1]).unseal('word', sealed), null);
});

test('processes that start at once on a new store agree on its peppers', async (t) => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const { store, remove } = await openTestStore(engine);
    t.after(remove);
    const check = (secret: VersionedSecret) => new Peppers([secret]).checkAgainst(store.access);
    await Promise.all(Array.from({ length: 5 }, () => check(V1)));
    assert.equal((await store.access.readPepperMarks()).length, 1);
    await assert.rejects(check({ ...V2, version: 1 }), /pepper of version 1 is not the one/);
  }
});
