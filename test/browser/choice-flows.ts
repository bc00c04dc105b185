// What a choice on a page changes: the order of the list, the candles of the chart, the tape.

import assert from 'node:assert/strict';
import type { Locator, Page, Response } from 'playwright-core';
import { untilRight } from './watched-page.ts';

interface ListedRow {
  readonly mint: string;
  readonly createdAt: number;
  readonly volume24hUsd: string | null;
  readonly priceChange24hPct: number | null;
}

type Figure = (row: ListedRow) => number | null;

/** Each tab with a figure that falls from row to row; the list's own order has none. */
const TABS: readonly (readonly [string, Readonly<Record<string, string>>, Figure])[] = [
  ['Volume', { sort: 'volume' }, (row) => Number(row.volume24hUsd)],
  ['Gainers', { sort: 'gainers' }, (row) => row.priceChange24hPct],
  ['Losers', { sort: 'losers' }, ({ priceChange24hPct: pct }) => (pct === null ? null : -pct)],
  ['New', { sort: 'new' }, ({ createdAt }) => createdAt],
  ['Launches', { sort: 'new', launchpad: 'any' }, ({ createdAt }) => createdAt],
  ['Trending', { sort: 'trending' }, () => null],
];

/** The answer to the page's request for this path with these fields. */
function waitForAnswer(
  page: Page,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  return page.waitForResponse((response) => {
    const { pathname, searchParams } = new URL(response.url());
    const isAsked = Object.entries(fields).every(([name, text]) => searchParams.get(name) === text);
    return pathname === path && isAsked && response.ok();
  });
}

/** By its whole name: the text of its label has that of its options, too. */
function findSelect(page: Page, name: string): Locator {
  const label = page.locator('label', { has: page.getByText(name, { exact: true }) });
  return label.locator('select');
}

/** On the list: every tab shows what the API lists for it, in that order. */
export async function readEveryOrder(page: Page): Promise<void> {
  const orders = page.getByRole('group', { name: 'Order' });
  for (const [name, fields, figure] of TABS) {
    const answered = waitForAnswer(page, '/v1/tokens', fields);
    await orders.getByRole('button', { name, exact: true }).click();
    const { tokens } = (await (await answered).json()) as { tokens: readonly ListedRow[] };
    assert.ok(tokens.length > 0, name);
    const figures = tokens.map(figure).filter((each) => each !== null);
    assert.deepEqual(
      figures,
      figures.toSorted((a, b) => b - a),
      name,
    );
    const links = page.locator('table.tokens tbody a');
    await untilRight(
      `the rows of ${name}`,
      () => links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? '')),
      (shown) =>
        shown.length > 0 && shown.every((href, at) => href.includes(tokens[at]?.mint ?? '-')),
    );
  }
}

/** On the page of a token: each control asks for other candles, and they are what is read out. */
export async function changeCandles(page: Page): Promise<void> {
  const chart = page.locator('.chart[aria-label]');
  const legend = page.locator('.legend');
  const readNewest = async () => {
    await chart.focus();
    await page.keyboard.press('End');
    return (await legend.textContent()) ?? '';
  };
  const change = async (fields: Readonly<Record<string, string>>, act: () => Promise<unknown>) => {
    const before = await readNewest();
    const answered = waitForAnswer(page, '/v1/token/klines', fields);
    await act();
    const { klines } = (await (await answered).json()) as { klines: readonly object[] };
    assert.ok(klines.length > 0, JSON.stringify(fields));
    return { before, klines };
  };
  const untilOther = (before: string) =>
    untilRight('another candle', readNewest, (text) => text !== before);
  const day = await change({ interval: '1d' }, () =>
    page
      .getByRole('group', { name: 'Interval' })
      .getByRole('button', { name: '1d', exact: true })
      .click(),
  );
  await untilOther(day.before);
  const native = await change({ currency: 'native', interval: '1d' }, () =>
    page.getByLabel('Currency').selectOption('native'),
  );
  assert.notDeepEqual(native.klines, day.klines);
  await untilOther(native.before);
  const pools = findSelect(page, 'Pool');
  const pool = (await pools.locator('option').nth(1).getAttribute('value')) ?? '';
  const one = await change({ pool, currency: 'native' }, () => pools.selectOption(pool));
  assert.notDeepEqual(one.klines, native.klines);
  await untilOther(one.before);
  await change({ outliers: 'include', pool }, () => page.getByLabel('Show outliers').check());
  await page.keyboard.press('Escape');
}

/** On the page of a token: what is drawn, as a picture. */
export async function changeScale(page: Page): Promise<void> {
  const chart = page.locator('.chart');
  const draw = async () => (await chart.screenshot()).toString('base64');
  await page.mouse.move(0, 0);
  const before = await draw();
  await page.getByLabel('Log scale').check();
  assert.match(page.url(), /scale=log/);
  await untilRight('another scale', draw, (drawn) => drawn !== before);
}

/** On the page of a token: by side, by value and by wallet, of what is there and what comes. */
export async function filterTape(page: Page, showTrade: () => Promise<void>): Promise<void> {
  const rows = page.locator('.tape tbody tr[data-id]');
  const readCells = (at: number) =>
    rows.locator(`td:nth-child(${at})`).evaluateAll((all) =>
      all.map((cell) => {
        const titled = cell.getAttribute('title') === null ? cell.querySelector('[title]') : cell;
        return titled?.getAttribute('title') ?? cell.textContent ?? '';
      }),
    );
  const untilAll = (what: string, at: number, isRight: (text: string) => boolean) =>
    untilRight(
      what,
      () => readCells(at),
      (texts) => texts.length > 0 && texts.every(isRight),
    );
  const [wallet = ''] = await readCells(6);
  await page.getByLabel('Wallet', { exact: true }).fill(wallet);
  await page.keyboard.press('Enter');
  await untilAll('trades of one wallet', 6, (text) => text === wallet);
  await page.getByLabel('Wallet', { exact: true }).fill('');
  await page.keyboard.press('Enter');
  await findSelect(page, 'Side').selectOption('sell');
  await untilAll('sales', 2, (text) => text === 'Sell');
  await findSelect(page, 'Side').selectOption('');
  await page.getByLabel('At least USD').fill('100');
  await showTrade();
  await page.keyboard.press('Enter');
  await untilAll('large trades', 5, (text) => Number(text) >= 100);
  assert.match(page.url(), /minUsd=100/);
}
