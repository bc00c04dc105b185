// Part `serve`: responses through the whole stack against bare node:http with the same bytes, and
// reads beside an indexer at full speed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLENTY } from './bench-access.ts';
import { buildMarketStore, READS, untilSettled } from './market-store.ts';
import {
  computeRatios,
  formatCpuNote,
  median,
  type StartedServer,
  spread,
  startBare,
  startOurs,
  type Turn,
  takeTurns,
} from './measure.ts';
import type { Row } from './row.ts';
import { benchBusy } from './serve-busy.ts';
import { measurePrices } from './serve-prices.ts';

const CONNECTIONS = 32;

interface Hot {
  readonly goal: Row['goal'];
  readonly path: string;
}

const WHOLE: Hot = { goal: 'entitlements', path: '/v1/entitlements' };
const HOT: readonly Hot[] = [
  { goal: 'hotKlines', path: READS.klines },
  { goal: 'hotTrades', path: READS.trades },
  { goal: 'hotHolders', path: READS.holders },
];

async function copyAnswer(server: StartedServer, path: string) {
  // Plain, as the load asks for it; fetch alone would ask for gzip.
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    headers: { 'accept-encoding': 'identity' },
  });
  const omitted = new Set(['connection', 'date', 'keep-alive']);
  const headers = [...response.headers].filter(([name]) => !omitted.has(name));
  return { body: await response.text(), headers: Object.fromEntries(headers) };
}

async function measureHot(
  ours: StartedServer,
  hot: Hot,
  options: { readonly quick: boolean },
): Promise<Row> {
  const answer = await copyAnswer(ours, hot.path);
  const peer = await startBare(answer);
  try {
    const load = { path: hot.path, connections: CONNECTIONS };
    const turns = options.quick
      ? { turns: 11, turnMs: 120, warmMs: 800 }
      : { turns: 60, turnMs: 250, warmMs: 3000 };
    const compared = await takeTurns({ ours, peer }, load, turns);
    const ratios = computeRatios(compared);
    const medianSpeed = (list: readonly Turn[]) => Math.round(median(list.map((t) => t.perSecond)));
    return {
      goal: hot.goal,
      ours: `${medianSpeed(compared.ours)} req/s`,
      peer: `${medianSpeed(compared.peer)} req/s (node:http)`,
      ratio: median(ratios),
      spread: spread(ratios),
      note: `${(Buffer.byteLength(answer.body) / 1024).toFixed(1)} KiB an answer; ${formatCpuNote(compared)}`,
    };
  } finally {
    await peer.stop();
  }
}

async function measureWith(
  served: {
    readonly env: Readonly<Record<string, string>>;
    readonly logLevel: 'info' | 'warn';
    readonly hot: readonly Hot[];
  },
  options: { readonly quick: boolean },
): Promise<Row[]> {
  const { env, logLevel } = served;
  const ours = await startOurs({
    env: { ...env, ...PLENTY, LOG_LEVEL: logLevel, OVERLOAD_LAG_MS: '60000' },
  });
  try {
    await untilSettled(ours);
    const rows: Row[] = [];
    for (const hot of served.hot) rows.push(await measureHot(ours, hot, options));
    if (logLevel === 'warn') rows.push(await measurePrices(ours, options));
    const logging = logLevel === 'info' ? 'a log line each' : 'no log lines';
    return rows.map((row) => ({ ...row, note: `${row.note}; ${logging}` }));
  } finally {
    await ours.stop();
  }
}

export async function benchServe(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const rows: Row[] = [];
  try {
    const env = await buildMarketStore(folder, { tokens: options.quick ? 50 : 10_000 });
    rows.push(...(await measureWith({ env, logLevel: 'info', hot: [WHOLE] }, options)));
    // A peer of bare bytes writes no log lines, so these are compared without them.
    rows.push(...(await measureWith({ env, logLevel: 'warn', hot: HOT }, options)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return [...rows, ...(await benchBusy(options))];
}
