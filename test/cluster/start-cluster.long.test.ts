// The topology of `npm run cluster` on a fake chain: it serves, also after the loss of nodes.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { FakeChain } from '../fakes/fake-chain.ts';
import { serveFakeChain } from '../fakes/serve-fake-chain.ts';
import { createTempFolder } from '../start-service-process.ts';
import { readMetric, untilSo } from './cluster-scene.ts';
import { type NamedNode, startCluster } from './start-cluster.ts';

const FAMILY_MODULE = new URL('../fakes/use-test-family.ts', import.meta.url).href;

async function findIndexer(nodes: readonly NamedNode[]): Promise<NamedNode | null> {
  for (const node of nodes) {
    const isDead = node.child.exitCode !== null || node.child.signalCode !== null;
    if (!isDead && (await readMetric(node, 'mintwire_chain_indexing')) === 1) return node;
  }
  return null;
}

async function readStoredBlock(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT max(block) AS block FROM checkpoints');
    return Number(rows[0]?.block);
  } finally {
    await client.end();
  }
}

test('a cluster serves through its proxy, and without one indexer and one API node', async (t) => {
  const chain = new FakeChain({ seed: 3, finalityDepth: 12, seenWhole: true });
  chain.extend(30);
  const rpcUrl = await serveFakeChain(t, chain);
  const file = join(createTempFolder(t), 'deployment.json');
  writeFileSync(file, JSON.stringify({ rpcUrl, startBlock: 0, instance: 'test family' }));
  const family = `${process.env['NODE_OPTIONS'] ?? ''} --import ${FAMILY_MODULE}`.trim();
  const { origin, nodes, standbyUrl } = await startCluster(t, {
    port: 0,
    env: { DEVNET: 'on', DEVNET_DEPLOYMENT: file, NODE_OPTIONS: family },
    log: () => undefined,
    isPlain: false,
  });
  const untilAtHead = () =>
    untilSo(`at block ${chain.head.position}`, async () => {
      const ready = await fetch(`${origin}/v1/ready`);
      const { chains } = (await (await fetch(`${origin}/v1/chains`)).json()) as {
        readonly chains?: readonly { readonly head: number }[];
      };
      return ready.ok && (chains?.[0]?.head ?? 0) >= chain.head.position;
    });
  await untilAtHead();
  const indexer = (await findIndexer(nodes)) ?? assert.fail('nobody indexes');
  assert.equal(indexer.role, 'indexer');
  const api = nodes.find(({ role }) => role === 'api') ?? assert.fail();
  for (const node of [indexer, api]) {
    node.child.kill('SIGKILL');
    await node.exited;
  }
  chain.extend(5);
  await untilAtHead();
  const next = (await findIndexer(nodes)) ?? assert.fail('nobody took over');
  assert.notEqual(next.name, indexer.name);
  if (standbyUrl === null) return;
  await untilSo('the standby has the last block', async () => {
    return (await readStoredBlock(standbyUrl)) >= chain.head.position;
  });
});
