// A short run of the fuzzer with a fixed seed, on both engines; `npm run fuzz` runs it at length.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../src/contract/operations.ts';
import { startFuzzService } from './fuzz-service.ts';
import { runFuzz } from './run-fuzz.ts';

const REQUESTS = 2000;
/**
 * These rarely succeed: they need a node in time, a token list with logos, or a key or challenge of
 * the same wallet.
 */
const SELDOM = new Set<string>([
  'buildTrade',
  // For operators alone.
  'getStatus',
  'getTokenLogo',
  'getTrade',
  'getTradeStatus',
  'revokeKey',
  'verifyChallenge',
]);
/** A generous limit: a service that hangs must fail, not hang the suite. */
const TIME_MAX_MS = 10 * 60_000;

for (const [seed, engine] of [
  [1, 'sqlite'],
  [2, 'postgres'],
] as const) {
  test(`${REQUESTS} hostile requests on ${engine} are answered as documented`, async (t) => {
    const { origin } = await startFuzzService(t, { engine });
    const report = await runFuzz({ origin, seed, requests: REQUESTS, timeMaxMs: TIME_MAX_MS });
    const shown = report.findings.map(({ operation, fault, curl, answer }) => {
      return `${operation}: ${fault}\n${curl}\n${answer}`;
    });
    assert.deepEqual(shown, []);
    assert.equal(report.sent, REQUESTS);
    // A run that reaches nothing proves nothing.
    const missed = operations.filter(({ id }) => {
      const counts = report.counts.get(id) ?? new Map<string, number>();
      const isReached = [...counts.keys()].some((status) => status.startsWith('2'));
      return !isReached && !SELDOM.has(id);
    });
    assert.deepEqual(missed, []);
  });
}
