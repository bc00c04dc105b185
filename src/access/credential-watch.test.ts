// Pins that a watcher is notified once when its credential ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestAccess, createTestPeppers, startAccess } from '../../test/start-access.ts';
import { OWN_PAGE } from '../../test/start-http-server.ts';
import { createEvmWallet } from '../../test/wallets.ts';
import type { Identity } from '../contract/identity.ts';
import { isLiveSession } from './sessions.ts';

const DAY_MS = 86_400_000;

async function setUp(t: Parameters<typeof startAccess>[0]) {
  const server = await startAccess(t);
  const { access } = server;
  const identify = (bearer: string): Promise<Identity> =>
    Promise.resolve(
      access.identify({
        authorization: `Bearer ${bearer}`,
        sessionCookie: undefined,
        addressGroup: 'x',
      }),
    );
  const { token } = await server.signIn(createEvmWallet());
  const heard: string[] = [];
  const watch = (name: string, identity: Identity) =>
    access.watch.watch(identity, () => heard.push(name));
  return { server, access, identify, token, heard, watch };
}

test('a revoked key and an ended session are reported at once, others are not', async (t) => {
  const { server, access, identify, token, heard, watch } = await setUp(t);
  const [one, two] = [await server.issueKey(token), await server.issueKey(token)];
  watch('one', await identify(one.key));
  watch('one again', await identify(one.key));
  watch('two', await identify(two.key));
  watch('session', await identify(token));
  const unwatch = watch('left before', await identify(one.key));
  unwatch();
  unwatch();
  await server.send('DELETE', `/keys?id=${one.id}`, { bearer: token });
  assert.deepEqual(heard, ['one', 'one again']);
  await server.send('DELETE', '/auth/session', { bearer: token });
  assert.deepEqual(heard, ['one', 'one again', 'session']);
  assert.equal(access.watch.size, 1);
});

test('expired credentials are found by polling', async (t) => {
  const { server, access, identify, token, heard, watch } = await setUp(t);
  const body = { name: 'brief', expiresInDays: 1 };
  const brief = await server.send('POST', '/keys', { body, bearer: token });
  const lasting = await server.issueKey(token);
  watch('brief', await identify(String(brief.body['key'])));
  watch('lasting', await identify(lasting.key));
  const poll = () => access.watch.poll(() => true);
  await poll();
  assert.deepEqual(heard, []);
  server.clock.advance(DAY_MS);
  await poll();
  assert.deepEqual(heard, ['brief']);
  await poll();
  assert.deepEqual(heard, ['brief'], 'once');
});

test('credentials ended on another node are found by polling', async (t) => {
  const peppers = createTestPeppers();
  const server = await startAccess(t, { peppers });
  const other = createTestAccess(server.store, server.clock, { peppers });
  const { token } = await server.signIn(createEvmWallet());
  const { token: kept } = await server.signIn(createEvmWallet());
  const key = await server.issueKey(token);
  const heard: string[] = [];
  for (const bearer of [token, kept, key.key]) {
    const identity = await other.identify({
      authorization: `Bearer ${bearer}`,
      sessionCookie: undefined,
      addressGroup: 'x',
    });
    const name = bearer === kept ? 'kept session' : identity.kind;
    other.watch.watch(identity, () => heard.push(name));
  }
  await server.send('DELETE', `/keys?id=${key.id}`, { bearer: token });
  await server.send('DELETE', '/auth/session', { bearer: token });
  assert.deepEqual(heard, []);
  await other.watch.poll(isLiveSession);
  assert.deepEqual(heard, ['key', 'session']);
});

test('logging out everywhere ends cookie sessions too; anonymous callers are not watched', async (t) => {
  const { server, access, identify, token, heard, watch } = await setUp(t);
  const wallet = createEvmWallet();
  const cookie = await server.signInByCookie(wallet, OWN_PAGE);
  const browser = await access.identify({
    authorization: undefined,
    sessionCookie: cookie.split('=')[1],
    addressGroup: 'x',
  });
  watch('browser', browser);
  watch('other', await identify(token));
  watch('nobody', { kind: 'anonymous', key: 'x' });
  assert.equal(access.watch.size, 2);
  const { token: second } = await server.signIn(wallet);
  await server.send('DELETE', '/auth/sessions', { bearer: second });
  assert.deepEqual(heard, ['browser']);
});
