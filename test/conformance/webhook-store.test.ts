// What a store must do for webhooks, on both engines.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebhookDelivery, WebhookRecord } from '../../src/model/webhook.ts';
import type { WebhookStore } from '../../src/store/webhook-store.ts';
import { walletId } from '../test-ids.ts';
import { createPostgresPlace, createSqlitePlace } from './store-place.ts';

const OWNER = walletId('eip155:0x01');

function buildRecord(id: string, more: Partial<WebhookRecord> = {}): WebhookRecord {
  return {
    ...{ id, walletId: OWNER, secrets: 'sealed', publicKey: 'whpk_', rotatedUntilMs: null },
    settings: {
      ...{ url: 'https://hook.example.com/', events: ['alert'], tokens: [], chains: ['devnet'] },
      ...{ wallets: [], finality: 'head', batch: { maxEvents: 100, maxMs: 0 } },
    },
    ...{ status: 'active', disabledReason: null, revision: 1, createdAtMs: 5, updatedAtMs: 5 },
    progress: {
      ...{ step: 0, cursor: { tokens: {}, news: {} }, isPending: false, replay: null, failures: 0 },
      ...{ failingSinceMs: null, nextAttemptAtMs: null, lastError: null, lastSuccessAtMs: null },
    },
    ...more,
  };
}

function buildDelivery(id: string, atMs: number, more: Partial<WebhookDelivery> = {}) {
  return {
    ...{ webhookId: 'wh_1', id, atMs, eventId: 'e', status: 'delivered' as const, isTest: false },
    ...{ attempt: 1, events: 2, tookMs: 3, httpStatus: 204, answer: null, error: null },
    ...more,
  };
}

for (const [name, createPlace] of [
  ['SQLite', createSqlitePlace],
  ['PostgreSQL', createPostgresPlace],
] as const) {
  describe(`webhooks on ${name}`, () => {
    async function withStore(work: (store: WebhookStore) => Promise<void>): Promise<void> {
      const place = await createPlace();
      const store = await place.open();
      try {
        await work(store.webhooks);
      } finally {
        await store.close();
        await place.remove();
      }
    }

    test('what was created is found as it was, by id and by wallet', () =>
      withStore(async (store) => {
        const record = buildRecord('wh_1', { rotatedUntilMs: 9, disabledReason: 'a\u2028b' });
        assert.ok(await store.create(record, 2));
        assert.ok(await store.create(buildRecord('wh_2', { createdAtMs: 6 }), 2));
        assert.equal(await store.create(buildRecord('wh_3'), 2), false);
        assert.deepEqual(await store.find('wh_1'), record);
        assert.equal(await store.find('wh_3'), null);
        const listed = (await store.list(OWNER)).map(({ id }) => id);
        assert.deepEqual(listed, ['wh_2', 'wh_1']);
        assert.deepEqual(await store.list(walletId('eip155:0x02')), []);
        await store.delete('wh_1');
        assert.deepEqual(await store.listRevisions(), [{ id: 'wh_2', revision: 1 }]);
      }));

    test('a change of the owner needs the revision before, a step the step before', () =>
      withStore(async (store) => {
        const record = buildRecord('wh_1');
        await store.create(record, 1);
        const changed = { ...record, status: 'paused' as const, revision: 2 };
        assert.equal(await store.saveSettings({ ...changed, revision: 3 }), false);
        assert.ok(await store.saveSettings(changed));
        assert.equal(await store.saveSettings(changed), false);
        const pending = { id: 'e', body: '{}', events: 1, cursor: { tokens: {}, news: {} } };
        const progress = { ...record.progress, step: 1, isPending: true };
        const none = { delivery: null, disabledReason: null };
        const steps = [
          { id: 'wh_1', progress, pending, ...none, delivery: buildDelivery('d', 7) },
          { id: 'wh_none', progress, pending: undefined, ...none },
        ];
        assert.deepEqual(await store.saveSteps(steps), new Set(['wh_1']));
        // Who has not seen the step before writes nothing, not even the delivery.
        const stale = { ...steps[0]!, delivery: buildDelivery('late', 8), pending: null };
        assert.deepEqual(await store.saveSteps([stale]), new Set());
        assert.deepEqual(await store.readPending('wh_1'), pending);
        // Neither write undoes the other.
        assert.deepEqual(await store.find('wh_1'), { ...changed, progress });
        const page = { status: null, after: null, limit: 10 };
        assert.equal((await store.readDeliveries('wh_1', page)).length, 1);
        await store.saveSteps([
          { id: 'wh_1', progress: { ...progress, step: 2 }, pending: null, ...none },
        ]);
        assert.equal(await store.readPending('wh_1'), null);
      }));

    test('only an active one is disabled, with a reason and a revision', () =>
      withStore(async (store) => {
        const record = buildRecord('wh_1');
        await store.create(record, 1);
        const disable = (step: number, disabledReason: string) => {
          const progress = { ...record.progress, step };
          const of = { pending: undefined, delivery: null };
          return store.saveSteps([{ id: 'wh_1', progress, ...of, disabledReason }]);
        };
        await disable(1, 'gone');
        await disable(2, 'again');
        const found = await store.find('wh_1');
        assert.deepEqual(
          [found?.status, found?.disabledReason, found?.revision],
          ['disabled', 'gone', 2],
        );
      }));

    test('deliveries are paged from the newest, by status, and the oldest are deleted', () =>
      withStore(async (store) => {
        const failed = { status: 'failed', answer: 'no\u0000t', httpStatus: 500 } as const;
        const all = [
          buildDelivery('a', 1, failed),
          buildDelivery('a', 2),
          buildDelivery('b', 2, failed),
          buildDelivery('a', 3),
        ];
        for (const one of all) await store.addDelivery(one);
        const read = async (
          status: WebhookDelivery['status'] | null,
          after: { atMs: number; id: string } | null,
        ) =>
          (await store.readDeliveries('wh_1', { status, after, limit: 2 })).map(
            ({ atMs, id }) => `${atMs}${id}`,
          );
        assert.deepEqual(await read(null, null), ['3a', '2b']);
        assert.deepEqual(await read(null, { atMs: 2, id: 'b' }), ['2a', '1a']);
        assert.deepEqual(await read('failed', null), ['2b', '1a']);
        await store.pruneDeliveries('wh_1', 2);
        assert.ok(!(await read(null, { atMs: 2, id: 'a' })).includes('1a'));
      }));
  });
}
