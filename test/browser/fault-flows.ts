// What a page shows through a reorganisation and a restart of the service. Every open page notices
// both: not beside other tests.

import type { Page } from 'playwright-core';
import { untilAtHead } from '../indexed-service.ts';
import { type ConsoleScene, WIRE_PATH } from './console-scene.ts';
import { buyWire, readTape, untilLive } from './console-steps.ts';
import { untilRight } from './watched-page.ts';

/** Fails unless the page shows what a new one shows. */
async function assertEqualsFreshLoad(scene: ConsoleScene, page: Page): Promise<void> {
  await untilAtHead(scene.service(), scene.chain);
  const fresh = await scene.openPage(WIRE_PATH);
  await untilLive(fresh.page);
  const readAll = async (one: Page) => ({
    tape: await readTape(one),
    price: await one.locator('.token-head .price').textContent(),
    liquidity: await one.locator('.stats dd').nth(1).textContent(),
  });
  const expected = await readAll(fresh.page);
  await untilRight(
    'the page equals a fresh load',
    () => readAll(page),
    (shown) => JSON.stringify(shown) === JSON.stringify(expected),
  );
  await fresh.finish();
}

export async function surviveReorganisation(scene: ConsoleScene): Promise<void> {
  const watched = await scene.openPage(WIRE_PATH);
  const { page } = watched;
  await untilLive(page);
  await readTape(page);
  const { transactionHash } = await buyWire(scene.chain, 3n);
  const row = page.locator(`.tape tr[data-id*="${transactionHash}"]`);
  await row.waitFor();
  await scene.chain.reorg(1);
  await scene.chain.mine();
  await row.waitFor({ state: 'detached' });
  await page.getByText('The chain was reorganised').waitFor();
  await assertEqualsFreshLoad(scene, page);
  await watched.finish();
}

export async function surviveRestart(scene: ConsoleScene): Promise<void> {
  const watched = await scene.openPage(WIRE_PATH);
  const { page } = watched;
  // The browser reports every request that finds no server.
  watched.expectFaults(/net::ERR_|503 \(Service Unavailable\)/);
  await untilLive(page);
  await readTape(page);
  let missed = '';
  await scene.restart(async () => {
    await page.locator('.lamp-waiting').waitFor();
    missed = (await buyWire(scene.chain, 2n)).transactionHash;
  });
  await page.locator(`.tape tr[data-id*="${missed}"]`).waitFor();
  await untilLive(page);
  await assertEqualsFreshLoad(scene, page);
  await watched.finish();
}
