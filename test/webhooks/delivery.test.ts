// What a receiver gets: signed, in order, once each, as the stream of the same token has it.

import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../src/lib/clock.ts';
import { createTradedScene, TOKEN, visit } from '../stream/traded-scene.ts';
import { waitUntil } from '../wait-until.ts';
import { type Received, startReceiver, startWebhookNode } from './webhook-scene.ts';

const TOKENS = [{ chain: 'devnet', mint: TOKEN }];
const EVENTS = ['trade', 'reverted'];

async function createScene(t: TestContext) {
  const scene = await createTradedScene(t);
  const receiver = await startReceiver(t);
  const node = startWebhookNode({ ...scene, clock: systemClock });
  t.after(() => node.stop());
  const create = (more: object = {}) =>
    node.ask('createWebhook', { url: receiver.url, events: EVENTS, tokens: TOKENS, ...more });
  return { ...scene, receiver, node, create };
}

/** The keys of `v1a` signatures are 32 bytes. */
function toPublicKey(text: string) {
  const x = Buffer.from(text.slice('whpk_'.length), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function verifyAsymmetric({ headers, text }: Received, publicKey: string): boolean {
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  const key = toPublicKey(publicKey);
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith('v1a,'))
    .some((one) => verify(null, signed, key, Buffer.from(one.slice('v1a,'.length), 'base64')));
}

describe('deliveries', () => {
  test('are signed with both kinds of keys, over the bytes that are sent', async (t) => {
    const scene = await createScene(t);
    const { secret, publicKey } = await scene.create();
    await scene.trade(2);
    await waitUntil(() => scene.receiver.listEvents().length === 2);
    const [received] = scene.receiver.taken;
    assert.ok(received);
    const headers = received.headers as Record<string, string>;
    assert.deepEqual(new Webhook(secret).verify(received.text, headers), received.body);
    assert.ok(verifyAsymmetric(received, publicKey));
    assert.throws(() => new Webhook(secret).verify(`${received.text} `, headers));
    const other = { ...received, text: `${received.text} ` };
    assert.equal(verifyAsymmetric(other, publicKey), false);
    assert.equal(received.body.type, 'events');
    assert.equal(received.body.cursor, received.headers['webhook-id']);
  });

  test('have the events of the stream, in its order, each once', async (t) => {
    const scene = await createScene(t);
    await scene.create({ batch: { maxEvents: 7 } });
    const stream = await scene.open({}, { events: 'trade' });
    await waitUntil(() => stream.events.length > 0);
    for (let block = 0; block < 6; block += 1) await scene.trade(11);
    const trades = () => stream.events.filter(({ event }) => event === 'trade');
    await waitUntil(() => trades().length === 66 && scene.receiver.listEvents().length === 66);
    const events = scene.receiver.listEvents();
    assert.deepEqual(
      events.map(({ data }) => data),
      trades().map(({ data }) => data),
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, 66);
    assert.ok(scene.receiver.taken.every(({ body }) => body.data.events.length <= 7));
    assert.deepEqual(scene.node.errors, []);
  });

  test('go on by the stream, and the other way round', async (t) => {
    const scene = await createScene(t);
    const { webhookId } = await scene.create();
    const id = await visit(scene);
    await scene.trade(3);
    await waitUntil(() => scene.receiver.listEvents().length === 3);
    const lastEventId = scene.receiver.listEvents()[1]?.id ?? null;
    const stream = await scene.open({ lastEventId }, { events: 'trade' });
    await waitUntil(() => stream.events.length === 1);
    assert.deepEqual(stream.events[0]?.data, scene.receiver.listEvents()[2]?.data);
    scene.receiver.taken.length = 0;
    await scene.node.ask('replayWebhook', { id: webhookId, fromEventId: id });
    await waitUntil(() => scene.receiver.listEvents().length === 3);
  });

  test('say what a reorganisation took back, and what came instead', async (t) => {
    const scene = await createScene(t);
    await scene.create();
    await scene.trade(2);
    await scene.trade(1);
    await waitUntil(() => scene.receiver.listEvents().length === 3);
    const [, , last] = scene.receiver.listEvents();
    scene.chain.reorganise(1, 2);
    await scene.settle();
    await scene.trade(1);
    await waitUntil(() => scene.receiver.listEvents().length === 5);
    const [, , , reverted, trade] = scene.receiver.listEvents();
    assert.equal(reverted?.type, 'reverted');
    assert.deepEqual(reverted?.data.tradeIds, [last?.data.id]);
    assert.equal(trade?.type, 'trade');
  });

  test('wait for final blocks where the owner wants that', async (t) => {
    const scene = await createScene(t);
    await scene.create({ finality: 'final' });
    await scene.trade(2);
    await scene.trade(1);
    scene.chain.reorganise(1, 2);
    await scene.settle();
    const { finalizedBlock } = (await scene.store.market.readCheckpoint('devnet'))!;
    assert.equal(scene.receiver.all.length, 0);
    // The chain of the scene finalizes blocks that are 50 below its head.
    for (let block = 0; block < 52; block += 1) await scene.trade(0);
    assert.ok((await scene.store.market.readCheckpoint('devnet'))!.finalizedBlock > finalizedBlock);
    // With the first trade of the scene, which was not final when the webhook was created.
    await waitUntil(() => scene.receiver.listEvents().length === 3);
    assert.ok(scene.receiver.listEvents().every(({ type }) => type === 'trade'));
  });

  test('have prices and holders when they change, in the last delivery of a commit', async (t) => {
    const scene = await createScene(t);
    await scene.create({ events: ['trade', 'price', 'holders'] });
    await scene.trade(2);
    const types = () => scene.receiver.listEvents().map(({ type }) => type);
    await waitUntil(() => types().filter((type) => type === 'trade').length === 2);
    await waitUntil(() => types().includes('price'));
    const price = scene.receiver.listEvents().find(({ type }) => type === 'price');
    assert.equal(price?.id, null);
    assert.equal(price?.data.mint.toLowerCase(), TOKEN);
    assert.deepEqual(scene.node.errors, []);
  });

  test('after a rotation both secrets sign for a day, and no third is made', async (t) => {
    const scene = await createScene(t);
    const before = await scene.create();
    const after = await scene.node.ask('rotateWebhook', { id: before.webhookId });
    await scene.trade(1);
    await waitUntil(() => scene.receiver.taken.length === 1);
    const [received] = scene.receiver.taken;
    assert.ok(received);
    const headers = received.headers as Record<string, string>;
    for (const { secret, publicKey } of [before, after]) {
      assert.ok(new Webhook(secret).verify(received.text, headers));
      assert.ok(verifyAsymmetric(received, publicKey));
    }
    await assert.rejects(() => scene.node.ask('rotateWebhook', { id: before.webhookId }), {
      code: 'WEBHOOK_ROTATING',
    });
  });
});
