// Part `serve`: answers through the whole stack against bare node:http with the same bytes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './load-client.ts';
import { median, readCpuMs, type StartedServer, spread, startBare, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const PATH = '/v1/entitlements';
const CONNECTIONS = 32;

async function copyAnswer(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`);
  const omitted = new Set(['connection', 'date', 'keep-alive']);
  const headers = [...response.headers].filter(([name]) => !omitted.has(name));
  return { body: await response.text(), headers: Object.fromEntries(headers) };
}

async function measure(server: StartedServer, durationMs: number) {
  const cpuBeforeMs = readCpuMs(server.pid);
  const load = await runLoad({
    port: server.port,
    path: PATH,
    connections: CONNECTIONS,
    durationMs,
  });
  const cpuMicros = ((readCpuMs(server.pid) - cpuBeforeMs) * 1000) / load.requests;
  return { perSecond: load.requestsPerSecond, cpuMicros, p99Ms: load.p99Ms };
}

export async function benchServe(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const ours = await startOurs({ env: { DATA_DIR: folder } });
  const bare = await startBare(await copyAnswer(ours.port));
  const durationMs = options.quick ? 1000 : 3000;
  const repetitions = options.quick ? 3 : 7;
  try {
    for (const server of [ours, bare]) await measure(server, durationMs);
    const pairs: { ours: number; peer: number; oursCpu: number; peerCpu: number }[] = [];
    // Interleaved, so that a noisy neighbour disturbs both alike.
    for (let i = 0; i < repetitions; i += 1) {
      const peer = await measure(bare, durationMs);
      const own = await measure(ours, durationMs);
      pairs.push({
        ours: own.perSecond,
        peer: peer.perSecond,
        oursCpu: own.cpuMicros,
        peerCpu: peer.cpuMicros,
      });
    }
    const ratios = pairs.map((pair) => pair.ours / pair.peer);
    const cpuRatios = pairs.map((pair) => pair.peerCpu / pair.oursCpu);
    return [
      {
        goal: 'entitlements',
        ours: `${Math.round(median(pairs.map((pair) => pair.ours)))} req/s`,
        peer: `${Math.round(median(pairs.map((pair) => pair.peer)))} req/s (node:http)`,
        ratio: median(ratios),
        spread: spread(ratios),
        note: `by CPU per request ${median(cpuRatios).toFixed(2)}: ${median(pairs.map((pair) => pair.oursCpu)).toFixed(0)} µs against ${median(pairs.map((pair) => pair.peerCpu)).toFixed(0)} µs`,
      },
    ];
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
