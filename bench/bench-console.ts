// Part `console`: from opening the list of tokens in Chromium until its rows are painted, with
// nothing in the browser's cache; and what it costs to move a chart.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { serveManyKlines } from '../test/browser/many-klines.ts';
import { launchBrowser, openContext } from '../test/launch-browser.ts';
import { buildMarketAddress, buildMarketStore, untilSettled } from './market-store.ts';
import { median, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const TOKENS = 2000;
const GOAL_MS = 1000;
const VISITS = 15;
const QUICK_VISITS = 5;
const PANS = 7;
const QUICK_PANS = 3;

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

const [FEW_CANDLES, MANY_CANDLES] = [300, 5000];
const WAYS = 6;
const STEPS = 30;
const HALF_WAY_PX = 300;

interface Pan {
  /** CPU of the page's thread for each step of the mouse. */
  readonly stepMs: number;
  /** Between two frames while the chart moves, the median. */
  readonly frameMs: number;
}

/** The page's thread alone, whatever else the machine does. */
async function openCpuClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
}

async function pan(browser: Browser, url: string, candles: number): Promise<Pan> {
  const context = await openContext(browser, { viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await serveManyKlines(page, candles);
    await page.goto(url);
    const chart = page.locator(`.chart[aria-label*="${candles}"]`);
    await chart.waitFor();
    const box = await chart.boundingBox();
    assert.ok(box !== null);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 3];
    await page.mouse.move(x, y);
    await page.mouse.down();
    const readCpuMs = await openCpuClock(page);
    await page.evaluate(`globalThis.frames = [];
      requestAnimationFrame(function note(at) { frames.push(at); requestAnimationFrame(note); });`);
    const beforeMs = await readCpuMs();
    for (let way = 0; way < WAYS; way += 1) {
      await page.mouse.move(x + (way % 2 === 0 ? HALF_WAY_PX : -HALF_WAY_PX), y, { steps: STEPS });
    }
    const stepMs = ((await readCpuMs()) - beforeMs) / (WAYS * STEPS);
    const frames = await page.evaluate<number[]>('frames');
    const between = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
    return { stepMs, frameMs: median(between) };
  } finally {
    await context.close();
  }
}

async function benchPan(origin: string, pairs: number): Promise<Row> {
  const browser = await launchBrowser();
  const url = `${origin}token?chain=devnet&mint=${buildMarketAddress('aa', 0)}&interval=1m`;
  try {
    // The browser itself starts with the first one.
    await pan(browser, url, FEW_CANDLES);
    const [few, many]: [Pan[], Pan[]] = [[], []];
    for (let done = 0; done < pairs; done += 1) {
      few.push(await pan(browser, url, FEW_CANDLES));
      many.push(await pan(browser, url, MANY_CANDLES));
    }
    const ratios = few.map(({ stepMs }, at) => stepMs / (many[at]?.stepMs ?? Number.NaN));
    const format = (pans: readonly Pan[]) =>
      `${median(pans.map(({ stepMs }) => stepMs)).toFixed(1)} ms a step`;
    const frameMs = median(many.map((one) => one.frameMs));
    return {
      goal: 'chartPan',
      ours: format(many),
      peer: format(few),
      ratio: median(ratios),
      spread: spread(ratios),
      note: `${pairs} turns of ${WAYS * STEPS} steps; a frame every ${frameMs.toFixed(1)} ms with ${MANY_CANDLES.toLocaleString('en')} candles`,
    };
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
      await benchPan(url, options.quick ? QUICK_PANS : PANS),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
