// Reads from a real hot standby of PostgreSQL: paused, lost and back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { LocalFeed } from '../../src/live/local-feed.ts';
import { readAt } from '../../src/market/read-at.ts';
import { ChainStates } from '../../src/market/state/chain-states.ts';
import { StandbyReads } from '../../src/market/state/standby-reads.ts';
import { createPostgresStore } from '../../src/store/postgres/create-postgres-store.ts';
import { createAccessClient } from '../access-client.ts';
import { buildCheckpoint } from '../conformance/store-samples.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { type PostgresServer, startPostgresPair } from '../postgres.ts';
import { after, before } from '../root-hooks.ts';
import { createSolanaWallet } from '../wallets.ts';
import {
  type ClusterNode,
  createClusterScene,
  readJson,
  readMetric,
  untilSo,
  untilThere,
} from './cluster-scene.ts';

let pair: Awaited<ReturnType<typeof startPostgresPair>>;
let standby: PostgresServer;

before(async () => {
  pair = await startPostgresPair();
  standby = await pair.startStandby();
});

after(() => pair.stop());

async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

/** A database on both servers. */
async function createDatabase(name: string): Promise<{ url: string; standbyUrl: string }> {
  const sql = `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`;
  await query(pair.primary.url, sql);
  // A test that failed may have left it paused.
  await resumeReplay();
  const [url, standbyUrl] = [pair.primary.url, pair.standbyUrl].map((server) => {
    const { href } = Object.assign(new URL(server), { pathname: `/${name}` });
    return href;
  });
  if (url === undefined || standbyUrl === undefined) throw new Error('no servers');
  await untilReplayed();
  return { url, standbyUrl };
}

async function untilReplayed(): Promise<void> {
  const [[written] = []] = await query(pair.primary.url, 'SELECT pg_current_wal_lsn()::text');
  await untilSo('replayed', async () => {
    const sql = `SELECT pg_last_wal_replay_lsn() >= '${written}'::pg_lsn`;
    return (await query(pair.standbyUrl, sql))[0]?.[0] === true;
  });
}

const pauseReplay = () => query(pair.standbyUrl, 'SELECT pg_wal_replay_pause()');
const resumeReplay = () => query(pair.standbyUrl, 'SELECT pg_wal_replay_resume()');

/** Reads tokens in turn, so that few answers are from memory; notes each answer's block. */
function createReader(node: ClusterNode) {
  const mints = FAKE_TOKENS.map(showTestAddress);
  let [turn, last] = [0, 0];
  return async () => {
    turn += 1;
    const path = `token/trades?chain=devnet&mint=${mints[turn % mints.length]}&limit=${1 + (turn % 90)}`;
    const { status, json } = await readJson(node, path);
    // Some of the tokens have no trades yet and are not known.
    if (status === 404) return last;
    assert.equal(status, 200, JSON.stringify(json));
    assert.ok(json.asOf.block >= last, `${json.asOf.block} after ${last}`);
    last = json.asOf.block;
    return last;
  };
}

/** Until a figure of the node is above a number, while it is read. */
async function untilAbove(
  node: ClusterNode,
  { name, least }: { readonly name: string; readonly least: number },
  read: () => Promise<number>,
): Promise<number> {
  let value = 0;
  await untilSo(`${name} above ${least}`, async () => {
    await read();
    value = (await readMetric(node, name)) ?? 0;
    return value > least;
  }, [node]);
  return value;
}

test('a node reads from the standby, never behind what it told, also while that is lost', async (t) => {
  const { url, standbyUrl } = await createDatabase('serving');
  const { chain, startNode } = await createClusterScene(t, {
    ...{ seed: 9, blocks: 40, databaseUrl: url },
  });
  const node = await startNode({ LEASE_SECONDS: '300', DATABASE_READ_URL: standbyUrl });
  await untilThere(chain, node);
  const read = createReader(node);
  await untilAbove(node, { name: 'mintwire_standby_reads', least: 20 }, read);

  // While replay is paused, the primary answers, and what was told stays told.
  await pauseReplay();
  chain.extend(3);
  await untilThere(chain, node);
  const usedBefore = (await readMetric(node, 'mintwire_standby_reads')) ?? 0;
  await untilAbove(node, { name: 'mintwire_standby_behind', least: 3 }, async () => {
    const block = await read();
    assert.equal(block, chain.head.position);
    return block;
  });
  assert.equal(await readMetric(node, 'mintwire_standby_reads'), usedBefore);
  // Access never asks the standby: it does not know this wallet, session or key.
  const access = createAccessClient(node.origin);
  const { token } = await access.signIn(createSolanaWallet());
  const { key } = await access.issueKey(token);
  assert.equal((await access.send('GET', '/entitlements', { bearer: key })).status, 200);
  await resumeReplay();
  await untilAbove(node, { name: 'mintwire_standby_reads', least: usedBefore }, read);

  // Without the standby nothing fails; a new one is used by itself.
  await standby.stop();
  await untilSo('lost', async () => {
    await read();
    return (await readMetric(node, 'mintwire_standby_up')) === 0;
  }, [node]);
  chain.extend(2);
  await untilThere(chain, node);
  assert.equal(await read(), chain.head.position);
  const usedUntilLost = (await readMetric(node, 'mintwire_standby_reads')) ?? 0;
  standby = await pair.startStandby();
  await untilAbove(node, { name: 'mintwire_standby_reads', least: usedUntilLost }, read);
});

test('a standby that has not replayed a new index, or an answer ahead of the feed, is not read', async (t) => {
  const { url, standbyUrl } = await createDatabase('rebuilding');
  const store = await createPostgresStore({ url, standbyUrl });
  t.after(() => store.close());
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const feed = new LocalFeed({ onError });
  const listChains = () => ['devnet' as const];
  const states = new ChainStates({ reader: store.market, feed, clock, listChains, onError });
  const commit = (version: number) =>
    store.market.transaction('devnet', (one) => one.setCheckpoint(buildCheckpoint(version)));
  const reads = new StandbyReads({ standby: store.standby ?? assert.fail(), states, clock });
  const readVersion = async () => {
    clock.advance(1000);
    const places = { store: store.market, standby: reads };
    return (await readAt(places, 'devnet', async () => 'value')).checkpoint?.version;
  };
  for (const version of [1, 2, 3]) await commit(version);
  await states.poll();
  await untilReplayed();
  await untilSo('up', () => reads.isUp);
  assert.equal(await readVersion(), 3);
  assert.equal(reads.counts.used, 1);

  // The feed has not told of version 4, but an answer has: the standby, at 3, is not read.
  await pauseReplay();
  await commit(4);
  reads.noteAnnounced('devnet', buildCheckpoint(4));
  assert.equal(await readVersion(), 4);
  // Nor after the index was deleted: its versions were higher.
  await store.market.forgetChain('devnet');
  await commit(1);
  await states.poll();
  assert.equal(await readVersion(), 1);
  assert.deepEqual([reads.counts.used, reads.counts.behind], [1, 2]);
  await resumeReplay();
  await untilReplayed();
  assert.equal(await readVersion(), 1);
  assert.equal(reads.counts.used, 2);
  assert.deepEqual(errors, []);
});
