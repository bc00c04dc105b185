// Nodes that omit logs, lie, lag or switch chains: nothing false is accepted, nothing is lost.

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
  TRADER,
  toEvents,
  transfer,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';

afterEach(endScene);

/** Omits logs from the first replies, as faulty nodes do without an error. */
const OMISSIONS: readonly [string, (logs: unknown[]) => unknown[]][] = [
  ['all logs', () => []],
  ['the last transaction', (logs) => logs.slice(0, -3)],
  ['the last log', (logs) => logs.slice(0, -1)],
  ['the first log', (logs) => logs.slice(1)],
  ['a log in the middle', (logs) => logs.filter((_, index) => index !== 20)],
  ['the second half', (logs) => logs.slice(0, logs.length / 2)],
];

for (const [name, omit] of OMISSIONS) {
  test(`a checked range without ${name} is refused and read again`, async () => {
    const chain = recordChain();
    const expected = await readHonestly(chain);
    for (const nodes of [1, 2]) {
      const sick = await startNode(chain);
      sick.misbehave(({ method, seen }) =>
        method === 'eth_getLogs' && seen < 2
          ? { do: 'change', change: (logs) => omit(logs as unknown[]) }
          : null,
      );
      const others = nodes === 2 ? [await startNode(chain)] : [];
      for (const options of [{ range: LINKED }, { range: ALL, verification: 'all' as const }]) {
        const { range, ...rest } = options;
        const adapter = createSceneAdapter([sick, ...others], rest);
        const { blocks } = await adapter.readBlocks(range);
        assert.deepEqual(toEvents(blocks), expected);
      }
    }
  });
}

test('half a reply is refused of a plain range of a few blocks, such as the first of an index', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  node.misbehave(({ method, seen }) =>
    method === 'eth_getLogs' && seen === 0
      ? { do: 'change', change: (logs) => (logs as unknown[]).slice(0, 6) }
      : null,
  );
  const adapter = createSceneAdapter([node]);
  const { blocks, headers } = await adapter.readBlocks({ ...ALL, fromBlock: 1, toBlock: 3 });
  const honest = await readHonestly(chain);
  assert.deepEqual(
    toEvents(blocks),
    honest.filter(({ number }) => number <= 3),
  );
  assert.deepEqual(headers, []);
});

test('an empty reply is checked even if ranges are not', async () => {
  const chain = recordChain();
  const sick = await startNode(chain);
  sick.misbehave(({ method, seen }) =>
    method === 'eth_getLogs' && seen === 0 ? { do: 'change', change: () => [] } : null,
  );
  const { blocks } = await createSceneAdapter([sick]).readBlocks(ALL);
  assert.deepEqual(toEvents(blocks), await readHonestly(chain));
});

test('a reply with exactly a round number of logs is checked', async () => {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  for (let n = 1; n <= 30; n += 1) {
    chain.add([{ from: TRADER, logs: Array.from({ length: 50 }, () => transfer(n)) }]);
  }
  const node = await startNode(chain);
  node.misbehave(({ method }) =>
    method === 'eth_getLogs'
      ? { do: 'change', change: (logs) => (logs as unknown[]).slice(0, 1_000) }
      : null,
  );
  const { blocks } = await createSceneAdapter([node]).readBlocks({ ...ALL, toBlock: 30 });
  assert.equal(blocks.flatMap(({ events }) => events).length, 1_500);
});

type Raw = Record<string, unknown>;

const LIES: readonly [string, (logs: Raw[]) => unknown][] = [
  ['logs of another range', (logs) => [{ ...logs[0], blockNumber: '0xfff' }, ...logs.slice(1)]],
  ['removed logs', (logs) => logs.map((log) => ({ ...log, removed: true }))],
  ['a log twice', (logs) => [...logs, logs.at(-1)]],
  [
    'two hashes for one block',
    (logs) =>
      logs.map((log, index) =>
        index === 1
          ? {
              ...log,
              blockNumber: logs[0]?.['blockNumber'],
              logIndex: '0x1',
              blockHash: `0x${'1'.repeat(64)}`,
            }
          : log,
      ),
  ],
  [
    'hashes of another branch',
    (logs) => logs.map((log) => ({ ...log, blockHash: `0x${'1'.repeat(64)}` })),
  ],
  ['no list', () => ({ logs: [] })],
  ['null', () => null],
  ['logs without topics', (logs) => logs.map((log) => ({ ...log, topics: 'none' }))],
  ['malformed data', (logs) => logs.map((log) => ({ ...log, data: '0xzz' }))],
  ['malformed addresses', (logs) => logs.map((log) => ({ ...log, address: '0x12' }))],
];

for (const [name, lie] of LIES) {
  test(`${name} are never believed`, async () => {
    const chain = recordChain();
    const [liar, honest] = [await startNode(chain), await startNode(chain)];
    liar.misbehave(({ method }) =>
      method === 'eth_getLogs' ? { do: 'change', change: (logs) => lie(logs as Raw[]) } : null,
    );
    const adapter = createSceneAdapter([liar, honest]);
    const { blocks } = await adapter.readBlocks(LINKED);
    assert.deepEqual(toEvents(blocks), await readHonestly(chain));
    assert.ok((adapter.status?.().repliesRefused ?? 0) > 0);
  });
}

test('headers that do not link are refused', async () => {
  const chain = recordChain();
  const liar = await startNode(chain);
  liar.misbehave(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === '0x1e'
      ? {
          do: 'change',
          change: (block) => ({ ...(block as Raw), parentHash: `0x${'2'.repeat(64)}` }),
        }
      : null,
  );
  const alone = createSceneAdapter([liar], { budgetMs: 5_000 });
  await assert.rejects(alone.readBlocks(LINKED), (error) => isRpcError(error, 'unavailable'));
  const helped = createSceneAdapter([liar, await startNode(chain)]);
  assert.equal((await helped.readBlocks(LINKED)).headers.length, 61);
});

test('an endpoint behind the range is skipped', async () => {
  const chain = recordChain();
  const lagging = await startNode(chain.answerUpTo(40));
  const adapter = createSceneAdapter([lagging, await startNode(chain)]);
  for (const range of [ALL, LINKED]) {
    assert.deepEqual(toEvents((await adapter.readBlocks(range)).blocks), await readHonestly(chain));
  }
  assert.equal(lagging.count('eth_getLogs'), 0);
});

test('an endpoint that switches chains in mid-reading is refused', async () => {
  const chain = recordChain();
  const switching = await startNode(chain);
  const adapter = createSceneAdapter([switching, await startNode(chain)]);
  await adapter.readHead();
  switching.misbehave(({ method }) =>
    method === 'eth_chainId' ? { do: 'change', change: () => '0x1' } : null,
  );
  assert.equal((await adapter.readBlocks(LINKED)).headers.length, 61);
  assert.equal(adapter.status?.().endpoints[0]?.state, 'refused');
});
