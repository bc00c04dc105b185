// V2-like pairs that are not Uniswap's: their logs as viem encodes them, and their getters.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestContracts, decodeTestLog, encodeTestLog } from '../../../../../test/evm-logs.ts';
import { address, transactionId } from '../../../../../test/test-ids.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import { addressWord, uintWord } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { createLogDecoding } from '../log-decoding.ts';
import { uniswapV2 } from './uniswap-v2.ts';

const PAIR = address(`0x${'9'.repeat(40)}`);
const TOKENS = { token0: address(`0x${'1'.repeat(40)}`), token1: address(`0x${'2'.repeat(40)}`) };

function findFork(chain: 'base' | 'arbitrum', venue: string) {
  const deployment = EVM_DEPLOYMENTS[chain] ?? assert.fail();
  const fork = deployment.v2.find((one) => one.venue === venue) ?? assert.fail();
  return { deployment, fork };
}

const AERODROME = findFork('base', 'aerodrome-v2');
const CAMELOT = findFork('arbitrum', 'camelot-v2');

const SOLIDLY_TERMS = {
  ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
  ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
};
const CAMELOT_TERMS = {
  ...{ rounding: 'router', loop: 'settled', reserveBits: 112 },
  ...{ feeLeavesPips: 0, stableFeeLeavesPips: 500_000 },
};

function describePair(venue: string, terms: object): PoolDescription {
  const place = { pool: PAIR, vault: PAIR, venue, ...TOKENS };
  return { ...place, kind: 'solidlyPair', feePips: 0, terms } as unknown as PoolDescription;
}

function expectSet(set: object) {
  return [{ kind: 'poolChanged', pool: PAIR, change: { poolKind: 'solidlyPair', set } }];
}

