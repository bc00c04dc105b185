// Conformance: at most ten active keys under concurrency; idempotency keys; usage.

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { KeyRecord } from '../../src/model/access-record.ts';
import { DEFAULT_KEY_SCOPES } from '../../src/model/key-limits.ts';
import {
  type AccessStore,
  type KeyPosition,
  type OperationUse,
  SESSION_SOURCE,
} from '../../src/store/access-store.ts';
import { readPages } from '../read-pages.ts';
import { walletId } from '../test-ids.ts';
import {
  buildChallenge,
  buildKey,
  buildSession,
  DAY_MS,
  NO_KEY_LIMITS,
  NOW_MS,
} from './access-samples.ts';
import { type CreatePlace, useStore } from './store-place.ts';

const WALLET = walletId('eip155:0xA');
const TEN = { activeMax: 10, idempotency: null };
const HOUR_MS = 3_600_000;

export function describeKeys(createPlace: CreatePlace): void {
  describe('keys', () => {
    const scene = useStore(createPlace);
    beforeEach(async () => {
      for (const table of [
        ...['access_keys', 'access_idempotency', 'access_usage', 'access_operation_usage'],
      ]) {
        await scene.place.run(`DELETE FROM ${table}`);
      }
      const { store } = scene;
      for (const address of ['0xA', '0xB']) {
        const session = buildSession({ wallet: { id: walletId(`eip155:${address}`), address } });
        await store.access.signIn(buildChallenge(), session, { sessionsMax: 5 });
      }
    });
    itIssues(() => scene.store.access);
    itForgets(
      () => scene.store.access,
      (sql) => scene.place.run(sql),
    );
    itKnowsOldKeys(
      () => scene.store.access,
      (sql) => scene.place.run(sql),
    );
    itRepeats(() => scene.store.access);
    itRevokes(() => scene.store.access);
    itLists(() => scene.store.access);
    itCounts(() => scene.store.access);
    itAssignsTiers(() => scene.store.access);
    itCountsOperations(() => scene.store.access);
    itKnowsPeppers(() => scene.store.access);
  });
}

function itIssues(get: () => AccessStore): void {
  it('keeps a key as it was written and finds it by its hash', async () => {
    const key = buildKey({ expiresAtMs: NOW_MS + DAY_MS });
    assert.deepEqual(await get().issueKey(key, TEN), { outcome: 'issued', key });
    assert.deepEqual(await get().findKey(key.hash), key);
    assert.equal(await get().findKey('other'), null);
    assert.deepEqual(await get().readKeysById([key.id, 'key_none']), [key]);
  });

  it('keeps what a key may be used for', async () => {
    const limits = { scopes: ['data', 'quote'], allowedIps: ['10.0.0.0/8', '::/64'], perMinute: 7 };
    const key = buildKey({ limits } as Partial<KeyRecord>);
    await get().issueKey(key, TEN);
    assert.deepEqual((await get().findKey(key.hash))?.limits, limits);
  });

  it('lets exactly ten of two hundred requests at once succeed', async () => {
    const issues = await Promise.all(
      Array.from({ length: 200 }, () => get().issueKey(buildKey(), TEN)),
    );
    const outcomes = issues.map(({ outcome }) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'issued').length, 10);
    assert.equal(outcomes.filter((outcome) => outcome === 'full').length, 190);
    assert.equal(await get().countActiveKeys(WALLET, NOW_MS), 10);
  });

  it('counts active keys only, and each wallet apart', async () => {
    for (let i = 0; i < 9; i += 1) await get().issueKey(buildKey(), TEN);
    const brief = buildKey({ expiresAtMs: NOW_MS + 1000 });
    await get().issueKey(brief, TEN);
    assert.deepEqual(await get().issueKey(buildKey(), TEN), { outcome: 'full' });
    const theirs = buildKey({ walletId: walletId('eip155:0xB') });
    assert.equal((await get().issueKey(theirs, TEN)).outcome, 'issued');
    const later = buildKey({ createdAtMs: NOW_MS + 1000 });
    assert.equal((await get().issueKey(later, TEN)).outcome, 'issued', 'one has expired');
    await get().revokeKey({ walletId: WALLET, id: later.id }, NOW_MS + 2000);
    const last = buildKey({ createdAtMs: NOW_MS + 2000 });
    assert.equal((await get().issueKey(last, TEN)).outcome, 'issued', 'one was revoked');
  });

  it('refuses a wallet that never signed in', async () => {
    await assert.rejects(
      get().issueKey(buildKey({ walletId: walletId('eip155:0xC') }), TEN),
      /never signed in/,
    );
  });

  it('keeps a key under a newer pepper if asked to', async () => {
    const key = buildKey();
    await get().issueKey(key, TEN);
    await get().rehashKey(key.id, { hash: 'newer', version: 2 });
    assert.equal(await get().findKey(key.hash), null);
    assert.deepEqual(await get().findKey('newer'), { ...key, hash: 'newer', pepperVersion: 2 });
  });
}

