// Curve's pools: which coins a swap exchanged, as far as a registry knows the pool.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { decodeTestLog, encodeTestLog } from '../../../../../test/evm-logs.ts';
import {
  createSceneAdapter,
  endScene,
  SCENE_DEPLOYMENT,
  startNode,
} from '../../../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../../../test/fakes/memory-chain.ts';
import { address } from '../../../../../test/test-ids.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { createLogFilters } from '../../blocks/log-filters.ts';
import { parseCoinPairPool } from '../../data/evm-ids.ts';
import type { EvmLog } from '../../data/evm-log.ts';
import { addressWord, uintWord } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { describeUnpriced } from '../unpriced-pools.ts';
import { curve } from './curve.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.ethereum ?? assert.fail();
const [META, STABLE_NG] = DEPLOYMENT.curve as [Address, Address];
const POOL = address(`0x${'9'.repeat(40)}`);
const COINS = ['a', 'b', 'c'].map((digit) => address(`0x${digit.repeat(40)}`));
const ETHER = address(`0x${'e'.repeat(40)}`);

const ADD_LIQUIDITY = '0x189c623b666b1b45b83d7178f39b8c087cb09774317ca2f53c2d3c3726f222a2';

const EVENTS = {
  stable: 'event TokenExchange(address indexed buyer, int128 i, uint256 dx, int128 j, uint256 dy)',
  crypto:
    'event TokenExchange(address indexed buyer, uint256 i, uint256 dx, uint256 j, uint256 dy)',
  cryptoNg:
    'event TokenExchange(address indexed buyer, uint256 i, uint256 dx, uint256 j, uint256 dy, uint256 fee, uint256 scale)',
  underlying:
    'event TokenExchangeUnderlying(address indexed buyer, int128 i, uint256 dx, int128 j, uint256 dy)',
};

function encodeLog(event: keyof typeof EVENTS, args: Record<string, unknown>): EvmLog {
  return encodeTestLog(EVENTS[event], POOL, { buyer: POOL, fee: 1n, scale: 2n, ...args });
}

const decode = (log: EvmLog) => decodeTestLog(DEPLOYMENT, log);

function decodeSwap(log: EvmLog) {
  const [event] = decode(log);
  assert.ok(event?.kind === 'swap');
  return event;
}

function toAnswer(...words: readonly (Address | number)[]): string {
  const hex = words.map((one) => (typeof one === 'number' ? uintWord(one) : addressWord(one)));
  return `0x${hex.join('')}`;
}

async function resolve(log: EvmLog, answers: Readonly<Record<string, string>>) {
  const { pool } = decodeSwap(log);
  const callContracts = async (calls: readonly { to: string; data: string }[]) =>
    calls.map(({ to, data }) => answers[`${to} ${data.slice(0, 10)}`] ?? null);
  return await curve.resolvePools([pool], { deployment: DEPLOYMENT, callContracts });
}

describe('swaps of Curve', () => {
  it('name two coins and their amounts, whichever was sold', () => {
    for (const event of ['stable', 'crypto', 'cryptoNg', 'underlying'] as const) {
      const forth = decodeSwap(encodeLog(event, { i: 0n, dx: 5n, j: 2n, dy: 7n }));
      const back = decodeSwap(encodeLog(event, { i: 2n, dx: 7n, j: 0n, dy: 5n }));
      assert.equal(forth.pool, back.pool);
      assert.deepEqual([forth.amount0, forth.amount1], [5n, -7n]);
      assert.deepEqual([back.amount0, back.amount1], [-5n, 7n]);
      const change = { poolKind: 'tradesOnly', set: { last0: 5n, last1: 7n } };
      assert.deepEqual([forth.change, back.change], [change, change]);
      const isUnderlying = event === 'underlying';
      const pair = { contract: POOL, lower: 0, upper: 2, isUnderlying };
      assert.deepEqual(parseCoinPairPool(forth.pool), pair);
    }
  });

  it('of other shapes or with coins that no pool has tell nothing', () => {
    const log = encodeLog('crypto', { i: 0n, dx: 5n, j: 1n, dy: 7n });
    assert.deepEqual(decode({ ...log, data: `${log.data}${'0'.repeat(64)}` }), []);
    assert.deepEqual(decode({ ...log, topics: log.topics.slice(0, 1) }), []);
    assert.deepEqual(decode(encodeLog('crypto', { i: 0n, dx: 5n, j: 8n, dy: 7n })), []);
    assert.deepEqual(decode(encodeLog('crypto', { i: 1n, dx: 5n, j: 1n, dy: 7n })), []);
  });

  it('are looked for by the contract of their pool', () => {
    const { pool } = decodeSwap(encodeLog('stable', { i: 0n, dx: 5n, j: 1n, dy: 7n }));
    const filters = createLogFilters(DEPLOYMENT);
    const only = { tokens: new Set<Address>(), pools: new Set([pool]) };
    assert.ok(filters.build(only).some(({ address: asked }) => asked.includes(POOL)));
    const log = encodeLog('stable', { i: 0n, dx: 5n, j: 1n, dy: 7n });
    assert.ok(filters.isWanted(log, only));
    const [other = POOL] = COINS;
    assert.ok(!filters.isWanted({ ...log, address: other }, only));
  });
});

