// V3-like pools that are not Uniswap's: their logs as viem encodes them, and their getters.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AbiEvent, encodeEventTopics, parseAbiItem } from 'viem';
import { createTestContracts, decodeTestLog, encodeTestLog } from '../../../../../test/evm-logs.ts';
import { address } from '../../../../../test/test-ids.ts';
import { concentratedKind } from '../../../../amm/concentrated/concentrated-kind.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { createLogFilters } from '../../blocks/log-filters.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import { addressWord, intWord, uintWord } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { createLogDecoding } from '../log-decoding.ts';
import { SWAP_FEE_UNITS_SELECTOR, TICK_DISTANCE_SELECTOR } from './pool-selectors.ts';
import { uniswapV3 } from './uniswap-v3.ts';

const POOL = address(`0x${'9'.repeat(40)}`);
const TOKENS = { token0: address(`0x${'1'.repeat(40)}`), token1: address(`0x${'2'.repeat(40)}`) };

function findFork(chain: 'base' | 'polygon' | 'arbitrum' | 'optimism', venue: string) {
  const deployment = EVM_DEPLOYMENTS[chain] ?? assert.fail();
  const fork = deployment.v3.find((one) => one.venue === venue) ?? assert.fail();
  return { deployment, fork };
}

const SLIPSTREAM = findFork('base', 'aerodrome-slipstream');
const VELODROME = findFork('optimism', 'velodrome-slipstream');
const QUICKSWAP = findFork('polygon', 'quickswap-v3');
const CAMELOT = findFork('arbitrum', 'camelot-v3');
const INTEGRAL = findFork('base', 'quickswap-v4');

function encodeV3(
  signature: string,
  { emitter, args }: { readonly emitter: Address; readonly args: Record<string, unknown> },
) {
  return encodeTestLog(signature, emitter, args);
}

function describePool(venue: string, feePips: number, tickSpacing: number) {
  const terms = { tickSpacing, custody: { kind: 'own' } };
  const place = { pool: POOL, vault: POOL, venue, ...TOKENS };
  return { ...place, kind: 'concentrated', feePips, terms } as unknown as PoolDescription;
}

function describeIntegral(venue: string, deployer?: Address) {
  const custody = { kind: 'own', ...(deployer === undefined ? {} : { deployer }) };
  const terms = { tickSpacing: 1, stopsAtTicksOnly: true, custody };
  return { ...describePool(venue, 0, 1), terms } as unknown as PoolDescription;
}

function announce(description: PoolDescription, ...changes: readonly object[]) {
  const pool = description.pool;
  const toEvent = (change: object) => ({
    ...{ kind: 'poolChanged', pool, change: { poolKind: 'concentrated', ...change } },
  });
  return [{ kind: 'poolCreated', description, complete: true }, ...changes.map(toEvent)];
}

const SLIPSTREAM_CREATED =
  'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)';
const ALGEBRA_CREATED = 'event Pool(address indexed token0, address indexed token1, address pool)';

