// What traders look for: wallets, pools and transactions, what they watch, and what stays chosen.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { TRADERS } from '../../devnet/accounts.ts';
import { WIRE } from '../docs-scene.ts';
import { type ConsoleScene, type PageLook, WIRE_PATH } from './console-scene.ts';
import { buyWire, signIn, untilLive } from './console-steps.ts';
import { createBrowserWallet } from './evm-browser-wallet.ts';
import { PHONE } from './look-flows.ts';
import { serveManyKlines } from './many-klines.ts';
import { untilRight } from './watched-page.ts';

/** From the tape to the wallet that traded: what it holds, made and traded, and its value. */
export async function readWalletPage({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage(WIRE_PATH);
  const { page } = watched;
  const link = page.locator('.tape tr[data-id] a.own-page').first();
  const wallet = (await link.getAttribute('title')) ?? '';
  await link.click();
  await page.waitForURL(`**/wallet?wallet=${wallet}`);
  await page.getByText(wallet, { exact: true }).waitFor();
  await page.getByText('Total', { exact: true }).waitFor();
  assert.match((await page.locator('.stats').first().textContent()) ?? '', /Local devnet\$[\d.]+/);
  const value = page.locator('.value svg');
  await value.waitFor();
  assert.match(
    (await value.getAttribute('aria-label')) ?? '',
    /^Value from \$[\d.]+\w? to \$[\d.]/,
  );
  const readPlot = () => page.locator('.value-line').getAttribute('d');
  const day = await readPlot();
  await page.getByRole('group', { name: 'Time' }).getByRole('button', { name: '30d' }).click();
  await untilRight('the plot of a month', readPlot, (plot) => plot !== null && plot !== day);
  // Whoever traded last may have sold all of it, but has coins for fees.
  await page.getByRole('row', { name: /ETH/ }).first().waitFor();
  for (const tab of ['Positions', 'Trades']) {
    await page.getByRole('button', { name: tab, exact: true }).click();
    await page.locator('table.plain tbody tr a').first().waitFor();
  }
  await page.locator('table.plain a[href^="/transaction"]').first().click();
  await page.getByRole('heading', { name: 'Transaction' }).waitFor();
  await page.getByText(/in a block|It is final/).waitFor();
  assert.match((await page.locator('.facts').textContent()) ?? '', /Trades in it[1-9]/);
  await watched.finish();
}

async function searchFor(page: Page, text: string, kind: string): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill(text);
  await page.getByRole('option', { name: kind }).click();
}

/** A wallet, a pool and a transaction are found by their ids, each on its page. */
export async function searchForIds({ openPage, chain }: ConsoleScene): Promise<void> {
  const { transactionHash } = await buyWire(chain);
  const watched = await openPage('/status');
  const { page } = watched;
  // No token and no pool is at the address of a wallet, no pool at the hash of a transaction.
  watched.expectFaults(/404 \(Not Found\)/);
  await page.getByRole('row', { name: /Local devnet/ }).waitFor();
  const wallet = TRADERS[0] ?? assert.fail();
  await searchFor(page, wallet, 'Wallet');
  await page.waitForURL(`**/wallet?wallet=${wallet}`);
  await page.getByText('Total', { exact: true }).waitFor();
  await searchFor(page, transactionHash, 'Transaction');
  await page.waitForURL(`**/transaction?chain=devnet&txHash=${transactionHash}`);
  await page.getByText('You received').waitFor();
  const answer = await page.request.get(
    new URL(`/v1/pools?chain=devnet&mint=${WIRE}`, page.url()).href,
  );
  const { pools } = (await answer.json()) as { pools: readonly { address: string }[] };
  const pool = pools[0]?.address ?? assert.fail();
  await searchFor(page, pool, 'Pool');
  await page.waitForURL(/\/token\?/);
  assert.equal(new URL(page.url()).searchParams.get('pool'), pool);
  await untilLive(page);
  await watched.finish();
}

