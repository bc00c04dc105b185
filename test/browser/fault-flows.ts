// What a page shows through a reorganisation and a restart of the service. Every open page notices
// both: not beside other tests.

import assert from 'node:assert/strict';
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

/** A page whose other parts are not loaded yet. Nothing of it may be loaded again. */
async function openStatus(scene: ConsoleScene) {
  const watched = await scene.openPage('/status');
  const { page } = watched;
  watched.expectFaults(/net::ERR_|503 \(Service Unavailable\)|Failed to load module script/);
  await page.getByRole('heading', { name: 'Ready' }).waitFor();
  await page.evaluate('globalThis.isFirstLoad = true');
  const finish = async () => {
    assert.equal(await page.evaluate('globalThis.isFirstLoad'), true, 'the page was reloaded');
    await watched.finish();
  };
  return { page, finish };
}

/** What is not known is not shown; a part that is not there says so in its place. */
async function lookWhileDown(page: Page): Promise<void> {
  await page.getByText('Nothing is known of it now').waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Ready' }).count(), 0);
  await page.getByRole('link', { name: 'Tokens', exact: true }).click();
  await page.locator('main').getByText('could not be loaded').waitFor();
  await page.locator('main').getByRole('button', { name: 'Try again' }).click();
}

export async function comeBackByItself(scene: ConsoleScene): Promise<void> {
  const [list, keys] = await Promise.all([openStatus(scene), openStatus(scene)]);
  await scene.restart(async () => {
    await lookWhileDown(list.page);
    await keys.page.getByText('Nothing is known of it now').waitFor();
    await keys.page.keyboard.press('?');
    await keys.page.locator('.over-page').waitFor();
  });
  await list.page.locator('table.tokens tbody a').first().waitFor();
  await keys.page.locator('dialog').waitFor();
  await keys.page.keyboard.press('Escape');
  await keys.page.getByRole('heading', { name: 'Ready' }).waitFor();
  await Promise.all([list.finish(), keys.finish()]);
}

/** Opened while no request is answered: who is signed in is not known, and is not guessed. */
export async function sayNothingOfKeys(scene: ConsoleScene): Promise<void> {
  const watched = await scene.openPage('/v1/docs');
  const { page } = watched;
  watched.expectFaults(/net::ERR_/);
  await page.route('**/v1/**', (route) => route.abort());
  await page.goto(`${scene.service().origin}/keys`);
  await page.getByText('Your keys are not known').waitFor();
  assert.equal(await page.getByText('Keys belong to a wallet').count(), 0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByText('Keys belong to a wallet').waitFor();
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
