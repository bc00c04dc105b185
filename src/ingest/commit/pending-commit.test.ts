// A commit whose outcome was unknown is reported only if it is surely ours.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCheckpoint } from '../../../test/conformance/store-samples.ts';
import { createTestDatabase } from '../../../test/postgres.ts';
import { createPostgresStore } from '../../store/postgres/create-postgres-store.ts';
import { LeaseLostError } from '../../store/store-error.ts';
import { NO_ROWS } from '../state/changed-rows.ts';
import {
  buildCommittedEvent,
  type CommittedEvent,
  PendingCommit,
  TouchedLog,
} from './commit-batch.ts';

test('a commit of unknown outcome is reported while the lease is held, and not after', async (t) => {
  const database = await createTestDatabase();
  const store = await createPostgresStore({ url: database.url });
  t.after(async () => {
    await store.close();
    await database.drop();
  });
  const leases = store.leases ?? assert.fail();
  const wanted = { holder: 'a', lifeMs: 600_000 };
  const lease = (await leases.take('devnet', wanted)) ?? assert.fail();
  const market = store.market.fence(lease);
  const told: CommittedEvent[] = [];
  const pending = new PendingCommit({
    touched: new TouchedLog(),
    onCommitted: (event) => told.push(event),
  });
  const checkpoint = buildCheckpoint(1);
  const event = buildCommittedEvent({
    ...{ chain: 'devnet', epoch: 'e', server: null, previous: null, checkpoint, changes: NO_ROWS },
    ...{ headers: [], fromBlock: 1, blockCount: 1, newsKeptMs: 0 },
    alertStates: { put: [], deleted: [] },
  });
  pending.begin(event);
  await pending.settleRead(market, checkpoint);
  assert.deepEqual(told, [event]);

  pending.begin(event);
  await leases.release(lease);
  await leases.take('devnet', { ...wanted, holder: 'b' });
  await assert.rejects(() => pending.settleRead(market, checkpoint), LeaseLostError);
  await pending.settleRead(market, null);
  assert.equal(told.length, 1, 'the other process may have committed other rows');
});
