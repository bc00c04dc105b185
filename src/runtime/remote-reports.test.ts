// What a process tells about a chain that another indexes, on a real store: the truth, however old.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { createTestDatabase } from '../../test/postgres.ts';
import { createPostgresStore } from '../store/postgres/create-postgres-store.ts';
import type { ChainReport } from './indexer-message.ts';
import { encodeSharedReport, RemoteReports } from './shared-report.ts';

const LIFE_MS = 600_000;

function buildReport(clock: ManualClock, head: number | null): ChainReport {
  const block = head === null ? null : 9;
  return {
    status: {
      ...{ chain: 'base', state: 'following', head, block, finalized: block, lagMs: 40 },
      ...{ lastProgressAtMs: 0, currentAtMs: clock.monotonicMs() - 7, error: 'https://secret' },
    },
    ...{ problems: [], blocksTotal: 1, tradesTotal: 1, reorganisationsTotal: 0 },
    swapsUnclaimed: 0,
    undecoded: [],
    ...{ rpcRequests: 5, rpcFailures: 0, usage: [], limitations: ['no logs'], slowed: null },
    ...{ adoption: null, backfill: { waiting: 1, done: 2, failed: 0, calls: 9 }, lookups: null },
    endpoints: [{ name: 'node.example#0', state: 'healthy', latencyMs: 12, failures: 1 }],
    lastError: null,
  };
}

test('a report holds for seconds; then the lag grows, and the chain counts as abandoned', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const store = await createPostgresStore({ url: database.url });
  t.after(() => store.close());
  const leases = store.leases ?? assert.fail();
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const reports = new RemoteReports({ leases, clock, onError: (error) => errors.push(error) });
  t.after(() => reports.stop());
  assert.equal(reports.find('base'), undefined);
  const lease = await leases.take('base', { holder: 'other', lifeMs: LIFE_MS });
  const renew = (head: number | null) => {
    const report = encodeSharedReport(buildReport(clock, head), clock);
    assert.doesNotMatch(report, /secret/);
    return leases.renew(lease ?? assert.fail(), { lifeMs: LIFE_MS, report });
  };
  await renew(9);
  await reports.poll();
  const seen = reports.find('base');
  assert.deepEqual([seen?.status.block, seen?.status.lagMs, seen?.isAbandoned], [9, 40, undefined]);
  assert.deepEqual(seen?.limitations, ['no logs']);
  assert.equal(seen?.adoption, null, 'whether pools are adopted is known everywhere');
  const currentAtMs = seen?.status.currentAtMs ?? assert.fail();
  assert.ok(currentAtMs <= clock.monotonicMs() - 7, 'not newer than it was');
  clock.advance(10_000);
  const later = reports.find('base');
  assert.ok((later?.status.lagMs ?? 0) >= 10_040);
  assert.equal(later?.isAbandoned, false);
  // The next holder starts: what is known stays.
  await renew(null);
  await reports.poll();
  assert.equal(reports.find('base')?.status.block, 9);
  clock.advance(10_000);
  assert.equal(reports.find('base')?.isAbandoned, true);
  await renew(12);
  await reports.poll();
  assert.deepEqual(reports.find('base')?.status.lagMs, 40);
  assert.deepEqual(errors, []);
});
