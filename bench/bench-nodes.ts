// Part `nodes`: a hot read of a node that shares its limits through Redis, against one that counts
// on its own, on the same PostgreSQL.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/postgres.ts';
import { startRedis } from '../test/redis.ts';
import { runLoad } from './load-client.ts';
import { buildMarketStore, READS, untilSettled } from './market-store.ts';
import { median, readCpuMs, type StartedServer, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 32;

interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function measure(server: StartedServer, durationMs: number): Promise<Measured> {
  const cpuBeforeMs = readCpuMs(server.pid);
  const load = await runLoad({
    ...{ port: server.port, path: READS.klines, connections: CONNECTIONS, durationMs },
    status: 200,
  });
  const cpuMicros = ((readCpuMs(server.pid) - cpuBeforeMs) * 1000) / load.requests;
  return { perSecond: load.requestsPerSecond, cpuMicros };
}

function describe(runs: readonly Measured[]): string {
  const perSecond = Math.round(median(runs.map((run) => run.perSecond)));
  const cpuMicros = median(runs.map((run) => run.cpuMicros));
  return `${perSecond} req/s, ${cpuMicros.toFixed(0)} µs of CPU a request`;
}

export async function benchNodes(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const postgres = await startPostgres();
  const redis = await startRedis();
  const durationMs = options.quick ? 450 : 3000;
  const repetitions = options.quick ? 3 : 7;
  const servers: StartedServer[] = [];
  try {
    const tokens = options.quick ? 50 : 1000;
    const env = {
      ...(await buildMarketStore(folder, { tokens }, undefined, postgres.url)),
      KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}`,
      OVERLOAD_LAG_MS: '60000',
    };
    for (const more of [{}, { REDIS_URL: redis.url }]) {
      const server = await startOurs({ env: { ...env, ...more } });
      servers.push(server);
      await untilSettled(server);
    }
    const runs = servers.map((): Measured[] => []);
    for (const server of servers) await measure(server, durationMs);
    // Interleaved, so that other load on the machine affects both alike.
    for (let i = 0; i < repetitions; i += 1) {
      for (const [n, server] of servers.entries()) runs[n]?.push(await measure(server, durationMs));
    }
    const [alone = [], shared = []] = runs;
    const ratios = shared.map((one, n) => one.perSecond / (alone[n]?.perSecond ?? Number.NaN));
    return [
      {
        goal: 'sharedLimits',
        ours: describe(shared),
        peer: `${describe(alone)} (counting on its own)`,
        ratio: median(ratios),
        spread: spread(ratios),
        note: '',
      },
    ];
  } finally {
    for (const server of servers) await server.stop();
    await redis.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
