// The head of the chain, from endpoints that lag, lie or have no finalized block.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  createSceneAdapter,
  endScene,
  recordChain,
  startNode,
} from '../../../../test/fakes/chain-scene.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';

afterEach(endScene);

test('reads the latest block and the finalized one', async () => {
  const adapter = createSceneAdapter([await startNode(recordChain())]);
  const { latest, finalizedBlock } = await adapter.readHead();
  assert.equal(latest.position, 60);
  assert.equal(latest.timestampMs, 1_700_000_120_000);
  assert.equal(finalizedBlock, 52);
});

test('if the node reports no finalized block, a depth below the head counts as final', async () => {
  for (const misdeed of [
    { do: 'error', code: -32602, message: 'invalid block tag finalized' },
    { do: 'change', change: () => null },
  ] as const) {
    const node = await startNode(recordChain());
    node.misbehave(({ params }) => (params[0] === 'finalized' ? misdeed : null));
    const adapter = createSceneAdapter([node]);
    assert.equal((await adapter.readHead()).finalizedBlock, 52);
  }
});

test('an endpoint that falls behind does not take the head back', async () => {
  const chain = recordChain();
  let head = 60;
  const flaky = await startNode((method, params) => chain.answerUpTo(head)(method, params));
  const adapter = createSceneAdapter([flaky, await startNode(chain)]);
  await adapter.readHead();
  head = 57;
  assert.equal((await adapter.readHead()).latest.position, 60);
});

test('a preferred endpoint that lags from the start does not hold the head back', async () => {
  const chain = recordChain();
  const adapter = createSceneAdapter([
    await startNode(chain.answerUpTo(50)),
    await startNode(chain),
  ]);
  assert.equal((await adapter.readHead()).latest.position, 60);
  assert.equal((await adapter.readHead()).latest.position, 60);
});

test('if all endpoints agree, the head goes back, but never below the finalized block', async () => {
  const chain = recordChain();
  let head = 60;
  const node = await startNode((method, params) => chain.answerUpTo(head)(method, params));
  const adapter = createSceneAdapter([node]);
  await adapter.readHead();
  head = 58;
  const shorter = await adapter.readHead();
  assert.equal(shorter.latest.position, 58);
  assert.equal(shorter.finalizedBlock, 52, 'what was final stays final');
  head = 40;
  await assert.rejects(adapter.readHead(), (error) => isRpcError(error, 'unavailable'));
});

test('a finalized block above the head is rejected', async () => {
  const node = await startNode(recordChain());
  node.misbehave(({ params }) =>
    params[0] === 'finalized'
      ? { do: 'change', change: (block) => ({ ...(block as object), number: '0xfff' }) }
      : null,
  );
  assert.equal((await createSceneAdapter([node]).readHead()).finalizedBlock, 52);
});

test('a header is null only if no endpoint has it', async () => {
  const chain = recordChain();
  const adapter = createSceneAdapter([
    await startNode(chain.answerUpTo(40)),
    await startNode(chain),
  ]);
  assert.equal((await adapter.readHeader(55))?.position, 55);
  assert.equal(await adapter.readHeader(61), null);
});

test('a header needs a majority of the endpoints that have it', async () => {
  const [main, branch] = [recordChain(), recordChain()];
  branch.drop(1);
  branch.add([], 'other');
  const nodes = [await startNode(branch), await startNode(main), await startNode(main)];
  const three = createSceneAdapter(nodes);
  assert.equal(
    (await three.readAgreedHeader?.(60))?.hash,
    (await createSceneAdapter([nodes[1]!]).readHeader(60))?.hash,
  );
  assert.equal(three.status?.().endpoints[0]?.state, 'waiting', 'the odd one out is put aside');
  const two = createSceneAdapter(nodes.slice(0, 2));
  assert.equal(await two.readAgreedHeader?.(60), null);
  assert.equal((await two.readAgreedHeader?.(59))?.position, 59);
});

test('while one endpoint is paused, the other alone is no majority', async () => {
  const chain = recordChain();
  const [pausing, talking] = [await startNode(chain), await startNode(chain)];
  const clock = new ManualClock();
  const sleep = async (ms: number) => clock.advance(ms);
  const adapter = createSceneAdapter([pausing, talking], { clock, sleep });
  await adapter.readHead();
  pausing.misbehave(() => ({ do: 'reply', status: 429, text: '' }));
  await adapter.readHeader(60);
  assert.equal(await adapter.readAgreedHeader?.(60), null);
  // Once it has been down for long, its vote no longer counts.
  for (let n = 0; n < 6; n += 1) {
    clock.advance(120_000);
    await adapter.client.endpoints[0]
      ?.request({ method: 'eth_blockNumber', params: [] })
      .catch((error) => adapter.client.endpoints[0]?.health.failed(error));
  }
  assert.equal((await adapter.readAgreedHeader?.(60))?.position, 60);
});
