// Leases on a real PostgreSQL: one holder, and nobody writes under a lease that was taken over.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import type { ChainLease, LeaseStore } from '../../src/store/feed-store.ts';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import { findPostgresFault } from '../../src/store/postgres/find-postgres-fault.ts';
import { BEGIN_SNAPSHOT, PostgresPool } from '../../src/store/postgres/postgres-pool.ts';
import type { Store } from '../../src/store/store.ts';
import { LeaseLostError } from '../../src/store/store-error.ts';
import type { SqlStatement } from '../../src/store/table.ts';
import { buildCheckpoint } from '../conformance/store-samples.ts';
import { createTestDatabase } from '../postgres.ts';
import { after, before } from '../root-hooks.ts';

/** Never over by itself during a test. */
const LONG_MS = 600_000;

const SHOW_LIMIT: SqlStatement = {
  sql: 'SHOW idle_in_transaction_session_timeout',
  takes: [],
  gives: ['text'],
};

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let leases: LeaseStore;
let admin: Client;

before(async () => {
  database = await createTestDatabase();
  store = await createPostgresStore({ url: database.url });
  leases = store.leases ?? assert.fail();
  admin = new Client({ connectionString: database.url });
  await admin.connect();
});

after(async () => {
  await admin.end();
  await store.close();
  await database.drop();
});

type Chain = ChainLease['chain'];

function take(chain: Chain, holder: string, lifeMs = LONG_MS): Promise<ChainLease | null> {
  return leases.take(chain, { holder, lifeMs });
}

async function hold(chain: Chain, holder: string): Promise<ChainLease> {
  return (await take(chain, holder)) ?? assert.fail(`${holder} did not get ${chain}`);
}

/** Its time is over. */
async function expire(chain: Chain): Promise<void> {
  const sql = 'UPDATE chain_leases SET expires_at = clock_timestamp() WHERE chain = $1';
  await admin.query(sql, [chain]);
}

describe('a lease', () => {
  it('has one holder; of many that try at once one gets it', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `node ${index}`);
    const taken = await Promise.all(names.map((name) => take('base', name)));
    assert.equal(taken.filter((lease) => lease !== null).length, 1);
    assert.equal(await take('base', 'late'), null);
    assert.notEqual(await take('ethereum', 'late'), null, 'each chain has its own');
  });

  it('is taken over with a higher token when it is over, and then cannot be renewed', async () => {
    const first = await hold('arbitrum', 'a');
    await expire('arbitrum');
    const second = await hold('arbitrum', 'b');
    assert.ok(second.token > first.token);
    const renewal = { lifeMs: LONG_MS, report: 'mine' };
    assert.equal(await leases.renew(first, renewal), false);
    assert.equal(await leases.renew(second, renewal), true);
    await leases.release(first);
    assert.equal(await take('arbitrum', 'c'), null, 'only its holder can release it');
  });

  it('is lost to another holder also where its token was given again, by a standby that lacks the last take', async () => {
    const first = await hold('solana', 'a');
    await expire('solana');
    await admin.query("UPDATE chain_leases SET token = token - 1 WHERE chain = 'solana'");
    const second = await hold('solana', 'b');
    assert.equal(second.token, first.token);
    const renewal = { lifeMs: LONG_MS, report: '' };
    assert.equal(await leases.renew(first, renewal), false);
    assert.equal(await leases.renew(second, renewal), true);
    const market = store.market.fence(first);
    await assert.rejects(() => market.transaction('solana', async () => undefined), LeaseLostError);
    await leases.release(first);
    assert.equal(await take('solana', 'c'), null);
    await leases.release(second);
  });

  it('that is over and was not taken is renewed', async () => {
    const lease = await hold('optimism', 'a');
    await expire('optimism');
    assert.equal(await leases.renew(lease, { lifeMs: LONG_MS, report: 'still here' }), true);
    assert.equal(await take('optimism', 'b'), null);
    await leases.release(lease);
    assert.notEqual(await take('optimism', 'b'), null);
  });

  it('shows every process who holds it and what it reported', async () => {
    const lease = await hold('polygon', 'a');
    const find = async () => (await leases.list()).find(({ chain }) => chain === 'polygon');
    assert.deepEqual([(await find())?.holder, (await find())?.report], ['a', null]);
    await leases.renew(lease, { lifeMs: LONG_MS, report: '{"at":1}' });
    const seen = await find();
    assert.equal(seen?.report, '{"at":1}');
    assert.equal(seen?.isFree, false);
    await admin.query("UPDATE chain_leases SET reported_at = reported_at - interval '1 hour'");
    assert.ok(((await find())?.reportAgeMs ?? 0) >= 3_600_000, 'by the clock of the database');
  });
});

