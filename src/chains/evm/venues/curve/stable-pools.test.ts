// StableSwap NG pools of Curve: their rows are read from the contract and follow its logs, so that
// recorded swaps are computed to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeTestLog } from '../../../../../test/evm-logs.ts';
import { address, poolId } from '../../../../../test/test-ids.ts';
import {
  type RecordedExchange,
  readExchanges,
  skipWithoutVenues as skip,
} from '../../../../../test/venue-fixtures.ts';
import type { PoolDraft } from '../../../../amm/pool-kind.ts';
import { stableSwapKind } from '../../../../amm/stable-swap/stable-swap-kind.ts';
import type { PoolId } from '../../../../model/ids.ts';
import type { PoolDescription, StateOf } from '../../../../model/pool.ts';
import { acceptEvents } from '../../blocks/accept-events.ts';
import { decodeBacked } from '../../blocks/decode-backed.ts';
import { listCoinPairs, parseCoinPairPool, toCoinPairPool } from '../../data/evm-ids.ts';
import type { DecodedEvent, EvmLog } from '../../data/evm-log.ts';
import { addressWord, uintWord } from '../../data/hex-data.ts';
import { PoolDirectory } from '../../pools/pool-directory.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { createLogDecoding } from '../log-decoding.ts';
import { curve } from './curve.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.base ?? assert.fail();
const { curveStable: FACTORY = assert.fail() } = DEPLOYMENT;
const DECODING = createLogDecoding(DEPLOYMENT);
const POOL = address(`0x${'9'.repeat(40)}`);
const NO_TICKS = { get: () => undefined, change: () => true, order: [] };
const EXCHANGE =
  'event TokenExchange(address indexed buyer, int128 i, uint256 dx, int128 j, uint256 dy)';
const REMOVE =
  'event RemoveLiquidityOne(address indexed provider, int128 i, uint256 share, uint256 coins, uint256 supply)';

interface TestPool {
  readonly recorded: RecordedExchange;
  readonly isMeta?: boolean;
  /** Whether no registry answers for it. */
  readonly isUnknown?: boolean;
  readonly assetType?: number;
  readonly futureAmp?: string;
}

const toWords = (words: readonly (bigint | number | string)[]) =>
  `0x${words.map((word) => uintWord(BigInt(word))).join('')}`;

/** What the factory and the pool answer; functions that neither has are not answered. */
function createContracts(pool: TestPool) {
  const { recorded, isMeta, isUnknown, assetType = 0, futureAmp } = pool;
  if (isUnknown) return async (calls: readonly object[]) => calls.map(() => null);
  const { balances, rates, ampPrecise, fee, offpegFeeMultiplier } = recorded;
  const count = balances.length;
  const coins = balances.map((_, coin) => `0x${String(coin + 1).repeat(40)}`);
  const asked = addressWord(POOL);
  const answers = new Map<string, string>([
    [`${FACTORY} 0x9ac90d3d${asked}`, toWords([32, count, ...coins])],
    [`${FACTORY} 0xe4d332a9${asked}`, toWords([isMeta ? 1 : 0])],
    [`${FACTORY} 0xa80f2464${asked}`, toWords([32, count, ...balances.map(() => assetType)])],
    [`${POOL} 0xfd0684b1`, toWords([32, count, ...rates])],
    [`${POOL} 0x76a2f0f0`, toWords([ampPrecise])],
    [`${POOL} 0xb4b577ad`, toWords([futureAmp ?? ampPrecise])],
    [`${POOL} 0xddca3f43`, toWords([fee])],
    [`${POOL} 0x8edfdd5f`, toWords([offpegFeeMultiplier])],
    ...balances.map(
      (balance, coin) =>
        [`${POOL} 0x4903b0d1${uintWord(coin)}`, toWords([balance])] as [string, string],
    ),
  ]);
  return async (calls: readonly { readonly to: string; readonly data: string }[]) =>
    calls.map(({ to, data }) => answers.get(`${to} ${data}`) ?? null);
}