/** The star puts a token on the list that this browser keeps, and takes it off. */
export async function watchTokens({ openPage }: ConsoleScene): Promise<void> {
  const watched = await openPage('/?sort=watching');
  const { page } = watched;
  await page.getByText('You watch no token yet').waitFor();
  await page.getByRole('button', { name: 'Trending' }).click();
  const row = page.locator(`tr:has(a[href*="${WIRE}"])`);
  await row.getByRole('button', { name: 'Watch this token' }).click();
  await page.getByRole('button', { name: 'Watching', exact: true }).click();
  await untilRight(
    'the watched token alone',
    () => page.locator('table.tokens tbody tr a').count(),
    (count) => count === 1,
  );
  await page.reload();
  await row.locator('a').waitFor();
  // Another tab of this browser knows it, another browser does not, and no server is told.
  const otherTab = await page.context().newPage();
  await otherTab.goto(page.url());
  await otherTab.locator(`tr a[href*="${WIRE}"]`).waitFor();
  const stranger = await openPage('/?sort=watching');
  await stranger.page.getByText('You watch no token yet').waitFor();
  await stranger.finish();
  await row.locator('a').click();
  await page.getByRole('button', { name: 'Stop watching' }).click();
  await otherTab.getByText('You watch no token yet').waitFor();
  await otherTab.close();
  await page.goto(new URL('/?sort=watching', page.url()).href);
  await page.getByText('You watch no token yet').waitFor();
  await watched.finish();
}

/** The tape shows venue and size; what it is filtered for stays from token to token. */
export async function keepTapeFilter({ openPage, chain }: ConsoleScene): Promise<void> {
  const watched = await openPage(WIRE_PATH);
  const { page } = watched;
  const row = page.locator('.tape tr[data-id]').first();
  await row.getByText(/^uniswap-v\d$/).waitFor();
  assert.equal(await row.locator('.size').count(), 1);
  assert.match(
    (await page.locator('.stats').first().textContent()) ?? '',
    /Buys \/ sells 24h\d+ \/ \d+/,
  );
  await page.getByLabel('At least USD').fill('7');
  await page.keyboard.press('Enter');
  await page.waitForURL(/minUsd=7/);
  // What is in the filter is marked on the chart.
  await page.locator('.chart[aria-label*=" of those in the filter"]').waitFor();
  await untilRight(
    'marks',
    () => page.locator('.chart').getAttribute('aria-label'),
    (label) => /, [1-9]\d* of those in the filter/.test(label ?? ''),
  );
  const other = chain.deployment.tokens.find(({ symbol }) => symbol === 'HOOK') ?? assert.fail();
  await page.goto(new URL(`/token?chain=devnet&mint=${other.address}`, page.url()).href);
  const field = page.getByLabel('At least USD');
  await untilRight(
    'the filter',
    () => field.inputValue(),
    (text) => text === '7',
  );
  await field.fill('');
  await page.keyboard.press('Enter');
  await page.reload();
  await untilRight(
    'no filter',
    () => field.inputValue(),
    (text) => text === '',
  );
  await watched.finish();
}

/** Amounts to choose, what is there, slippage by the server's measure or one's own. */
export async function chooseAmounts({ openPage, chain }: ConsoleScene): Promise<void> {
  const watched = await openPage(WIRE_PATH, { wallets: [createBrowserWallet(chain, 7)] });
  const { page } = watched;
  const form = page.locator('.swap');
  const quotes: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/trade/quote')) quotes.push(request.postData() ?? '');
  });
  await untilLive(page);
  // Before anything is entered the form says what it trades.
  await form.getByText('1 ETH buys').waitFor();
  await signIn(page);
  await form.getByText(/^You have [\d,.]+ ETH$/).waitFor();
  await form.getByText('You hold').waitFor();
  const quick = form.getByRole('group', { name: 'Amounts' }).getByRole('button');
  const amount = (await quick.first().textContent()) ?? '';
  await quick.first().click();
  assert.equal(await page.getByLabel('You pay').inputValue(), amount);
  await form.getByText('You receive about').waitFor();
  await form.getByText(/^[\d.]+%, automatic$/).waitFor();
  assert.equal(JSON.parse(quotes.at(-1) ?? '{}').slippageBps, 'auto');
  await form.getByLabel('Slippage').selectOption('own');
  await form.getByLabel('Slippage in per cent').fill('1.25');
  await form.getByText('1.25%', { exact: true }).waitFor();
  assert.equal(JSON.parse(quotes.at(-1) ?? '{}').slippageBps, 125);
  await form.getByLabel('Slippage in per cent').fill('99');
  assert.ok(await page.getByRole('button', { name: 'Review' }).isDisabled());
  await watched.finish();
}

