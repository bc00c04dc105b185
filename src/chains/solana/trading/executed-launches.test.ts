// Trades on a curve of LaunchLab on the embedded chain, from its accounts to the wallet's balance.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  buildExecuted,
  chain,
  describeCpmm,
  execute,
  findMint,
  priceOutput,
  pricePools,
  readHeld,
  WALLET,
} from '../../../../test/executed-solana-trades.ts';
import { setLaunch, USUAL_LAUNCH } from '../../../../test/solana-launches.ts';
import type { Address } from '../../../model/ids.ts';
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

/** What a transaction has beside what is counted for its only swap. */
async function measureRest(pool: PoolDescription, token: Address): Promise<number> {
  const { load } = findVenueLoad(pool) ?? assert.fail('no load');
  const trade = await pricePools([SYSTEM_PROGRAM, token], 1_000_000_000n, [pool]);
  const { built, unsigned } = await buildExecuted(trade);
  assert.ok((built.simulation?.unitsUsed ?? load.units) < load.units + 100_000n);
  const { length } = Buffer.from(unsigned.transaction, 'base64');
  return length - load.bytes - load.sharedBytes;
}

it('a swap there takes no more of a transaction than is counted', async () => {
  const curve = launch();
  const [own, other] = [
    await measureRest(curve, curve.token0),
    await measureRest(describeCpmm('BOLT'), findMint('BOLT')),
  ];
  assert.ok(own <= other, `${own} bytes beside the swap, ${other} beside one of CPMM`);
  assert.ok(own > other - 40, 'nor much less');
});
