// Answers for a chart of many candles, in place of the service's.

import type { Page } from 'playwright-core';

const MINUTE_MS = 60_000;
const HISTORY_TO_MS = 1_780_000_000_000;

function buildManyKlines(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const openTime = HISTORY_TO_MS + (at - count) * MINUTE_MS;
    const price = String(1 + Math.sin(at / 40) / 4);
    return {
      ...{ openTime, closeTime: openTime + MINUTE_MS - 1, open: price, high: price, low: price },
      ...{ close: price, volume: '1', quoteVolume: '1', trades: 1, buys: 1, sells: 0 },
      ...{ closed: true, filled: false },
    };
  });
}

/** Each chart of the page has so many candles of a minute, and none before them. */
export async function serveManyKlines(page: Page, count: number): Promise<void> {
  await page.route('**/v1/token/klines?*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Record<string, unknown>;
    const isOlder = route.request().url().includes('endTime');
    const klines = isOlder ? [] : buildManyKlines(count);
    await route.fulfill({ response, json: { ...answer, klines } });
  });
}
