// The prices of a hundred tokens in one request, against a hot read of one token.

import { issueKey } from './bench-access.ts';
import { runLoad } from './load-client.ts';
import { buildMarketAddress, READS } from './market-store.ts';
import { median, readCpuMs, type StartedServer, spread } from './measure.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 8;
const TOKENS = 100;
const LISTS = 64;

/** Lists of the same tokens in other orders: no answer can be kept as a whole. */
function buildBodies(count: number): string[] {
  return Array.from({ length: LISTS }, (_, list) => {
    const tokens = Array.from({ length: TOKENS }, (_, index) => ({
      chain: 'devnet',
      mint: buildMarketAddress('aa', (index * 7 + list * 13) % count),
    }));
    return JSON.stringify({ tokens });
  });
}

async function measureCpu(
  server: StartedServer,
  request: {
    readonly path: string;
    readonly body?: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
  },
  durationMs: number,
): Promise<number> {
  const beforeMs = readCpuMs(server.pid);
  const load = await runLoad({
    ...{ ...request, port: server.port, connections: CONNECTIONS, durationMs },
  });
  return ((readCpuMs(server.pid) - beforeMs) * 1000) / load.requests;
}

export async function measurePrices(
  server: StartedServer,
  options: { readonly quick: boolean },
): Promise<Row> {
  const durationMs = options.quick ? 200 : 1000;
  // Without a key, a request has at most 30 tokens.
  const headers = { authorization: `Bearer ${await issueKey(server.port)}` };
  const prices = { path: '/v1/prices', body: buildBodies(options.quick ? 50 : 200), headers };
  const read = { path: READS.trades, headers };
  for (const request of [prices, read]) await measureCpu(server, request, durationMs);
  const pairs: { many: number; one: number }[] = [];
  for (let turn = 0; turn < (options.quick ? 5 : 11); turn += 1) {
    const many = await measureCpu(server, prices, durationMs);
    pairs.push({ many, one: await measureCpu(server, read, durationMs) });
  }
  const ratios = pairs.map(({ many, one }) => one / many);
  return {
    goal: 'hotPrices',
    ours: `${median(pairs.map(({ many }) => many)).toFixed(0)} µs of CPU for 100 tokens`,
    peer: `${median(pairs.map(({ one }) => one)).toFixed(0)} µs for hot trades`,
    ratio: median(ratios),
    spread: spread(ratios),
    note: 'the same tokens in another order each time',
  };
}
