// Alerts that name a webhook: it gets what their owner's stream has, and another webhook nothing.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { HandlerContext } from '../../src/contract/handler.ts';
import type { Identity } from '../../src/contract/identity.ts';
import { createAlert, getAlerts } from '../../src/contract/operations/alert-operations.ts';
import { createInputParser } from '../../src/contract/parse-input.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createAlerts } from '../../src/market/create-alerts.ts';
import { createMarketScene, type Json, type SceneEngine } from '../market-scene.ts';
import { openTestStream, startTestStreams } from '../stream-scene.ts';
import { walletId } from '../test-ids.ts';
import { waitUntil } from '../wait-until.ts';
import { OWNER, startReceiver, startWebhookNode } from './webhook-scene.ts';

const parseNew = createInputParser(createAlert.input, 'json');
const parseList = createInputParser(getAlerts.input, 'text');
const READER = {
  ...OWNER,
  limits: { scopes: new Set(['webhooks']), isAllowedFrom: () => true, perMinute: null },
} as Identity;
const OTHER = walletId('eip155:0x00000000000000000000000000000000000000bb');

async function createScene(t: TestContext, engine: SceneEngine) {
  const cleanups: (() => unknown)[] = [];
  // Last first: a store closes after its users.
  t.after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const late = { after: (work: () => unknown) => cleanups.push(work) };
  const scene = await createMarketScene(late, {
    ...{ engine, seed: 4, finalityDepth: 12, clock: 'steady', blocks: 40 },
  });
  const streams = startTestStreams(scene.market);
  late.after(() => streams.stop());
  const receivers = [await startReceiver(late), await startReceiver(late)] as const;
  const node = startWebhookNode({ ...scene, streams, clock: systemClock });
  late.after(() => node.stop());
  let count = 0;
  const handlers = createAlerts({
    ...{ ...scene.market.parts, webhooks: scene.store.webhooks, clock: systemClock },
    createId: () => {
      count += 1;
      return `al_${count}`;
    },
  });
  const context = { identity: OWNER, requestId: 'test', addressGroup: 'test' } as HandlerContext;
  return {
    ...{ scene, streams, receivers, node },
    createAlert: (webhookId?: string): Promise<Json> =>
      handlers.createAlert(
        parseNew({
          ...{ chain: 'devnet', when: { trade: { valueUsdAbove: '0' } } },
          ...(webhookId === undefined ? {} : { webhookId }),
        }) as Parameters<typeof handlers.createAlert>[0],
        context,
      ),
    listAlerts: (): Promise<Json> =>
      handlers.getAlerts(parseList({}) as Parameters<typeof handlers.getAlerts>[0], context),
  };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`alerts by webhook on ${engine}`, () => {
    test('come in the order of the stream, and are taken back as there', async (t) => {
      const { scene, streams, receivers, node, ...alerts } = await createScene(t, engine);
      const [receiver, another] = receivers;
      const events = ['alert', 'pool'];
      const { webhookId, chains } = await node.ask('createWebhook', { url: receiver.url, events });
      assert.deepEqual(chains, ['devnet']);
      // It has the event as well, but no alert names it.
      await node.ask('createWebhook', { url: another.url, events: ['alert'] });
      assert.equal((await alerts.createAlert(webhookId)).webhookId, webhookId);
      assert.equal((await alerts.createAlert()).webhookId, null);
      const query = { chain: 'devnet', mint: '*', events: 'alert,pool' };
      const stream = await openTestStream(streams, query, { identity: READER });
      await waitUntil(() => stream.events.length > 0);
      const streamed = () =>
        stream.events.filter(
          ({ event, data }) =>
            event === 'pool' || (event.startsWith('alert') && data.webhookId === webhookId),
        );
      const seen = () => receiver.listEvents();
      const told = () => streamed().filter(({ event }) => event === 'alert');
      const after = { version: (await scene.store.market.readCheckpoint('devnet'))!.version };
      const readStored = async () =>
        (
          await scene.store.market.readNewsAfter('devnet', {
            ...{ after: { ...after, index: Number.MAX_SAFE_INTEGER }, limit: 10_000 },
          })
        ).filter((one) => one.kind === 'pool' || (one.kind === 'alert' && one.firing.webhook));
      for (let round = 0; told().length < 4; round += 1) {
        assert.ok(round < 200);
        scene.chain.extend(2);
        await scene.settle();
        // Both have all of it: who has not is not told either that it was taken back.
        const { length } = await readStored();
        await waitUntil(() => streamed().length === length && seen().length === length);
      }
      assert.ok(
        scene.chain.reorganise(scene.chain.head.position - told().at(-1)!.data.block + 1, 6),
      );
      await scene.settle();
      const isReverted = ({ type }: { type: string }) => type === 'alert.reverted';
      await waitUntil(() => receiver.listEvents().some(isReverted));
      await waitUntil(() => seen().length === streamed().length);
      assert.deepEqual(
        seen().map(({ type, data }) => ({ type, data })),
        streamed().map(({ event: type, data }) => ({ type, data })),
      );
      assert.ok(seen().every(({ id }) => id !== null));
      assert.equal(another.all.length, 0);
      assert.deepEqual(node.errors, []);
      // A deleted webhook takes no alert with it.
      await node.ask('deleteWebhook', { id: webhookId });
      const { alerts: listed } = await alerts.listAlerts();
      assert.deepEqual(
        listed.map((one: Json) => [one.alertId, one.webhookId, one.status]),
        [
          ['al_2', null, 'active'],
          ['al_1', null, 'active'],
        ],
      );
    });
  });
}

test("an alert may only name its owner's webhook, one that has alerts of its chain", async (t) => {
  const { receivers, node, ...alerts } = await createScene(t, 'sqlite');
  const { url } = receivers[0];
  const refuses = (webhookId: string, message: RegExp) =>
    assert.rejects(
      () => alerts.createAlert(webhookId),
      ({ errors }: { errors?: readonly { path: string; message: string }[] }) =>
        errors?.[0]?.path === 'webhookId' && message.test(errors[0].message),
    );
  await refuses('wh_nobody', /not one of your webhooks/);
  const stranger = { ...OWNER, key: OTHER, walletId: OTHER } as typeof OWNER;
  const theirs = await node.ask('createWebhook', { url, events: ['alert'] }, stranger);
  await refuses(theirs.webhookId, /not one of your webhooks/);
  const input = { url, events: ['pool'], chains: ['devnet'] };
  const { webhookId: id } = await node.ask('createWebhook', input);
  await refuses(id, /does not have the event alert of devnet/);
  await node.ask('updateWebhook', { id, events: ['alert'] });
  assert.equal((await alerts.createAlert(id)).webhookId, id);
});
