// A curve of LaunchLab on the embedded chain, as the service's own follower indexes it, from its
// first trade until all is sold; and trades there as the service builds them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  toSolanaAddress,
  toSolanaPool,
  WRAPPED_SOL,
} from '../../src/chains/solana/data/solana-ids.ts';
import type { PoolRecordOf } from '../../src/model/pool.ts';
import {
  assertNoDifferences,
  collect,
  followMarket,
  ManualMarket,
  SLUG,
} from '../../test/manual-market.ts';
import {
  MIGRATOR,
  migrateLaunch,
  setLaunch,
  tradeLaunch,
  USUAL_LAUNCH,
} from '../../test/solana-launches.ts';
import { openTokenAccount, setComputeLimit } from './instructions.ts';
import { send, wrapSol } from './scene.ts';
import { TOKEN_PROGRAM } from './token-balance.ts';

const SOL = 10n ** 9n;
const UNITS = 400_000;

test('the curve is followed from its first trade to its last, and verify finds no difference', async (t) => {
  const market = new ManualMarket();
  const { chain, scene } = market;
  const { maker } = scene.wallets;
  const places = setLaunch(chain.svm, USUAL_LAUNCH);
  const coin = { mint: places.mint, program: TOKEN_PROGRAM };
  const { store, indexing } = await followMarket(t, market, { isAdopting: true });
  const trade = async (isSale: boolean, amounts: Parameters<typeof tradeLaunch>[2] | object) => {
    const order = { user: maker.address, isSale, ...amounts } as Parameters<typeof tradeLaunch>[2];
    const instruction = tradeLaunch(chain.svm, places, order);
    send(chain, { payer: maker, instructions: [setComputeLimit(UNITS), instruction] });
    market.seal();
    await indexing.settle();
  };
  send(chain, {
    payer: maker,
    instructions: [
      ...wrapSol(maker.address, 200n * SOL),
      openTokenAccount(maker.address, maker.address, coin),
    ],
  });
  market.seal();
  const pool = toSolanaPool(toSolanaAddress(places.pool));
  const readPool = async () => {
    const [row] = await store.market.readPools(SLUG, [pool]);
    return row as PoolRecordOf<'launchCurve'> | undefined;
  };
  const untilAdopted = async () => {
    for (let turn = 0; turn < 600; turn += 1) {
      const row = await readPool();
      if (row?.complete) return row;
      // An adopted state becomes the index's with the next block.
      if (turn % 20 === 0) market.seal();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return assert.fail('it was never adopted');
  };
  const field = (at: number) => chain.read(places.pool)?.data.readBigUInt64LE(at) ?? assert.fail();

  await trade(false, { fixed: 'input', amountIn: SOL, amountOut: 1n });
  assert.equal((await readPool())?.kind, 'launchCurve');
  const adopted = await untilAdopted();
  assert.equal(adopted.state.feePips, 13_000);
  await trade(false, { fixed: 'output', amountIn: 10n * SOL, amountOut: 10n ** 13n });
  await trade(true, { fixed: 'input', amountIn: 10n ** 12n, amountOut: 1n });
  await trade(true, { fixed: 'output', amountIn: 10n ** 13n, amountOut: SOL / 10n });
  const row = (await readPool()) ?? assert.fail();
  assert.equal(row.complete, true, 'no event left anything open');
  assert.deepEqual(
    [row.state.held0, row.state.held1],
    [USUAL_LAUNCH.sellTotal - field(53), field(61)],
  );
  assert.deepEqual(
    [row.state.reserve0, row.state.reserve1],
    [USUAL_LAUNCH.virtualBase - field(53), USUAL_LAUNCH.virtualQuote + field(61)],
  );
  const own = async () => {
    const trades = await collect(store.market.scanTrades(SLUG));
    return trades.filter((one) => one.pool === pool);
  };
  assert.equal((await own()).length, 4, 'the event of a trade comes twice');
  const [token] = await store.market.readTokens(SLUG, [toSolanaAddress(places.mint)]);
  assert.equal(token?.launch?.venue, 'raydium-launchlab');
  assert.ok((token?.launch?.progressPct ?? 0) > 0);
  await trade(false, { fixed: 'input', amountIn: 150n * SOL, amountOut: 1n });
  const last = await readPool();
  assert.deepEqual([last?.state.held0, last?.state.isComplete], [0n, true]);
  const readToken = async () => {
    const [token] = await store.market.readTokens(SLUG, [toSolanaAddress(places.mint)]);
    return token ?? assert.fail();
  };
  assert.deepEqual((await readToken()).launch?.progressPct, 100);
  assert.equal((await readToken()).launch?.graduatedAtMs, null, 'it has no pool of its own yet');
  assert.equal(row.token1, WRAPPED_SOL);
  await assertNoDifferences(store, indexing);

  const { to, instruction } = migrateLaunch(places);
  send(chain, { payer: MIGRATOR, instructions: [setComputeLimit(UNITS), instruction] });
  market.seal();
  await indexing.settle();
  const { launch } = await readToken();
  assert.equal(launch?.venue, 'raydium-launchlab');
  assert.equal(typeof launch?.graduatedAtMs, 'number');
  const ended = await readPool();
  assert.deepEqual([ended?.state.isMigrated, ended?.state.held1], [true, 0n]);
  const [opened] = await store.market.readPools(SLUG, [toSolanaPool(toSolanaAddress(to.pool))]);
  assert.equal(opened?.venue, 'raydium-cpmm');
  const reserves = [to.vault0, to.vault1].map((vault) =>
    chain.read(vault)?.data.readBigUInt64LE(64),
  );
  const state = (opened as PoolRecordOf<'ceiledProduct'>).state;
  assert.deepEqual([state.reserve0, state.reserve1], reserves);
  await assertNoDifferences(store, indexing);
});
