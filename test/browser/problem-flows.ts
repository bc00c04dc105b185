// What the pages say where they can show nothing else: wrong input, a paused token, a service that
// is starting, a budget that is used up.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { WIRE } from '../docs-scene.ts';
import type { Cleanup } from '../start-service-process.ts';
import type { ConsoleScene, PageLook } from './console-scene.ts';
import { untilLive } from './console-steps.ts';
import { findLookFaults } from './look-faults.ts';

const PHONE: PageLook = { width: 390, theme: 'light' };

const WRONG_ADDRESSES = [
  ['wrong-address', '/token?chain=devnet&mint=0x12', 'This is no address of that chain'],
  ['other-chain', `/token?chain=base&mint=${WIRE}`, 'This server does not follow that chain'],
  ['no-chain', `/token?chain=nowhere&mint=${WIRE}`, 'There is no such chain'],
  ['wrong-wallet', '/portfolio?wallet=0x12', 'This is no address of that chain'],
  ['no-page', '/nowhere?x=1', 'There is no page here'],
  ['no-token', '/token', 'The address of this page names no token'],
  [
    'unknown-token',
    `/token?chain=devnet&mint=0x${'12'.repeat(20)}`,
    'There is no token at this address',
  ],
] as const;

async function goToList(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Go to the list of tokens' }).click();
  await page.locator('table.tokens tbody a').first().waitFor();
}

export async function explainWrongAddresses(scene: ConsoleScene): Promise<void> {
  const watched = await scene.openPage('/status');
  const { page } = watched;
  watched.expectFaults(/40[04] \((?:Bad Request|Not Found)\)/);
  const faults: string[] = [];
  for (const [name, path, text] of WRONG_ADDRESSES) {
    await page.goto(scene.service().origin + path);
    await page.getByText(text).waitFor();
    assert.equal(await page.locator('.bone').count(), 0, 'nothing is on its way');
    faults.push(...(await findLookFaults(page, name)));
    await goToList(page);
  }
  assert.deepEqual(faults, []);
  await watched.finish();
}

/** While the page is open, and when it is opened; afterwards the token is back. */
export async function explainPause(scene: ConsoleScene): Promise<void> {
  const { address: mint } =
    scene.chain.deployment.tokens.find(({ symbol }) => symbol === 'LONE') ?? assert.fail();
  const watched = await scene.openPage(`/token?chain=devnet&mint=${mint}`, { look: PHONE });
  const { page } = watched;
  watched.expectFaults(/404 \(Not Found\)/);
  await untilLive(page);
  await scene.setPaused(mint, 'pause');
  await page.getByText('has paused this token').waitFor();
  await page.reload();
  await page.getByText('has paused this token').waitFor();
  assert.deepEqual(await findLookFaults(page, 'paused'), []);
  await scene.setPaused(mint, 'resume');
  await page.reload();
  await page.locator('.token-head .price').waitFor();
  await watched.finish();
}

/** The page fills by itself once the service is ready; over the budget it says when it will. */
export async function explainStartAndLimit(t: Cleanup, scene: ConsoleScene): Promise<void> {
  const early = await scene.startEarly(t);
  const watched = await early.openPage('/');
  const { page } = watched;
  watched.expectFaults(/429 \(Too Many Requests\)|503 \(Service Unavailable\)/);
  await page.getByRole('alert').getByText('The server is starting').first().waitFor();
  assert.deepEqual(await findLookFaults(page, 'starting'), []);
  early.letStart();
  await page.locator('table.tokens tbody a').first().waitFor();
  await early.spendBudget();
  await page.reload();
  const note = page.getByRole('alert').first();
  await note.getByText('Too many requests').waitFor();
  await note.getByText('Trying again in').waitFor();
  assert.deepEqual(await findLookFaults(page, 'limit'), []);
  await watched.finish();
}
