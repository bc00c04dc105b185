// Part `access`: a hot read with a key against the same without one, floods of invalid keys, and
// what counting usage takes of a read.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { OperationUsage } from '../src/access/operation-usage.ts';
import { createToken } from '../src/access/secret-token.ts';
import { UsageCounter } from '../src/access/usage-counter.ts';
import type { KeyIdentity } from '../src/contract/identity.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { AccessStore } from '../src/store/access-store.ts';
import { walletId } from '../test/test-ids.ts';
import { runLoad } from './load-client.ts';
import { buildMarketStore, READS, untilSettled } from './market-store.ts';
import { median, readCpuMs, type StartedServer, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CONNECTIONS = 32;

export const PLENTY = Object.fromEntries(
  ['KEY', 'SESSION'].flatMap((level) => [
    [`LIMIT_${level}_PER_MINUTE`, '1000000000'],
    [`LIMIT_${level}_BURST`, '1000000000'],
  ]),
);

async function post(port: number, path: string, body: object, bearer?: string) {
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, string>;
}

export async function issueKey(port: number): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey());
  const opening = { address: account.address, chain: 'base' };
  const { challengeId, message = '' } = await post(port, '/auth/challenge', opening);
  const signature = await account.signMessage({ message });
  const { token } = await post(port, '/auth/verify', {
    challengeId,
    signature,
    transport: 'token',
  });
  const { key = '' } = await post(port, '/keys', { name: 'bench' }, token);
  return key;
}

interface Caller {
  readonly name: string;
  readonly bearer: string | null;
  readonly status: number;
}

interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function measure(
  server: StartedServer,
  caller: Caller,
  durationMs: number,
): Promise<Measured> {
  const cpuBeforeMs = readCpuMs(server.pid);
  const load = await runLoad({
    port: server.port,
    path: READS.klines,
    connections: CONNECTIONS,
    durationMs,
    status: caller.status,
    headers: caller.bearer === null ? {} : { authorization: `Bearer ${caller.bearer}` },
  });
  const cpuMicros = ((readCpuMs(server.pid) - cpuBeforeMs) * 1000) / load.requests;
  return { perSecond: load.requestsPerSecond, cpuMicros };
}

/** The CPU cost of a caller's request against an anonymous one, pair by pair. */
function buildRow(
  goal: Row['goal'],
  anonymous: readonly Measured[],
  own: readonly Measured[],
): Row {
  const ratios = own.map((one, n) => (anonymous[n]?.cpuMicros ?? Number.NaN) / one.cpuMicros);
  const describeCpu = (runs: readonly Measured[]) =>
    `${median(runs.map((run) => run.cpuMicros)).toFixed(0)} µs of CPU a request`;
  const perSecond = (runs: readonly Measured[]) => Math.round(median(runs.map((r) => r.perSecond)));
  return {
    goal,
    ours: describeCpu(own),
    peer: `${describeCpu(anonymous)} (anonymous)`,
    ratio: median(ratios),
    spread: spread(ratios),
    note: `${perSecond(own)} against ${perSecond(anonymous)} req/s`,
  };
}

/** So many that the clock of CPU time is fine enough. */
const COUNTED = 1_000_000;
/** The most that counting may take of a hot read. */
const USAGE_SHARE_MAX = 0.02;

/** Microseconds of CPU that counting one request takes: as the server does, up to the store. */
async function measureCounting(): Promise<number> {
  const store = {
    addUsage: async () => undefined,
    addOperationUsage: async () => undefined,
  } as unknown as AccessStore;
  const parts = { store, clock: systemClock };
  const [usage, operationUsage] = [new UsageCounter(parts), new OperationUsage(parts)];
  const owner = walletId('eip155:0x1');
  const identity: KeyIdentity = {
    ...{ kind: 'key', key: owner, walletId: owner, keyId: 'key_a', tier: null, limits: null },
  };
  const before = process.cpuUsage();
  for (let count = 0; count < COUNTED; count += 1) {
    usage.count(owner, identity.keyId);
    operationUsage.count(identity, { operation: 'getKlines', cost: 1, status: 200 });
  }
  await Promise.all([usage.flush(), operationUsage.flush()]);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / COUNTED;
}

async function buildUsageRow(keyed: readonly Measured[], repetitions: number): Promise<Row> {
  await measureCounting();
  const costs: number[] = [];
  for (let i = 0; i < repetitions; i += 1) costs.push(await measureCounting());
  const readMicros = median(keyed.map(({ cpuMicros }) => cpuMicros));
  const allowed = readMicros * USAGE_SHARE_MAX;
  const micros = median(costs);
  return {
    goal: 'usageCount',
    ours: `${micros.toFixed(2)} µs of CPU a request`,
    peer: `${allowed.toFixed(2)} µs (2 % of a read)`,
    ratio: allowed / micros,
    spread: spread(costs),
    note: `${((micros / readMicros) * 100).toFixed(2)} % of a hot read`,
  };
}

export async function benchAccess(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const env = await buildMarketStore(folder, { tokens: options.quick ? 50 : 1000 });
  const server = await startOurs({ env: { ...env, ...PLENTY, OVERLOAD_LAG_MS: '60000' } });
  const durationMs = options.quick ? 450 : 3000;
  const repetitions = options.quick ? 3 : 7;
  try {
    await untilSettled(server);
    const callers: readonly Caller[] = [
      { name: 'anonymous', bearer: null, status: 200 },
      { name: 'key', bearer: await issueKey(server.port), status: 200 },
      { name: 'garbage', bearer: `mw_live_${'x'.repeat(49)}`, status: 401 },
      // Well-formed, so that only a lookup shows that it is unknown.
      { name: 'unknown', bearer: createToken('key'), status: 401 },
    ];
    const runs = callers.map((): Measured[] => []);
    for (const caller of callers) await measure(server, caller, durationMs);
    // Interleaved, so that other load on the machine affects all alike.
    for (let i = 0; i < repetitions; i += 1) {
      for (const [n, caller] of callers.entries()) {
        runs[n]?.push(await measure(server, caller, durationMs));
      }
    }
    const [anonymous = [], key = [], garbage = [], unknown = []] = runs;
    return [
      buildRow('keyedRead', anonymous, key),
      buildRow('garbageKeys', anonymous, garbage),
      buildRow('unknownKeys', anonymous, unknown),
      await buildUsageRow(key, repetitions),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
