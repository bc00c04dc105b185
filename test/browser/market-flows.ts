// The list and a token's page: what they show, and that they follow the market.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { TRADERS } from '../../devnet/accounts.ts';
import { WIRE } from '../docs-scene.ts';
import { changeCandles, changeScale, filterTape, readEveryOrder } from './choice-flows.ts';
import { type ConsoleScene, WIRE_PATH } from './console-scene.ts';
import { buyWire, readTape, untilLive } from './console-steps.ts';
import { findLookFaults } from './look-faults.ts';
import { untilRight } from './watched-page.ts';

export async function followList({ openPage, chain }: ConsoleScene): Promise<void> {
  const watched = await openPage('/');
  const { page } = watched;
  const price = page.locator(`tr:has(a[href*="${WIRE}"]) td`).first();
  await untilLive(page);
  await page.evaluate(`globalThis.moves = 0; addEventListener('animationstart', () => moves++)`);
  const buy = async () => {
    const before = await price.textContent();
    await buyWire(chain, 20n);
    const readPrice = () => price.textContent();
    await untilRight('another price', readPrice, (text) => text !== before);
  };
  const countMoves = () => page.evaluate<number>('moves');
  await buy();
  assert.equal(await countMoves(), 0, 'who asks for less motion gets none');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await buy();
  await untilRight('a price that flashes', countMoves, (count) => count > 0);
  await watched.finish();
}

export async function searchByKeyboard({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage('/status');
  const { page } = watched;
  // The answer itself, where a chain is behind: the page shows which.
  watched.expectFaults(/503 \(Service Unavailable\).*\/v1\/ready/);
  // For everyone: chains and the own limits, and nothing of the machines behind them.
  await page.getByRole('row', { name: /Local devnet/ }).waitFor();
  await page.locator('.own-limits').getByText('Not signed in').waitFor();
  assert.equal(await page.locator('.operator, [class*=endpoint-]').count(), 0);
  await page.keyboard.press('?');
  await page.locator('dialog').waitFor();
  // In one go: the browser reports the end of the dialog only after the key.
  await page.evaluate(`document.querySelector('dialog').close();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))`);
  await page.getByRole('combobox', { name: 'Search' }).fill('wire');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${WIRE_PATH}`);
  await untilLive(page);
  await page.getByRole('heading', { name: 'WIRE' }).waitFor();
  await watched.finish();
}

export async function keepChoicesInAddress({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage('/');
  const { page } = watched;
  await readEveryOrder(page);
  await page.getByRole('button', { name: 'Losers' }).click();
  await page.getByRole('button', { name: '6h' }).click();
  await page.getByLabel('Chain').selectOption('devnet');
  assert.equal(new URL(page.url()).search, '?sort=losers&window=6h&chain=devnet');
  await page.reload();
  await page.locator('table.tokens tbody a').first().waitFor();
  const chosen = page.locator('button[aria-pressed="true"]');
  assert.deepEqual(await chosen.allTextContents(), ['Losers', '6h']);
  await watched.finish();
}

/** Its candles one by one, its first one, and the scale. */
export async function readChartByKeyboard({ openPage, chain }: ConsoleScene): Promise<void> {
  const watched = await openPage(`${WIRE_PATH}&interval=1s`);
  const { page } = watched;
  await untilLive(page);
  const chart = page.locator('.chart[aria-label]');
  const countCandles = async () => {
    const label = (await chart.getAttribute('aria-label')) ?? '';
    return Number(label.split(' ', 1)[0]);
  };
  await untilRight('candles', countCandles, (count) => count > 2);
  await chart.focus();
  const legend = page.locator('.legend');
  await page.keyboard.press('ArrowLeft');
  await legend.waitFor();
  const newest = await legend.textContent();
  await page.keyboard.press('ArrowLeft');
  const untilOther = (before: string | null) =>
    untilRight(
      'another candle',
      () => legend.textContent(),
      (text) => text !== before,
    );
  const second = await untilOther(newest);
  // A trade draws the candles anew and adds one; who reads another stays there.
  const before = await countCandles();
  await buyWire(chain);
  await untilRight('one more candle', countCandles, (count) => count > before);
  assert.equal(await legend.textContent(), second);
  await page.keyboard.press('Home');
  const first = await untilOther(second);
  await page.keyboard.press('End');
  await untilOther(first);
  await page.keyboard.press('Escape');
  await legend.waitFor({ state: 'detached' });
  await changeScale(page);
  await changeCandles(page);
  await watched.finish();
}

const HISTORY_FROM_S = 1_700_000_000;

/** A whole page of candles a minute apart, and a short page of those before them. */
function buildHistory(isOlder: boolean) {
  const [first, count] = isOlder ? [0, 5] : [5, 500];
  return Array.from({ length: count }, (_, index) => {
    const openTime = (HISTORY_FROM_S + (first + index) * 60) * 1000;
    const price = String(1 + index / 1000);
    return {
      ...{ openTime, closeTime: openTime + 59_999, open: price, high: price, low: price },
      ...{ close: price, volume: '1', quoteVolume: '1', tradeCount: 1, filled: false },
    };
  });
}

/** The chain of the tests has too few candles: those of the chart are given at the network. */
export async function loadHistoryByScrolling({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage('/status');
  const { page } = watched;
  const asked: (string | null)[] = [];
  await page.route('**/v1/token/klines?*', async (route) => {
    const endTime = new URL(route.request().url()).searchParams.get('endTime');
    asked.push(endTime);
    const response = await route.fetch();
    const answer = (await response.json()) as Record<string, unknown>;
    await route.fulfill({ response, json: { ...answer, klines: buildHistory(endTime !== null) } });
  });
  await page.route('**/v1/token?*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Record<string, unknown>;
    const links = { website: 'https://wire.example/', x: 'javascript:alert(1)', telegram: null };
    await route.fulfill({ response, json: { ...answer, links } });
  });
  await page.goto(new URL(`${WIRE_PATH}&interval=1m`, page.url()).href);
  // Links are strangers' text: only those to the web, and they are told nothing.
  const links = page.locator('.token-title a.link');
  const [href, rel] = await Promise.all([links.getAttribute('href'), links.getAttribute('rel')]);
  assert.deepEqual([href, rel], ['https://wire.example/', 'noreferrer nofollow']);
  const chart = page.locator('.chart[aria-label]');
  const countCandles = async () =>
    Number.parseInt((await chart.getAttribute('aria-label')) ?? '', 10);
  await untilRight('candles', countCandles, (count) => count >= 500);
  // A stream that begins again asks for the newest once more.
  const listOlder = () => asked.filter((endTime) => endTime !== null);
  assert.deepEqual(listOlder(), []);
  await chart.hover();
  await untilRight(
    'older candles',
    async () => {
      await page.mouse.wheel(-2000, 0);
      return countCandles();
    },
    // Trades of others may have added one.
    (count) => count >= 505,
  );
  // A short page was the last: however far it is scrolled, nothing more is asked for.
  await page.mouse.wheel(-2000, 0);
  assert.deepEqual(listOlder(), [String((HISTORY_FROM_S + 5 * 60) * 1000 - 1)]);
  await watched.finish();
}

/** A second choice of colours, for who cannot tell red from green. */
export async function changePalette({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage('/?q=wire');
  const { page } = watched;
  // A link to a search opens it; it ends with its dialog.
  await page.locator('dialog [role=option]').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  // The page hears of the end of its dialog a moment later.
  await page.waitForFunction(`location.search === ''`);
  await page.locator('table.tokens tbody a').first().waitFor();
  const readUp = () =>
    page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue('--up')`);
  const usual = await readUp();
  await page.getByRole('button', { name: 'Blue and orange' }).click();
  assert.notEqual(await readUp(), usual);
  await page.reload();
  await page.locator('table.tokens tbody a').first().waitFor();
  assert.notEqual(await readUp(), usual);
  assert.deepEqual(await findLookFaults(page, 'blue-orange', 'table.tokens'), []);
  await watched.finish();
}

