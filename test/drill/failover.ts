// Kills the primary of PostgreSQL under load, again and again: a standby takes over that lacks
// commits which every node has told. No node is restarted.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type ClusterNode,
  createClusterScene,
  readJson,
  readMetric,
  untilSo,
  untilThere,
} from '../cluster/cluster-scene.ts';
import { startHoppingReader } from '../cluster/hopping-reader.ts';
import { startFailoverServers } from '../failover-servers.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { assertVerified } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import type { Cleanup } from '../start-service-process.ts';
import { dropFinality } from '../stream-fold.ts';
import { startReadLoad } from './read-load.ts';

const LOST_BLOCKS = 6;

async function readTrades(node: ClusterNode, mint: string): Promise<Json[]> {
  const { json } = await readJson(node, `token/trades?chain=devnet&mint=${mint}&limit=100`);
  return json.trades;
}

export async function drillFailover(
  t: Cleanup,
  options: { readonly count: number; readonly log: (line: string) => void },
): Promise<string> {
  const servers = await startFailoverServers(t);
  const { chain, startNode } = await createClusterScene(t, {
    ...{ seed: 17, blocks: 40, databaseUrl: servers.url },
  });
  const nodes = await Promise.all([startNode(), startNode()]);
  const untilAll = () => Promise.all(nodes.map((node) => untilThere(chain, node)));
  await untilAll();
  const mint = showTestAddress(FAKE_TOKENS[0] ?? assert.fail());
  const reader = startHoppingReader(() => nodes, `chain=devnet&mint=${mint}&interval=5s`);
  t.after(() => reader.stop());
  const load = startReadLoad(() => nodes);
  t.after(() => load.stop());
  const readPlace = async () => {
    const sql = `SELECT version::int, epoch, (SELECT count(*)::int FROM names) AS names
      FROM checkpoints JOIN chain_epochs USING (chain)`;
    const [row] = await servers.run(sql);
    return row as { version: number; epoch: string; names: number };
  };
  let lost = 0;
  for (let count = 1; count <= options.count; count += 1) {
    await servers.untilReplayed();
    const kept = await readPlace();
    servers.cutStandby();
    // Told by every node, and then lost; names of nothing else, so that numbers are given again.
    for (let block = 0; block < LOST_BLOCKS; block += 1) {
      chain.extend(1);
      await untilAll();
    }
    const told = await readPlace();
    assert.ok(told.version >= kept.version + LOST_BLOCKS);
    const fails = load.counts.failures;
    await servers.failOver();
    if (count % 2 === 0) chain.reorganise(2, 3);
    chain.extend(2);
    await untilAll();
    const now = await readPlace();
    assert.notEqual(now.epoch, told.epoch, 'a new epoch');
    lost += told.version - kept.version;
    options.log(
      `failover ${count}: ${told.version - kept.version} commits lost, ${load.counts.failures - fails} answers failed meanwhile`,
    );
    for (const token of FAKE_TOKENS.map(showTestAddress)) {
      const [here, there] = await Promise.all(nodes.map((node) => readTrades(node, token)));
      assert.deepEqual(here, there);
    }
    await untilSo(
      'the stream has every trade',
      async () => {
        const trades = await readTrades(nodes[0] ?? assert.fail(), mint);
        const from = Math.min(...trades.map(({ block }) => block as number)) + 1;
        const isNew = ({ block }: Json) => block >= from;
        const seen = [...reader.fold.trades.values()].filter(isNew);
        return isDeepStrictEqual(dropFinality(seen), dropFinality(trades.filter(isNew)));
      },
      nodes,
    );
  }
  assert.deepEqual(reader.fold.problems, []);
  const reloads = await Promise.all(nodes.map((one) => readMetric(one, 'mintwire_feed_reloads')));
  for (const value of reloads) assert.ok((value ?? 0) >= options.count, `reloads: ${reloads}`);
  await Promise.all([reader.stop(), load.stop()]);
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  const used = 'SELECT token AS id FROM trades UNION SELECT pool FROM trades';
  const sql = `SELECT id FROM (${used}) AS used LEFT JOIN names USING (id) WHERE name IS NULL`;
  assert.deepEqual(await servers.run(sql), [], 'numbers without a name');
  await assertVerified(nodes[0]?.env ?? assert.fail());
  return `${options.count} failovers, ${lost} commits lost: a new epoch each time, no difference`;
}
