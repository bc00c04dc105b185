// What waits, what is left out, and what is stored while nothing is sent; on a clock that a test
// moves.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildSwapEvent } from '../fakes/index-events.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { createTradedScene, POOL, TOKEN } from '../stream/traded-scene.ts';
import { address, transactionId } from '../test-ids.ts';
import { waitUntil } from '../wait-until.ts';
import { type Receiver, startReceiver, startWebhookNode } from './webhook-scene.ts';

const HOUR = 3_600_000;
/** Longer than the pause between two deliveries. */
const STEP = 200;

async function createScene(t: TestContext) {
  const scene = await createTradedScene(t);
  const clock = new ManualClock();
  const node = startWebhookNode({ ...scene, clock });
  t.after(() => node.stop());
  const create = (receiver: Receiver, more: object = {}) => {
    const tokens = [{ chain: 'devnet', mint: TOKEN }];
    return node.ask('createWebhook', { url: receiver.url, events: ['trade'], tokens, ...more });
  };
  return { ...scene, clock, node, create };
}

test('events wait for others as long as batch.maxMs says, and come together', async (t) => {
  const scene = await createScene(t);
  const [plain, batched] = [await startReceiver(t), await startReceiver(t)];
  await scene.create(plain);
  await scene.create(batched, { batch: { maxMs: 60_000 } });
  const counts = () => [plain, batched].map((one) => one.listEvents().length);
  await scene.trade(1);
  await waitUntil(() => {
    scene.clock.advance(60_000);
    return counts().every((count) => count === 1);
  });
  for (const count of [2, 3]) {
    await scene.trade(1);
    await waitUntil(() => {
      scene.clock.advance(1);
      return plain.listEvents().length === count;
    });
  }
  assert.deepEqual(counts(), [3, 1]);
  scene.clock.advance(60_000);
  await waitUntil(() => batched.listEvents().length === 3);
  assert.deepEqual(
    batched.taken.map(({ body }) => body.data.events.length),
    [1, 2],
  );
});

test('what waits longer than one delivery holds goes out at once, also while more comes', async (t) => {
  const scene = await createScene(t);
  const receiver = await startReceiver(t);
  await scene.create(receiver, { batch: { maxMs: 60_000, maxEvents: 2 } });
  // A commit while a delivery is on its way.
  receiver.behave = async () => {
    if (receiver.taken.length < 3) await scene.trade(1);
    return 'take' as const;
  };
  await scene.trade(7);
  await waitUntil(() => {
    scene.clock.advance(60_000);
    return receiver.taken.length > 0;
  });
  let passedMs = 0;
  await waitUntil(() => {
    // So little at once that a slow machine does not come near a minute.
    scene.clock.advance(5);
    passedMs += 5;
    return receiver.listEvents().length >= 7;
  });
  assert.ok(passedMs < 60_000, `${passedMs}`);
});

test('only trades of the wallets that are named are sent', async (t) => {
  const scene = await createScene(t);
  const receiver = await startReceiver(t);
  const [wanted, other] = ['1', '2'].map((digit) => address(`0x${digit.repeat(40)}`));
  await scene.create(receiver, { wallets: [wanted] });
  const swap = (logIndex: number, wallet = other) =>
    buildSwapEvent(POOL, [10n ** 18n, -(10n ** 15n)], {
      ...{ wallet: wallet!, logIndex, txHash: transactionId(`0xabc${logIndex}`) },
    });
  scene.chain.extend(1, [swap(0), swap(1, wanted), swap(2), swap(3, wanted)]);
  await scene.settle();
  await waitUntil(() => {
    scene.clock.advance(STEP);
    return receiver.listEvents().length >= 2;
  });
  assert.deepEqual(
    receiver.listEvents().map(({ data }) => data.txHash),
    ['0xabc1', '0xabc3'],
  );
});

test('a webhook without events has its cursor stored every hour, before the feed forgets it', async (t) => {
  const scene = await createScene(t);
  const receiver = await startReceiver(t);
  const { webhookId } = await scene.create(receiver, {
    wallets: [`0x${'3'.repeat(40)}`],
  });
  const read = async () => (await scene.store.webhooks.find(webhookId))!.progress;
  const before = await read();
  await scene.trade(3);
  const head = scene.chain.head.position;
  await waitUntil(async () => {
    scene.clock.advance(HOUR);
    return (await read()).cursor.tokens['devnet']?.at[2] === head;
  });
  assert.ok((await read()).step > before.step);
  assert.equal(receiver.all.length, 0);
  assert.deepEqual(scene.node.errors, []);
});