describe('logs of V2-like pairs', () => {
  it('announce a volatile or stable pair of Aerodrome', () => {
    const { deployment, fork } = AERODROME;
    const signature =
      'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)';
    for (const stable of [false, true]) {
      const log = encodeTestLog(signature, fork.factory, {
        ...TOKENS,
        stable,
        pool: PAIR,
        count: 7n,
      });
      const description = describePair(fork.venue, SOLIDLY_TERMS);
      const created = { kind: 'poolCreated', description, complete: true };
      assert.deepEqual(decodeTestLog(deployment, log), [
        created,
        ...expectSet({ isStable: stable }),
      ]);
      assert.deepEqual(decodeTestLog(deployment, { ...log, address: PAIR }), []);
    }
  });

  it('announce a pair of Camelot, whose kind is its own', () => {
    const { deployment, fork } = CAMELOT;
    const signature =
      'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)';
    const log = encodeTestLog(signature, fork.factory, { ...TOKENS, pair: PAIR, count: 7n });
    const description = describePair(fork.venue, CAMELOT_TERMS);
    assert.deepEqual(decodeTestLog(deployment, log), [
      { kind: 'poolCreated', description, complete: true },
    ]);
  });

  it('tell reserves and swaps of Aerodrome', () => {
    const { deployment } = AERODROME;
    const reserves = { reserve0: 2n ** 200n, reserve1: 5n };
    const sync = encodeTestLog('event Sync(uint256 reserve0, uint256 reserve1)', PAIR, reserves);
    const change = { poolKind: 'constantProduct', ...reserves };
    assert.deepEqual(decodeTestLog(deployment, sync), [
      { kind: 'poolChanged', pool: PAIR, change },
    ]);
    const swap = encodeTestLog(
      'event Swap(address indexed sender, address indexed to, uint256 in0, uint256 in1, uint256 out0, uint256 out1)',
      PAIR,
      { sender: PAIR, to: PAIR, in0: 9n, in1: 0n, out0: 0n, out1: 4n },
    );
    const [found] = decodeTestLog(deployment, swap);
    assert.ok(found?.kind === 'swap');
    assert.deepEqual([found.amount0, found.amount1], [9n, -4n]);
    const charged = { in0: 9n, in1: 0n, taken0: 0n, taken1: 0n };
    assert.deepEqual(found.change, { poolKind: 'solidlyPair', charged });
  });

  it('tell what a swap of Aerodrome was charged, by the logs before it', () => {
    const { deployment } = AERODROME;
    const OTHER = address(`0x${'8'.repeat(40)}`);
    const fees = (pair: Address, amount0: bigint, amount1: bigint) =>
      encodeTestLog('event Fees(address indexed sender, uint256 amount0, uint256 amount1)', pair, {
        ...{ sender: PAIR, amount0, amount1 },
      });
    const swap = (pair: Address) =>
      encodeTestLog(
        'event Swap(address indexed sender, address indexed to, uint256 in0, uint256 in1, uint256 out0, uint256 out1)',
        pair,
        { sender: PAIR, to: PAIR, in0: 900n, in1: 50n, out0: 0n, out1: 4n },
      );
    const later = { txHash: transactionId(`0x${'6'.repeat(64)}`) };
    const logs = [
      ...[fees(PAIR, 7n, 0n), fees(PAIR, 0n, 2n), fees(OTHER, 5n, 0n), swap(PAIR), swap(PAIR)],
      ...[swap(OTHER), fees(OTHER, 6n, 0n), { ...swap(OTHER), ...later }],
    ];
    const { blocks } = createLogDecoding(deployment).decode(logs);
    const taken = blocks.flatMap(({ events }) =>
      events.map((event) => {
        assert.ok(event.kind === 'swap' && event.change?.poolKind === 'solidlyPair');
        const { charged } = 'charged' in event.change ? event.change : assert.fail();
        return [charged.taken0, charged.taken1];
      }),
    );
    // One swap does not take the fees of another, nor of another pair or transaction.
    assert.deepEqual(taken, [
      [7n, 2n],
      [0n, 0n],
      [5n, 0n],
      [0n, 0n],
    ]);
  });

  it("tell a fee of Aerodrome's factory: 420 is none, 0 its own, which must be asked", () => {
    const { deployment, fork } = AERODROME;
    const signature = 'event SetCustomFee(address indexed pool, uint256 fee)';
    for (const [fee, pips] of [[5n, 500] as const, [420n, 0] as const, [0n, null] as const]) {
      const log = encodeTestLog(signature, fork.factory, { pool: PAIR, fee });
      const isFeeConfirmed = pips !== null;
      const set = { fee0: pips, fee1: pips, isFeeConfirmed };
      assert.deepEqual(decodeTestLog(deployment, log), expectSet(set));
      assert.deepEqual(decodeTestLog(deployment, { ...log, address: PAIR }), []);
    }
  });

  it('tell fees by direction and the curve of Camelot', () => {
    const { deployment } = CAMELOT;
    const fees = encodeTestLog('event FeePercentUpdated(uint16 fee0, uint16 fee1)', PAIR, {
      ...{ fee0: 150, fee1: 900 },
    });
    assert.deepEqual(decodeTestLog(deployment, fees), expectSet({ fee0: 1500, fee1: 9000 }));
    const stable = encodeTestLog('event SetStableSwap(bool wasStable, bool isStable)', PAIR, {
      ...{ wasStable: false, isStable: true },
    });
    assert.deepEqual(decodeTestLog(deployment, stable), expectSet({ isStable: true }));
    assert.deepEqual(decodeTestLog(AERODROME.deployment, stable), []);
  });
});

const toAnswer = (...words: readonly string[]) => `0x${words.join('')}`;

function describeTokens(factory: Address): [string, string][] {
  return [
    [`${PAIR} 0xc45a0155`, toAnswer(addressWord(factory))],
    [`${PAIR} 0x0dfe1681`, toAnswer(addressWord(TOKENS.token0))],
    [`${PAIR} 0xd21220a7`, toAnswer(addressWord(TOKENS.token1))],
  ];
}

