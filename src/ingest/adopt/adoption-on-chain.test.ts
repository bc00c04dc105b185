// Adoption against real contracts on a real node: an index that begins late has the pools of a full
// one, through reorganisations, and quotes what trades then pay.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MAKER } from '../../../devnet/accounts.ts';
import type { DevnetPool } from '../../../devnet/deployment.ts';
import { findPool } from '../../../devnet/deployment.ts';
import { buildAddLiquidity, buildRemoveLiquidity } from '../../../devnet/liquidity-calldata.ts';
import { mintPosition, sendProtocolFee } from '../../../test/devnet-liquidity.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { readIndex } from '../../../test/fakes/indexed-chain.ts';
import {
  type IndexedDevnet,
  startIndexedDevnet,
  startIndexing,
} from '../../../test/indexed-devnet.ts';
import { askQuoters } from '../../../test/oracles/chain-quoters.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { poolId } from '../../../test/test-ids.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../store/store.ts';
import { verifyChain } from '../verify/verify-chain.ts';

type LateIndex = Awaited<ReturnType<typeof startIndexing>>;

const ADOPTED_MAX_MS = 60_000;
const ETHER = 10n ** 18n;
const PROTOCOL_FEE = 1000 | (250 << 12);

let devnet: IndexedDevnet;
const isHooked = (pool: DevnetPool) => BigInt(pool.hooks) !== 0n;

before(async () => {
  devnet = await startIndexedDevnet();
  const { chain } = devnet;
  const fee = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v4' });
  await sendProtocolFee(chain, fee, PROTOCOL_FEE);
  await devnet.settle();
});

after(() => devnet.stop());

function readTick(pool: DevnetPool): { readonly tick: number; readonly liquidity: bigint } {
  const curve = devnet.follower.current?.graph.get(poolId(pool.id))?.curve;
  return curve instanceof ConcentratedPool ? curve.state : { tick: 0, liquidity: 10n ** 6n };
}

async function changeLiquidity(pool: DevnetPool, random: () => number): Promise<void> {
  const { chain } = devnet;
  const { tick, liquidity } = readTick(pool);
  if (pool.venue !== 'uniswap-v2' && random() < 0.5) {
    const { tickSpacing } = pool;
    if (tickSpacing === null) assert.fail('a concentrated pool has a tick spacing');
    const at = Math.floor(tick / tickSpacing);
    const tickLower = (at - 1 - Math.floor(random() * 40)) * tickSpacing;
    const tickUpper = (at + 1 + Math.floor(random() * 40)) * tickSpacing;
    const size = { sharePpm: 500n, liquidity: liquidity / 1000n + 1n };
    await mintPosition(chain, pool, { tickLower, tickUpper, ...size });
    return;
  }
  const change = { pool, contracts: chain.deployment.contracts, owner: MAKER };
  const amount0 = BigInt(pool.opening.amount0Raw) / 500n;
  const amount1 = BigInt(pool.opening.amount1Raw) / 500n;
  const tx =
    random() < 0.5
      ? buildAddLiquidity(change, { amount0, amount1, liquidity: liquidity / 50n })
      : buildRemoveLiquidity(change, liquidity / 50n);
  await chain.send(tx);
}

/** Does something in a pool, so that an indexer finds it. */
async function act(pool: DevnetPool, random: () => number): Promise<void> {
  const { venue, quote, token } = pool;
  const isBought = (quote === 'eth' || quote === 'weth') && random() < 0.6;
  if (!isBought) return await changeLiquidity(pool, random);
  const amountInRaw = BigInt(1 + Math.floor(random() * 40)) * 10n ** 17n;
  await devnet.chain.buy({ token, venue, quote, amountInRaw });
}

async function actInAll(random: () => number): Promise<void> {
  for (const pool of devnet.chain.deployment.pools) await act(pool, random);
}

async function readPools(store: MarketStore): Promise<PoolRecord[]> {
  const pools: PoolRecord[] = [];
  for await (const rows of store.scanPools('devnet')) pools.push(...rows);
  return pools;
}

async function settleWhole(late: LateIndex): Promise<void> {
  const deadlineMs = Date.now() + ADOPTED_MAX_MS;
  for (;;) {
    await late.settle();
    const partial = (await readPools(late.store)).filter(({ complete }) => !complete);
    if (partial.length === 0) return;
    if (Date.now() > deadlineMs) {
      const status = JSON.stringify(late.indexer.adoption());
      throw new Error(`${partial.length} pools were not adopted: ${status}`);
    }
    await delay(20);
  }
}

/** A pool without fields that depend on when it was found; amounts are compared separately. */
function toComparable({ createdBlock, createdAtMs, lastSwapAtMs, ...row }: PoolRecord): object {
  const { liquidityUsdE18: _value, feePips: _fee, ...rest } = row;
  if (rest.kind !== 'concentrated') return rest;
  return { ...rest, state: { ...rest.state, amount0: null, amount1: null } };
}

/** One index rounds the positions' amounts at every event, the other once. */
function assertNear(a: bigint | null, b: bigint | null, what: string): void {
  if (a === null || b === null) assert.fail(`${what} is unknown`);
  const difference = a > b ? a - b : b - a;
  assert.ok(difference <= 1000n + b / 10n ** 12n, `${what}: ${a} and ${b}`);
}