function itKnowsOldKeys(get: () => AccessStore, run: (sql: string) => Promise<unknown>): void {
  it('lets keys from before there were limits be used as keys are by default', async () => {
    await run(`INSERT INTO access_keys
      (id, wallet_id, name, hash, pepper_version, prefix, last4, created_at_ms)
      VALUES ('key_old', '${WALLET}', 'old', 'old hash', 1, 'mw_live_abcd', 'wxyz', ${NOW_MS})`);
    const limits = { ...NO_KEY_LIMITS, scopes: DEFAULT_KEY_SCOPES };
    assert.deepEqual((await get().findKey('old hash'))?.limits, limits);
  });
}

function itForgets(get: () => AccessStore, run: (sql: string) => Promise<unknown>): void {
  it('forgets the oldest of very many keys that ended', async () => {
    await run(`WITH RECURSIVE numbers (n) AS (
        SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1002
      )
      INSERT INTO access_keys (id, wallet_id, name, hash, pepper_version, prefix, last4,
        created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms)
      SELECT 'key_' || n, '${WALLET}', 'old', 'hash ' || n, 1, 'p', 'l', ${NOW_MS} + n, NULL,
        ${NOW_MS} + n, NULL FROM numbers`);
    await get().issueKey(buildKey({ createdAtMs: NOW_MS + 5000 }), TEN);
    const keys = await get().readKeys(WALLET, { after: null, limit: 2000 });
    assert.equal(keys.length, 101);
    assert.equal(keys.at(-1)?.createdAtMs, NOW_MS + 903);
  });
}

function itRepeats(get: () => AccessStore): void {
  const options = { activeMax: 10, idempotency: { word: 'w', request: 'r' } };

  it('answers a repetition with the first key, also when all come at once', async () => {
    const issues = await Promise.all(
      Array.from({ length: 20 }, () => get().issueKey(buildKey(), options)),
    );
    const issued = issues.filter(({ outcome }) => outcome === 'issued');
    const replayed = issues.filter(({ outcome }) => outcome === 'replayed');
    assert.deepEqual([issued.length, replayed.length], [1, 19]);
    const ids = new Set(issues.map((issue) => ('key' in issue ? issue.key.id : '')));
    assert.equal(ids.size, 1);
  });

  it('detects a conflict by the request, keeps wallets apart, and forgets after a day', async () => {
    const first = buildKey();
    await get().issueKey(first, options);
    const other = { ...options, idempotency: { word: 'w', request: 'another' } };
    assert.deepEqual(await get().issueKey(buildKey(), other), { outcome: 'conflict' });
    const theirs = buildKey({ walletId: walletId('eip155:0xB') });
    assert.equal((await get().issueKey(theirs, options)).outcome, 'issued');
    const nextDay = buildKey({ createdAtMs: NOW_MS + DAY_MS });
    assert.deepEqual(await get().issueKey(nextDay, options), { outcome: 'issued', key: nextDay });
    const again = buildKey({ createdAtMs: NOW_MS + DAY_MS + 1 });
    assert.deepEqual(await get().issueKey(again, options), { outcome: 'replayed', key: nextDay });
  });

  it('answers a repetition even when no key more may be issued', async () => {
    const first = buildKey();
    await get().issueKey(first, options);
    for (let i = 0; i < 9; i += 1) await get().issueKey(buildKey(), TEN);
    assert.deepEqual(await get().issueKey(buildKey(), options), {
      outcome: 'replayed',
      key: first,
    });
  });
}

function itRevokes(get: () => AccessStore): void {
  it('revokes once, for its owner only', async () => {
    const key = buildKey();
    await get().issueKey(key, TEN);
    const id = { walletId: WALLET, id: key.id };
    const theirs = { walletId: walletId('eip155:0xB'), id: key.id };
    assert.deepEqual(await get().revokeKey(theirs, NOW_MS), { outcome: 'notFound' });
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) => get().revokeKey(id, NOW_MS + n)),
    );
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'revoked').length, 1);
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'revokedBefore').length, 9);
    assert.notEqual((await get().findKey(key.hash))?.revokedAtMs, null);
    const none = { walletId: WALLET, id: 'key_none' };
    assert.deepEqual(await get().revokeKey(none, NOW_MS), { outcome: 'notFound' });
  });
}

