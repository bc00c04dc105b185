// Chromium for tests. Playwright's own limits of 30 seconds are too short for a slow machine, so
// every browser and context of a test comes from here.

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';
import { findBrowser } from './find-browser.ts';

/**
 * How long whatever a test waits for may take: enough for a machine ten times slower. What never
 * comes must fail, not hang.
 */
export const BROWSER_WAIT_MAX_MS = 240_000;

export async function launchBrowser(): Promise<Browser> {
  const { executablePath, args } = await findBrowser();
  return chromium.launch({ executablePath, args: [...args], timeout: BROWSER_WAIT_MAX_MS });
}

/** Without cookies and cache, as a new visitor. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(BROWSER_WAIT_MAX_MS);
  return context;
}
