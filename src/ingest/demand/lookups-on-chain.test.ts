// Tokens on demand against real contracts on a real node: an index that begins late answers for
// tokens and pools that had no event since.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MAKER, TRADERS } from '../../../devnet/accounts.ts';
import { findPool, findToken } from '../../../devnet/deployment.ts';
import {
  type IndexedDevnet,
  startIndexedDevnet,
  startIndexing,
} from '../../../test/indexed-devnet.ts';
import { askQuoters } from '../../../test/oracles/chain-quoters.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../store/store.ts';
import { verifyChain } from '../verify/verify-chain.ts';

type LateIndex = Awaited<ReturnType<typeof startIndexing>>;

const WAIT_MAX_MS = 60_000;
const ETHER = 10n ** 18n;

let devnet: IndexedDevnet;

before(async () => {
  devnet = await startIndexedDevnet();
  await devnet.settle();
});

after(() => devnet.stop());

function toAddress(key: string): Address {
  return address(findToken(devnet.chain.deployment, key).address.toLowerCase());
}

/** An index whose first block is the chain's last one, which has no event. */
async function startLate(): Promise<LateIndex> {
  const { chain, recorder } = devnet;
  await chain.mine(2);
  const late = await startIndexing(chain, {
    rpcUrl: recorder.url,
    startBlock: await chain.readHead(),
    adoption: { callsPerMinute: Number.POSITIVE_INFINITY, idleMs: 5 },
  });
  await late.settle();
  return late;
}

async function readPoolsOf(store: MarketStore, token: Address): Promise<PoolRecord[]> {
  const rows = await store.readPoolsOfTokens('devnet', [token]);
  return rows.sort((a, b) => (a.pool < b.pool ? -1 : 1));
}

async function until(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) throw new Error(what);
    await delay(20);
  }
}

async function untilWhole(late: LateIndex, token: Address): Promise<PoolRecord[]> {
  let rows: PoolRecord[] = [];
  await until(async () => {
    rows = await readPoolsOf(late.store, token);
    return rows.length > 0 && rows.every(({ complete }) => complete);
  }, `the pools of ${token} were not adopted`);
  return rows;
}

/** A pool without what depends on when it was met, and on rounding. */
function toComparable(row: PoolRecord): object {
  const { createdBlock: _block, createdAtMs: _at, lastSwapAtMs: _swap, ...rest } = row;
  const { liquidityUsdE18: _value, ...known } = rest;
  if (known.kind !== 'concentrated') return known;
  return { ...known, state: { ...known.state, amount0: null, amount1: null } };
}

async function assertVerified(late: LateIndex): Promise<void> {
  await late.indexer.stop();
  const { differences, checked } = await verifyChain({
    adapter: late.adapter,
    store: late.store,
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 5000, eventCountMax: 20_000 },
    attemptCountMax: 3,
    signal: new AbortController().signal,
  });
  assert.deepEqual(differences, []);
  assert.ok((checked['pool of contract'] ?? 0) > 0);
}

it('a token older than the index is found with its pools, as a full index has them', async () => {
  const { chain } = devnet;
  const wire = toAddress('wire');
  const late = await startLate();
  try {
    assert.deepEqual(await late.store.readTokens('devnet', [wire]), []);
    assert.equal(await late.indexer.lookUp(wire), 'found');
    const own = await untilWhole(late, wire);
    const kin = toAddress('kin');
    // Its pool against a token that prices nothing is beyond what is looked for.
    const expected = (await readPoolsOf(devnet.store, wire)).filter(
      ({ token0, token1 }) => token0 !== kin && token1 !== kin,
    );
    assert.equal(own.length, 4);
    assert.deepEqual(own.map(toComparable), expected.map(toComparable));
    const ids = own.map(({ pool }) => pool);
    assert.deepEqual(
      await late.store.readTicks('devnet', ids),
      await devnet.store.readTicks('devnet', ids),
    );
    const [row] = await late.store.readTokens('devnet', [wire]);
    const [full] = await devnet.store.readTokens('devnet', [wire]);
    for (const field of ['symbol', 'name', 'decimals', 'supplyRaw'] as const) {
      assert.equal(row?.[field], full?.[field], field);
    }
    // The anchor was found, too: without it nothing has a value in USD.
    assert.ok((row?.liquidityUsdE18 ?? 0n) > 0n);
    await assertQuotes(late, own);
    for (const venue of ['uniswap-v2', 'uniswap-v3', 'uniswap-v4'] as const) {
      const pool = findPool(chain.deployment, { token: 'wire', venue });
      await assertExecution(late, pool);
    }
    await assertVerified(late);
  } finally {
    await late.stop();
  }
});

/** What the late index quotes is what the exchanges' own quoters say. */
async function assertQuotes(late: LateIndex, rows: readonly PoolRecord[]): Promise<void> {
  const ids = new Set<string>(rows.map(({ pool }) => pool));
  const pools = devnet.chain.deployment.pools.filter(({ id }) => ids.has(id.toLowerCase()));
  assert.equal(pools.length, rows.length);
  const questions = pools.flatMap((pool) =>
    [true, false].map((zeroForOne) => {
      const side = BigInt(zeroForOne ? pool.opening.amount0Raw : pool.opening.amount1Raw);
      return { pool, zeroForOne, amount: side / 7n, kind: 'in' as const };
    }),
  );
  await late.settle();
  const answers = await askQuoters(devnet.chain, questions);
  questions.forEach(({ pool, zeroForOne, amount }, index) => {
    const known = late.follower.current?.graph.get(poolId(pool.id)) ?? assert.fail(pool.id);
    assert.equal(known.inexact, null);
    assert.equal(known.curve.swapIn(zeroForOne, amount).amountOut, answers[index]?.amount);
  });
}