function encodeExchange({ i, j, dx, dy }: RecordedExchange): EvmLog {
  const coins = { i: BigInt(i), j: BigInt(j) };
  return encodeTestLog(EXCHANGE, POOL, { buyer: POOL, ...coins, dx: BigInt(dx), dy: BigInt(dy) });
}

type Row = PoolDraft<'stableSwap'>;

/** Rows as the index keeps them: created by an event, read from the contract, then followed. */
class TestRows {
  readonly rows = new Map<PoolId, Row>();
  readonly directory: PoolDirectory;
  readonly #callContracts: ReturnType<typeof createContracts>;

  constructor(pool: TestPool) {
    this.#callContracts = createContracts(pool);
    this.directory = new PoolDirectory({ deployment: DEPLOYMENT, knownPools: async () => [] });
  }

  async accept(log: EvmLog): Promise<DecodedEvent[]> {
    const { decoded } = await decodeBacked([log], {
      ...{ decoding: DECODING, directory: this.directory, hasAllTransfers: true },
      callContracts: this.#callContracts,
    });
    const { blocks } = acceptEvents(decoded, this.directory, { describesPools: false });
    return blocks.flatMap(({ events }) => events);
  }

  async follow(log: EvmLog): Promise<void> {
    for (const event of await this.accept(log)) {
      if (event.kind === 'poolCreated') await this.#adopt(event.description);
      if (event.kind !== 'swap' && event.kind !== 'poolChanged') continue;
      const row = this.rows.get(event.pool) ?? assert.fail();
      const swapped = event.kind === 'swap' ? event : null;
      const { change } = event;
      if (change === null) continue;
      stableSwapKind.apply(row, change as never, { ticks: NO_TICKS, swapped });
    }
  }

  /** Read before the log: the contracts answer with the state before it. */
  async #adopt(description: PoolDescription): Promise<void> {
    if (this.rows.has(description.pool)) return;
    assert.equal(description.kind, 'stableSwap');
    const state = await this.read(description);
    this.rows.set(description.pool, { ...description, state, complete: true } as Row);
  }

  async read(description: PoolDescription): Promise<StateOf<'stableSwap'>> {
    const query = { description, covered: null, callCountMax: 1, wordCountMax: 1 };
    const context = { deployment: DEPLOYMENT, callContracts: this.#callContracts };
    const page = (await curve.readPoolPage(query, context)) ?? assert.fail();
    assert.equal(page.isLast, true);
    return stableSwapKind.assembleState(page.state as never, []) ?? assert.fail();
  }
}

/** The first recorded swaps of a pool of this many coins, which follow each other. */
function listSwaps(coinCount: number): RecordedExchange[] {
  return readExchanges()
    .filter(({ balances }) => balances.length === coinCount)
    .slice(0, 40);
}