describe('logs of V3-like pools', () => {
  it('announce a Slipstream pool, whose fee must be read', () => {
    const { deployment, fork } = SLIPSTREAM;
    const args = { ...TOKENS, tickSpacing: 200, pool: POOL };
    const log = encodeV3(SLIPSTREAM_CREATED, { emitter: fork.factory, args });
    const pool = describePool(fork.venue, 0, 200);
    assert.deepEqual(decodeTestLog(deployment, log), announce(pool, { type: 'unread' }));
    assert.deepEqual(decodeTestLog(deployment, { ...log, address: POOL }), []);
    assert.deepEqual(
      decodeTestLog(deployment, { ...log, data: `${log.data}${'0'.repeat(64)}` }),
      [],
    );
  });

  it('announce an Algebra pool with the spacing of its bitmap and its first fee', () => {
    const fees = { zeroForOne: 100, oneForZero: 100 };
    for (const [{ deployment, fork }, spacing] of [
      [QUICKSWAP, 60] as const,
      [CAMELOT, 1] as const,
    ]) {
      const args = { ...TOKENS, pool: POOL };
      const log = encodeV3(ALGEBRA_CREATED, { emitter: fork.factory, args });
      const pool = describePool(fork.venue, 100, spacing);
      assert.deepEqual(
        decodeTestLog(deployment, log),
        announce(pool, { type: 'fees', fees }, { type: 'feeRule', rule: 'timed' }),
      );
      assert.deepEqual(decodeTestLog(deployment, { ...log, topics: log.topics.slice(0, 2) }), []);
    }
  });

  it('tell the fee of the next swap, for both directions or each', () => {
    const single = encodeV3('event Fee(uint16 fee)', { emitter: POOL, args: { fee: 900 } });
    const each = encodeV3('event Fee(uint16 feeZto, uint16 feeOtz)', {
      ...{ emitter: POOL, args: { feeZto: 300, feeOtz: 700 } },
    });
    const expect = (zeroForOne: number, oneForZero: number) => {
      const fees = { zeroForOne, oneForZero };
      const change = { poolKind: 'concentrated', type: 'fees', fees };
      return [{ kind: 'poolChanged', pool: POOL, change }];
    };
    assert.deepEqual(decodeTestLog(QUICKSWAP.deployment, single), expect(900, 900));
    assert.deepEqual(decodeTestLog(CAMELOT.deployment, each), expect(300, 700));
    assert.deepEqual(
      decodeTestLog(CAMELOT.deployment, { ...each, data: each.data.slice(0, 66) }),
      [],
    );
  });

  it('are asked for only on chains that have such pools', () => {
    const topicsOf = (deployment: EvmDeployment) => createLogDecoding(deployment).topics;
    const created = encodeEventTopics({ abi: [parseAbiItem(ALGEBRA_CREATED) as AbiEvent] });
    assert.ok(topicsOf(QUICKSWAP.deployment).includes(created[0] as string));
    assert.ok(!topicsOf(VELODROME.deployment).includes(created[0] as string));
    const filters = createLogFilters(QUICKSWAP.deployment).build({
      ...{ tokens: new Set([TOKENS.token0]), pools: new Set<never>() },
    });
    const announced = filters.find(({ topics: [first] }) => first?.includes(created[0] as string));
    assert.ok(announced?.address.includes(QUICKSWAP.fork.factory));
  });
});

const toAnswer = (...words: readonly string[]) => `0x${words.join('')}`;

function describeTokens(factory: Address): [string, string][] {
  return [
    [`${POOL} 0xc45a0155`, toAnswer(addressWord(factory))],
    [`${POOL} 0x0dfe1681`, toAnswer(addressWord(TOKENS.token0))],
    [`${POOL} 0xd21220a7`, toAnswer(addressWord(TOKENS.token1))],
  ];
}

const PAIR_WORDS = `${addressWord(TOKENS.token0)}${addressWord(TOKENS.token1)}`;

