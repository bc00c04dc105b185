// A process that commits in a loop and reports each commit, made to be killed.

import { openStoreAt, type StorePlace } from './store-place.ts';
import { buildCheckpoint, buildHeader, buildTrade, toAddress } from './store-samples.ts';

/** Rows of each kind per commit: enough that a kill often hits the middle of one. */
const ROWS = 300;

const address = JSON.parse(process.argv[2] ?? '') as StorePlace['address'];
const store = await openStoreAt(address);

for (;;) {
  const checkpoint = await store.market.readCheckpoint('devnet');
  const version = (checkpoint?.version ?? 0) + 1;
  await store.market.transaction('devnet', async (transaction) => {
    const rows = Array.from({ length: ROWS }, (_, index) => index);
    await transaction.setCheckpoint(buildCheckpoint(version));
    await transaction.putHeaders([buildHeader(version)]);
    await transaction.insertTrades(
      rows.map((logIndex) => buildTrade({ block: version, logIndex })),
    );
    await transaction.putBalances(
      rows.map((index) => ({
        token: toAddress(1),
        owner: toAddress(index + 1),
        amountRaw: BigInt(version),
      })),
    );
  });
  process.stdout.write(`${version}\n`);
}