describe('the history of a pool of Curve', () => {
  afterEach(endScene);

  it('has its swaps, and nothing that only pools of another formula log', async () => {
    const swap = encodeLog('stable', { i: 0n, dx: 5n, j: 1n, dy: 7n });
    const added = { ...swap, topics: [ADD_LIQUIDITY, ...swap.topics.slice(1)] };
    const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
    chain.add([{ from: POOL, logs: [added, swap] }]);
    const deployment = { ...SCENE_DEPLOYMENT, curve: [META], curveStable: STABLE_NG };
    const adapter = createSceneAdapter([await startNode(chain)], { deployment });
    const [token0, token1] = COINS as [Address, Address];
    const place = { pool: decodeSwap(swap).pool, venue: 'curve', vault: POOL, feePips: 0 };
    const unpriced = describeUnpriced({ ...place, token0, token1 });
    const terms = { coinCount: 2 };
    const computed: PoolDescription = { ...unpriced, kind: 'stableSwap', terms };
    for (const [description, kinds] of [
      [unpriced, ['swap']],
      [computed, ['poolChanged', 'swap']],
    ] as const) {
      const query = { fromBlock: 1, toBlock: chain.head, pools: [description] };
      const history = adapter.history ?? assert.fail();
      const { blocks } = await history.readPoolEvents({ ...query, detail: 'trades' });
      const events = blocks.flatMap(({ logs }) => logs.flatMap((log) => log.events));
      assert.deepEqual(
        events.map(({ kind }) => kind),
        kinds,
      );
    }
  });
});

