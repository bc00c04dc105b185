// One run of Ponder over a recorded chain, timed and checked.

import type { Store } from '../src/store/store.ts';
import { createTestDatabase } from '../test/postgres.ts';
import type { Timing } from './ingest-ours.ts';
import { runPonder } from './peers/ponder/run-ponder.ts';
import type { RecordedChain } from './recorded-chain-process.ts';

const TIMEOUT_MS = 30 * 60_000;

/**
 * Ponder starts at 20 requests a second per endpoint and increases slowly. That is politeness and
 * not its speed, so it gets the one server under many addresses.
 */
const ADDRESS_COUNT = 50;

/** PGlite is Ponder's embedded store, as SQLite is ours. */
export async function timePonder(chain: RecordedChain, engine: Store['engine']): Promise<Timing> {
  const database = engine === 'postgres' ? await createTestDatabase() : null;
  try {
    await chain.report();
    const result = await runPonder({
      rpcUrls: Array.from({ length: ADDRESS_COUNT }, (_, index) => `${chain.url}/${index}`),
      tokens: chain.tokens,
      timeoutMs: TIMEOUT_MS,
      ...(database === null ? {} : { databaseUrl: database.url }),
    });
    const firstLogsAtMs = (await chain.report()).firstLogsAtMs ?? 0;
    const { totals, cpu, readyAtMs, peakRssMiB } = result;
    const { balances, sumRaw } = chain.totals;
    if (totals.transfers !== chain.logs || totals.balances !== balances) {
      throw new Error(`Ponder has ${totals.transfers} transfers of ${chain.logs}`);
    }
    if (totals.sumRaw !== sumRaw) throw new Error(`Ponder's balances sum to ${totals.sumRaw}`);
    // The last sample before the first request for logs is the start of the work.
    const before = cpu.findLast(({ atMs }) => atMs <= firstLogsAtMs)?.cpuMs ?? 0;
    const cpuMs = (cpu.at(-1)?.cpuMs ?? 0) - before;
    return { elapsedMs: readyAtMs - firstLogsAtMs, cpuMs, peakRssMiB };
  } finally {
    await database?.drop();
  }
}
