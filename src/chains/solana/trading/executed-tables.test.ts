// Routes that fit into a transaction only because the operator's lookup tables shorten it: the
// search counts that, and what it finds is executed on the embedded chain to the unit.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CPMM_AUTHORITY } from '../../../../devnet/solana/instructions.ts';
import {
  buildExecuted,
  describeCpmm,
  execute,
  findMint,
  nodes,
  openNodes,
  readPoolRow,
  scene,
  useNodes,
} from '../../../../test/executed-solana-trades.ts';
import { PLAIN_RULES } from '../../../../test/fakes/trade-costs.ts';
import { createTable } from '../../../../test/solana-lookup-table.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { PoolGraph } from '../../../trading/graph/pool-graph.ts';
import { createGraphPool } from '../../../trading/graph/pool-graph-pool.ts';
import { SafetyCache } from '../../../trading/graph/safety-cache.ts';
import { searchTrade } from '../../../trading/routing/find-trade-route.ts';
import { SearchWork } from '../../../trading/routing/search-work.ts';
import { countBytes } from '../../../trading/routing/trade-cost.ts';
import { planTrade } from '../../../trading/routing/trade-plan.ts';
import type { ExecutableTrade } from '../../chain-transactions.ts';
import type { ListedAccounts } from '../../transaction-costs.ts';
import { SYSTEM_PROGRAM, toSolanaAddress, WRAPPED_SOL } from '../data/solana-ids.ts';
import { TRANSACTION_BYTES_MAX } from './encode-transaction.ts';
import { findSolanaHopBytes, findSolanaSwapCost, SOLANA_COSTS } from './solana-costs.ts';

const RULES = {
  ...PLAIN_RULES,
  findSwapCost: findSolanaSwapCost,
  findHopBytes: findSolanaHopBytes,
};
const SOL = 10n ** 9n;

/** From SOL to GRAM. */
async function search(
  pools: readonly PoolDescription[],
  amountRaw: bigint,
  listed: ListedAccounts | undefined,
) {
  const graph = new PoolGraph({ native: { coin: SYSTEM_PROGRAM, wrapped: WRAPPED_SOL } });
  for (const pool of pools) {
    graph.set(createGraphPool(await readPoolRow(pool), [], RULES) ?? assert.fail());
  }
  const trusted = scene.tokens.map(({ mint }) => toSolanaAddress(mint));
  const plan = planTrade({
    ...{ graph, safetyCache: new SafetyCache(), isPaused: () => false },
    trusted: new Set([SYSTEM_PROGRAM, ...trusted]),
    ...{ tokenIn: SYSTEM_PROGRAM, tokenOut: findMint('GRAM'), outPerUnit: null },
    costs: { ...SOLANA_COSTS, ...(listed === undefined ? {} : { listed }) },
    size: { fixed: 'input', amountRaw, reserveBps: 0 },
  });
  return searchTrade(plan, new SearchWork());
}

function toExecutable(
  found: Extract<Awaited<ReturnType<typeof search>>, { kind: 'found' }>,
): ExecutableTrade {
  const { amountIn, amountOut, swapPaths } = found.found.route;
  return {
    ...{ tokenIn: SYSTEM_PROGRAM, tokenOut: findMint('GRAM'), fixed: 'input' },
    ...{ amountInRaw: amountIn, maxAmountInRaw: amountIn },
    ...{ amountOutRaw: amountOut, minAmountOutRaw: (amountOut * 995n) / 1000n },
    ...{ outputTaxBps: 0, costUnits: 400_000n, router: null },
    swapPaths: swapPaths.map(({ takes, hops, ...path }) => ({
      ...{ takes, amountInRaw: path.amountIn, amountOutRaw: path.amountOut },
      hops: hops.map(({ pool, tokenIn, tokenOut, ...hop }) => ({
        ...{ pool, tokenIn, tokenOut },
        ...{ amountInRaw: hop.amountIn, amountOutRaw: hop.amountOut },
      })),
    })),
  };
}

/** All accounts of the pools. */
function openTables(pools: readonly PoolDescription[]) {
  const places = scene.pools.filter(({ pool }) => pools.some((one) => one.pool === pool));
  const all = places.flatMap(({ config, pool, token0, token1, vault0, vault1 }) => [
    ...[config, pool, token0.mint, token1.mint, vault0, vault1],
  ]);
  const table = createTable([...new Set([...all, CPMM_AUTHORITY])].map(toSolanaAddress));
  return openNodes([table]);
}

const listPools = (found: Awaited<ReturnType<typeof search>>): readonly string[] =>
  found.kind === 'none'
    ? [found.reason]
    : found.found.route.swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool));

it('three pools in a row from SOL are too long without a table, and land with one', async (t) => {
  const pools = [describeCpmm('BOLT'), describeCpmm('BOLT', 'USDC'), describeCpmm('GRAM', 'USDC')];
  const amount = 3n * SOL;
  assert.equal((await nodes.readFees(AbortSignal.timeout(10_000))).listed, undefined);
  assert.deepEqual(listPools(await search(pools, amount, undefined)), ['tooLong']);
  t.after(useNodes(openTables(pools)));
  const { listed = assert.fail() } = await nodes.readFees(AbortSignal.timeout(10_000));
  assert.equal(listed.byPool.size, 3);
  const found = await search(pools, amount, listed);
  assert.deepEqual(
    listPools(found),
    pools.map(({ pool }) => pool),
  );
  assert.ok(found.kind === 'found');
  await execute(toExecutable(found));
});

it('a division over four pools pays more, is as long as told at most, and lands', async (t) => {
  const pools = [
    ...[describeCpmm('USDC'), describeCpmm('BOLT'), describeCpmm('BOLT', 'USDC')],
    describeCpmm('GRAM', 'USDC'),
  ];
  const amount = 400n * SOL;
  const plain = await search(pools, amount, undefined);
  t.after(useNodes(openTables(pools)));
  const { listed = assert.fail() } = await nodes.readFees(AbortSignal.timeout(10_000));
  const found = await search(pools, amount, listed);
  assert.ok(plain.kind === 'found' && found.kind === 'found');
  assert.ok(new Set(listPools(plain)).size < 4);
  assert.equal(new Set(listPools(found)).size, 4);
  assert.ok(found.found.amountOut > plain.found.amountOut);
  const trade = toExecutable(found);
  const { unsigned } = await buildExecuted(trade);
  const { length } = Buffer.from(unsigned.transaction, 'base64');
  const { bytesMax, nativeInBytes = 0 } = SOLANA_COSTS;
  const own = TRANSACTION_BYTES_MAX - bytesMax + nativeInBytes;
  const told = countBytes(found.found.route.swapPaths, listed) + own;
  assert.ok(length <= told, `${length} bytes, ${told} told`);
  await execute(trade);
});