function itLists(get: () => AccessStore): void {
  it('pages newest first without skipping or repeating while keys arrive', async () => {
    const all = { activeMax: 100, idempotency: null };
    const made: string[] = [];
    // Several in one millisecond: the id breaks the tie.
    for (let i = 0; i < 25; i += 1) {
      const key = buildKey({ createdAtMs: NOW_MS + Math.floor(i / 4) });
      await get().issueKey(key, all);
      made.push(key.id);
    }
    await get().issueKey(buildKey({ walletId: walletId('eip155:0xB') }), all);
    const seen = await readPages(made.length, async (after: KeyPosition | null) => {
      const page = await get().readKeys(WALLET, { after, limit: 4 });
      const rows = page.map((key) => key.id);
      const last = page.at(-1);
      if (last === undefined) return { rows, next: null };
      await get().issueKey(buildKey({ createdAtMs: NOW_MS + 100 }), all);
      return { rows, next: { createdAtMs: last.createdAtMs, id: last.id } };
    });
    assert.deepEqual([...seen].sort(), [...made].sort());
    const times = new Map((await get().readKeysById(seen)).map((key) => [key.id, key.createdAtMs]));
    const order = seen.map((id) => times.get(id) ?? 0);
    assert.deepEqual(
      order,
      [...order].sort((a, b) => b - a),
    );
  });
}

function itCountsOperations(get: () => AccessStore): void {
  const HOUR = 24 * 20_000;
  const use = (fields: Partial<OperationUse> = {}): OperationUse => ({
    ...{ walletId: WALLET, source: 'key_a', hour: HOUR, operation: 'getToken' },
    ...{ requests: 1, costMilli: 1000, limited: 0, errors: 0, ...fields },
  });
  const all = { fromHour: 0, toHour: HOUR * 2, source: null, hoursEach: 1, limit: 100 } as const;

  it('adds up what keys were used for, by hour and operation', async () => {
    await get().addOperationUsage([
      ...[use(), use({ operation: 'getKlines', errors: 1 }), use({ source: SESSION_SOURCE })],
      ...[use({ hour: HOUR + 1, limited: 4, requests: 0, costMilli: 0 })],
      use({ walletId: walletId('eip155:0xB'), requests: 100 }),
    ]);
    await get().addOperationUsage([use({ requests: 2, costMilli: 300, errors: 2 })]);
    assert.deepEqual(await get().readOperationUsage(WALLET, all), [
      use({ operation: 'getKlines', errors: 1 }),
      use({ requests: 3, costMilli: 1300, errors: 2 }),
      use({ source: SESSION_SOURCE }),
      use({ hour: HOUR + 1, limited: 4, requests: 0, costMilli: 0 }),
    ]);
    const hour = { ...all, fromHour: HOUR + 1, toHour: HOUR + 2 };
    assert.equal((await get().readOperationUsage(WALLET, hour)).length, 1);
    const key = { ...all, source: 'key_a' };
    assert.equal((await get().readOperationUsage(WALLET, key)).length, 3);
    assert.equal((await get().readOperationUsage(WALLET, { ...all, limit: 2 })).length, 2);
  });

  it('adds hours up to days', async () => {
    const hours = [0, 23, 24].map((more) => use({ hour: HOUR + more, errors: 1 }));
    await get().addOperationUsage(hours);
    assert.deepEqual(await get().readOperationUsage(WALLET, { ...all, hoursEach: 24 }), [
      use({ requests: 2, costMilli: 2000, errors: 2 }),
      use({ hour: HOUR + 24, errors: 1 }),
    ]);
  });

  it('loses nothing when many nodes write the same row at once, and forgets old rows', async () => {
    // A wallet with a key is kept, and its usage with it.
    await get().issueKey(buildKey(), TEN);
    await Promise.all(Array.from({ length: 40 }, () => get().addOperationUsage([use()])));
    const [row] = await get().readOperationUsage(WALLET, all);
    assert.deepEqual(row, use({ requests: 40, costMilli: 40_000 }));
    await get().sweep((HOUR + 92 * 24 - 1) * HOUR_MS);
    assert.equal((await get().readOperationUsage(WALLET, all)).length, 1);
    await get().sweep((HOUR + 92 * 24) * HOUR_MS);
    assert.equal((await get().readOperationUsage(WALLET, all)).length, 0);
  });
}

