// Logs of one token and its pools from a portal on loopback: the same events as from a node, for a
// fraction of the calls; and what is false ends the use of the portal.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import {
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  PAIR,
  recordChain,
  startNode,
  TOKEN,
  TRADER,
  toEvents,
  transfer,
  WETH,
} from '../../../../test/fakes/chain-scene.ts';
import { type FakePortal, startFakePortal } from '../../../../test/fakes/fake-portal.ts';
import { FAULTS, LIES, UNPROVED_LIES } from '../../../../test/fakes/portal-lies.ts';
import { proveChain } from '../../../../test/fakes/proved-chain.ts';
import { poolId } from '../../../../test/test-ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { HistoryBlock } from '../../chain-history.ts';
import type { EvmAdapter } from '../create-evm-adapter.ts';

afterEach(endScene);

const BLOCKS = 400;
const LAST = BLOCKS - 20;
const ONLY = { tokens: new Set([TOKEN]), pools: new Set([poolId(PAIR)]) };
const POOL: PoolDescription = {
  ...{ pool: poolId(PAIR), token0: TOKEN, token1: WETH, venue: 'uniswap-v2', feePips: 3000 },
  ...{ vault: PAIR, kind: 'constantProduct', terms: null },
};

function recordLongChain() {
  const chain = recordChain();
  for (let n = chain.head + 1; n <= BLOCKS; n += 1) {
    const swaps = n % 5 === 0 ? [transfer(n), transfer(n + 1), ...buildSwapLogs(PAIR, n)] : [];
    chain.add(swaps.length === 0 ? [] : [{ from: TRADER, logs: swaps }]);
  }
  return proveChain(chain);
}

const { lines, answer } = recordLongChain();

const knownPools = async () => [POOL];

async function openScene(samplePct = 2, filteredBlocksMax?: number) {
  const portal = await startFakePortal(lines, {
    ...(filteredBlocksMax ? { filteredBlocksMax } : {}),
  });
  const node = await startNode(answer);
  const places = [{ kind: 'portal', place: portal.url } as const];
  const adapter = createSceneAdapter([node], {
    archives: { places, samplePct },
    knownPools,
  });
  return { portal, node, adapter };
}

async function withScene(
  work: (scene: Awaited<ReturnType<typeof openScene>>) => Promise<void>,
  ...options: Parameters<typeof openScene>
): Promise<void> {
  const scene = await openScene(...options);
  try {
    await work(scene);
  } finally {
    await scene.portal.stop();
  }
}

async function readScope(adapter: EvmAdapter) {
  const blocks = [];
  const sources = new Set<string | null>();
  for (let fromBlock = 0; fromBlock <= LAST; ) {
    const range = { fromBlock, toBlock: LAST, linked: false, only: ONLY, blockCountMax: 60 };
    const reading = await adapter.readBlocks(range);
    blocks.push(...toEvents(reading.blocks));
    sources.add(reading.archive?.source ?? null);
    fromBlock = reading.toBlock + 1;
  }
  return { blocks, sources: [...sources] };
}

/** As a job does: newest first. */
async function readTrades(adapter: EvmAdapter) {
  const blocks: HistoryBlock[] = [];
  const sources = new Set<string | null>();
  let callCount = 0;
  for (let toBlock = LAST; toBlock >= 0; ) {
    const query = { pools: [POOL], fromBlock: 0, toBlock, detail: 'trades' } as const;
    const reading = await adapter.history!.readPoolEvents(query);
    blocks.unshift(...reading.blocks);
    sources.add(reading.archive ?? null);
    callCount += reading.callCount;
    toBlock = reading.fromBlock - 1;
  }
  const told = blocks.map(({ header: { position, hash, timestampMs }, logs }) => ({
    ...{ position, hash, timestampMs, logs },
  }));
  return { blocks: told, sources: [...sources], callCount };
}

async function readTransfers(adapter: EvmAdapter) {
  const transfers = [];
  for (let fromBlock = 0; fromBlock <= LAST; ) {
    const query = { token: TOKEN, fromBlock, toBlock: LAST };
    const reading = await adapter.history!.readTransfers(query);
    transfers.push(...reading.transfers);
    fromBlock = reading.toBlock + 1;
  }
  return transfers;
}

async function createHonest(): Promise<EvmAdapter> {
  return createSceneAdapter([await startNode(answer)], { knownPools });
}

