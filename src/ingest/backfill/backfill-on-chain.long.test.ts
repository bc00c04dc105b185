// Backfill against real contracts on a real node: what is filled in equals a full index.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MAKER } from '../../../devnet/accounts.ts';
import { findToken } from '../../../devnet/deployment.ts';
import { buildAddLiquidity } from '../../../devnet/liquidity-calldata.ts';
import { mintPosition } from '../../../test/devnet-liquidity.ts';
import { readIndex } from '../../../test/fakes/indexed-chain.ts';
import {
  type IndexedDevnet,
  startIndexedDevnet,
  startIndexing,
} from '../../../test/indexed-devnet.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { verifyChain } from '../verify/verify-chain.ts';

const FILLED_MAX_MS = 120_000;
const KEY = 'wire';

let devnet: IndexedDevnet;

before(async () => {
  devnet = await startIndexedDevnet();
});

after(() => devnet.stop());

/** The token is bought in each of its pools, and one of them gets a position. */
async function trade(round: number): Promise<void> {
  const { chain } = devnet;
  for (const pool of chain.deployment.pools.filter(({ token }) => token === KEY)) {
    const { venue, quote, token } = pool;
    if (quote !== 'eth' && quote !== 'weth') continue;
    await chain.buy({ token, venue, quote, amountInRaw: BigInt(round + 1) * 10n ** 16n });
    const curve = devnet.follower.current?.graph.get(poolId(pool.id))?.curve;
    if (round !== 1 || !(curve instanceof ConcentratedPool) || pool.tickSpacing === null) continue;
    const at = Math.floor(curve.state.tick / pool.tickSpacing);
    await mintPosition(chain, pool, {
      tickLower: (at - 5) * pool.tickSpacing,
      tickUpper: (at + 5) * pool.tickSpacing,
      ...{ sharePpm: 500n, liquidity: curve.state.liquidity / 1000n + 1n },
    });
  }
}

/** Something happens in the pool that prices the native coin, so that the late index meets it. */
async function touchAnchor(): Promise<void> {
  const { chain } = devnet;
  const [anchor] = devnet.adapter.assets.anchorPools;
  const pool = chain.deployment.pools.find(({ id }) => poolId(id) === anchor) ?? assert.fail();
  const curve = devnet.follower.current?.graph.get(poolId(pool.id))?.curve;
  const liquidity = curve instanceof ConcentratedPool ? curve.state.liquidity : 10n ** 8n;
  const change = { pool, contracts: chain.deployment.contracts, owner: MAKER };
  const amount0 = BigInt(pool.opening.amount0Raw) / 500n;
  const amount1 = BigInt(pool.opening.amount1Raw) / 500n;
  await chain.send(buildAddLiquidity(change, { amount0, amount1, liquidity: liquidity / 50n }));
}

it('trades, klines and holders from before the start equal those of a full index', async () => {
  const { chain } = devnet;
  for (let round = 0; round < 3; round += 1) await trade(round);
  await devnet.settle();
  const token = address(findToken(chain.deployment, KEY).address.toLowerCase());
  // What is final: history may only be read below it.
  await chain.mine(70);
  const startBlock = (await chain.readHead()) - 3;
  await chain.mine(70);
  const callsPerMinute = Number.POSITIVE_INFINITY;
  const late = await startIndexing(chain, {
    ...{ rpcUrl: devnet.recorder.url, startBlock },
    adoption: { callsPerMinute, idleMs: 5 },
    backfill: { callsPerMinute, tokensMax: 10, idleMs: 5 },
  });
  try {
    // The index meets the pools with their next trades; adoption then requests the history.
    await trade(3);
    await touchAnchor();
    const deadlineMs = Date.now() + FILLED_MAX_MS;
    for (;;) {
      const jobs = await late.store.readBackfills('devnet', [token]);
      if (jobs.length > 0 && jobs.every(({ status }) => status === 'done')) break;
      if (Date.now() > deadlineMs) {
        const told = jobs.map(({ kind, status, nextBlock }) => `${kind} ${status} ${nextBlock}`);
        throw new Error(`not filled in: ${told.join(', ')}`);
      }
      await chain.mine();
      await delay(50);
    }
    await late.settle();
    await devnet.settle();
    const [own, full] = [await readIndex(late.store), await readIndex(devnet.store)];
    const pick = ({ trades, balances }: typeof own) => ({
      trades: trades.filter((row) => row.token === token && row.block < startBlock),
      balances: balances.filter((row) => row.token === token),
    });
    assert.ok(pick(full).trades.length >= 6);
    assert.deepEqual(pick(own), pick(full));
    const [row] = await late.store.readTokens('devnet', [token]);
    assert.equal(row?.balanceSumRaw, row?.supplyRaw);
    await late.indexer.stop();
    const verification = await verifyChain({
      ...{ adapter: late.adapter, store: late.store, attemptCountMax: 3 },
      openScratchStore: () => createSqliteStore({ file: ':memory:' }),
      sizes: { blockCountMax: 5000, eventCountMax: 20_000 },
      signal: new AbortController().signal,
    });
    assert.deepEqual(verification.differences, []);
  } finally {
    await late.stop();
  }
});
