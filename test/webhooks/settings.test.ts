// Who may have which webhooks, and what of their settings is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { createTradedScene, TOKEN } from '../stream/traded-scene.ts';
import { walletId } from '../test-ids.ts';
import { OWNER, startReceiver, startWebhookNode } from './webhook-scene.ts';

const TOKENS = [{ chain: 'devnet', mint: TOKEN }];
const OTHER = walletId('eip155:0x00000000000000000000000000000000000000bb');
const STRANGER = { ...OWNER, key: OTHER, walletId: OTHER } as typeof OWNER;

test("a webhook is its wallet's alone, and its secret is shown once", async (t) => {
  const scene = await createTradedScene(t);
  const receiver = await startReceiver(t);
  const node = startWebhookNode({ ...scene, clock: systemClock });
  t.after(() => node.stop());
  const input = { url: receiver.url, events: ['trade'], tokens: TOKENS };
  const { webhookId, secret } = await node.ask('createWebhook', input);
  assert.match(secret, /^whsec_[\w+/=]{32,}$/);
  const shown = await node.ask('getWebhook', { id: webhookId });
  assert.equal('secret' in shown, false);
  // Not in plain in the store either.
  const record = await scene.store.webhooks.find(webhookId);
  assert.equal(JSON.stringify(record).includes(secret.slice('whsec_'.length)), false);
  for (const id of ['getWebhook', 'deleteWebhook', 'rotateWebhook', 'testWebhook'] as const) {
    await assert.rejects(() => node.ask(id, { id: webhookId }, STRANGER), {
      code: 'WEBHOOK_NOT_FOUND',
    });
  }
  assert.deepEqual((await node.ask('getWebhooks', {}, STRANGER)).webhooks, []);
  await assert.rejects(() => node.ask('getWebhooks', {}, { kind: 'anonymous', key: 'a' }), {
    code: 'WALLET_SESSION_REQUIRED',
  });
});

test('a wallet has as many as its tier allows, also if it creates them at once', async (t) => {
  const scene = await createTradedScene(t);
  const receiver = await startReceiver(t);
  const node = startWebhookNode({ ...scene, clock: systemClock });
  t.after(() => node.stop());
  const input = { url: receiver.url, events: ['trade'], tokens: TOKENS };
  const { limit } = await node.ask('getWebhooks', {});
  const made = await Promise.allSettled(
    Array.from({ length: limit + 3 }, () => node.ask('createWebhook', input)),
  );
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, limit);
  await assert.rejects(() => node.ask('createWebhook', input), { code: 'WEBHOOK_LIMIT_REACHED' });
});

test('settings that cannot work are refused by the name of the field', async (t) => {
  const scene = await createTradedScene(t);
  const node = startWebhookNode({ ...scene, clock: systemClock, allowsPrivate: false });
  t.after(() => node.stop());
  const url = 'https://hook.example.com/';
  const cases = [
    ['url', { url: 'https://127.0.0.1/', events: ['trade'], tokens: TOKENS }],
    ['url', { url: 'http://hook.example.com/', events: ['trade'], tokens: TOKENS }],
    ['tokens', { url, events: ['trade'] }],
    ['chains', { url, events: ['pool'] }],
    ['finality', { url, events: ['price'], tokens: TOKENS, finality: 'final' }],
    ['wallets', { url, events: ['price'], tokens: TOKENS, wallets: [TOKEN] }],
    ['tokens.0.mint', { url, events: ['trade'], tokens: [{ chain: 'devnet', mint: 'x' }] }],
    ['tokens', { url, events: ['trade'], tokens: Array.from({ length: 101 }, () => TOKENS[0]) }],
  ] as const;
  for (const [path, input] of cases) {
    await assert.rejects(
      () => node.ask('createWebhook', input),
      (error: { errors?: readonly { path: string }[] }) => error.errors?.[0]?.path === path,
      `${path} ${JSON.stringify(input).slice(0, 100)}`,
    );
  }
});
