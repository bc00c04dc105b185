// What an endpoint cannot do is told to the operator with what is done about it, and nothing is
// lost by it.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  ALL,
  createSceneAdapter,
  endScene,
  LINKED,
  readHonestly,
  recordChain,
  startNode,
  TOKEN,
  toEvents,
} from '../../../test/fakes/chain-scene.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import type { Mischief } from '../../../test/fakes/misbehaving-rpc.ts';
import type { BlockRange } from '../adapter.ts';
import { EndpointLimitations } from './endpoint-limitations.ts';

afterEach(endScene);

const capRange: Mischief = ({ method, params }) => {
  if (method !== 'eth_getLogs') return null;
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  const message = 'eth_getLogs is limited to a 4 block range';
  const isTooWide = Number(toBlock) - Number(fromBlock) >= 4;
  return isTooWide ? { do: 'error', code: -32005, message } : null;
};

const CASES: readonly [string, Mischief, BlockRange, RegExp][] = [
  ['caps ranges', capRange, ALL, /#0 answers eth_getLogs for at most 4 blocks at once; ranges/],
  [
    'refuses batches',
    () => ({ do: 'refuseBatch', message: 'batch is too large' }),
    LINKED,
    /#0 refuses large batches; at most \d+ calls? (?:is|are) sent at once/,
  ],
  [
    'limits the rate',
    ({ seen, method }) =>
      method === 'eth_getLogs' && seen === 0 ? { do: 'reply', status: 429, text: '' } : null,
    ALL,
    /#0 limits the rate of requests; [\d.]+ credits a second are asked for/,
  ],
  [
    'lies',
    ({ seen, method }) =>
      method === 'eth_getLogs' && seen === 0
        ? { do: 'change', change: (logs) => (logs as unknown[]).slice(3) }
        : null,
    LINKED,
    /#0 contradicts itself or the others; its reply was rejected/,
  ],
];

for (const [name, mischief, range, expected] of CASES) {
  test(`an endpoint that ${name} is told of, and all is read`, async () => {
    const chain = recordChain();
    const node = await startNode(chain);
    node.misbehave(mischief);
    const adapter = createSceneAdapter([node]);
    const { blocks } = await adapter.readBlocks(range);
    assert.deepEqual(toEvents(blocks), await readHonestly(chain));
    assert.match(adapter.status?.().limitations.join('\n') ?? '', expected);
  });
}

test('an endpoint of another chain is told of and not used', async () => {
  const [wrong, right] = [recordChain({ chainId: 5 }), recordChain()];
  const adapter = createSceneAdapter([await startNode(wrong), await startNode(right)]);
  await adapter.readHead();
  assert.match(adapter.status?.().limitations.join() ?? '', /#0 serves another chain and is not/);
});

test('an endpoint without older state is told of; what it cannot answer stays unknown', async () => {
  const node = await startNode(recordChain());
  node.misbehave(({ method }) =>
    method === 'eth_call' ? { do: 'error', code: -32000, message: 'missing trie node' } : null,
  );
  const adapter = createSceneAdapter([node]);
  const { latest } = await adapter.readHead();
  assert.deepEqual(await adapter.readSupplies([TOKEN], latest), [
    { token: TOKEN, supplyRaw: null },
  ]);
  assert.match(adapter.status?.().limitations.join() ?? '', /#0 has no state of older blocks/);
});

test('a healthy endpoint has none, and one that was not met again for an hour is gone', async () => {
  const adapter = createSceneAdapter([await startNode(recordChain())]);
  await adapter.readBlocks(LINKED);
  assert.deepEqual(adapter.status?.().limitations, []);
  const clock = new ManualClock();
  const limitations = new EndpointLimitations(clock);
  limitations.note('range', 'one');
  limitations.note('range', 'two');
  assert.deepEqual(limitations.list(), ['two']);
  clock.advance(3_600_001);
  assert.deepEqual(limitations.list(), []);
});

test('supplies take one call by hash; a node that knows no hashes is asked by number', async () => {
  const node = await startNode(recordChain({ call: () => `0x${'7'.padStart(64, '0')}` }));
  const adapter = createSceneAdapter([node]);
  const { latest } = await adapter.readHead();
  const before = node.calls.length;
  const expected = [{ token: TOKEN, supplyRaw: 7n }];
  assert.deepEqual(await adapter.readSupplies([TOKEN], latest), expected);
  assert.equal(node.calls.length - before, 1);
  assert.deepEqual(node.calls.at(-1)?.params[1], {
    ...{ blockHash: latest.hash, requireCanonical: true },
  });
  node.misbehave(({ method, params }) =>
    method === 'eth_call' && typeof params[1] === 'object'
      ? { do: 'error', code: -32602, message: 'invalid argument 1: cannot unmarshal object' }
      : null,
  );
  assert.deepEqual(await adapter.readSupplies([TOKEN], latest), expected);
  assert.equal(node.calls.at(-1)?.method, 'eth_getBlockByNumber', 'its hash is checked');
});
