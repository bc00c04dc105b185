// Two nodes that may both index, for some minutes, beside a single one on a copy of their chain:
// no writer is refused, and the two ask the chain hardly more than the one.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClusterNode,
  createClusterScene,
  readMetric,
  untilOneIndexes,
  untilThere,
} from '../cluster/cluster-scene.ts';
import { assertVerified } from '../indexed-service.ts';
import type { Cleanup } from '../start-service-process.ts';
import { startReadLoad } from './read-load.ts';

/** The goal: what two nodes may ask of the chain, with one node's requests at 1. */
const REQUESTS_RATIO_MAX = 1.1;
const BLOCK_MS = 1000;
const BLOCKS_PER_REORGANISATION = 20;
const MINUTE_MS = 60_000;
/** A seed each, so that both sides see the same blocks. */
const SCENE = { seed: 13, blocks: 60 };

async function startSide(t: Cleanup, nodeCount: number) {
  const { chain, startNode } = await createClusterScene(t, SCENE);
  const nodes = await Promise.all(Array.from({ length: nodeCount }, () => startNode()));
  for (const node of nodes) await untilThere(chain, node);
  return { chain, nodes };
}

const countRequests = (nodes: readonly ClusterNode[]) =>
  nodes.reduce((sum, node) => sum + node.requests(), 0);

export async function drillNodePair(
  t: Cleanup,
  options: { readonly minutes: number; readonly log: (line: string) => void },
): Promise<string> {
  const [pair, single] = await Promise.all([startSide(t, 2), startSide(t, 1)]);
  const sides = [pair, single];
  const nodes = [...pair.nodes, ...single.nodes];
  const load = startReadLoad(() => nodes);
  t.after(() => load.stop());
  const before = sides.map((side) => countRequests(side.nodes));
  const endsMs = performance.now() + options.minutes * MINUTE_MS;
  let [blocks, minute] = [0, 0];
  while (performance.now() < endsMs) {
    await sleep(BLOCK_MS);
    blocks += 1;
    for (const { chain } of sides) {
      if (blocks % BLOCKS_PER_REORGANISATION === 0) chain.reorganise(2, 3);
      else chain.extend(1);
    }
    if (blocks % (MINUTE_MS / BLOCK_MS) !== 0) continue;
    minute += 1;
    options.log(
      `minute ${minute}: ${sides.map((side) => countRequests(side.nodes)).join(' and ')}`,
    );
  }
  for (const { chain, nodes: members } of sides) {
    await Promise.all(members.map((node) => untilThere(chain, node)));
  }
  const [two = 0, one = 0] = sides.map((side, n) => countRequests(side.nodes) - (before[n] ?? 0));
  await untilOneIndexes(pair.nodes);
  await load.stop();
  const reloads = await Promise.all(nodes.map((node) => readMetric(node, 'mintwire_feed_reloads')));
  for (const node of nodes) {
    assert.doesNotMatch(node.output(), /Another indexer writes|indexing failed/);
    await node.kill('SIGTERM');
  }
  for (const {
    nodes: [first],
  } of sides)
    await assertVerified(first?.env ?? assert.fail());
  const ratio = two / one;
  assert.ok(one > blocks, `one node asked ${one} times in ${blocks} blocks`);
  assert.ok(ratio <= REQUESTS_RATIO_MAX, `two nodes asked ${two} times, one ${one}`);
  assert.deepEqual([load.counts.failures, ...reloads], [0, ...nodes.map(() => 0)]);
  return `${options.minutes} minutes, ${blocks} blocks: two nodes asked the chain ${two} times, one ${one} times (${ratio.toFixed(2)}); no writer was refused, ${load.counts.answers} answers, none ≥ 500, no reloads`;
}