const PAIR_WORDS = `${addressWord(TOKENS.token0)}${addressWord(TOKENS.token1)}`;

describe('contracts of V2-like pairs', () => {
  it('confirm a stable pair of Aerodrome, and tell its state and fee', async () => {
    const { deployment, fork } = AERODROME;
    const units = [uintWord(10n ** 6n), uintWord(10n ** 18n)];
    const reserves = [uintWord(123n), uintWord(456n)];
    const metadata = [...units, ...reserves, uintWord(1), uintWord(0), uintWord(0)];
    const callContracts = createTestContracts(
      new Map([
        ...describeTokens(fork.factory),
        [`${PAIR} 0x22be3de1`, toAnswer(uintWord(1))],
        [`${PAIR} 0x392f37e9`, toAnswer(...metadata)],
        [`${PAIR} 0x0902f1ac`, toAnswer(...reserves, uintWord(9))],
        [`${fork.factory} 0x79bc57d5${PAIR_WORDS}${uintWord(1)}`, toAnswer(addressWord(PAIR))],
        [`${fork.factory} 0xcc56b2c5${addressWord(PAIR)}${uintWord(1)}`, toAnswer(uintWord(5))],
      ]),
    );
    const context = { deployment, callContracts };
    const expected = describePair(fork.venue, SOLIDLY_TERMS);
    assert.deepEqual(await uniswapV2.resolvePools([toPoolId(PAIR)], context), [expected]);
    const search = { token: TOKENS.token0, quotes: [TOKENS.token1], announced: [] };
    assert.deepEqual(await uniswapV2.findPools(search, context), [expected]);
    const query = { description: expected, covered: null, callCountMax: 9, wordCountMax: 9 };
    const page = (await uniswapV2.readPoolPage(query, context)) ?? assert.fail();
    assert.equal(page.feePips, 500);
    assert.deepEqual(page.state, {
      ...{ reserve0: 123n, reserve1: 456n, decimals0: 6, decimals1: 18 },
      ...{ isStable: true, fee0: 500, fee1: 500, flags: '' },
    });
    const [reading] = await uniswapV2.readPoolStates(
      [{ description: expected, ticks: [] }],
      context,
    );
    assert.deepEqual(reading?.state, { reserve0: 123n, reserve1: 456n });
  });

  it('tell the state and the fees of a pair of Camelot', async () => {
    const { deployment, fork } = CAMELOT;
    const reserves = [uintWord(123n), uintWord(456n), uintWord(150), uintWord(900)];
    const callContracts = createTestContracts(
      new Map([
        ...describeTokens(fork.factory),
        [`${fork.factory} 0xe6a43905${PAIR_WORDS}`, toAnswer(addressWord(PAIR))],
        [`${PAIR} 0x0902f1ac`, toAnswer(...reserves)],
        [`${PAIR} 0x9e548b7f`, toAnswer(uintWord(0))],
        [`${TOKENS.token0} 0x313ce567`, toAnswer(uintWord(18))],
        [`${TOKENS.token1} 0x313ce567`, toAnswer(uintWord(6))],
      ]),
    );
    const context = { deployment, callContracts };
    const expected = describePair(fork.venue, CAMELOT_TERMS);
    assert.deepEqual(await uniswapV2.resolvePools([toPoolId(PAIR)], context), [expected]);
    const query = { description: expected, covered: null, callCountMax: 9, wordCountMax: 9 };
    const page = (await uniswapV2.readPoolPage(query, context)) ?? assert.fail();
    const known = { reserve0: 123n, reserve1: 456n, fee0: 1500, fee1: 9000 };
    const rest = { decimals0: 18, decimals1: 6, isStable: false, flags: '' };
    assert.deepEqual(page.state, { ...known, ...rest });
    const [reading] = await uniswapV2.readPoolStates(
      [{ description: expected, ticks: [] }],
      context,
    );
    assert.deepEqual(reading?.state, known);
  });
});
