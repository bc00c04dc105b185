// Tiers that an operator gives to wallets, through the real HTTP layer.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CREDENTIAL_LIFE_MS } from '../../src/access/create-access.ts';
import { startAccess } from '../start-access.ts';
import { createTempFolder } from '../start-service-process.ts';
import { walletId } from '../test-ids.ts';
import { createEvmWallet } from '../wallets.ts';

const TIERS = { pro: { perMinute: 60, burst: 12, streams: 7 }, max: { perMinute: 5_000_000 } };

async function startWithTiers(t: TestContext) {
  const file = join(createTempFolder(t), 'tiers.json');
  writeFileSync(file, JSON.stringify({ tiers: TIERS }));
  const access = await startAccess(t, { env: { TIERS_FILE: file } });
  const signedIn = await access.signIn(createEvmWallet());
  const { key } = await access.issueKey(signedIn.token);
  const assign = async (tier: string | null) => {
    const nowMs = access.clock.nowMs();
    await access.store.access.assignTier(walletId(signedIn.walletId), tier, nowMs);
    access.clock.advance(CREDENTIAL_LIFE_MS);
  };
  const ask = (bearer: string) => access.send('GET', '/entitlements', { bearer });
  return { ...access, ...signedIn, key, assign, ask };
}

test("a wallet's keys and sessions have its tier, until it is taken away", async (t) => {
  const { ask, assign, key, token } = await startWithTiers(t);
  const show = async (bearer: string) => {
    const { body } = await ask(bearer);
    return `${body['level']} ${body['tier']}`;
  };
  assert.deepEqual([await show(key), await show(token)], ['key key', 'session session']);
  await assign('pro');
  assert.deepEqual([await show(key), await show(token)], ['key pro', 'session pro']);
  const { body } = await ask(key);
  const { perMinute, burst } = body['budget'] as Record<string, number>;
  assert.deepEqual([perMinute, burst], [60, 12]);
  const { streams, klines } = body['limits'] as Record<string, number>;
  assert.deepEqual([streams, klines], [7, 5000]);
  await assign('a tier of another file');
  assert.deepEqual([await show(key), await show(token)], ['key key', 'session session']);
  await assign(null);
  assert.deepEqual([await show(key), await show(token)], ['key key', 'session session']);
});

test('keys and sessions of a wallet with a tier share its budget; others have their own', async (t) => {
  const { ask, assign, key, token, signIn, issueKey } = await startWithTiers(t);
  await assign('pro');
  const first = await ask(key);
  assert.equal(first.headers.get('ratelimit-policy'), '"pro";q=12;w=12');
  const statuses = new Set<number>();
  for (let turn = 0; turn < 6; turn += 1) statuses.add((await ask(token)).status);
  for (let turn = 0; turn < 5; turn += 1) statuses.add((await ask(key)).status);
  assert.deepEqual([...statuses], [200]);
  assert.deepEqual([(await ask(key)).status, (await ask(token)).status], [429, 429]);
  const other = await issueKey((await signIn(createEvmWallet())).token);
  assert.equal((await ask(other.key)).status, 200);
});

test("a key's part of the budget is one of the tier's", async (t) => {
  const { ask, assign, token, send } = await startWithTiers(t);
  const body = { name: 'part', perMinute: 2_000_000 };
  assert.equal((await send('POST', '/keys', { body, bearer: token })).status, 400);
  await assign('max');
  const issued = await send('POST', '/keys', { body, bearer: token });
  assert.equal(issued.status, 201, JSON.stringify(issued.body));
  const answer = await ask(String(issued.body['key']));
  assert.equal(answer.body['tier'], 'max');
  assert.equal((answer.body['budget'] as { perMinute: number }).perMinute, 2_000_000);
});