const MANY = 5000;

type Place = readonly [x: number, y: number];

interface Swipe {
  readonly from: Place;
  readonly to: Place;
  /** By the finger's own clock, whatever the machine's speed. */
  readonly restMs?: number;
  /** The page hears of the finger's way only after that. */
  readonly beforeMove?: () => Promise<unknown>;
  readonly beforeUp?: () => Promise<unknown>;
}

/** One finger from one place to another, in some steps. */
async function swipe(page: Page, { from, to, restMs = 0, ...hooks }: Swipe): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const downMs = Date.now();
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number, atMs: number) => {
    const [x, y] = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
    const touchPoints = type === 'touchEnd' ? [] : [{ x, y }];
    const timestamp = (downMs + atMs) / 1000;
    return session.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp });
  };
  await touch('touchStart', 0, 0);
  await hooks.beforeMove?.();
  for (const step of [1, 2, 3, 4, 5]) await touch('touchMove', step / 5, restMs + step * 16);
  await hooks.beforeUp?.();
  await touch('touchEnd', 1, restMs + 96);
  await session.detach();
}

async function dragByMouse({ mouse }: Page, from: Place, to: Place): Promise<void> {
  await mouse.move(...from);
  await mouse.down();
  await mouse.move(...to, { steps: 20 });
  await mouse.up();
}

/** Runs in the page: what is added to it or taken away beside the chart and its legend. */
const WATCH_ELEMENTS = `globalThis.changed = [];
  new MutationObserver((records) => {
    for (const { target, addedNodes, removedNodes } of records) {
      if (target.closest?.('.chart-frame') != null) continue;
      const nodes = [...addedNodes, ...removedNodes].filter((node) => node instanceof Element);
      changed.push(...nodes.map((node) => node.outerHTML.slice(0, 200)));
    }
  }).observe(document.querySelector('main'), { childList: true, subtree: true });`;

/** The chart of a token with very many candles, on the screen. */
async function openManyCandles(scene: ConsoleScene, look: PageLook) {
  const watched = await scene.openPage('/status', { look });
  const { page } = watched;
  await serveManyKlines(page, MANY);
  // Nobody trades it in these tests, so that nothing else changes.
  const token = scene.chain.deployment.tokens.find(({ symbol }) => symbol === 'HOOK');
  const path = `/token?chain=devnet&mint=${token?.address}&interval=1m`;
  await page.goto(scene.service().origin + path);
  await untilLive(page);
  await page.locator('.tape tr[data-id]').first().waitFor();
  const chart = page.locator('.chart[aria-label]');
  const countDrawn = async () =>
    Number.parseInt((await chart.getAttribute('aria-label')) ?? '', 10);
  await untilRight('all candles', countDrawn, (count) => count >= MANY);
  await chart.scrollIntoViewIfNeeded();
  const box = (await chart.boundingBox()) ?? assert.fail('the chart is not on the screen');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 3];
  const draw = async () => (await chart.screenshot()).toString('base64');
  const readScrolled = () => page.evaluate<number>('scrollY');
  return { ...{ watched, page, countDrawn, draw, readScrolled }, x, y };
}

