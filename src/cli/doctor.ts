// `mintwire doctor`: looks at what the service needs before it starts, and says what to do.

import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { ChainSource } from '../chains/family.ts';
import { type Config, loadProcessConfig } from '../config.ts';
import { requireMarkets } from '../engines/chain-families.ts';
import { createAdapter, findChainSources } from '../engines/chain-source.ts';
import { openStore } from '../engines/open-store.ts';
import { systemClock } from '../lib/clock.ts';
import { isAvailable } from '../runtime/devnet-parts.ts';
import { toTerminalText } from '../telemetry/terminal-text.ts';
import { readCommand } from './read-command.ts';
import { describeStartProblem } from './serve.ts';

const FORM = {
  name: 'npx mintwire doctor',
  help: `usage: npx mintwire doctor

Checks this Node, the settings, the ports, the data folder, the store, and each endpoint of the
chains that are followed, with its head and this machine's clock. Changes nothing. The exit code is
1 if the service would not start or could not follow a chain.
`,
  flags: {},
} as const;

/** What a small index grows by in a week. */
const FREE_MIN_BYTES = 5e9;
const ENDPOINT_TIMEOUT_MS = 15_000;
/** A block from further in the future is a wrong clock. */
const CLOCK_AHEAD_MAX_MS = 5_000;
/** Slower chains make a block every twelve seconds. */
const HEAD_AGE_MAX_MS = 120_000;

interface Finding {
  readonly verdict: 'ok' | 'note' | 'fault';
  readonly text: string;
}

const ok = (text: string): Finding => ({ verdict: 'ok', text });
const note = (text: string): Finding => ({ verdict: 'note', text });
const fault = (text: string): Finding => ({ verdict: 'fault', text });

async function checkPort(name: string, host: string, port: number): Promise<Finding> {
  if (port === 0) return ok(`${name}: a free port is picked`);
  const server = createServer();
  try {
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen(port, host, done);
    });
    return ok(`${name}: port ${port} is free`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      return fault(
        `${name}: port ${port} is in use; stop what uses it, or set ${name} to another (0 picks one)`,
      );
    }
    return fault(`${name}: port ${port} of ${host} cannot be opened (${code}); set another`);
  } finally {
    server.close();
  }
}

/** The folder, or the nearest one above it that exists. */
function findExisting(folder: string): string {
  return existsSync(folder) ? folder : findExisting(dirname(folder));
}

function checkFolder(dataDir: string): Finding {
  const folder = findExisting(resolve(dataDir));
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return fault(
      `DATA_DIR: ${folder} is not writable; give it to this user, or set another folder`,
    );
  }
  const { bavail, bsize } = statfsSync(folder);
  const gigabytes = ((bavail * bsize) / 1e9).toFixed(1);
  const text = `DATA_DIR: ${dataDir}, ${gigabytes} GB free`;
  if (bavail * bsize >= FREE_MIN_BYTES) return ok(text);
  return note(`${text}; that is little for an index (docs/operating.md, Sizing)`);
}

async function checkStore(config: Config['store']): Promise<Finding> {
  const what = config.databaseUrl === null ? 'SQLite' : 'PostgreSQL (DATABASE_URL)';
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'market.sqlite'))) {
    return ok(`store: ${what}, made at the first start`);
  }
  try {
    const startedMs = systemClock.monotonicMs();
    // A doctor upgrades nothing.
    const store = await openStore({ ...config, migrate: 'off' });
    await store.close();
    const tookMs = Math.round(systemClock.monotonicMs() - startedMs);
    return ok(`store: ${what} opens in ${tookMs} ms and is of this version`);
  } catch (error) {
    return fault(`store: ${what}: ${describeStartProblem(error, null)}`);
  }
}

async function checkEndpoint(
  source: ChainSource,
  endpoint: string,
  config: Config,
): Promise<Finding> {
  const name = `${source.chain}: ${new URL(endpoint).host}`;
  const one = { ...source, endpoints: [endpoint], sockets: [] };
  const log = { info: () => undefined, warn: () => undefined };
  const nodes = requireMarkets(source.chain).open(one, { clock: systemClock, log });
  const adapter = createAdapter(nodes, one, {
    store: { market: { readPools: async () => [] } },
    indexing: config.indexing,
  });
  try {
    const startedMs = systemClock.monotonicMs();
    const { latest } = await adapter.readHead(AbortSignal.timeout(ENDPOINT_TIMEOUT_MS));
    const tookMs = Math.round(systemClock.monotonicMs() - startedMs);
    const ageMs = systemClock.nowMs() - latest.timestampMs;
    const head = `${name} answers in ${tookMs} ms, at block ${latest.position}`;
    if (ageMs < -CLOCK_AHEAD_MAX_MS) {
      const seconds = Math.round(-ageMs / 1000);
      return fault(`${head}, ${seconds} s in the future: set this machine's clock (NTP)`);
    }
    const age = `${(Math.max(0, ageMs) / 1000).toFixed(1)} s old`;
    if (ageMs <= HEAD_AGE_MAX_MS) return ok(`${head}, ${age}`);
    return note(`${head}, ${age}: the node is behind, or this machine's clock is ahead`);
  } catch (error) {
    const said = adapter.status?.().endpoints[0]?.lastError ?? (error as Error).message;
    return fault(`${name}: ${toTerminalText(said)}; look at its URL, key and quota`);
  } finally {
    await adapter.close();
    nodes.close();
  }
}

function checkEmbedded({ devnet, chains }: Config): Finding[] {
  if (devnet.mode === 'off' || (devnet.mode === 'auto' && chains.length > 0)) return [];
  return isAvailable('devnet')
    ? [ok('no chain of your own is named (RPC_…): the embedded chains are started')]
    : [fault('no chain to follow: set an endpoint, for example RPC_ETHEREUM=https://…')];
}

async function* listFindings(config: Config): AsyncGenerator<Finding> {
  const { host, port, metricsHost, metricsPort } = config.server;
  yield await checkPort('PORT', host, port);
  yield await checkPort('METRICS_PORT', metricsHost, metricsPort);
  yield checkFolder(config.store.dataDir);
  yield await checkStore(config.store);
  for (const name of config.unknownNames) yield note(`${name} is no setting of ours`);
  yield* checkEmbedded(config);
  for (const source of findChainSources(config.chains)) {
    for (const endpoint of source.endpoints) yield await checkEndpoint(source, endpoint, config);
  }
}

export async function doctor(typed: readonly string[]): Promise<void> {
  if (readCommand(typed, FORM) === null) return;
  const show = ({ verdict, text }: Finding) => {
    console.log(`  ${verdict.padEnd(6)} ${text}`);
    if (verdict === 'fault') process.exitCode = 1;
  };
  show(ok(`Node ${process.versions.node} on ${process.platform} ${process.arch}`));
  try {
    const config = loadProcessConfig();
    show(ok('the settings can be read'));
    for await (const finding of listFindings(config)) show(finding);
  } catch (error) {
    for (const line of describeStartProblem(error, null).split('\n')) show(fault(line));
  }
}
