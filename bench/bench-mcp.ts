// Part `mcp`: the cost of a tool call against the same read over HTTP, by CPU per request.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadOptions, runLoad } from './load-client.ts';
import { buildMarketAddress, buildMarketStore, untilSettled } from './market-store.ts';
import { median, readCpuMs, type StartedServer, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 8;
const TOKEN = { chain: 'devnet', mint: buildMarketAddress('aa', 3) };

/** The tools' default row counts, and once many more. */
const TWINS = [
  { tool: 'get_entitlements', path: '/v1/entitlements', input: {} },
  { tool: 'get_token', path: '/v1/token', input: TOKEN },
  { tool: 'get_klines', path: '/v1/token/klines', input: { ...TOKEN, interval: '1m', limit: 50 } },
  { tool: 'get_klines', path: '/v1/token/klines', input: { ...TOKEN, interval: '1m', limit: 500 } },
  { tool: 'get_trades', path: '/v1/token/trades', input: { ...TOKEN, limit: 20 } },
  { tool: 'get_holders', path: '/v1/token/holders', input: { ...TOKEN, limit: 20 } },
] as const;

type Twin = (typeof TWINS)[number];

/** Both protocol generations take the same path; the one with more checks is measured. */
function buildToolCall({ tool, input }: Twin) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: tool, arguments: input, _meta };
  return {
    path: '/v1/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
      accept: 'application/json, text/event-stream',
    },
  };
}

function buildRead({ path, input }: Twin) {
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { path: query.size === 0 ? path : `${path}?${query}` };
}

export async function measureCpu(
  server: StartedServer,
  request: Pick<LoadOptions, 'path' | 'body' | 'headers'>,
  durationMs: number,
): Promise<number> {
  const beforeMs = readCpuMs(server.pid);
  const { port } = server;
  const load = await runLoad({ ...request, port, connections: CONNECTIONS, durationMs });
  return ((readCpuMs(server.pid) - beforeMs) * 1000) / load.requests;
}

interface Measured {
  readonly tool: string;
  readonly callMicros: number;
  readonly readMicros: number;
  readonly ratio: number;
  readonly spread: number;
}

async function measureTwin(
  server: StartedServer,
  twin: Twin,
  options: { readonly quick: boolean },
): Promise<Measured> {
  const durationMs = options.quick ? 200 : 1000;
  const requests = [buildToolCall(twin), buildRead(twin)] as const;
  for (const request of requests) await measureCpu(server, request, durationMs);
  const pairs: { call: number; read: number }[] = [];
  // Interleaved, so that other load affects both alike.
  for (let i = 0; i < (options.quick ? 3 : 5); i += 1) {
    const call = await measureCpu(server, requests[0], durationMs);
    pairs.push({ call, read: await measureCpu(server, requests[1], durationMs) });
  }
  const ratios = pairs.map((pair) => pair.read / pair.call);
  return {
    tool: 'limit' in twin.input ? `${twin.tool} of ${twin.input.limit}` : twin.tool,
    callMicros: median(pairs.map((pair) => pair.call)),
    readMicros: median(pairs.map((pair) => pair.read)),
    ratio: median(ratios),
    spread: spread(ratios),
  };
}

export async function benchMcp(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  try {
    const env = await buildMarketStore(folder, { tokens: options.quick ? 50 : 1000 });
    const server = await startOurs({
      env: { ...env, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
    });
    try {
      await untilSettled(server);
      const measured: Measured[] = [];
      for (const twin of TWINS) measured.push(await measureTwin(server, twin, options));
      const [worst] = measured.toSorted((a, b) => a.ratio - b.ratio);
      if (worst === undefined) return [];
      const each = measured.map((one) => `${one.tool} ${(1 / one.ratio).toFixed(2)}`);
      return [
        {
          goal: 'mcpCall',
          ours: `${worst.callMicros.toFixed(0)} µs of CPU (${worst.tool})`,
          peer: `${worst.readMicros.toFixed(0)} µs (GET)`,
          ratio: worst.ratio,
          spread: worst.spread,
          note: `times its twin: ${each.join(', ')}`,
        },
      ];
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
