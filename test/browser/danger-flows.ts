// A token that cannot be sold says so wherever it is met, and is bought only by a second step.

import assert from 'node:assert/strict';
import type { ConsoleScene } from './console-scene.ts';
import { signIn } from './console-steps.ts';
import { createBrowserWallet } from './evm-browser-wallet.ts';
import { untilRight } from './watched-page.ts';

const BADGE = '.badge.grave:has-text("Cannot be sold")';

export async function showDanger(scene: ConsoleScene): Promise<void> {
  const { address: mint } =
    scene.chain.deployment.tokens.find(({ symbol }) => symbol === 'TRAP') ?? assert.fail();
  // Asked for, its pools are measured.
  const url = `${scene.service().origin}/v1/token/safety?chain=devnet&mint=${mint}`;
  const readCodes = async () => {
    const { warnings } = (await (await fetch(url)).json()) as { warnings: { code: string }[] };
    return warnings.map(({ code }) => code);
  };
  await untilRight('it is measured', readCodes, (codes) => codes.includes('UNSELLABLE'));
  const wallets = [createBrowserWallet(scene.chain, 5)];
  const watched = await scene.openPage('/?chain=devnet', { wallets });
  const { page } = watched;
  await page.locator(`tr:has(a[href*="${mint}" i]) .wide ${BADGE}`).waitFor();
  await signIn(page);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('trap');
  await page.locator(`[role=option] ${BADGE}`).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator(`.token-head ${BADGE}`).waitFor();
  await page.getByLabel('You pay').fill('0.01');
  await page.getByText('You receive about').waitFor();
  await page.locator(`.swap ${BADGE}`).waitFor();
  const review = page.getByRole('button', { name: 'Review' });
  assert.equal(await review.isDisabled(), true);
  await page.getByLabel('I know that I may not be able to sell it').check();
  await untilRight(
    'the review can be opened',
    () => review.isDisabled(),
    (isDisabled) => !isDisabled,
  );
  await watched.finish();
}
