// A token is found with few requests; what is no token costs less; a failing node is an error.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import {
  address,
  createSceneAdapter,
  endScene,
  FACTORY,
  PAIR,
  SCENE_DEPLOYMENT,
  startNode,
  TOKEN,
  topic,
  WETH,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain, type MemoryLog } from '../../../../test/fakes/memory-chain.ts';
import { RpcFault } from '../../../../test/fakes/misbehaving-rpc.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { addressWord, uintAt, uintWord } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { DECIMALS_SELECTOR, SYMBOL_SELECTOR } from '../tokens/read-token-metadata.ts';
import { GET_PAIR_SELECTOR } from '../venues/uniswap-v2/pair-selectors.ts';
import { INITIALIZE_TOPIC } from '../venues/uniswap-v4/decode-uniswap-v4.ts';
import { computeV4PoolId } from '../venues/uniswap-v4/pool-key.ts';
import { computeStateSlot } from '../venues/uniswap-v4/v4-storage.ts';

afterEach(endScene);

const MANAGER = address(0x4a);
const HOOKS = address(0x40c0);
const v4 = {
  venue: 'uniswap-v4',
  poolManager: MANAGER,
  ...{ positionManager: address(0x4b), stateView: address(0x4c), quoter: address(0x4d) },
};
const deployment = { ...SCENE_DEPLOYMENT, v4 };
const INDEXED_FROM = 55;
const HEAD = 60;

const KEY = { token0: ZERO_ADDRESS, token1: TOKEN, feePips: 777, tickSpacing: 7, hooks: HOOKS };

function buildInitialize(key: typeof KEY): MemoryLog {
  return {
    address: MANAGER,
    topics: [INITIALIZE_TOPIC, computeV4PoolId(key), topic(key.token0), topic(key.token1)],
    data: `0x${[key.feePips, key.tickSpacing].map(uintWord).join('')}${addressWord(key.hooks)}${uintWord(2n ** 96n)}${uintWord(0)}`,
  };
}

/** A token with a V2 pair, a usual V4 pool and one that only its log tells of. */
function answerCall(to: string, data: string): string {
  const usual = { ...KEY, feePips: 3000, tickSpacing: 60, hooks: ZERO_ADDRESS };
  const initialized = new Set([KEY, usual].map((key) => computeStateSlot(computeV4PoolId(key))));
  if (to === TOKEN && data.startsWith(DECIMALS_SELECTOR)) return `0x${uintWord(9)}`;
  if (to === TOKEN && data.startsWith(SYMBOL_SELECTOR)) {
    return `0x${Buffer.from('TKN').toString('hex').padEnd(64, '0')}`;
  }
  if (to === FACTORY && data.startsWith(GET_PAIR_SELECTOR)) return `0x${addressWord(PAIR)}`;
  if (to === MANAGER) {
    const words = `0x${data.slice(10)}`;
    const count = Number(uintAt(words, 1));
    const values = Array.from({ length: count }, (_, n) =>
      uintWord(initialized.has(uintAt(words, n + 2)) ? 1n << 96n : 0n),
    );
    return `0x${uintWord(0x20)}${uintWord(count)}${values.join('')}`;
  }
  throw new RpcFault(3, 'execution reverted');
}

async function startScene(hasCode: (to: string) => boolean = (to) => to !== address(0xe0a)) {
  const chain = new MemoryChain({
    ...{ chainId: 1337, blockTimestamps: true, call: answerCall },
    code: (to) => (hasCode(to) ? '0x6001' : '0x'),
  });
  for (let n = 1; n <= HEAD; n += 1) {
    // The second one is of a key that is not the one its id says.
    const logs = n === 20 ? [buildInitialize(KEY)] : [];
    const lie = { ...buildInitialize({ ...KEY, feePips: 5 }) };
    const topics = [INITIALIZE_TOPIC, `0x${'11'.repeat(32)}`, ...lie.topics.slice(2)];
    chain.add([{ from: TOKEN, logs: n === 21 ? [{ ...lie, topics }] : logs }]);
  }
  const node = await startNode(chain);
  const adapter = createSceneAdapter([node], { deployment });
  const header = (await adapter.readHeader(HEAD)) ?? assert.fail();
  const find = (token = TOKEN, searchedFrom = INDEXED_FROM) =>
    adapter.findToken?.({ token, indexedFrom: INDEXED_FROM, searchedFrom }, header) ??
    assert.fail();
  return { node, find };
}