function itAssignsTiers(get: () => AccessStore): void {
  it('keeps one tier for a wallet, also of one that never signed in', async () => {
    const other = walletId('solana:B');
    assert.equal(await get().findTier(WALLET), null);
    await get().assignTier(WALLET, 'pro', NOW_MS);
    await get().assignTier(other, 'free', NOW_MS);
    await get().assignTier(WALLET, 'max', NOW_MS + 1);
    assert.equal(await get().findTier(WALLET), 'max');
    assert.deepEqual(await get().readTiers(), [
      { walletId: other, tier: 'free', assignedAtMs: NOW_MS },
      { walletId: WALLET, tier: 'max', assignedAtMs: NOW_MS + 1 },
    ]);
    await get().assignTier(WALLET, null, NOW_MS + 2);
    assert.equal(await get().findTier(WALLET), null);
  });

  it('lists the processes that were seen lately', async () => {
    for (const [id, seenAtMs] of [
      ['a', 10],
      ['b', 20],
      ['a', 30],
      ['c', 5],
    ] as const) {
      await get().reportNode({ id, report: `${id} at ${seenAtMs}`, seenAtMs });
    }
    const seen = async (sinceMs: number) => {
      return (await get().readNodes(sinceMs)).map(({ report }) => report);
    };
    assert.deepEqual(await seen(20), ['a at 30', 'b at 20']);
    await get().removeNode('b', { seenBeforeMs: 10 });
    assert.deepEqual(await seen(0), ['a at 30']);
  });
}

function itCounts(get: () => AccessStore): void {
  it('adds usage up by source over 24 hours and notes the last use', async () => {
    const key = buildKey();
    await get().issueKey(key, TEN);
    const entry = { walletId: WALLET, source: key.id };
    const at = (hoursAgo: number) => NOW_MS - hoursAgo * HOUR_MS;
    await get().addUsage([
      { ...entry, requests: 5, lastUsedAtMs: at(0) },
      { walletId: WALLET, source: SESSION_SOURCE, requests: 2, lastUsedAtMs: at(1) },
      {
        walletId: walletId('eip155:0xB'),
        source: SESSION_SOURCE,
        requests: 9,
        lastUsedAtMs: at(1),
      },
    ]);
    await get().addUsage([{ ...entry, requests: 7, lastUsedAtMs: at(23) }]);
    await get().addUsage([{ ...entry, requests: 100, lastUsedAtMs: at(24) }]);
    const expected = new Map([
      [key.id, 12],
      [SESSION_SOURCE, 2],
    ]);
    assert.deepEqual(await get().readUsage(WALLET, NOW_MS), expected);
    assert.equal((await get().findKey(key.hash))?.lastUsedAtMs, at(0), 'never moved back');
    await get().sweep(NOW_MS);
    assert.deepEqual(await get().readUsage(WALLET, NOW_MS), expected);
    assert.deepEqual(await get().readUsage(WALLET, NOW_MS + 2 * DAY_MS), new Map());
  });

  it('loses no count when processes add at once', async () => {
    const entry = { walletId: WALLET, source: 'key_x', requests: 1, lastUsedAtMs: NOW_MS };
    await Promise.all(Array.from({ length: 50 }, () => get().addUsage([entry])));
    assert.equal((await get().readUsage(WALLET, NOW_MS)).get('key_x'), 50);
  });
}

function itKnowsPeppers(get: () => AccessStore): void {
  it('remembers the marks of peppers and counts the keys under each', async () => {
    assert.deepEqual(await get().readPepperMarks(), []);
    const marks = [
      { version: 1, mark: 'one' },
      { version: 2, mark: 'two' },
    ];
    await get().addPepperMarks(marks);
    assert.deepEqual(await get().readPepperMarks(), marks);
    await assert.rejects(get().addPepperMarks([{ version: 1, mark: 'other' }]));
    await get().issueKey(buildKey(), TEN);
    await get().issueKey(buildKey({ pepperVersion: 2 }), TEN);
    await get().issueKey(buildKey({ pepperVersion: 2, revokedAtMs: NOW_MS }), TEN);
    const counts = await get().countKeysByPepper(NOW_MS);
    assert.deepEqual([...counts].sort(), [
      [1, 1],
      [2, 1],
    ]);
  });
}
