// Kills the process that indexes, again and again, among several on one PostgreSQL, under load.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type ClusterNode,
  createClusterScene,
  readJson,
  readMetric,
  untilOneIndexes,
  untilSo,
  untilThere,
} from '../cluster/cluster-scene.ts';
import { startHoppingReader } from '../cluster/hopping-reader.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { assertVerified } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import type { Cleanup } from '../start-service-process.ts';
import { dropFinality } from '../stream-fold.ts';
import { startReadLoad } from './read-load.ts';

/** The goal for new blocks on the others after a kill. */
const TAKEOVER_MAX_MS = 5000;

async function readTrades(node: ClusterNode, mint: string): Promise<Json[]> {
  const { json } = await readJson(node, `token/trades?chain=devnet&mint=${mint}&limit=100`);
  return json.trades;
}

export async function drillNodes(
  t: Cleanup,
  options: { readonly kills: number; readonly log: (line: string) => void },
): Promise<string> {
  const { chain, startNode } = await createClusterScene(t, { seed: 11, blocks: 60 });
  let nodes: ClusterNode[] = await Promise.all([startNode(), startNode(), startNode()]);
  for (const node of nodes) await untilThere(chain, node);
  const mint = showTestAddress(FAKE_TOKENS[0] ?? assert.fail());
  const reader = startHoppingReader(() => nodes, `chain=devnet&mint=${mint}&interval=5s`);
  const load = startReadLoad(() => nodes);
  const takeoversMs: number[] = [];
  for (let killed = 1; killed <= options.kills; killed += 1) {
    const holder = await untilOneIndexes(nodes);
    chain.extend(1);
    await holder.kill('SIGKILL');
    const startedMs = performance.now();
    nodes = nodes.filter((node) => node !== holder);
    if (killed % 3 === 0) chain.reorganise(2, 2);
    chain.extend(2);
    await Promise.all(nodes.map((node) => untilThere(chain, node)));
    takeoversMs.push(performance.now() - startedMs);
    options.log(`kill ${killed}: new blocks after ${Math.round(takeoversMs.at(-1) ?? 0)} ms`);
    nodes = [...nodes, await startNode()];
  }
  const last = nodes[0] ?? assert.fail();
  await untilSo('the stream has every trade', async () => {
    const trades = await readTrades(last, mint);
    const from = Math.min(...trades.map(({ block }) => block as number)) + 1;
    const isNew = ({ block }: Json) => block >= from;
    const told = [...reader.fold.trades.values()].filter(isNew);
    return isDeepStrictEqual(dropFinality(told), dropFinality(trades.filter(isNew)));
  });
  assert.deepEqual(reader.fold.problems, []);
  const reloads = await Promise.all(nodes.map((one) => readMetric(one, 'mintwire_feed_reloads')));
  await Promise.all([reader.stop(), load.stop()]);
  for (const node of nodes) assert.doesNotMatch(node.output(), /Another indexer writes/);
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  await assertVerified(last.env);
  const slowestMs = Math.round(Math.max(...takeoversMs));
  assert.ok(slowestMs <= TAKEOVER_MAX_MS, `a takeover took ${slowestMs} ms`);
  assert.equal(load.counts.failures, 0, 'no answer was an error of the server');
  return [
    `${options.kills} kills of the process that indexes: new blocks within ${slowestMs} ms`,
    `${reader.hops()} connections of a stream that hops, every trade once; ${load.counts.answers} answers under load, none ≥ 500`,
    `reloads of the nodes that are left: ${reloads.join(', ')}`,
  ].join('\n');
}