export async function followToken({ openPage, chain }: ConsoleScene): Promise<void> {
  const watched = await openPage(WIRE_PATH);
  const { page } = watched;
  await untilLive(page);
  await page.locator('.chart canvas').first().waitFor();
  const before = await readTape(page);
  const showTrade = async () => {
    const { transactionHash } = await buyWire(chain);
    await page.locator(`.tape tr[data-id*="${transactionHash}"]`).waitFor();
  };
  await showTrade();
  assert.equal((await readTape(page)).length, before.length + 1);
  assert.match(await page.title(), /^\$0\.\d+ WIRE · Mintwire$/);
  const windows = await page.locator('.windows li').allTextContents();
  assert.equal(windows.length, 4);
  for (const [at, name] of ['5m', '1h', '6h', '24h'].entries()) {
    assert.match(windows[at] ?? '', new RegExp(`^${name}.*[\\d.]+%.*\\$[\\d.]+`), name);
  }
  await page.getByText(/^Block [\d,]+\. Trades since .+ are indexed\./).waitFor();
  await filterTape(page, showTrade);
  for (const tab of ['Holders', 'Pools', 'Safety', 'Traders']) {
    await page.getByRole('button', { name: tab, exact: true }).click();
    await page.locator('.tabs table tbody tr').nth(1).waitFor();
    assert.match(page.url(), new RegExp(`tab=${tab.toLowerCase()}`));
  }
  await page.getByRole('button', { name: 'Pools', exact: true }).click();
  await page.locator('.depth tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Show Depth' }).nth(1).click();
  await page.locator('.tabs tr:nth-child(2) + tr .depth tbody tr').first().waitFor();
  const sorts = page.getByRole('group', { name: 'Sort', exact: true });
  await sorts.getByRole('button', { name: 'Trending' }).click();
  await page.locator('.tabs .depth tbody tr').first().waitFor();
  await watched.finish();
}