async function assertEqualsFull(late: LateIndex): Promise<void> {
  const [own, full] = [await readIndex(late.store), await readIndex(devnet.store)];
  assert.equal(own.checkpoint?.blockHash, full.checkpoint?.blockHash);
  assert.equal(own.pools.length, full.pools.length);
  const hooked = new Set(
    devnet.chain.deployment.pools.filter(isHooked).map(({ id }) => poolId(id)),
  );
  for (const [index, row] of own.pools.entries()) {
    const expected = full.pools[index] ?? assert.fail();
    assert.deepEqual(toComparable(row), toComparable(expected));
    // A hook's fee is the one of the last swap, which may have been before the start.
    if (!hooked.has(row.pool)) assert.equal(row.feePips, expected.feePips);
    if (row.kind !== 'concentrated' || expected.kind !== 'concentrated') continue;
    assertNear(row.state.amount0, expected.state.amount0, `amount 0 of ${row.pool}`);
    assertNear(row.state.amount1, expected.state.amount1, `amount 1 of ${row.pool}`);
  }
  assert.deepEqual(own.ticks, full.ticks);
}

async function assertVerified(late: LateIndex): Promise<void> {
  const verification = await verifyChain({
    adapter: late.adapter,
    store: late.store,
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 5000, eventCountMax: 20_000 },
    attemptCountMax: 3,
    signal: new AbortController().signal,
  });
  assert.deepEqual(verification.differences, []);
  for (const what of ['pool of contract', 'tick of contract', 'trade']) {
    assert.ok((verification.checked[what] ?? 0) > 0, what);
  }
}

/** What the late index quotes is what the exchanges' own quoters say at the same block. */
async function assertQuotes(late: LateIndex): Promise<void> {
  const pools = devnet.chain.deployment.pools.filter((pool) => !isHooked(pool));
  const questions = pools.flatMap((pool) =>
    [true, false].flatMap((zeroForOne) => {
      const { amount0Raw, amount1Raw } = pool.opening;
      const side = BigInt(zeroForOne ? amount0Raw : amount1Raw);
      return [side / 10_000n + 1n, side / 5n].map((amount) => ({
        ...{ pool, zeroForOne, amount, kind: 'in' as const },
      }));
    }),
  );
  await late.settle();
  const answers = await askQuoters(devnet.chain, questions);
  questions.forEach(({ pool, zeroForOne, amount }, index) => {
    const known = late.follower.current?.graph.get(poolId(pool.id)) ?? assert.fail(pool.id);
    assert.equal(known.inexact, null);
    const swap = known.curve.swapIn(zeroForOne, amount);
    const answer = answers[index] ?? assert.fail();
    if (!swap.isFilled && pool.venue !== 'uniswap-v3') assert.equal(answer.amount, null);
    else assert.equal(swap.amountOut, answer.amount, `${pool.venue} ${pool.token} ${amount}`);
  });
}

for (const seed of [1, 2]) {
  it(`an index that begins late has the pools of a full one, seed ${seed}`, async () => {
    const { chain } = devnet;
    const random = createRandom(seed * 7919);
    await actInAll(random);
    const startBlock = (await chain.readHead()) - Math.floor(random() * 12);
    const late = await startIndexing(chain, {
      rpcUrl: devnet.recorder.url,
      startBlock,
      adoption: { callsPerMinute: Number.POSITIVE_INFINITY, idleMs: 5 },
    });
    try {
      // The chain moves and leaves its branch while pools are read and joined.
      await actInAll(random);
      for (let round = 0; round < 4; round += 1) {
        await chain.reorg(1 + Math.floor(random() * 5));
        await chain.mine();
        if (random() < 0.5) await late.settle();
        await actInAll(random);
      }
      await settleWhole(late);
      // A reorganisation right after: what was adopted in its blocks is adopted again.
      await chain.reorg(2);
      await chain.mine();
      await actInAll(random);
      await settleWhole(late);
      await devnet.settle();
      await assertEqualsFull(late);
      assert.ok((late.indexer.adoption()?.adopted ?? 0) > 0);
      await assertQuotes(late);
      await assertExecution(late);
      await late.indexer.stop();
      await assertVerified(late);
    } finally {
      await late.stop();
    }
  });
}

/** A real trade pays what the late index says of it beforehand. */
async function assertExecution(late: LateIndex): Promise<void> {
  for (const venue of ['uniswap-v3', 'uniswap-v4'] as const) {
    const pool = findPool(devnet.chain.deployment, { token: 'wire', venue });
    const amountInRaw = 3n * ETHER;
    await late.settle();
    const { curve } = late.follower.current?.graph.get(poolId(pool.id)) ?? assert.fail();
    const zeroForOne = pool.currency1 === pool.tokenAddress;
    const promised = curve.swapIn(zeroForOne, amountInRaw).amountOut;
    const { token, quote } = pool;
    const receipt = await devnet.chain.buy({ token, venue, quote, amountInRaw });
    assert.equal(receipt.status, '0x1');
    await late.settle();
    const trade = late.events.flatMap(({ trades }) => trades).at(-1) ?? assert.fail();
    assert.deepEqual([trade.pool, trade.amountRaw], [pool.id, promised]);
  }
}
