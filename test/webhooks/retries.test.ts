// What happens when a receiver does not take a delivery.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { planRetry } from '../../src/webhooks/webhook-sender.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { createTradedScene, TOKEN } from '../stream/traded-scene.ts';
import { waitUntil } from '../wait-until.ts';
import { startReceiver, startWebhookNode } from './webhook-scene.ts';

const HOUR = 3_600_000;

/** When the attempts are, in milliseconds after the first, of a receiver that never answers. */
function listAttempts(random: () => number): number[] {
  const times: number[] = [];
  for (let nowMs = 0, failures = 1; ; failures += 1) {
    times.push(nowMs);
    const answer = { httpStatus: null, retryAfterMs: null };
    const next = planRetry({ failures, sinceMs: 0, nowMs, ...answer }, random);
    if (next === null) return times;
    nowMs = next;
  }
}

describe('the schedule', () => {
  test('is that of the standard, and never shorter than 75 hours', () => {
    const hours = listAttempts(() => 0).map((ms) => Math.round((ms / HOUR) * 100) / 100);
    assert.deepEqual(hours, [0, 0, 0.08, 0.58, 2.58, 7.58, 17.58, 31.58, 51.58, 75.58]);
    const last = listAttempts(() => 0.999).at(-1) ?? 0;
    assert.ok(last > 75 * HOUR && last < 80 * HOUR);
  });

  test('obeys Retry-After up to a day, and slows down when it is asked to', () => {
    const failed = { failures: 1, sinceMs: 0, nowMs: 0, httpStatus: 429, retryAfterMs: null };
    assert.equal(
      planRetry(failed, () => 0),
      30_000,
    );
    assert.equal(
      planRetry({ ...failed, retryAfterMs: 90_000 }, () => 0),
      90_000,
    );
    assert.equal(
      planRetry({ ...failed, retryAfterMs: 99 * 24 * HOUR }, () => 0),
      24 * HOUR,
    );
    assert.equal(
      planRetry({ ...failed, httpStatus: 500 }, () => 0),
      5000,
    );
  });
});

async function createScene(t: TestContext) {
  const scene = await createTradedScene(t);
  const receiver = await startReceiver(t);
  const clock = new ManualClock();
  const node = startWebhookNode({ ...scene, clock });
  t.after(() => node.stop());
  const created = await node.ask('createWebhook', {
    ...{ url: receiver.url, events: ['trade', 'reverted'] },
    tokens: [{ chain: 'devnet', mint: TOKEN }],
  });
  const read = () => node.ask('getWebhook', { id: created.webhookId });
  /** Goes on until something is so: time passes in steps of a minute. */
  const pass = (isSo: () => boolean | Promise<boolean>, stepMs = 60_000) =>
    waitUntil(async () => {
      clock.advance(stepMs);
      return await isSo();
    });
  return { ...scene, receiver, clock, node, created, read, pass, id: created.webhookId };
}