describe('a portal has for a token', () => {
  test('the trades of its pools, with senders and times', async () => {
    await withScene(async ({ adapter, portal, node }) => {
      const { blocks, sources, callCount } = await readTrades(adapter);
      const sent = node.calls.filter(({ method }) => /Receipt|Logs|ByNumber/.test(method)).length;
      const honest = await readTrades(await createHonest());
      assert.deepEqual(blocks, honest.blocks);
      assert.deepEqual(sources, ['127.0.0.1']);
      assert.equal(portal.requests.length, 1);
      // Twenty transactions are compared with their blocks, and the logs of one part.
      assert.ok(sent <= 45 && callCount <= 45, `${sent} calls, ${callCount} counted`);
      assert.ok(honest.callCount > 80, `${honest.callCount} calls without it`);
    });
  });

  test('its transfers', async () => {
    await withScene(async ({ adapter, portal, node }) => {
      assert.deepEqual(await readTransfers(adapter), await readTransfers(await createHonest()));
      assert.equal(portal.requests.length, 1);
      assert.equal(node.calls.filter(({ method }) => method === 'eth_getLogs').length, 1);
    });
  });

  test('what an index of chosen tokens reads', async () => {
    await withScene(async ({ adapter }) => {
      const { blocks, sources } = await readScope(adapter);
      assert.deepEqual(blocks, (await readScope(await createHonest())).blocks);
      assert.deepEqual(sources, ['127.0.0.1']);
    });
  });

  test('all of it, though its streams end where they like', async () => {
    await withScene(
      async ({ adapter, portal }) => {
        const honest = await createHonest();
        assert.deepEqual((await readTrades(adapter)).blocks, (await readTrades(honest)).blocks);
        assert.deepEqual((await readScope(adapter)).blocks, (await readScope(honest)).blocks);
        assert.ok(portal.requests.length > 10, `${portal.requests.length} requests`);
      },
      2,
      33,
    );
  });

  test('not the newest blocks: the node has those', async () => {
    await withScene(async ({ adapter, portal }) => {
      portal.behave(({ fromBlock }) => ({
        ...(fromBlock > 200 ? { status: 204 } : {}),
        change: (sent) => sent.filter(({ header }) => header.number <= 200),
      }));
      const { blocks, sources } = await readScope(adapter);
      assert.deepEqual(blocks, (await readScope(await createHonest())).blocks);
      assert.deepEqual(sources, ['127.0.0.1', null]);
      assert.deepEqual(adapter.status?.().limitations, []);
    });
  });
});

/**
 * 730,000 swaps a year in 15.8 million blocks are 185 in 4,000; each with the four logs of a swap
 * in a pair. With one log each they would be 930 bytes (../shared/ARCHIVES.md F); all logs of their
 * transactions are needed, because a trade's id counts the swaps before it.
 */
test('4,000 blocks of a busy token take one request and two kilobytes a swap', async (t) => {
  const chain = recordChain();
  let swaps = 0;
  for (let n = chain.head + 1; n <= 4000; n += 1) {
    const isTraded = Math.floor((n * 185) / 4000) > swaps;
    const logs = [transfer(n), transfer(n + 1), ...buildSwapLogs(PAIR, n)];
    chain.add(isTraded ? [{ from: TRADER, logs }] : []);
    if (isTraded) swaps += 1;
  }
  const proved = proveChain(chain);
  const portal = await startFakePortal(proved.lines);
  t.after(() => portal.stop());
  const node = await startNode(proved.answer);
  const places = [{ kind: 'portal', place: portal.url } as const];
  const adapter = createSceneAdapter([node], { knownPools, archives: { places, samplePct: 2 } });
  let [callCount, trades] = [0, 0];
  for (let toBlock = 3980; toBlock >= 61; ) {
    const query = { pools: [POOL], fromBlock: 61, toBlock, detail: 'trades' } as const;
    const reading = await adapter.history!.readPoolEvents(query);
    trades += reading.blocks.length;
    callCount += reading.callCount;
    toBlock = reading.fromBlock - 1;
  }
  const { jsonBytes, gzipBytes } = portal.sent;
  const bytes = Math.round(jsonBytes / trades);
  const calls = `${portal.requests.length} requests, ${callCount} calls to the node`;
  t.diagnostic(`${trades} swaps: ${calls}, ${bytes} bytes each, ${gzipBytes} in all after gzip`);
  assert.equal(portal.requests.length, 1);
  assert.ok(trades > 170 && bytes < 2.2 * 930, `${bytes} bytes a swap`);
  // Twenty transactions with their blocks, and logs of one part, whatever the range.
  assert.equal(callCount, 41);
});

/** Filtered answers have no blooms. */
const HARMLESS = new Set(['impossible values']);
/** It ends below the range, so that nothing of it is used. */
const UNUSED = new Set(['another fork']);

describe('of a portal that sends', () => {
  const reads = { trades: readTrades, scope: readScope } as const;
  for (const [name, behaviour] of Object.entries({ ...LIES, ...UNPROVED_LIES })) {
    if (HARMLESS.has(name)) continue;
    test(`${name} nothing is kept`, async () => {
      for (const read of Object.values(reads)) {
        await withScene(async ({ adapter, portal }) => {
          portal.behave(() => behaviour);
          assert.deepEqual((await read(adapter)).blocks, (await read(await createHonest())).blocks);
          if (UNUSED.has(name)) return;
          assert.match(adapter.status?.().limitations.join() ?? '', /sent false data/);
        }, 100);
      }
    });
  }

  for (const [name, behaviour] of Object.entries(FAULTS)) {
    test(`${name} the node goes on`, async () => {
      for (const read of Object.values(reads)) {
        await withScene(
          async ({ adapter, portal }: { adapter: EvmAdapter; portal: FakePortal }) => {
            portal.behave(() => behaviour);
            assert.deepEqual(
              (await read(adapter)).blocks,
              (await read(await createHonest())).blocks,
            );
            assert.doesNotMatch(adapter.status?.().limitations.join() ?? '', /false data/);
          },
        );
      }
    });
  }
});
