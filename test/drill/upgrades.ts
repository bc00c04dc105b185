// Restarts one of two processes on a PostgreSQL after the other, under load, each time with the
// other version: this one, and a copy of it with one more migration, which only adds.

import assert from 'node:assert/strict';
import {
  type ClusterNode,
  createClusterScene,
  readMetric,
  untilThere,
} from '../cluster/cluster-scene.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { assertVerified } from '../indexed-service.ts';
import { createNextVersion } from '../next-version.ts';
import type { Cleanup } from '../start-service-process.ts';

const READER_COUNT = 4;

/** Asks all nodes, one request after the other; a node that stops refuses connections. */
function startLoad(listNodes: () => readonly ClusterNode[]) {
  const counts = { answers: 0, refused: 0 };
  const failures: string[] = [];
  let isStopped = false;
  const about = FAKE_TOKENS.map((token) => `chain=devnet&mint=${showTestAddress(token)}`);
  const paths = about.flatMap((one) => [`token/klines?${one}&interval=1m`, `token/trades?${one}`]);
  const run = async (number: number) => {
    for (let turn = number; !isStopped; turn += 1) {
      const nodes = listNodes();
      const path = paths[turn % paths.length];
      try {
        const response = await fetch(`${nodes[turn % nodes.length]?.origin}/v1/${path}`);
        const text = await response.text();
        counts.answers += 1;
        if (response.status >= 500) failures.push(`${response.status} ${path} ${text}`);
      } catch {
        counts.refused += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = Promise.all(Array.from({ length: READER_COUNT }, (_, index) => run(index)));
  const stop = async () => {
    isStopped = true;
    await running;
  };
  return { counts, failures, stop };
}

export async function drillUpgrades(
  t: Cleanup,
  options: { readonly restarts: number; readonly log: (line: string) => void },
): Promise<string> {
  const { restarts, log } = options;
  const next = createNextVersion(t);
  const { chain, startNode } = await createClusterScene(t, { seed: 12, blocks: 60 });
  const nodes: ClusterNode[] = [await startNode(), await startNode()];
  const { env } = nodes[0] ?? assert.fail();
  for (const node of nodes) await untilThere(chain, node);
  const load = startLoad(() => nodes);
  t.after(() => load.stop());
  for (let restart = 1; restart <= restarts; restart += 1) {
    // Each process has each version in turn, and mostly the two differ.
    const place = restart % 2;
    const isNext = restart % 4 === 1 || restart % 4 === 2;
    const old = nodes[place] ?? assert.fail();
    await old.kill('SIGTERM');
    assert.equal(await old.exited, 0, old.output().slice(-3000));
    chain.extend(1);
    nodes[place] = await startNode({}, isNext ? next : undefined);
    chain.extend(2);
    for (const node of nodes) await untilThere(chain, node);
    log(`restart ${restart}: version ${isNext ? 'N+1' : 'N'} on the store of N+1`);
  }
  await load.stop();
  assert.deepEqual(load.failures, [], 'no answer was an error of the server');
  const reloads = await Promise.all(nodes.map((one) => readMetric(one, 'mintwire_feed_reloads')));
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  await assertVerified(env);
  return [
    `${restarts} restarts of versions N and N+1 in turn: ${load.counts.answers} answers under load, none ≥ 500`,
    `connections to a process that was stopping: ${load.counts.refused} refused; reloads: ${reloads.join(', ')}`,
  ].join('\n');
}