describe('contracts of V3-like pools', () => {
  it('confirm a Slipstream pool by its spacing, and tell its fee', async () => {
    const { deployment, fork } = SLIPSTREAM;
    const callContracts = createTestContracts(
      new Map([
        ...describeTokens(fork.factory),
        [`${POOL} 0xddca3f43`, toAnswer(uintWord(450))],
        [`${POOL} 0xd0c93a7c`, toAnswer(intWord(100))],
        [`${fork.factory} 0x28af8d0b${PAIR_WORDS}${intWord(100)}`, toAnswer(addressWord(POOL))],
      ]),
    );
    const context = { deployment, callContracts };
    const expected = [describePool(fork.venue, 450, 100)];
    assert.deepEqual(await uniswapV3.resolvePools([toPoolId(POOL)], context), expected);
    const search = { token: TOKENS.token0, quotes: [TOKENS.token1], announced: [] };
    assert.deepEqual(await uniswapV3.findPools(search, context), expected);
  });

  it('tell the fee of a Slipstream pool, which depends on the time: it is marked', async () => {
    const { deployment, fork } = SLIPSTREAM;
    const price = [uintWord(2n ** 96n), intWord(-5)];
    const callContracts = createTestContracts(
      new Map([
        [`${POOL} 0x3850c7bd`, toAnswer(...price, ...[0, 1, 1, 1].map((one) => uintWord(one)))],
        [`${POOL} 0x1a686502`, toAnswer(uintWord(0))],
        [`${POOL} 0xddca3f43`, toAnswer(uintWord(450))],
        ...Array.from({ length: 80 }, (_, index): [string, string] => [
          `${POOL} 0x5339c296${intWord(index - 40)}`,
          toAnswer(uintWord(0)),
        ]),
      ]),
    );
    const description = describePool(fork.venue, 0, 100);
    const query = { description, covered: null, callCountMax: 100, wordCountMax: 80 };
    const page = await uniswapV3.readPoolPage(query, { deployment, callContracts });
    assert.deepEqual(
      [page?.feePips, page?.state],
      [450, { sqrtPriceX96: 2n ** 96n, liquidity: 0n, tick: -5, flags: 'timedFee' }],
    );
  });

  it('tell the fee of a Kyber Elastic pool in units of 100,000', async () => {
    const { deployment, fork } = findFork('polygon', 'kyber-elastic');
    const callContracts = createTestContracts(
      new Map([
        ...describeTokens(fork.factory),
        [`${POOL} ${SWAP_FEE_UNITS_SELECTOR}`, toAnswer(uintWord(40))],
        [`${POOL} ${TICK_DISTANCE_SELECTOR}`, toAnswer(intWord(8))],
        [`${fork.factory} 0x1698ee82${PAIR_WORDS}${uintWord(40)}`, toAnswer(addressWord(POOL))],
      ]),
    );
    const pool = describePool(fork.venue, 400, 8);
    const context = { deployment, callContracts };
    assert.deepEqual(await uniswapV3.resolvePools([toPoolId(POOL)], context), [pool]);
    const created = encodeV3(
      'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed swapFeeUnits, int24 tickDistance, address pool)',
      { emitter: fork.factory, args: { ...TOKENS, swapFeeUnits: 40, tickDistance: 8, pool: POOL } },
    );
    const [event] = decodeTestLog(deployment, created);
    assert.deepEqual(event?.kind === 'poolCreated' && event.description, pool);
  });

  it('confirm an Algebra pool by its pair, and tell its state and fees', async () => {
    const { deployment, fork } = CAMELOT;
    const price = [uintWord(2n ** 96n), intWord(-5)];
    const rest = Array.from({ length: 4 }, () => uintWord(1));
    const callContracts = createTestContracts(
      new Map([
        ...describeTokens(fork.factory),
        [`${fork.factory} 0xd9a641e1${PAIR_WORDS}`, toAnswer(addressWord(POOL))],
        [`${POOL} 0xe76c01e4`, toAnswer(...price, uintWord(120), uintWord(340), ...rest)],
        [`${POOL} 0x1a686502`, toAnswer(uintWord(0))],
        ...Array.from({ length: 8000 }, (_, index): [string, string] => [
          `${POOL} 0xc677e3e0${intWord(index - 4000)}`,
          toAnswer(uintWord(0)),
        ]),
      ]),
    );
    const context = { deployment, callContracts };
    const expected = describePool(fork.venue, 100, 1);
    assert.deepEqual(await uniswapV3.resolvePools([toPoolId(POOL)], context), [expected]);
    const query = { description: expected, covered: null, callCountMax: 100, wordCountMax: 8000 };
    const page = (await uniswapV3.readPoolPage(query, context)) ?? assert.fail();
    assert.deepEqual([page.feePips, page.isLast, page.ticks], [120, true, []]);
    const state = { sqrtPriceX96: 2n ** 96n, liquidity: 0n, tick: -5 };
    assert.deepEqual(page.state, { ...state, feeOneForZero: 340, flags: 'timedFee' });
    const [reading] = await uniswapV3.readPoolStates(
      [{ description: expected, ticks: [] }],
      context,
    );
    assert.deepEqual(reading?.state, state);
  });

  it('tell the fee of an Algebra Integral pool, which is certain if no plugin is called', async () => {
    const { deployment, fork } = INTEGRAL;
    const description = describeIntegral(fork.venue);
    for (const [config, flags] of [
      [0, ''],
      [2, ''],
      [1, 'timedFee'],
      [129, 'timedFee'],
    ] as const) {
      const state = [uintWord(2n ** 96n), intWord(-5), uintWord(450), uintWord(config)];
      const rest = [uintWord(100), uintWord(1)];
      const callContracts = createTestContracts(
        new Map([
          ...describeTokens(fork.factory),
          [`${fork.factory} 0xd9a641e1${PAIR_WORDS}`, toAnswer(addressWord(POOL))],
          [`${POOL} 0xe76c01e4`, toAnswer(...state, ...rest)],
          [`${POOL} 0x1a686502`, toAnswer(uintWord(0))],
          ...Array.from({ length: 8000 }, (_, index): [string, string] => [
            `${POOL} 0xc677e3e0${intWord(index - 4000)}`,
            toAnswer(uintWord(0)),
          ]),
        ]),
      );
      const context = { deployment, callContracts };
      assert.deepEqual(await uniswapV3.resolvePools([toPoolId(POOL)], context), [description]);
      const query = { description, covered: null, callCountMax: 100, wordCountMax: 8000 };
      const page = (await uniswapV3.readPoolPage(query, context)) ?? assert.fail();
      assert.deepEqual(
        [page.feePips, page.state],
        [450, { sqrtPriceX96: 2n ** 96n, liquidity: 0n, tick: -5, flags }],
      );
    }
  });

  it('confirm a custom pool of Algebra Integral, which a log announced', async () => {
    const { deployment, fork } = INTEGRAL;
    const deployer = address(`0x${'7'.repeat(40)}`);
    const pool = describeIntegral(fork.venue, deployer);
    const key = `${addressWord(deployer)}${PAIR_WORDS}`;
    const other = address(`0x${'8'.repeat(40)}`);
    for (const [answer, found] of [
      [POOL, [pool]],
      [other, []],
    ] as const) {
      const callContracts = createTestContracts(
        new Map([[`${fork.factory} 0x23da36cc${key}`, toAnswer(addressWord(answer))]]),
      );
      const search = { token: TOKENS.token1, quotes: [TOKENS.token0], announced: [pool] };
      assert.deepEqual(await uniswapV3.findPools(search, { deployment, callContracts }), found);
    }
    const [first, second] = uniswapV3.listCreationFilters(TOKENS.token0, deployment);
    const topic = `0x${addressWord(TOKENS.token0)}`;
    assert.deepEqual(
      [first?.topics.slice(1), second?.topics.slice(1)],
      [
        [null, topic],
        [null, null, topic],
      ],
    );
    assert.ok(first?.address.includes(fork.factory));
    assert.deepEqual(uniswapV3.listCreationFilters(TOKENS.token0, QUICKSWAP.deployment), []);
    const terms = concentratedKind.encodeTerms(pool.terms as never);
    assert.deepEqual(concentratedKind.decodeTerms(terms), pool.terms);
  });

  it('do not confirm a pool that its factory does not name', async () => {
    const { deployment, fork } = QUICKSWAP;
    const other = address(`0x${'8'.repeat(40)}`);
    const callContracts = createTestContracts(
      new Map([
        ...describeTokens(fork.factory),
        [`${fork.factory} 0xd9a641e1${PAIR_WORDS}`, toAnswer(addressWord(other))],
      ]),
    );
    const found = await uniswapV3.resolvePools([toPoolId(POOL)], { deployment, callContracts });
    assert.deepEqual(found, []);
  });
});
