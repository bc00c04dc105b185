// What a user does on the console's pages, and what they read there.

import type { Page } from 'playwright-core';
import type { TestChain, TestReceipt } from '../../devnet/test-chain.ts';
import { untilRight } from './watched-page.ts';

const ETHER = 10n ** 18n;

/** A buy of WIRE by another trader, in a block of its own. */
export function buyWire(chain: TestChain, ethers = 1n): Promise<TestReceipt> {
  return chain.buy({ token: 'wire', venue: 'uniswap-v3', amountInRaw: ethers * ETHER });
}

/** Sells WIRE as another trader in the pools that quotes use. */
export async function dropWirePrice(chain: TestChain): Promise<void> {
  const amountInRaw = 20_000n * ETHER;
  for (const venue of ['uniswap-v2', 'uniswap-v3'] as const) {
    await chain.sell({ token: 'wire', venue, amountInRaw });
  }
}

export async function untilLive(page: Page): Promise<void> {
  await page.locator('.lamp-live').waitFor();
}

/** The tape as it is read: side, price, amount and value of each trade, and who made it. */
export async function readTape(page: Page): Promise<string[]> {
  await page.locator('.tape tbody tr[data-id]').first().waitFor();
  const rows = page.locator('.tape tbody tr[data-id]');
  return rows.evaluateAll((all) =>
    all.map((row) => {
      const { dataset, cells } = row as unknown as {
        dataset: Record<string, string>;
        cells: ArrayLike<{ textContent: string }>;
      };
      // Without the first cell, the age, which changes by itself.
      const shown = Array.from(cells, ({ textContent }) => textContent).slice(1);
      return [dataset['id'], ...shown].join(' ');
    }),
  );
}

/** Opens the list of wallets and chooses one. */
export async function pickWallet(page: Page, name = 'Test Wallet'): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await page.getByRole('button', { name }).click();
}

export async function signIn(page: Page): Promise<void> {
  await pickWallet(page);
  await page.locator('.account').waitFor();
}

/** Opens the review of what is quoted. */
export async function reviewQuote(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review' }).click();
  await page.locator('dialog .quote').waitFor();
}

export async function openReview(page: Page, amount: string): Promise<void> {
  await page.getByLabel('You pay').fill(amount);
  await page.getByText('You receive about').waitFor();
  await reviewQuote(page);
}

export async function signTrade(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
}

export async function untilSwapped(page: Page): Promise<void> {
  await page.locator('dialog').getByText('Swapped').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
}

/** Waits until this many transactions of the signed-in wallet are on the tape. */
export function untilOwn(page: Page, count: number): Promise<number> {
  const readIds = () =>
    page
      .locator('.tape tr.own')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id') ?? ''));
  return untilRight(
    'own transactions on the tape',
    // A transaction has a trade in each pool of its route: devnet:<hash>:<index>.
    async () => new Set((await readIds()).map((id) => id.split(':')[1])).size,
    (found) => found >= count,
  );
}