describe('pools of Curve', () => {
  const swap = encodeLog('stable', { i: 2n, dx: 5n, j: 0n, dy: 7n });

  it('have the coins that a registry names, in an array or a list', async () => {
    const [a, b, c] = COINS as [Address, Address, Address];
    const zero = address(`0x${'0'.repeat(40)}`);
    const asArray = { [`${META} 0x9ac90d3d`]: toAnswer(a, b, c, zero, zero) };
    const asList = {
      [`${META} 0x9ac90d3d`]: toAnswer(zero, zero),
      [`${STABLE_NG} 0x9ac90d3d`]: toAnswer(32, 3, a, b, c),
    };
    for (const answers of [asArray, asList]) {
      const [pool] = await resolve(swap, answers);
      assert.deepEqual([pool?.token0, pool?.token1], [a, c]);
      assert.deepEqual([pool?.venue, pool?.vault, pool?.kind], ['curve', POOL, 'tradesOnly']);
    }
  });

  it('may hold the native coin', async () => {
    const [a, b] = COINS as [Address, Address];
    const [pool] = await resolve(swap, { [`${META} 0x9ac90d3d`]: toAnswer(ETHER, a, b) });
    assert.equal(pool?.token0, `0x${'0'.repeat(40)}`);
  });

  it('trade coins of their base pool, which a registry names apart', async () => {
    const underlying = encodeLog('underlying', { i: 0n, dx: 5n, j: 2n, dy: 7n });
    const [a, b, c] = COINS as [Address, Address, Address];
    const [pool] = await resolve(underlying, {
      [`${META} 0x9ac90d3d`]: toAnswer(a, b),
      [`${META} 0xa77576ef`]: toAnswer(a, b, c),
    });
    assert.deepEqual([pool?.token0, pool?.token1], [a, c]);
  });

  it('are not stored if no registry knows them, or not that coin', async () => {
    assert.deepEqual(await resolve(swap, {}), []);
    const [a, b] = COINS as [Address, Address];
    assert.deepEqual(await resolve(swap, { [`${META} 0x9ac90d3d`]: toAnswer(a, b) }), []);
  });

  it('are found by every registry if they never traded, once for each quote asset', async () => {
    const [a, b, c] = COINS as [Address, Address, Address];
    const zero = address(`0x${'0'.repeat(40)}`);
    const [plain, meta, other, old] = ['1', '2', '3', '4'].map((digit) =>
      address(`0x${digit.repeat(40)}`),
    ) as [Address, Address, Address, Address];
    const word = (one: Address) => addressWord(one === zero ? ETHER : one);
    const keyOf = (registry: Address, quote: Address, at: number) =>
      `${registry} ${word(a)}${word(quote)}${uintWord(at)}`;
    const stable = DEPLOYMENT.curveStable ?? assert.fail();
    const listed = new Map([
      ...[plain, meta, other, plain, old].map((pool, at) => [keyOf(stable, b, at), pool] as const),
      [keyOf(stable, zero, 0), plain],
      ...[plain, old].map((pool, at) => [keyOf(META, b, at), pool] as const),
    ]);
    const coins: Readonly<Record<Address, string>> = {
      [plain]: toAnswer(32, 4, b, c, ETHER, a),
      // It is called: its base pool changes it, too.
      [meta]: toAnswer(32, 2, a, b),
      [other]: toAnswer(32, 2, c, b),
    };
    const oldCoins = toAnswer(c, a, b, zero);
    const asked: string[] = [];
    const callContracts = async (calls: readonly { to: Address; data: string }[]) =>
      calls.map(({ to, data }) => {
        const [selector, args] = [data.slice(0, 10), data.slice(10)];
        const contract = address(`0x${args.slice(24, 64)}`);
        if (selector === '0x6982eb0b') {
          asked.push(`${to} ${args}`);
          return toAnswer(listed.get(`${to} ${args}`) ?? zero);
        }
        if (to === META) return contract === old && selector === '0xa77576ef' ? oldCoins : null;
        if (to !== stable) return null;
        if (selector === '0x9ac90d3d') return coins[contract] ?? null;
        return selector === '0xe4d332a9' ? toAnswer(contract === meta ? 1 : 0) : null;
      });
    const search = { token: a, quotes: [b, zero, a], announced: [] };
    const found = await curve.findPools(search, { deployment: DEPLOYMENT, callContracts });
    assert.deepEqual(
      found.map((one) => [one.kind, one.token0, one.token1, parseCoinPairPool(one.pool)]),
      [
        ['stableSwap', b, a, { contract: plain, lower: 0, upper: 3, isUnderlying: false }],
        ['stableSwap', zero, a, { contract: plain, lower: 2, upper: 3, isUnderlying: false }],
        ['tradesOnly', a, b, { contract: meta, lower: 0, upper: 1, isUnderlying: false }],
        ['tradesOnly', a, b, { contract: old, lower: 1, upper: 2, isUnderlying: true }],
      ],
    );
    // A registry is asked for the next pool of two coins only if it had one, and for four at most.
    const countOf = (registry: Address, quote: Address) =>
      asked.filter((one) => one.startsWith(`${registry} ${word(a)}${word(quote)}`)).length;
    assert.deepEqual(
      [countOf(stable, b), countOf(META, b), countOf(stable, zero), countOf(META, zero)],
      [4, 3, 2, 1],
    );
    const { curve: _none, ...without } = DEPLOYMENT;
    asked.length = 0;
    assert.deepEqual(await curve.findPools(search, { deployment: without, callContracts }), []);
    assert.deepEqual(asked, []);
  });
});
