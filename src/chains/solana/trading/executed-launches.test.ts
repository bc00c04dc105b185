// Trades on a curve of LaunchLab on the embedded chain, from its accounts to the wallet's balance.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  buildExecuted,
  chain,
  execute,
  priceOutput,
  pricePools,
  readHeld,
  readSwapPool,
  WALLET,
} from '../../../../test/executed-solana-trades.ts';
import { setLaunch, USUAL_LAUNCH } from '../../../../test/solana-launches.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { SYSTEM_PROGRAM, toSolanaAddress, toSolanaPool, WRAPPED_SOL } from '../data/solana-ids.ts';
import { findVenueLoad } from '../venues/solana-venues.ts';

function launch(): PoolDescription {
  const { pool, mint } = setLaunch(chain.svm, USUAL_LAUNCH);
  const { sellTotal, virtualBase: virtual0, virtualQuote: virtual1 } = USUAL_LAUNCH;
  return {
    ...{ pool: toSolanaPool(toSolanaAddress(pool)), kind: 'launchCurve' },
    ...{ venue: 'raydium-launchlab', feePips: 13_000, vault: WALLET },
    ...{ token0: toSolanaAddress(mint), token1: WRAPPED_SOL },
    terms: { shape: 'product', sellTotal, virtual0, virtual1 },
  };
}

it('a coin is bought on its curve and sold again, by either amount', async () => {
  const curve = launch();
  const coin = curve.token0;
  await execute(await pricePools([SYSTEM_PROGRAM, coin], 2_000_000_000n, [curve]));
  await execute(await pricePools([coin, SYSTEM_PROGRAM], readHeld(coin) / 3n, [curve]));
  await execute(await priceOutput([SYSTEM_PROGRAM, coin], 10n ** 12n, curve));
  await execute(await priceOutput([coin, SYSTEM_PROGRAM], 100_000_000n, curve));
});

it('what a swap there uses of a transaction is what was counted', async () => {
  const curve = launch();
  const coin = curve.token0;
  const { load } = findVenueLoad({ ...curve } as never) ?? assert.fail('no load');
  const trade = await pricePools([SYSTEM_PROGRAM, coin], 1_000_000_000n, [curve]);
  const { built, unsigned } = await buildExecuted(trade);
  const { length } = Buffer.from(unsigned.transaction, 'base64');
  assert.ok(length <= 1232, `${length} bytes`);
  assert.ok(load.bytes + load.sharedBytes < length);
  // The stand-in does less than the program: checks, price limits, and more of its own accounts.
  const units = built.simulation?.unitsUsed ?? assert.fail('not simulated');
  assert.ok(units <= load.units + 100_000n, `${units} units`);
  assert.equal((await readSwapPool(curve)).feePips(true), 13_000);
});
