// Hot klines of two workers on one port against one process, on PostgreSQL: speed, CPU, memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/postgres.ts';
import { PLENTY } from './bench-access.ts';
import { runLoad } from './load-client.ts';
import { buildMarketStore, READS, untilSettled } from './market-store.ts';
import {
  listTreePids,
  median,
  readCpuMs,
  readOwnMb,
  type StartedServer,
  spread,
  startOurs,
} from './measure.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 32;

interface Turn {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly ownMb: number;
}

function sumOver(server: StartedServer, read: (pid: number) => number): number {
  return listTreePids(server.pid).reduce((sum, pid) => sum + read(pid), 0);
}

async function takeTurn(server: StartedServer, durationMs: number): Promise<Turn> {
  const beforeMs = sumOver(server, readCpuMs);
  const { port } = server;
  const load = { port, path: READS.klines, connections: CONNECTIONS, durationMs };
  const { requests, requestsPerSecond } = await runLoad(load);
  const cpuMicros = ((sumOver(server, readCpuMs) - beforeMs) * 1000) / requests;
  return { perSecond: requestsPerSecond, cpuMicros, ownMb: sumOver(server, readOwnMb) };
}

async function warmUp(server: StartedServer, durationMs: number): Promise<void> {
  await untilSettled(server);
  await takeTurn(server, durationMs);
}

interface Pair {
  readonly two: Turn;
  readonly one: Turn;
}

function compare(
  pairs: readonly Pair[],
  of: {
    readonly goal: Row['goal'];
    readonly pick: (turn: Turn) => number;
    readonly unit: string;
    readonly isMoreBetter: boolean;
  },
): Omit<Row, 'note'> {
  const read = (side: keyof Pair) => Math.round(median(pairs.map((pair) => of.pick(pair[side]))));
  const ratios = pairs.map(({ two, one }) => {
    const ratio = of.pick(two) / of.pick(one);
    return of.isMoreBetter ? ratio : 1 / ratio;
  });
  return {
    goal: of.goal,
    ours: `${read('two')} ${of.unit}`,
    peer: `${read('one')} ${of.unit} (one process)`,
    ratio: median(ratios),
    spread: spread(ratios),
  };
}

function buildRows(pairs: readonly Pair[]): Row[] {
  return [
    {
      ...compare(pairs, {
        ...{ goal: 'workersCpu', pick: (turn) => turn.cpuMicros },
        ...{ unit: 'µs of CPU a request', isMoreBetter: false },
      }),
      note: 'over all processes, the primary included; with the load generator that is three busy processes on two cores, which share their caches',
    },
    {
      ...compare(pairs, {
        ...{ goal: 'workersSpeed', pick: (turn) => turn.perSecond },
        ...{ unit: 'req/s', isMoreBetter: true },
      }),
      note: 'the load generator takes a part of the cores, too',
    },
    {
      ...compare(pairs, {
        ...{ goal: 'workersMemory', pick: (turn) => turn.ownMb },
        ...{ unit: 'MB', isMoreBetter: false },
      }),
      note: 'private memory of all processes under load',
    },
  ];
}

export async function benchWorkers(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const postgres = await startPostgres();
  const servers: StartedServer[] = [];
  try {
    const size = { tokens: options.quick ? 50 : 10_000 };
    const env = {
      ...(await buildMarketStore(folder, size, undefined, postgres.url)),
      KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}`,
      ...{ ...PLENTY, LOG_LEVEL: 'warn', OVERLOAD_LAG_MS: '60000' },
    };
    const start = async (workers: string) => {
      const server = await startOurs({ env: { ...env, WORKERS: workers } });
      servers.push(server);
      await warmUp(server, options.quick ? 800 : 3000);
      return server;
    };
    const [two, one] = [await start('2'), await start('1')];
    const [turns, turnMs] = options.quick ? [5, 400] : [16, 1500];
    const pairs: Pair[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      pairs.push({ one: await takeTurn(one, turnMs), two: await takeTurn(two, turnMs) });
    }
    return buildRows(pairs);
  } finally {
    for (const server of servers) await server.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
