// Compares the graph with the contracts on a real node: states after any sequence of events, and
// quotes against the exchanges' own quoters.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAKER } from '../../../devnet/accounts.ts';
import { type DevnetPool, findPool } from '../../../devnet/deployment.ts';
import { buildAddLiquidity, buildRemoveLiquidity } from '../../../devnet/liquidity-calldata.ts';
import {
  enableV3Fee,
  mintPosition,
  openTwin,
  sendProtocolFee,
} from '../../../test/devnet-liquidity.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { type IndexedDevnet, startIndexedDevnet } from '../../../test/indexed-devnet.ts';
import { askQuoters, type QuoteQuestion } from '../../../test/oracles/chain-quoters.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { poolId } from '../../../test/test-ids.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { ConstantProductPool } from '../../amm/constant-product/constant-product-pool.ts';
import type { PoolGraph } from './pool-graph.ts';

let devnet: IndexedDevnet;
let pools: DevnetPool[];
const ETHER = 10n ** 18n;

function readGraph(): PoolGraph {
  const current = devnet.follower.current ?? assert.fail('no graph yet');
  return current.graph;
}

/** Every tick that was ever initialised, so that missing ones are checked too. */
const ticksSeen = new Map<string, Set<number>>();

/** Reads the contracts at the graph's own block and compares everything that a swap depends on. */
async function assertEqualsContracts(): Promise<void> {
  await devnet.settle();
  const { checkpoint } = devnet.follower.current ?? assert.fail();
  for await (const rows of devnet.store.scanTicks('devnet')) {
    for (const { pool, tick } of rows) {
      ticksSeen.set(pool, (ticksSeen.get(pool) ?? new Set()).add(tick));
    }
  }
  const header = (await devnet.adapter.readHeader(checkpoint.block)) ?? assert.fail();
  const rows = await devnet.store.readPools(
    'devnet',
    pools.map(({ id }) => poolId(id)),
  );
  const queries = rows.map((row) => ({
    description: row,
    ticks: [...(ticksSeen.get(row.pool) ?? [])].sort((a, b) => a - b),
  }));
  const readings = (await devnet.adapter.readPoolStates?.(queries, header)) ?? [];
  assert.equal(readings.length, pools.length);
  for (const reading of readings) {
    const pool = readGraph().get(reading.pool);
    if (pool === undefined) {
      // Left out because nothing can be traded there.
      const isEmpty = !('liquidity' in reading.state && reading.state.liquidity);
      assert.ok(isEmpty && reading.ticks.every(({ liquidityGross }) => !liquidityGross));
      continue;
    }
    if (pool.curve instanceof ConstantProductPool) {
      const { reserve0, reserve1 } = pool.curve;
      assert.deepEqual({ reserve0, reserve1 }, reading.state);
      continue;
    }
    assert.ok(pool.curve instanceof ConcentratedPool);
    const reported: Record<string, unknown> = { ...reading.state };
    for (const [name, value] of Object.entries(pool.curve.state))
      assert.equal(reported[name], value);
    const { ticks } = pool.curve.terms;
    assert.deepEqual(
      Array.from(ticks.nets, (liquidityNet, index) => [ticks.ticks[index], liquidityNet]),
      reading.ticks
        .filter(({ liquidityGross }) => liquidityGross > 0n)
        .map((one) => [one.tick, one.liquidityNet]),
    );
  }
}

before(async () => {
  devnet = await startIndexedDevnet();
  const { chain } = devnet;
  await enableV3Fee(chain, 100, 1);
  const base = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v3', quote: 'usdc' });
  const native = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v4', quote: 'eth' });
  await devnet.settle();
  const readPrice = (pool: DevnetPool) => {
    const curve = readGraph().get(poolId(pool.id))?.curve;
    assert.ok(curve instanceof ConcentratedPool);
    return curve.state;
  };
  const terms = { feePips: 100, tickSpacing: 1 };
  const twinV3 = await openTwin(chain, base, {
    ...terms,
    sqrtPriceX96: readPrice(base).sqrtPriceX96,
  });
  const twinV4 = await openTwin(chain, native, {
    ...terms,
    sqrtPriceX96: readPrice(native).sqrtPriceX96,
  });
  const random = createRandom(7);
  for (const [twin, start] of [
    [twinV3, readPrice(base).tick],
    [twinV4, readPrice(native).tick],
  ] as const) {
    for (let i = 0; i < 7; i += 1) {
      const tickLower = start - Math.floor(random() * 900);
      const tickUpper = start + 1 + Math.floor(random() * 900);
      const size = { sharePpm: 500n, liquidity: 10n ** 20n };
      const receipt = await mintPosition(chain, twin, { tickLower, tickUpper, ...size });
      assert.equal(receipt.status, '0x1');
    }
  }
  pools = [...chain.deployment.pools, withSides(twinV3, 100n), withSides(twinV4, 100n)];
});

