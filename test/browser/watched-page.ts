// A page of the console in a real browser. Whatever goes wrong in it is a fault: an error in the
// browser's log, an uncaught error, a breach of the page's policy, a request to another host.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { BROWSER_WAIT_MAX_MS } from '../launch-browser.ts';

/** Runs in the page, before its own scripts. */
export const REPORT_BREACHES = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy', event.violatedDirective, event.blockedURI, event.sourceFile));`;

export class WatchedPage {
  readonly page: Page;
  readonly #faults: string[] = [];
  readonly #expected: RegExp[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      this.#faults.push(`${message.type()}: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.#faults.push(`uncaught: ${error.stack ?? error}`));
    page.on('crash', () => this.#faults.push('the page crashed'));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) {
        this.#faults.push(`request to another host: ${url}`);
      }
    });
  }

  /** Faults that the test itself causes. */
  expectFaults(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /** Closes the page; fails if it had a fault. */
  async finish(): Promise<void> {
    await this.page.close();
    const unexpected = this.#faults.filter(
      (fault) => !this.#expected.some((pattern) => pattern.test(fault)),
    );
    assert.deepEqual(unexpected, []);
  }
}

/** Reads until the value is right; fails with the last value. */
export async function untilRight<Value>(
  what: string,
  read: () => Promise<Value>,
  isRight: (value: Value) => boolean,
): Promise<Value> {
  const deadlineMs = Date.now() + BROWSER_WAIT_MAX_MS;
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadlineMs) assert.fail(`${what}: ${JSON.stringify(value)}`);
    await sleep(50);
  }
}
