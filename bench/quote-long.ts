// Part `quote`: the latency of a hot read beside 32 callers with long quotes.

import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, runLoad } from './load-client.ts';
import { runLoadApart } from './load-process.ts';
import { median, type StartedServer, spread } from './measure.ts';
import type { Row } from './row.ts';

const CALLERS = 32;
const READERS = 2;
const PAUSE_MS = 2;

export interface LongQuotes {
  /** The hot read. */
  readonly readPath: string;
  /** The long quote. */
  readonly quoteBody: string;
}

/**
 * A few readers that pause between requests, so that they wait for the server and not for each
 * other.
 */
function read(server: StartedServer, path: string, durationMs: number): Promise<LoadResult> {
  const load = { port: server.port, path, connections: READERS, pauseMs: PAUSE_MS };
  return runLoad({ ...load, durationMs });
}

/** Alternating, without and with the quotes. */
export async function benchLongQuotes(
  server: StartedServer,
  { readPath, quoteBody }: LongQuotes,
  options: { readonly quick: boolean },
): Promise<Row> {
  const [turnCount, turnMs] = options.quick ? [5, 1000] : [9, 3000];
  const quote = { port: server.port, path: '/v1/trade/quote', body: quoteBody };
  const alone = await runLoad({ ...quote, connections: 1, durationMs: turnMs });
  const quiet: LoadResult[] = [];
  const beside: LoadResult[] = [];
  const quotes: LoadResult[] = [];
  for (let turn = 0; turn < turnCount; turn += 1) {
    quiet.push(await read(server, readPath, turnMs));
    // The quotes begin first and end last.
    const asked = runLoadApart({ ...quote, connections: CALLERS, durationMs: turnMs * 2 });
    await sleep(turnMs * 0.5);
    beside.push(await read(server, readPath, turnMs));
    quotes.push(await asked);
  }
  const quietMs = median(quiet.map(({ p99Ms }) => p99Ms));
  const besideMs = median(beside.map(({ p99Ms }) => p99Ms));
  const ratios = beside.map(({ p99Ms }) => quietMs / p99Ms);
  const rate = median(quotes.map(({ requestsPerSecond }) => requestsPerSecond));
  return {
    goal: 'readsBesideQuotes',
    ours: `p99 ${besideMs.toFixed(1)} ms`,
    peer: `${quietMs.toFixed(1)} ms without the quotes`,
    ratio: median(ratios),
    spread: spread(ratios),
    note:
      `medians ${median(beside.map(({ p50Ms }) => p50Ms)).toFixed(2)} and ` +
      `${median(quiet.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms; such a quote takes ` +
      `${alone.p50Ms.toFixed(0)} ms by itself, and ${CALLERS} at once get ${rate.toFixed(0)} a second; ` +
      'readers, callers and server share the machine',
  };
}