/** The twins are shallow, so their amounts are small. */
function withSides(pool: DevnetPool, divisor: bigint): DevnetPool {
  const scaleDown = (raw: string) => String(BigInt(raw) / divisor);
  const { amount0Raw, amount1Raw } = pool.opening;
  return {
    ...pool,
    opening: { amount0Raw: scaleDown(amount0Raw), amount1Raw: scaleDown(amount1Raw) },
  };
}

after(() => devnet.stop());

describe('quotes', () => {
  /**
   * Dust, ordinary and draining amounts of one side of a pool. Draining one whose ticks are one
   * apart would take the node seconds.
   */
  function pickAmounts(pool: DevnetPool, side: bigint, random: () => number): bigint[] {
    const share = (ppm: number) => (side * BigInt(Math.floor(ppm * (0.5 + random())))) / 1_000_000n;
    const amounts = [1n, 7n, share(3), share(500), share(20_000), share(300_000)];
    if (pool.tickSpacing !== 1) amounts.push(side * 40n);
    return amounts.map((amount) => (amount === 0n ? 1n : amount));
  }

  function buildQuestions(pool: DevnetPool, random: () => number): QuoteQuestion[] {
    return [true, false].flatMap((zeroForOne) => {
      const { amount0Raw, amount1Raw } = pool.opening;
      const [sideIn, sideOut] = zeroForOne ? [amount0Raw, amount1Raw] : [amount1Raw, amount0Raw];
      return [
        ...pickAmounts(pool, BigInt(sideIn), random).map((amount) => ({
          kind: 'in' as const,
          amount,
        })),
        ...pickAmounts(pool, BigInt(sideOut), random).map((amount) => ({
          kind: 'out' as const,
          amount,
        })),
      ].map((one) => ({ ...one, pool, zeroForOne }));
    });
  }

  async function assertEqualsQuoters(asked: readonly DevnetPool[], seed: number): Promise<number> {
    await devnet.settle();
    const random = createRandom(seed);
    const questions = asked.flatMap((pool) => buildQuestions(pool, random));
    const answers = await askQuoters(devnet.chain, questions);
    questions.forEach((question, index) => {
      const { pool, kind, zeroForOne, amount } = question;
      const answer = answers[index] ?? assert.fail();
      const curve = readGraph().get(poolId(pool.id))?.curve ?? assert.fail();
      const swap =
        kind === 'in' ? curve.swapIn(zeroForOne, amount) : curve.swapOut(zeroForOne, amount);
      const what = `${pool.venue} ${pool.token}/${pool.quote} ${kind} ${zeroForOne} ${amount}`;
      // V3's quoter returns what the consumed part of an input buys.
      const isRefused = pool.venue === 'uniswap-v3' && kind === 'in' ? false : !swap.isFilled;
      const ours = kind === 'in' ? swap.amountOut : swap.amountIn;
      assert.equal(isRefused ? null : ours, answer.amount, what);
      if (answer.sqrtPriceX96 !== null && 'sqrtPriceX96' in swap) {
        assert.equal(swap.sqrtPriceX96, answer.sqrtPriceX96, what);
      }
    });
    return questions.length;
  }

  const isHooked = (pool: DevnetPool) => BigInt(pool.hooks) !== 0n;

  it('equal QuoterV2, V4Quoter and the V2 router: all pools, both ways, dust to draining', async () => {
    const asked = pools.filter((pool) => !isHooked(pool));
    const count = await assertEqualsQuoters(asked, 1);
    assert.ok(count > 600, `${count} quotes`);
  });

  it('a pool with a hook in its swaps is not called exact, every other one is', () => {
    for (const pool of pools) {
      assert.equal(
        readGraph().get(poolId(pool.id))?.inexact,
        isHooked(pool) ? 'hook' : null,
        pool.token,
      );
    }
  });

  it('follow the protocol fee of V4, direction by direction', async () => {
    const fee = 1000 | (250 << 12);
    const taxed = (['wire', 'spark'] as const).map((token) =>
      findPool(devnet.chain.deployment, { token, venue: 'uniswap-v4' }),
    );
    for (const pool of taxed) await sendProtocolFee(devnet.chain, pool, fee);
    await assertEqualsQuoters(taxed, 2);
    // A swap reports the sum of both fees; with this protocol fee a pool fee of 2999 gives the same
    // sum as one of 3000.
    const sold = { token: 'wire', venue: 'uniswap-v4', amountInRaw: 50n * ETHER } as const;
    assert.equal((await devnet.chain.sell(sold)).status, '0x1');
    assert.equal((await devnet.chain.buy({ ...sold, amountInRaw: ETHER })).status, '0x1');
    await assertEqualsQuoters(taxed, 3);
    for (const pool of taxed) await sendProtocolFee(devnet.chain, pool, 0);
    await assertEqualsQuoters(taxed, 4);
  });
});