/** A chart of many candles is moved sideways, and the page around it is not made anew. */
export async function moveManyCandles(scene: ConsoleScene, look: PageLook): Promise<void> {
  const { watched, page, x, y, ...read } = await openManyCandles(scene, look);
  const scrolled = await read.readScrolled();
  await page.evaluate(WATCH_ELEMENTS);
  const drag = (from: Place, to: Place) =>
    look.width < 600 ? swipe(page, { from, to }) : dragByMouse(page, from, to);
  // The first one brings the mouse's cross and legend, which stay.
  await drag([x - 60, y], [x, y]);
  for (const way of [120, -60]) {
    const before = await read.draw();
    await drag([x, y], [x + way, y]);
    await untilRight('other candles', read.draw, (drawn) => drawn !== before);
  }
  assert.deepEqual(await page.evaluate('changed'), []);
  assert.equal(await read.readScrolled(), scrolled);
  assert.ok((await read.countDrawn()) >= MANY);
  await watched.finish();
}

/**
 * A finger that rests on the chart reads candles. One that does not scrolls the page or the chart,
 * however late the page hears of it: here once the chart has taken it for one that rests.
 */
export async function swipeOverChart(scene: ConsoleScene): Promise<void> {
  const { watched, page, x, y, draw, readScrolled } = await openManyCandles(scene, PHONE);
  const legend = page.locator('.legend');
  const untilRests = () => legend.waitFor();
  const untilLifted = () => legend.waitFor({ state: 'detached' });
  const scrolled = await readScrolled();

  let first: string | null = null;
  await swipe(page, {
    ...{ from: [x, y], to: [x + 60, y + 60], restMs: 300 },
    beforeMove: async () => {
      await untilRests();
      first = await legend.textContent();
    },
    beforeUp: () =>
      untilRight(
        'another candle',
        () => legend.textContent(),
        (text) => text !== first,
      ),
  });
  await untilLifted();
  assert.equal(await readScrolled(), scrolled);

  const before = await draw();
  await swipe(page, { from: [x, y], to: [x + 120, y], beforeMove: untilRests });
  await untilLifted();
  await untilRight('other candles', draw, (drawn) => drawn !== before);
  assert.equal(await readScrolled(), scrolled);

  await swipe(page, { from: [x, y + 40], to: [x, y - 120], beforeMove: untilRests });
  await untilRight('the page further down', readScrolled, (now) => now > scrolled);
  await untilLifted();
  await watched.finish();
}

/** Intervals and ranges are buttons; a range has candles of its own. */
export async function chooseRange({ openPage, chain }: ConsoleScene): Promise<void> {
  const watched = await openPage(WIRE_PATH, { wallets: [createBrowserWallet(chain, 7)] });
  const { page } = watched;
  // Each choice opens another stream: a visitor may have few at once.
  await signIn(page);
  await page.locator('.chart canvas').first().waitFor();
  for (const [range, interval] of [
    ['1D', '5m'],
    ['1W', '1h'],
    ['1M', '4h'],
    ['All', '1d'],
  ] as const) {
    const asked = page.waitForResponse(
      (response) =>
        response.url().includes('/v1/token/klines') &&
        new URL(response.url()).searchParams.get('interval') === interval,
    );
    const ranges = page.getByRole('group', { name: 'Range' });
    await ranges.getByRole('button', { name: range, exact: true }).click();
    assert.equal(new URL(page.url()).searchParams.get('interval'), interval);
    if (range !== '1D') await asked;
    else asked.catch(() => undefined);
    const pressed = page.getByRole('group', { name: 'Interval' }).locator('[aria-pressed=true]');
    assert.equal(await pressed.textContent(), interval);
  }
  await page.getByRole('button', { name: '15m', exact: true }).click();
  await page.waitForURL(/interval=15m/);
  assert.equal(new URL(page.url()).searchParams.get('range'), null);
  await watched.finish();
}