describe('a token', () => {
  it('is found with its metadata, and its pools by factory, by usual key and by log', async () => {
    const { find } = await startScene();
    const found = await find();
    if (found.kind !== 'token') assert.fail(found.kind);
    const { metadata, pools, searchedFrom, callCount } = found;
    assert.deepEqual(metadata, { token: TOKEN, symbol: 'TKN', name: null, decimals: 9 });
    assert.deepEqual(
      pools.map(({ venue, feePips }) => [venue, feePips]),
      [
        ['uniswap-v2', 3000],
        ['uniswap-v4', 3000],
        ['uniswap-v4', 777],
      ],
    );
    const [pair] = pools;
    assert.deepEqual([pair?.token0, pair?.token1], [WETH, TOKEN]);
    assert.equal(searchedFrom, 0);
    assert.ok(callCount <= 12, `${callCount} calls`);
  });

  it('has its logs searched newest first, within bounded requests, and on from there', async () => {
    const { find, node } = await startScene();
    node.misbehave(({ method, params }) => {
      if (method !== 'eth_getLogs') return null;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const isAllowed = Number(toBlock) - Number(fromBlock) < 4;
      return isAllowed ? null : { do: 'error', code: -32005, message: 'block range is too large' };
    });
    let searchedFrom = INDEXED_FROM;
    const pools = new Set<string>();
    for (let lookups = 0; searchedFrom > 0; lookups += 1) {
      assert.ok(lookups < 10);
      const before = node.calls.filter(({ method }) => method === 'eth_getLogs').length;
      const found = await find(TOKEN, searchedFrom);
      if (found.kind !== 'token') assert.fail(found.kind);
      const calls = node.calls.filter(({ method }) => method === 'eth_getLogs').length - before;
      assert.ok(calls <= 16, `${calls} requests for logs`);
      assert.ok(found.searchedFrom < searchedFrom);
      searchedFrom = found.searchedFrom;
      for (const { pool } of found.pools) pools.add(pool);
    }
    assert.ok(pools.has(computeV4PoolId(KEY)));
  });

  it('is found without its logs where the node serves none', async () => {
    const { find, node } = await startScene();
    node.misbehave(({ method }) =>
      method === 'eth_getLogs' ? { do: 'error', code: -32601, message: 'method not found' } : null,
    );
    const found = await find();
    if (found.kind !== 'token') assert.fail(found.kind);
    assert.deepEqual([found.pools.length, found.searchedFrom], [2, INDEXED_FROM]);
  });
});

describe('what is no token', () => {
  it('takes one request if it has no code', async () => {
    const { find, node } = await startScene();
    const before = node.calls.length;
    const found = await find(address(0xe0a));
    assert.deepEqual(found, { kind: 'noToken', callCount: 1 });
    assert.equal(node.calls.length, before + 1);
  });

  it('takes a few if it is another contract', async () => {
    const { find } = await startScene();
    const found = await find(address(0xc0de));
    assert.equal(found.kind, 'noToken');
    assert.ok(found.callCount <= 5);
  });
});

describe('a node', () => {
  it('that fails is an error, never an address without a token', async () => {
    const { find, node } = await startScene();
    node.misbehave(({ method }) =>
      method === 'eth_getCode' ? { do: 'reply', status: 502, text: 'bad gateway' } : null,
    );
    await assert.rejects(find(), (error) => isRpcError(error, 'unavailable'));
  });

  it('that has left the block says so', async () => {
    const { find, node } = await startScene();
    node.misbehave(({ method }) =>
      method === 'eth_getCode'
        ? { do: 'error', code: -32000, message: 'hash is not currently canonical' }
        : null,
    );
    assert.equal((await find()).kind, 'blockGone');
  });
});