/** A real trade pays what the late index says of it beforehand. */
async function assertExecution(late: LateIndex, pool: ReturnType<typeof findPool>): Promise<void> {
  const amountInRaw = 2n * ETHER;
  await late.settle();
  const { curve } = late.follower.current?.graph.get(poolId(pool.id)) ?? assert.fail();
  const zeroForOne = pool.currency1 === pool.tokenAddress;
  const promised = curve.swapIn(zeroForOne, amountInRaw).amountOut;
  const { token, quote, venue } = pool;
  const receipt = await devnet.chain.buy({ token, venue, quote, amountInRaw });
  assert.equal(receipt.status, '0x1');
  await late.settle();
  const trade = late.events.flatMap(({ trades }) => trades).at(-1) ?? assert.fail();
  assert.deepEqual([trade.pool, trade.amountRaw], [pool.id.toLowerCase(), promised]);
}

it('a V4 pool with a hook, whose key nobody can guess, is found by its log', async () => {
  const hook = toAddress('hook');
  const late = await startLate();
  try {
    assert.equal(await late.indexer.lookUp(hook), 'found');
    const pool = findPool(devnet.chain.deployment, { token: 'hook', venue: 'uniswap-v4' });
    const rows = await untilWhole(late, hook);
    assert.deepEqual(
      rows.map((row) => row.pool),
      [pool.id.toLowerCase()],
    );
    await assertVerified(late);
  } finally {
    await late.stop();
  }
});

it('what is no token brings nothing, and an address without code takes one request', async () => {
  const { chain, recorder } = devnet;
  const late = await startLate();
  try {
    const trader = address((TRADERS[0] ?? assert.fail()).toLowerCase());
    const factory = address(chain.deployment.contracts.v2Factory.toLowerCase());
    assert.equal(late.indexer.lookups()?.calls, 0);
    const before = recorder.methods();
    assert.equal(await late.indexer.lookUp(trader), 'noToken');
    assert.equal(late.indexer.lookups()?.calls, 1);
    assert.equal(recorder.methods().get('eth_call') ?? 0, before.get('eth_call') ?? 0);
    assert.equal(await late.indexer.lookUp(factory), 'noToken');
    assert.ok((late.indexer.lookups()?.calls ?? 99) <= 6);
    assert.deepEqual(await late.store.readTokens('devnet', [trader, factory]), []);
    // A token without pools is one nevertheless.
    const kin = toAddress('kin');
    assert.equal(await late.indexer.lookUp(kin), 'found');
    assert.equal((await late.store.readTokens('devnet', [kin]))[0]?.symbol, 'KIN');
  } finally {
    await late.stop();
  }
});

it('reorganisations during and after a lookup leave what the branch has', async () => {
  const { chain, recorder } = devnet;
  // Its pool is found by its log alone.
  const hook = toAddress('hook');
  const late = await startLate();
  try {
    await chain.mine(4);
    await late.settle();
    const release = recorder.hold((body) => body.includes('eth_getCode'));
    const asked = late.indexer.lookUp(hook);
    await delay(100);
    await chain.reorg(3);
    await chain.mine(1);
    await late.settle();
    release();
    assert.equal(await asked, 'found');
    const [row] = await late.store.readTokens('devnet', [hook]);
    assert.ok(row !== undefined);
    // The blocks since then go: the token goes with them, and is looked up again.
    await chain.mine(1);
    await late.settle();
    const head = await chain.readHead();
    await chain.reorg(head - row.firstSeenBlock + 1);
    await chain.mine(1);
    await late.settle();
    const reverted = late.events.filter((event) => event.reverted !== undefined);
    assert.ok(reverted.length >= 2);
    await untilWhole(late, hook);
    await late.settle();
    await assertVerified(late);
  } finally {
    await late.stop();
  }
});

it('a token that is known by its transfers gets its older pools', async () => {
  const { chain } = devnet;
  const nano = toAddress('nano');
  const late = await startLate();
  try {
    const [to] = TRADERS;
    const word = (value: string) => value.slice(2).toLowerCase().padStart(64, '0');
    const data = `0xa9059cbb${word(to ?? '')}${word('0x1')}` as `0x${string}`;
    const deployed = findToken(chain.deployment, 'nano').address;
    await chain.send({ from: MAKER, to: deployed, data, gas: 200_000n });
    await late.settle();
    assert.equal((await late.store.readTokens('devnet', [nano])).length, 1);
    assert.deepEqual(await readPoolsOf(late.store, nano), []);
    assert.equal(await late.indexer.lookUp(nano), 'found');
    assert.equal((await untilWhole(late, nano)).length, 1);
    const { calls } = late.indexer.lookups() ?? assert.fail();
    // Pools of the wrapped coin may still be adopted, in commits of their own.
    while ((late.indexer.adoption()?.waiting ?? 0) > 0) await delay(50);
    await late.settle();
    // Once more brings nothing, and commits nothing.
    const commits = late.events.length;
    assert.equal(await late.indexer.lookUp(nano), 'found');
    assert.equal(late.events.length, commits);
    assert.ok((late.indexer.lookups()?.calls ?? 0) > calls);
    await assertVerified(late);
  } finally {
    await late.stop();
  }
});
