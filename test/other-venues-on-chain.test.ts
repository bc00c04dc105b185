// The devnet's pools of other exchanges than Uniswap, indexed: prices, depth, and swaps that pay
// what the index says beforehand.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pickCrew } from '../devnet/deploy-contracts.ts';
import type { DevnetPool } from '../devnet/deployment.ts';
import { buildOtherSwap, findOtherSpender, isOtherVenue } from '../devnet/other-swaps.ts';
import { buildApproval, findDirection } from '../devnet/swap-calldata.ts';
import { startTestChain, type TestChain } from '../devnet/test-chain.ts';
import { parseDevnetDeployment } from '../src/chains/evm/venues/parse-devnet-deployment.ts';
import { listSwapRouters } from '../src/chains/evm/venues/swap-routers.ts';
import { verifyChain } from '../src/ingest/verify/verify-chain.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import { startIndexing } from './indexed-devnet.ts';

const WHOLE_MAX_MS = 60_000;
const VENUES = ['solidly-v2', 'pancakeswap-v3', 'balancer-v2', 'curve'];
const ROW_COUNT = 7;

let chain: TestChain;
let index: Awaited<ReturnType<typeof startIndexing>>;

async function readRows(): Promise<PoolRecord[]> {
  const rows: PoolRecord[] = [];
  for await (const page of index.store.scanPools('devnet')) rows.push(...page);
  return rows.filter(({ venue }) => VENUES.includes(venue));
}

async function untilWhole(): Promise<void> {
  const deadlineMs = Date.now() + WHOLE_MAX_MS;
  for (;;) {
    await index.settle();
    const rows = await readRows();
    if (rows.length >= ROW_COUNT && rows.every(({ complete }) => complete)) return;
    const seen = rows.map(({ venue, complete }) => `${venue} ${complete}`).join(', ');
    assert.ok(Date.now() < deadlineMs, `not whole: ${seen}`);
    await delay(50);
  }
}

function findRow(rows: readonly PoolRecord[], pool: DevnetPool): PoolRecord {
  const row = rows.find(
    ({ venue, token0, token1 }) =>
      venue === pool.venue && token0 === pool.currency0 && token1 === pool.currency1,
  );
  return row ?? assert.fail(`no row of ${pool.venue} ${pool.token}`);
}

/** Sells from a wallet that has some; returns the trade as it is indexed. */
async function sell(pool: DevnetPool, amountInRaw: bigint) {
  const { deployment } = chain;
  const { contracts } = deployment;
  const [wallet = assert.fail()] = pickCrew(pool.token);
  const request = { contracts, deployment, pool, wallet, side: 'sell', amountInRaw } as const;
  const { venue } = pool;
  assert.ok(isOtherVenue(venue));
  const { currencyIn: token } = findDirection(request);
  const spender = findOtherSpender(venue, deployment);
  await chain.send(buildApproval({ owner: wallet, token, spender }));
  const receipt = await chain.send(buildOtherSwap(request));
  assert.equal(receipt.status, '0x1');
  await index.settle();
  const trades = index.events.flatMap((event) => event.trades);
  return trades.findLast(({ pool: traded }) => traded === findId(pool));
}

const ids = new Map<DevnetPool, string>();
const findId = (pool: DevnetPool) => ids.get(pool);

describe('pools of other exchanges on the devnet', () => {
  before(async () => {
    chain = await startTestChain({ hasOthers: true, history: { blocks: 20, actionsPerBlock: 8 } });
    const adoption = { callsPerMinute: Number.POSITIVE_INFINITY, idleMs: 5 };
    index = await startIndexing(chain, { rpcUrl: chain.rpcUrl, adoption });
    await untilWhole();
  });

  after(async () => {
    await index?.stop();
    await chain?.stop();
  });

  it('have a kind, a price and liquidity', async () => {
    const rows = await readRows();
    const kinds = rows.map(({ venue, kind }) => `${venue} ${kind}`).sort();
    assert.deepEqual(kinds, [
      ...['balancer-v2 weighted', 'balancer-v2 weighted', 'balancer-v2 weighted'],
      'curve stableSwap',
      ...['pancakeswap-v3 concentrated', 'solidly-v2 solidlyPair', 'solidly-v2 solidlyPair'],
    ]);
    for (const { liquidityUsdE18, venue } of rows) {
      assert.ok((liquidityUsdE18 ?? 0n) > 10n ** 23n, `${venue} is worth ${liquidityUsdE18}`);
    }
  });

  it('are traded by the traders of the devnet', async () => {
    const rows = await readRows();
    const traded = rows.filter(({ lastSwapAtMs }) => lastSwapAtMs !== null);
    assert.deepEqual(new Set(traded.map(({ venue }) => venue)), new Set(VENUES));
  });

  it('pay what the index says beforehand', async () => {
    for (const pool of chain.deployment.others?.pools ?? []) {
      const row = findRow(await readRows(), pool);
      ids.set(pool, row.pool);
      const opening = pool.currency0 === pool.tokenAddress ? 'amount0Raw' : 'amount1Raw';
      const amountInRaw = BigInt(pool.opening[opening]) / 100_000n;
      await index.settle();
      const { curve, inexact } = index.follower.current?.graph.get(row.pool) ?? assert.fail();
      const swap = curve.swapIn(row.token0 === pool.tokenAddress, amountInRaw);
      const trade = (await sell(pool, amountInRaw)) ?? assert.fail('no trade');
      const what = `${pool.venue} ${pool.token}`;
      assert.deepEqual(
        [trade.amountRaw, trade.quoteAmountRaw],
        [amountInRaw, swap.amountOut],
        what,
      );
      if (row.kind !== 'solidlyPair') assert.equal(inexact, null, what);
    }
  });

  it('are reached by a router', () => {
    const routers = listSwapRouters(parseDevnetDeployment(chain.deployment));
    const reached = VENUES.filter((venue) => routers.some(({ venues }) => venues.has(venue)));
    assert.deepEqual(reached, VENUES);
  });

  it('are stored as their contracts say', async () => {
    await index.settle();
    await index.indexer.stop();
    const { checked, differences } = await verifyChain({
      ...{ adapter: index.adapter, store: index.store, attemptCountMax: 3 },
      openScratchStore: () => createSqliteStore({ file: ':memory:' }),
      sizes: { blockCountMax: 5000, eventCountMax: 20_000 },
      signal: new AbortController().signal,
    });
    assert.deepEqual(differences, []);
    assert.equal(checked['pool without answer'] ?? 0, 0);
  });
});