/** Rows of a tab's table: what its cells say, and the exact figures behind them. */
function readTable(page: Page, name: string): Promise<{ texts: string[]; titles: string[] }[]> {
  return page
    .getByRole('table', { name, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => {
        type Cell = { textContent: string; querySelector(what: string): { title: string } | null };
        const cells = Array.from((row as unknown as { cells: ArrayLike<Cell> }).cells);
        return {
          texts: cells.map(({ textContent }) => textContent),
          titles: cells.map((cell) => cell.querySelector('[title]')?.title ?? ''),
        };
      }),
    );
}

interface TokenAnswer {
  readonly priceUsd: string;
  readonly windows: Readonly<
    Record<'24h', Readonly<Record<'buys' | 'sells' | 'buyers' | 'sellers', number>>>
  >;
}

/** The head says who trades, holders and traders what they hold in USD, icons the chain. */
export async function readMarketFigures(scene: ConsoleScene): Promise<void> {
  const { chain } = scene;
  // Nobody else trades it in these tests, so that the answers are those that the page got.
  const token = chain.deployment.tokens.find(({ symbol }) => symbol === 'SEAT');
  const query = `chain=devnet&mint=${token?.address ?? assert.fail()}`;
  const { origin } = scene.service();
  const ask = async <Answer>(path: string) =>
    (await (await fetch(`${origin}/v1/${path}?${query}`)).json()) as Answer;
  const [first, second] = TRADERS;
  assert.ok(first !== undefined && second !== undefined);
  const pool = { token: 'seat', venue: 'uniswap-v2' } as const;
  const { '24h': before } = (await ask<TokenAnswer>('token')).windows;
  for (const wallet of [first, second, second]) {
    await chain.buy({ ...pool, amountInRaw: 10n ** 17n, wallet });
  }
  await chain.sell({ ...pool, amountInRaw: 5n, wallet: first });
  const { priceUsd, windows } = await untilRight(
    'all four trades',
    () => ask<TokenAnswer>('token'),
    ({ windows: { '24h': day } }) => day.buys + day.sells === before.buys + before.sells + 4,
  );
  const { buys, sells, buyers, sellers } = windows['24h'];
  assert.ok(buys >= 3 && sells >= 1 && buyers >= 2 && sellers >= 1);
  const watched = await scene.openPage(`/token?${query}`);
  const { page } = watched;
  await page.locator('.token-head .stats').waitFor();
  const head = (await page.locator('.token-head .stats').textContent()) ?? '';
  assert.ok(head.includes(`Buys / sells 24h${buys} / ${sells}`), head);
  assert.ok(head.includes(`Buyers / sellers${buyers} / ${sellers}`), head);
  const day = page.locator('.windows li').last();
  assert.match(
    (await day.getAttribute('title')) ?? '',
    new RegExp(`${buyers} buyers, ${sellers} `),
  );

  /** To a thousandth: the price of the chain's coin may move meanwhile. */
  const checkUsd = (exact: string | undefined, amount: string) => {
    const expected = Number(amount) * Number(priceUsd);
    assert.ok(Math.abs(Number(exact) - expected) <= expected / 1000, `${exact} of ${expected}`);
  };
  await page.getByRole('button', { name: 'Holders', exact: true }).click();
  await page.locator('.concentration').waitFor();
  const { holders } = await ask<{ holders: { owner: string; amount: string }[] }>('token/holders');
  const holderRows = await readTable(page, 'Holders');
  for (const [at, { texts, titles }] of holderRows.entries()) {
    assert.match(texts[4] ?? '', /^\$[\d.,]+[KMB]?$|^<\$0\.01$/);
    checkUsd(titles[4], holders[at]?.amount ?? '');
  }
  assert.ok(holderRows.length > 5);

  await page.getByRole('button', { name: 'Traders', exact: true }).click();
  await page.getByRole('table', { name: 'Traders' }).locator('tbody a').first().waitFor();
  interface Trader {
    readonly amount: string;
    readonly volumeUsd: string;
  }
  const { traders } = await ask<{ traders: readonly Trader[] }>('token/traders');
  const traderRows = await readTable(page, 'Traders');
  for (const [at, { texts, titles }] of traderRows.entries()) {
    assert.match(texts[2] ?? '', /^\$/);
    assert.equal(titles[2], traders[at]?.volumeUsd);
    checkUsd(titles[5], traders[at]?.amount ?? '');
  }
  assert.ok(traderRows.length > 1);
  await watched.finish();
}

/** Each chain's rows have its own sign. */
export async function showChainIcons({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage('/');
  const { page } = watched;
  const readSigns = (chain: string) =>
    page
      .locator(`tr:has(a[href*="chain=${chain}&"]) .chain-icon`)
      .evaluateAll((all) => [...new Set(all.map((icon) => icon.innerHTML))]);
  const [evm, solana] = await Promise.all(
    ['devnet', 'devnet-solana'].map((chain) =>
      untilRight(
        `the sign of ${chain}`,
        () => readSigns(chain),
        ({ length }) => length > 0,
      ),
    ),
  );
  assert.equal(evm?.length, 1);
  assert.equal(solana?.length, 1);
  assert.notEqual(evm?.[0], solana?.[0]);
  await watched.finish();
}