describe('states', () => {
  async function changeLiquidity(pool: DevnetPool, random: () => number): Promise<void> {
    const { chain } = devnet;
    const change = { pool, contracts: chain.deployment.contracts, owner: MAKER };
    const amount0 = BigInt(pool.opening.amount0Raw) / 500n;
    const amount1 = BigInt(pool.opening.amount1Raw) / 500n;
    const { curve } = readGraph().get(poolId(pool.id)) ?? assert.fail();
    const liquidity = curve instanceof ConcentratedPool ? curve.state.liquidity : 10n ** 6n;
    const tx =
      random() < 0.5
        ? buildAddLiquidity(change, { amount0, amount1, liquidity: liquidity / 50n })
        : buildRemoveLiquidity(change, liquidity / 50n);
    await chain.send(tx);
  }

  async function act(random: () => number): Promise<void> {
    const { chain } = devnet;
    const pool = chain.deployment.pools[Math.floor(random() * chain.deployment.pools.length)];
    assert.ok(pool);
    const roll = random();
    if (roll < 0.35) return await changeLiquidity(pool, random);
    const { venue, quote } = pool;
    if (quote !== 'eth' && quote !== 'weth') return await changeLiquidity(pool, random);
    const amountInRaw = BigInt(1 + Math.floor(random() * 40)) * 10n ** 17n;
    await chain.buy({ token: pool.token, venue, quote, amountInRaw });
    if (roll > 0.6) return;
    // Sells as much of the token as one of the trader's buys brought.
    const out = BigInt(pool.currency0 === pool.tokenAddress ? 0 : 1);
    const side = BigInt(out === 0n ? pool.opening.amount0Raw : pool.opening.amount1Raw);
    await chain.sell({ token: pool.token, venue, quote, amountInRaw: side / 100_000n + 1n });
  }

  it('equal the contracts after swaps, liquidity changes and reorganisations', async () => {
    const random = createRandom(11);
    await assertEqualsContracts();
    let reorganisations = 0;
    for (let round = 0; round < 6; round += 1) {
      for (let i = 0; i < 6; i += 1) await act(random);
      if (random() < 0.8) await devnet.settle();
      if (random() < 0.7) {
        await devnet.chain.reorg(1 + Math.floor(random() * 6));
        await devnet.chain.mine();
        reorganisations += 1;
      }
      await assertEqualsContracts();
    }
    assert.ok(reorganisations > 1);
    assert.ok(devnet.events.some(({ reverted }) => reverted !== undefined));
  });

  it('a position that a reorganisation removes is gone, with its ticks', async () => {
    const pool = pools.at(-1) ?? assert.fail();
    await devnet.settle();
    const before = readGraph().get(poolId(pool.id));
    const { curve } = before ?? assert.fail();
    assert.ok(curve instanceof ConcentratedPool);
    const { tick } = curve.state;
    const span = { tickLower: tick - 2001, tickUpper: tick + 2003 };
    await mintPosition(devnet.chain, pool, { ...span, sharePpm: 0n, liquidity: 10n ** 17n });
    await assertEqualsContracts();
    assert.notDeepEqual(readGraph().get(poolId(pool.id)), before);
    await devnet.chain.reorg(1);
    await devnet.chain.mine();
    await assertEqualsContracts();
    const { curve: restored } = readGraph().get(poolId(pool.id)) ?? assert.fail();
    assert.ok(restored instanceof ConcentratedPool);
    assert.deepEqual(restored.terms.ticks, curve.terms.ticks);
  });
});
