// The topology of compose.yaml as processes of this machine: PostgreSQL with a hot standby, an
// indexer and another that stands by, two API nodes, a proxy before them.

import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DevnetMessage } from '../../devnet/devnet-message.ts';
import { startPostgres } from '../postgres.ts';
import { findPostgresPrograms } from '../postgres-programs.ts';
import { startStandby } from '../standby-server.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { startBalancingProxy } from './balancing-proxy.ts';

const DEVNET_ENTRY = fileURLToPath(new URL('../../devnet/devnet-message.ts', import.meta.url));
const CHECK_MS = 1_000;

export interface NamedNode extends RunningService {
  readonly name: string;
  readonly role: 'api' | 'indexer';
}

export interface Cluster {
  /** The proxy's. */
  readonly origin: string;
  readonly nodes: readonly NamedNode[];
  readonly databaseUrl: string;
  /** Null where PostgreSQL's programs are not installed. */
  readonly standbyUrl: string | null;
}

interface ClusterOptions {
  /** The proxy's port; 0 picks a free one. */
  readonly port: number;
  /** Settings of all nodes. Without a chain in them a devnet is started. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** Whether the service's own defaults are used, not those of tests. */
  readonly isPlain: boolean;
}

function followsChain(env: ClusterOptions['env']): boolean {
  return Object.keys(env).some((name) => /^(RPC_[A-Z]+|DEVNET_DEPLOYMENT)$/.test(name));
}

/** Starts the embedded chain and returns the file that describes it. */
function startDevnet(t: Cleanup, log: (line: string) => void): Promise<string> {
  const env = { ...process.env, DEVNET_DIR: createTempFolder(t), DEVNET_PORT: '0' };
  const child = fork(DEVNET_ENTRY, ['--child'], { env });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  t.after(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  return new Promise((resolve, reject) => {
    child.on('message', (message: DevnetMessage) => {
      if (message.type === 'ready') resolve(message.deploymentPath);
      else if (message.type === 'failed') reject(new Error(message.message));
      else log(`devnet: ${message.line}`);
    });
    void exited.then(() => reject(new Error('the devnet ended')));
  });
}

async function startStores(t: Cleanup, log: (line: string) => void) {
  const programs = findPostgresPrograms();
  const primary = await startPostgres(programs === null ? {} : { programs });
  t.after(() => primary.stop());
  if (programs === null) {
    log('PostgreSQL without a standby: its programs (pg_basebackup) are not installed');
    return { databaseUrl: primary.url, standbyUrl: null };
  }
  const standby = await startStandby({ programs, primaryUrl: primary.url });
  t.after(() => standby.stop());
  log('PostgreSQL and its standby run');
  return { databaseUrl: primary.url, standbyUrl: standby.url };
}

function startNodes(
  t: Cleanup,
  env: Readonly<Record<string, string>>,
  isPlain: boolean,
): Promise<readonly NamedNode[]> {
  const start = async (name: string, role: NamedNode['role']) => {
    const settings = { ...env, ROLE: role, PORT: '0', METRICS_PORT: '0' };
    const service = await startServiceProcess(t, { env: settings, isPlain });
    return { ...service, name, role };
  };
  return Promise.all([
    start('indexer1', 'indexer'),
    start('indexer2', 'indexer'),
    start('api1', 'api'),
    start('api2', 'api'),
  ]);
}

/** What was begun is stopped by `t`, in the opposite order. */
export async function startCluster(t: Cleanup, options: ClusterOptions): Promise<Cluster> {
  const { env, log, isPlain } = options;
  const proxy = await startBalancingProxy({ port: options.port, checkMs: CHECK_MS });
  t.after(() => proxy.stop());
  const stores = await startStores(t, log);
  const devnet: Record<string, string> = followsChain(env)
    ? {}
    : { DEVNET: 'on', DEVNET_SOLANA: 'off', DEVNET_DEPLOYMENT: await startDevnet(t, log) };
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  const nodes = await startNodes(
    t,
    {
      PUBLIC_ORIGIN: proxy.origin,
      KEY_PEPPER: `1:${randomBytes(32).toString('base64')}`,
      TRUSTED_PROXIES: '127.0.0.1',
      ...(Object.fromEntries(given) as Record<string, string>),
      ...devnet,
      DATABASE_URL: stores.databaseUrl,
      ...(stores.standbyUrl === null ? {} : { DATABASE_READ_URL: stores.standbyUrl }),
    },
    isPlain,
  );
  for (const { origin } of nodes.filter(({ role }) => role === 'api')) proxy.add(origin);
  return { origin: proxy.origin, nodes, ...stores };
}