describe('StableSwap NG pools', { skip }, () => {
  for (const coinCount of [2, 3, 4]) {
    it(`of ${coinCount} coins: every row follows all swaps of its pool`, async () => {
      const swaps = listSwaps(coinCount);
      const [recorded = assert.fail()] = swaps;
      const rows = new TestRows({ recorded });
      for (const [index, one] of swaps.entries()) {
        for (const [id, row] of rows.rows) {
          assert.equal(row.state.balances, one.balances.join(' '), `row ${id}, swap ${index}`);
          assert.equal(row.complete, true);
        }
        await rows.follow(encodeExchange(one));
      }
      assert.deepEqual([...rows.rows.keys()].sort(), listCoinPairs(POOL, coinCount).sort());
    });
  }

  it('of three coins: the other rows follow a swap of the only known one', async () => {
    const [recorded = assert.fail()] = listSwaps(3);
    const rows = new TestRows({ recorded });
    await rows.accept(encodeExchange(recorded));
    const { i, j } = recorded;
    const coins = { lower: Math.min(i, j), upper: Math.max(i, j), isUnderlying: false };
    const own = toCoinPairPool({ contract: POOL, ...coins });
    const late = new TestRows({ recorded });
    late.directory.add(rows.directory.get(own)?.description ?? assert.fail());
    const events = await late.accept(encodeExchange(recorded));
    const changed = events.flatMap((one) => (one.kind === 'poolChanged' ? [one.pool] : []));
    const others = listCoinPairs(POOL, 3).filter((row) => row !== own);
    assert.deepEqual(changed.sort(), others.sort());
  });

  it('of three coins: the rows together hold every coin once', async () => {
    const [recorded = assert.fail()] = listSwaps(3);
    const rows = new TestRows({ recorded });
    await rows.follow(encodeExchange(recorded));
    const held = [0n, 0n, 0n];
    for (const { state } of rows.rows.values()) {
      const { amount0, amount1 } = stableSwapKind.holdings(state) ?? assert.fail();
      held[state.index0 ?? -1] = (held[state.index0 ?? -1] ?? 0n) + amount0;
      held[state.index1 ?? -1] = (held[state.index1 ?? -1] ?? 0n) + amount1;
    }
    const [first = assert.fail()] = rows.rows.values();
    for (const [coin, balance] of first.state.balances.split(' ').entries()) {
      const rest = BigInt(balance) - (held[coin] ?? 0n);
      assert.ok(rest >= 0n && rest < 2n, `coin ${coin}: ${rest} of ${balance} is missing`);
    }
  });

  it('quote what the recorded swaps paid', async () => {
    const [recorded = assert.fail(), ...others] = listSwaps(3);
    const rows = new TestRows({ recorded });
    await rows.follow(encodeExchange(recorded));
    for (const one of others) {
      const [lower, upper] = [Math.min(one.i, one.j), Math.max(one.i, one.j)];
      const id = [...rows.rows.keys()].find((row) => {
        const pair = parseCoinPairPool(row);
        return pair?.lower === lower && pair.upper === upper;
      });
      const row = rows.rows.get(id ?? poolId('')) ?? assert.fail();
      const pool = stableSwapKind.createSwapPool(row, [], undefined) ?? assert.fail();
      assert.equal(pool.swapIn(one.i === lower, BigInt(one.dx)).amountOut, BigInt(one.dy));
      await rows.follow(encodeExchange(one));
    }
  });

  it('are read again after liquidity came or went', async () => {
    const [recorded = assert.fail()] = listSwaps(3);
    const rows = new TestRows({ recorded });
    await rows.follow(encodeExchange(recorded));
    const args = { provider: POOL, i: 0n, share: 1n, coins: 1n, supply: 1n };
    await rows.follow(encodeTestLog(REMOVE, POOL, args));
    assert.deepEqual(
      [...rows.rows.values()].map(({ complete, state }) => [complete, state.flags]),
      [1, 2, 3].map(() => [false, 'unread']),
    );
  });

  it('are not exact while their curve moves, nor with tokens whose rates move', async () => {
    const [recorded = assert.fail()] = listSwaps(2);
    const flagsOf = async (pool: TestPool) => {
      const rows = new TestRows(pool);
      await rows.accept(encodeExchange(recorded));
      const [id = poolId('')] = listCoinPairs(POOL, 2);
      const { description } = rows.directory.get(id) ?? assert.fail();
      return (await rows.read(description)).flags;
    };
    assert.equal(await flagsOf({ recorded }), '');
    assert.equal(await flagsOf({ recorded, assetType: 3 }), 'movingRates');
    assert.equal(await flagsOf({ recorded, futureAmp: '1' }), 'ramping');
  });

  it('of a base pool are stored by their trades only, whatever else they log', async () => {
    const [recorded = assert.fail()] = listSwaps(2);
    const rows = new TestRows({ recorded, isMeta: true });
    const [created, swap] = await rows.accept(encodeExchange(recorded));
    assert.ok(created?.kind === 'poolCreated' && swap?.kind === 'swap');
    assert.equal(created.description.kind, 'tradesOnly');
    const args = { provider: POOL, i: 0n, share: 1n, coins: 1n, supply: 1n };
    assert.deepEqual(await rows.accept(encodeTestLog(REMOVE, POOL, args)), []);
  });
});
