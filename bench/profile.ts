// Part `profile`: where the time of each hot path goes, from CPU profiles under load.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { issueKey, PLENTY } from './bench-access.ts';
import { streamFor } from './bench-stream.ts';
import {
  type Cost,
  createProfileFolder,
  type ProfileFolder,
  readCosts,
  readMonotonicMicros,
} from './cpu-profile.ts';
import { buildSearchPaths } from './grow-tokens.ts';
import { timeOurs } from './ingest-ours.ts';
import { runLoad } from './load-client.ts';
import { buildMarketStore, READS, untilSettled } from './market-store.ts';
import { type StartedServer, startOurs } from './measure.ts';
import { startRecordedChain } from './recorded-chain-process.ts';

const run = promisify(execFile);
const CONNECTIONS = 32;

type Drive = (server: StartedServer, durationMs: number) => Promise<unknown>;
/** Resolves with the moment from which the profile counts. */
type Work = (profile: ProfileFolder, durationMs: number) => Promise<number>;

async function driveHot(server: StartedServer, durationMs: number): Promise<void> {
  const paths = Object.values(READS);
  const load = { port: server.port, connections: CONNECTIONS };
  for (const path of paths) await runLoad({ ...load, path, durationMs: durationMs / paths.length });
}

async function driveWithKey(server: StartedServer, durationMs: number): Promise<void> {
  const headers = { authorization: `Bearer ${await issueKey(server.port)}` };
  const path = READS.klines;
  await runLoad({ port: server.port, path, connections: CONNECTIONS, durationMs, headers });
}

async function driveSearch(server: StartedServer, durationMs: number): Promise<void> {
  const path = buildSearchPaths();
  await runLoad({ port: server.port, path, connections: CONNECTIONS, durationMs });
}

/** A server over a stored market, profiled from start to end. */
function profileServer(drive: Drive): Work {
  return async (profile, durationMs) => {
    const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
    try {
      const env = await buildMarketStore(folder, { tokens: 10_000 });
      const server = await startOurs({
        env: { ...env, ...PLENTY, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
        nodeArgs: profile.nodeArgs,
      });
      await untilSettled(server);
      const sinceMicros = readMonotonicMicros();
      await drive(server, durationMs);
      await server.stop();
      return sinceMicros;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

async function profileIngest({ nodeArgs }: ProfileFolder, durationMs: number): Promise<number> {
  const swaps = Math.round(durationMs * 5);
  const recorded = { kind: 'swaps', swaps, swapsPerBlock: 10, blockTimestamps: true } as const;
  const chain = await startRecordedChain(recorded);
  try {
    await timeOurs(chain, { engine: 'sqlite', transferRows: false, nodeArgs });
    return 0;
  } finally {
    await chain.stop();
  }
}

async function profileRouting({ nodeArgs }: ProfileFolder, durationMs: number): Promise<number> {
  await run(process.execPath, [...nodeArgs, 'bench/profile-routing.ts', `${durationMs}`]);
  return 0;
}

async function profileStream({ nodeArgs }: ProfileFolder, durationMs: number): Promise<number> {
  await streamFor({ nodeArgs, durationMs });
  return 0;
}

const PATHS: Readonly<Record<string, Work>> = {
  'Hot reads': profileServer(driveHot),
  'Key check': profileServer(driveWithKey),
  Search: profileServer(driveSearch),
  'Block decoding and applying': profileIngest,
  'Quote and routing': profileRouting,
  'Stream fan-out': profileStream,
};

/** The largest costs of each hot path, by its name. */
export async function profilePaths(options: {
  readonly quick: boolean;
}): Promise<Readonly<Record<string, readonly Cost[]>>> {
  const costs: Record<string, readonly Cost[]> = {};
  for (const [name, work] of Object.entries(PATHS)) {
    console.error(`profile: ${name}`);
    const folder = createProfileFolder();
    try {
      const sinceMicros = await work(folder, options.quick ? 2000 : 6000);
      costs[name] = readCosts(folder.readMain(), sinceMicros);
    } finally {
      folder.remove();
    }
  }
  return costs;
}
