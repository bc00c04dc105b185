// All uses of a chain's endpoints share their health and their connections.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { type MisbehavingRpc, startMisbehavingRpc } from '../../test/fakes/misbehaving-rpc.ts';
import { address } from '../../test/test-ids.ts';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import { ChainConnections } from './chain-connections.ts';

const SILENT = { info: () => undefined, warn: () => undefined };

async function startNode(t: TestContext): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc((method) => (method === 'eth_chainId' ? '0x1' : '0x7'));
  t.after(() => node.stop());
  return node;
}

function buildSource(...nodes: readonly MisbehavingRpc[]) {
  const endpoints = nodes.map(({ url }) => url);
  return { chain: 'ethereum', endpoints, devnet: null, startBlock: null, instance: null } as const;
}

/** The clock stands still, so a skipped endpoint stays skipped. */
function createConnections(t: TestContext): ChainConnections {
  const connections = new ChainConnections({ clock: new ManualClock(), log: SILENT });
  t.after(() => connections.close());
  return connections;
}

const CONTRACT = address(`0x${'aa'.repeat(20)}`);

async function isContract(nodes: ChainNodes): Promise<boolean> {
  const found = await nodes.findContracts([CONTRACT], AbortSignal.timeout(60_000));
  return found.get(CONTRACT) === true;
}

describe('the connections of a chain', () => {
  it('skip an endpoint that fails for quotes in builds and indexing, too', async (t) => {
    const [first, second] = [await startNode(t), await startNode(t)];
    const { nodes } = createConnections(t).connect(buildSource(first, second));
    first.misbehave(() => ({ do: 'reply', status: 503, text: 'busy' }));
    assert.ok(await isContract(nodes));
    const asked = first.requests;
    assert.ok(asked > 0, 'the first endpoint was never asked');
    assert.equal(await nodes.transactions.readHead(), 7);
    const adapter = nodes.createAdapter({ knownPools: async () => [], verification: 'linked' });
    t.after(() => adapter.close());
    assert.deepEqual(
      adapter.status?.().endpoints.map(({ state }) => state),
      ['waiting', 'healthy'],
    );
    assert.equal(first.requests, asked);
  });

  it('check the chain of an endpoint once for all', async (t) => {
    const node = await startNode(t);
    const { nodes } = createConnections(t).connect(buildSource(node));
    await isContract(nodes);
    await nodes.transactions.readHead();
    assert.equal(node.count('eth_chainId'), 1);
  });

  it('stay open for the others when the indexer leaves', async (t) => {
    const node = await startNode(t);
    const { nodes } = createConnections(t).connect(buildSource(node));
    const adapter = nodes.createAdapter({ knownPools: async () => [], verification: 'linked' });
    const answer = isContract(nodes);
    await adapter.close();
    await adapter.close();
    assert.ok(await answer);
  });

  it('are reused while the source is the same, and reset when it changes', async (t) => {
    const [old, next] = [await startNode(t), await startNode(t)];
    const connections = createConnections(t);
    const connected = connections.connect(buildSource(old));
    assert.equal(connections.connect(buildSource(old)), connected);
    old.misbehave(() => ({ do: 'reply', status: 503, text: 'gone' }));
    const moved = connections.connect(buildSource(next));
    assert.notEqual(moved, connected);
    assert.ok(await isContract(moved.nodes));
  });
});
