// Answers of real endpoints, each in its own words: what was asked is answered all the same, in
// few calls, and the endpoint is not suspended for what it cannot do. How the words are classified
// is in `classify-rpc-error.test.ts`; versions of transactions on Solana in
// `transaction-versions.test.ts`.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import {
  ALL,
  createSceneAdapter,
  endScene,
  PAIR,
  readHonestly,
  recordChain,
  startNode,
  TOKEN,
  toEvents,
} from '../../../../test/fakes/chain-scene.ts';
import type { Misdeed } from '../../../../test/fakes/misbehaving-rpc.ts';
import { poolId } from '../../../../test/test-ids.ts';

afterEach(endScene);

interface LogQuery {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (readonly string[] | string | null)[];
}

const PATIENT = { limits: { timeoutMs: 60_000 } };
const QUERIES_MAX = 60;

const countBlocks = ({ fromBlock, toBlock }: LogQuery) => Number(toBlock) - Number(fromBlock) + 1;
const longest = ({ address = [], topics = [] }: LogQuery) =>
  Math.max(...[address, ...topics].map((list) => (Array.isArray(list) ? list.length : 1)));

const refuse = (code: number, message: string): Misdeed => ({ do: 'error', code, message });

/** Refused at an endpoint that has no other beside it. */
const RANGES: readonly [name: string, misdeed: Misdeed, blocksMax: number][] = [
  ['Sonic', refuse(-32000, 'too wide blocks range, the limit is 100'), 10],
  ['Nethermind', refuse(-32016, 'eth_getLogs request was canceled due to enabled timeout.'), 10],
  ['dRPC, code 30', refuse(30, 'Request timeout on the free tier, please upgrade your tier'), 10],
  [
    'dRPC, HTTP 408',
    {
      do: 'reply',
      status: 408,
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":30,"message":"Request timeout on the free tier, please upgrade your tier"}}',
    },
    10,
  ],
  ['geth', refuse(-32002, 'request timed out'), 10],
  ['a proxy, HTTP 504', { do: 'reply', status: 504, text: '<html>Gateway Time-out</html>' }, 10],
];

const FILTERS: readonly [name: string, code: number, message: string][] = [
  ['geth', -32602, 'exceed max addresses or topics per search position'],
  ['erigon', -32000, 'query exceeds the maximum of 1000 addresses or topics per search position'],
  ['Infura', -32602, 'This query contains 5006 filters. The current limit is 5000.'],
  ['PublicNode', -32701, 'Please, specify less number of addresses (max: 10)'],
];

describe('logs of a range that is too much', () => {
  for (const [name, misdeed, blocksMax] of RANGES) {
    test(`are read in parts: ${name}`, async () => {
      const chain = recordChain();
      const node = await startNode(chain);
      node.misbehave(({ method, params }) =>
        method === 'eth_getLogs' && countBlocks(params[0] as LogQuery) > blocksMax ? misdeed : null,
      );
      const adapter = createSceneAdapter([node], PATIENT);
      assert.deepEqual(toEvents((await adapter.readBlocks(ALL)).blocks), await readHonestly(chain));
      assert.ok(node.count('eth_getLogs') < QUERIES_MAX, `${node.count('eth_getLogs')} queries`);
      const [status] = adapter.status?.().endpoints ?? [];
      assert.equal(status?.state, 'healthy', status?.lastError ?? '');
      // What it took is remembered: the same range is not asked for again.
      const before = node.count('eth_getLogs');
      await adapter.readBlocks(ALL);
      const again = node.count('eth_getLogs') - before;
      assert.ok(again <= before, `${again} queries, ${before} before`);
    });
  }
});

describe('a query of too many values', () => {
  const pools = Array.from({ length: 60 }, (_, n) =>
    poolId(`0x${(0x10_0000 + n).toString(16).padStart(40, '0')}`),
  );
  const only = { tokens: new Set([TOKEN]), pools: new Set([poolId(PAIR), ...pools]) };
  for (const [name, code, message] of FILTERS) {
    test(`is split: ${name}`, async () => {
      const node = await startNode(recordChain());
      node.misbehave(({ method, params }) =>
        method === 'eth_getLogs' && longest(params[0] as LogQuery) > 25
          ? { do: 'error', code, message }
          : null,
      );
      const adapter = createSceneAdapter([node], PATIENT);
      const free = createSceneAdapter([await startNode(recordChain())], PATIENT);
      const range = { ...ALL, only };
      assert.deepEqual(
        (await adapter.readBlocks(range)).blocks,
        (await free.readBlocks(range)).blocks,
      );
      const countFailures = (one: typeof adapter) => one.status?.().endpoints[0]?.failures;
      assert.equal(countFailures(adapter), countFailures(free));
      assert.ok(node.count('eth_getLogs') < QUERIES_MAX, `${node.count('eth_getLogs')} queries`);
    });
  }
});

test('logs that are offered with an address only are read by receipts', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  node.misbehave(({ method, params }) =>
    method === 'eth_getLogs' && (params[0] as LogQuery).address === undefined
      ? {
          do: 'error',
          code: -32701,
          message:
            'Please specify an address in your request or, to remove restrictions, order a dedicated full node',
        }
      : null,
  );
  const adapter = createSceneAdapter([node], PATIENT);
  assert.deepEqual(toEvents((await adapter.readBlocks(ALL)).blocks), await readHonestly(chain));
  const [status] = adapter.status?.().endpoints ?? [];
  assert.equal(status?.state, 'healthy', status?.lastError ?? '');
  assert.ok(node.count('eth_getBlockReceipts') > 0);
  assert.match(adapter.status?.().limitations.join() ?? '', /does not offer eth_getLogs/);
});

describe('an answer about one endpoint alone', () => {
  for (const [name, message, method] of [
    [
      'that lacks a block of the filter',
      'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
      'eth_getLogs',
    ],
    ['that gave a call up', 'execution aborted (timeout = 5s)', 'eth_call'],
  ] as const) {
    test(`is asked of another: one ${name}`, async () => {
      const chain = recordChain();
      const [first, second] = [await startNode(chain), await startNode(chain)];
      first.misbehave(({ method: asked }) => (asked === method ? refuse(-32000, message) : null));
      const adapter = createSceneAdapter([first, second], PATIENT);
      if (method === 'eth_getLogs') {
        assert.deepEqual(
          toEvents((await adapter.readBlocks(ALL)).blocks),
          await readHonestly(chain),
        );
      } else {
        const plain = createSceneAdapter([second], PATIENT);
        const metadata = await plain.readTokenMetadata([TOKEN]);
        assert.deepEqual(await adapter.readTokenMetadata([TOKEN]), metadata);
      }
      assert.ok(first.count(method) > 0);
      assert.ok(second.count(method) > 0);
      const [status] = adapter.status?.().endpoints ?? [];
      if (method === 'eth_getLogs') assert.equal(status?.state, 'healthy', status?.lastError ?? '');
    });
  }
});
