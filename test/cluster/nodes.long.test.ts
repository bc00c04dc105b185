// Processes of the service that share a PostgreSQL: one indexes, all serve the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { assertVerified } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import { dropFinality } from '../stream-fold.ts';
import {
  type ClusterNode,
  createClusterScene,
  readJson,
  readMetric,
  untilOneIndexes,
  untilSo,
  untilThere,
} from './cluster-scene.ts';
import { startHoppingReader } from './hopping-reader.ts';

async function findBusyMint(node: ClusterNode): Promise<string> {
  const counts = await Promise.all(
    FAKE_TOKENS.map(showTestAddress).map(async (mint) => {
      const { status, json } = await readJson(node, `token/trades?chain=devnet&mint=${mint}`);
      return { mint, count: status === 200 ? (json.trades as Json[]).length : 0 };
    }),
  );
  counts.sort((a, b) => b.count - a.count);
  return counts[0]?.mint ?? assert.fail();
}

async function readTrades(node: ClusterNode, mint: string): Promise<Json[]> {
  const { json } = await readJson(node, `token/trades?chain=devnet&mint=${mint}&limit=100`);
  return json.trades;
}

test('of two nodes one asks the chain and writes, and both serve every block', async (t) => {
  const { chain, startNode } = await createClusterScene(t, { seed: 5, blocks: 40 });
  // However slow the machine, the holder keeps its lease.
  const env = { LEASE_SECONDS: '300' };
  const nodes = await Promise.all([startNode(env), startNode(env)]);
  for (const node of nodes) await untilThere(chain, node);
  const holder = await untilOneIndexes(nodes);
  const other = nodes.find((node) => node !== holder) ?? assert.fail();
  const mint = await findBusyMint(holder);
  for (let round = 0; round < 6; round += 1) {
    if (round % 4 === 3) chain.reorganise(3, 3);
    chain.extend(2);
    for (const node of nodes) await untilThere(chain, node);
    const [here, there] = await Promise.all(nodes.map((node) => readTrades(node, mint)));
    assert.deepEqual(here, there);
  }
  await untilSo('many requests', () => holder.requests() >= 80);
  assert.ok(other.requests() <= holder.requests() / 10, `${other.requests()}`);
  for (const node of nodes) assert.doesNotMatch(node.output(), /indexing failed|Another indexer/);
  assert.equal(await readMetric(other, 'mintwire_feed_reloads'), 0);
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  await assertVerified(holder.env);
});

test('an API node never indexes, and tells its lag when the indexer is gone', async (t) => {
  const { chain, startNode } = await createClusterScene(t, { seed: 6, blocks: 20 });
  const api = await startNode({ ROLE: 'api' });
  assert.equal((await readJson(api, 'ready')).status, 503);
  const indexer = await startNode({ ROLE: 'indexer', INDEX_CHAINS: 'devnet' });
  await untilThere(chain, api);
  assert.equal(api.requests(), 0);
  assert.equal(await untilOneIndexes([api, indexer]), indexer);
  assert.equal((await readJson(indexer, 'ready')).status, 200);
  assert.equal((await readJson(indexer, 'chains')).status, 404, 'it serves no data');
  assert.ok((await readTrades(api, await findBusyMint(api))).length > 0);
  const readLag = async () => (await readJson(api, 'chains')).json.chains[0].lagMs as number;
  assert.equal(await readLag(), 0);
  await indexer.kill('SIGKILL');
  await untilSo('it tells its lag', async () => (await readLag()) > 3000, [api]);
});

test('a holder that is killed, or suspended, is replaced; streams that hop miss nothing', async (t) => {
  const { chain, startNode } = await createClusterScene(t, { seed: 7, blocks: 40 });
  let nodes: ClusterNode[] = await Promise.all([startNode(), startNode()]);
  for (const node of nodes) await untilThere(chain, node);
  const mint = await findBusyMint(nodes[0] ?? assert.fail());
  const reader = startHoppingReader(() => nodes, `chain=devnet&mint=${mint}&interval=5s`);
  t.after(() => reader.stop());
  await untilSo('a snapshot', () => reader.fold.trades.size > 0);
  const since = Math.max(...Array.from(reader.fold.trades.values(), ({ block }) => block));
  for (let round = 0; round < 2; round += 1) {
    const holder = await untilOneIndexes(nodes);
    chain.extend(2);
    await holder.kill('SIGKILL');
    nodes = nodes.filter((node) => node !== holder);
    chain.extend(2);
    await untilThere(chain, nodes[0] ?? assert.fail());
    nodes = [...nodes, await startNode()];
    if (round === 0) chain.reorganise(3, 3);
  }
  const suspended = await untilOneIndexes(nodes);
  const awake = nodes.find((node) => node !== suspended) ?? assert.fail();
  suspended.suspend(true);
  chain.extend(3);
  await untilThere(chain, awake);
  suspended.suspend(false);
  chain.extend(2);
  for (const node of nodes) await untilThere(chain, node);
  await untilOneIndexes(nodes);
  await untilSo('the stream has every trade', async () => {
    const trades = (await readTrades(awake, mint)).filter(({ block }) => block > since);
    const told = [...reader.fold.trades.values()].filter(({ block }) => block > since);
    return trades.length > 5 && isDeepStrictEqual(dropFinality(told), dropFinality(trades));
  });
  assert.deepEqual(reader.fold.problems, []);
  assert.ok(reader.hops() > 2);
  await reader.stop();
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  await assertVerified(awake.env);
});