describe('a receiver', () => {
  test('that fails gets the same bytes and id again, signed anew', async (t) => {
    const scene = await createScene(t);
    const { receiver } = scene;
    const answers = ['fail', 'reset', 'lost', 'take'] as const;
    receiver.behave = () => answers[Math.min(receiver.all.length, answers.length) - 1] ?? 'take';
    await scene.trade(3);
    await scene.pass(() => receiver.all.length >= 1);
    await scene.trade(2);
    await scene.pass(async () => (await scene.read()).lastDeliveryAt !== null);
    const [first, ...others] = receiver.all.slice(0, 3);
    assert.ok(first);
    for (const { headers, text } of others) {
      assert.equal(text, first.text);
      assert.equal(headers['webhook-id'], first.headers['webhook-id']);
      assert.notEqual(headers['webhook-timestamp'], first.headers['webhook-timestamp']);
      assert.notEqual(headers['webhook-signature'], first.headers['webhook-signature']);
    }
    await scene.pass(() => receiver.listEvents().length === 5);
    const { deliveries } = await scene.node.ask('getWebhookDeliveries', { id: scene.id, limit: 9 });
    const failed = deliveries.filter(({ status }: { status: string }) => status === 'failed');
    assert.ok(failed.length >= 2);
    assert.equal(failed.at(-1).httpStatus, 500);
    // Without the control and direction characters that it had.
    assert.equal(failed.at(-1).answer, 'not  now');
  });

  test('that is gone is disabled at once, and goes on where it was', async (t) => {
    const scene = await createScene(t);
    scene.receiver.behave = () => 'gone';
    await scene.trade(2);
    await scene.pass(async () => (await scene.read()).status === 'disabled');
    assert.match((await scene.read()).disabledReason, /410/);
    assert.equal(scene.receiver.all.length, 1);
    scene.receiver.behave = () => 'take';
    await scene.trade(1);
    await scene.node.ask('updateWebhook', { id: scene.id, status: 'active' });
    await scene.pass(() => scene.receiver.listEvents().length === 3);
    assert.equal((await scene.read()).disabledReason, null);
  });

  test('that fails for 75 hours is disabled with the reason; replay fills the gap', async (t) => {
    const scene = await createScene(t);
    const { receiver, node, id } = scene;
    receiver.behave = () => ({ status: 302 });
    await scene.trade(2);
    await scene.pass(async () => (await scene.read()).status === 'disabled', HOUR / 2);
    const { disabledReason, cursor } = await scene.read();
    assert.match(disabledReason, /failed for \d+ hours.*302/);
    assert.equal(receiver.all.length, 10);
    receiver.behave = () => 'take';
    await scene.trade(1);
    await node.ask('updateWebhook', { id, status: 'active' });
    await scene.pass(() => receiver.listEvents().length === 3);
    receiver.taken.length = 0;
    await node.ask('replayWebhook', { id, fromEventId: cursor });
    await scene.pass(() => receiver.listEvents().length === 3);
    receiver.taken.length = 0;
    await node.ask('replayWebhook', { id, fromTime: 0, to: Number.MAX_SAFE_INTEGER });
    // The scene's first trade is from before there was a webhook.
    await scene.pass(() => receiver.listEvents().length === 4);
    await scene.pass(async () => !(await scene.read()).isReplaying);
    await scene.trade(1);
    await scene.pass(() => receiver.listEvents().length === 5);
    await assert.rejects(() => node.ask('replayWebhook', { id, fromEventId: 'x.1.2.3.4' }), {
      code: 'INVALID_INPUT',
    });
  });

  test('that takes a test delivery gets what waited at once', async (t) => {
    const scene = await createScene(t);
    const { receiver, node, id } = scene;
    receiver.behave = () => 'fail';
    await scene.trade(1);
    await scene.pass(async () => (await scene.read()).nextAttemptAt !== null, 0);
    const refused = await node.ask('testWebhook', { id });
    assert.deepEqual([refused.status, refused.httpStatus, refused.isTest], ['failed', 500, true]);
    receiver.behave = () => 'take';
    assert.equal((await node.ask('testWebhook', { id })).status, 'delivered');
    // The clock stands still.
    await waitUntil(() => receiver.listEvents().length === 1);
  });

  test('of a paused webhook gets what came meanwhile', async (t) => {
    const scene = await createScene(t);
    await scene.node.ask('updateWebhook', { id: scene.id, status: 'paused' });
    await scene.trade(2);
    await scene.pass(() => scene.market.states.current('devnet') !== null);
    assert.equal(scene.receiver.all.length, 0);
    await scene.node.ask('updateWebhook', { id: scene.id, status: 'active' });
    await scene.pass(() => scene.receiver.listEvents().length === 2);
    await scene.node.ask('deleteWebhook', { id: scene.id });
    await assert.rejects(scene.read, { code: 'WEBHOOK_NOT_FOUND' });
  });
});
