// Part `console`: from opening the list of tokens in Chromium until its rows are painted, with
// nothing in the browser's cache.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, openContext } from '../test/launch-browser.ts';
import { buildMarketStore, untilSettled } from './market-store.ts';
import { median, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const TOKENS = 2000;
const GOAL_MS = 1000;
const VISITS = 15;
const QUICK_VISITS = 5;

interface Visit {
  /** The first paint of anything. */
  readonly firstMs: number;
  /** The first frame with rows. */
  readonly listMs: number;
}

/** Runs in the page, before its own scripts. Times are since the navigation began. */
const WATCH_PAINTS = `globalThis.firstMs = new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [first] = list.getEntriesByName('first-contentful-paint');
      if (first !== undefined) resolve(first.startTime);
    }).observe({ type: 'paint', buffered: true });
  });
  globalThis.listMs = new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      if (document.querySelector('table.tokens tbody a') === null) return;
      watch.disconnect();
      // The frame after the next one begins once the rows are on the screen.
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    });
    watch.observe(document, { childList: true, subtree: true });
  });`;

/** As a new visitor: each context has a cache of its own. */
async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await openContext(browser, { viewport: { width: 1440, height: 900 } });
  try {
    await context.addInitScript(WATCH_PAINTS);
    const page = await context.newPage();
    const response = await page.goto(url);
    assert.equal(response?.status(), 200);
    const paints = 'Promise.all([firstMs, listMs])';
    const [firstMs, listMs] = await page.evaluate<[number, number]>(paints);
    return { firstMs, listMs };
  } finally {
    await context.close();
  }
}

async function measureVisits(url: string, count: number): Promise<Visit[]> {
  const browser = await launchBrowser();
  try {
    // The browser itself starts with the first one.
    await visit(browser, url);
    const visits: Visit[] = [];
    for (let done = 0; done < count; done += 1) visits.push(await visit(browser, url));
    return visits;
  } finally {
    await browser.close();
  }
}

export async function benchConsole(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const env = await buildMarketStore(folder, { tokens: TOKENS, deepTokens: 100 });
  const server = await startOurs({ env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' } });
  try {
    await untilSettled(server);
    const url = `http://127.0.0.1:${server.port}/`;
    while ((await fetch(url)).status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const visits = await measureVisits(url, options.quick ? QUICK_VISITS : VISITS);
    const lists = visits.map(({ listMs }) => listMs);
    const ratios = lists.map((ms) => GOAL_MS / ms);
    return [
      {
        goal: 'listPaint',
        ours: `${median(lists).toFixed(0)} ms`,
        peer: `${GOAL_MS} ms`,
        ratio: median(ratios),
        spread: spread(ratios),
        note: `${TOKENS.toLocaleString('en')} tokens, at most ${Math.max(...lists).toFixed(0)} ms in ${visits.length} visits; first paint of the page after ${median(visits.map(({ firstMs }) => firstMs)).toFixed(0)} ms`,
      },
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