describe('a transaction under a lease', () => {
  it('is refused once another has taken it, whatever it does', async () => {
    const first = store.market.fence(await hold('devnet', 'a'));
    await first.transaction('devnet', (one) => one.setCheckpoint(buildCheckpoint(1)));
    await expire('devnet');
    const second = store.market.fence(await hold('devnet', 'b'));
    for (const write of [
      () => first.transaction('devnet', (one) => one.setCheckpoint(buildCheckpoint(2))),
      () => first.transaction('devnet', (one) => one.putHeaders([])),
      () => first.forgetChain('devnet'),
    ]) {
      await assert.rejects(write, LeaseLostError);
    }
    assert.equal((await store.market.readCheckpoint('devnet'))?.version, 1);
    await second.transaction('devnet', (one) => one.setCheckpoint(buildCheckpoint(2)));
    assert.equal((await store.market.readCheckpoint('devnet'))?.version, 2);
  });

  it('ends before another can take it, who is told at once, and renewals go on', async () => {
    const lease = await hold('bsc', 'a');
    const market = store.market.fence(lease);
    const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const committing = market.transaction('bsc', async (one) => {
      await one.setCheckpoint(buildCheckpoint(1));
      started.resolve();
      await finish.promise;
    });
    await started.promise;
    // The check runs beside the work; a renewal passes it by.
    assert.equal(await leases.renew(lease, { lifeMs: LONG_MS, report: '' }), true);
    await expire('bsc');
    const other = await createPostgresStore({ url: database.url });
    try {
      const theirs = other.leases ?? assert.fail();
      const wanted = { holder: 'b', lifeMs: LONG_MS };
      const held = (await theirs.take('solana', wanted)) ?? assert.fail();
      const [taken, isRenewed] = await Promise.all([
        theirs.take('bsc', wanted),
        theirs.renew(held, { lifeMs: LONG_MS, report: '' }),
      ]);
      assert.deepEqual([taken, isRenewed], [null, true]);
      finish.resolve();
      await committing;
      assert.notEqual(await theirs.take('bsc', wanted), null);
      assert.equal((await other.market.readCheckpoint('bsc'))?.version, 1);
    } finally {
      finish.resolve();
      await other.close();
    }
  });

  it('is ended by the server if its process is suspended in it; a snapshot is not', async () => {
    const pool = new PostgresPool({ url: database.url, poolSize: 1 });
    const readLimit = async (begin: string) => {
      const [row] = await pool.transaction(begin, (session) => session.query(SHOW_LIMIT, []));
      return row?.[0];
    };
    try {
      const limits = [await readLimit('BEGIN'), await readLimit(BEGIN_SNAPSHOT)];
      assert.deepEqual([...limits, await readLimit('BEGIN')], ['10s', '0', '10s']);
    } finally {
      await pool.close();
    }
    const timeouts = { statementMs: LONG_MS, queryMs: LONG_MS, idleMs: 50 };
    const brief = new PostgresPool({ url: database.url, poolSize: 1 }, timeouts);
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 500));
    try {
      const error = await brief.transaction('BEGIN', pause).catch((caught) => caught);
      assert.equal(findPostgresFault(error), 'unreachable', String(error));
      await brief.transaction(BEGIN_SNAPSHOT, pause);
    } finally {
      await brief.close();
    }
  });
});
