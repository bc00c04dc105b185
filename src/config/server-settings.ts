// Where the server listens, how it logs, how it stops; limits, processes, stores, clients.

import { resolve } from 'node:path';
import { type ChainSlug, type EmbeddedSlug, parseChainSlug } from '../model/chain.ts';
import { listEmbedded } from './devnet-settings.ts';
import {
  cidr,
  host,
  integer,
  listOf,
  oneOf,
  optionalSetting,
  redisUrl,
  type Setting,
  SettingProblem,
  setting,
  urlWith,
} from './setting.ts';

// Where data is stored.

export const STORE_SETTINGS = {
  dataDir: setting('DATA_DIR', (text) => resolve(text), {
    group: 'Store',
    why: 'The folder for all stored data; it is created if missing.',
    example: '/var/lib/mintwire',
    fallback: './data',
  }),
  databaseUrl: optionalSetting('DATABASE_URL', urlWith(['postgres:', 'postgresql:']), {
    group: 'Store',
    why: 'A PostgreSQL database to use instead of the embedded SQLite files.',
    example: 'postgres://mintwire:secret@db.internal/mintwire',
    secret: true,
  }),
  databaseReadUrl: optionalSetting('DATABASE_READ_URL', urlWith(['postgres:', 'postgresql:']), {
    group: 'Store',
    why: 'A hot standby of that database. Answers are read from it while it is not behind what this process has already told, otherwise from `DATABASE_URL`; keys, sessions and usage never are.',
    example: 'postgres://mintwire:secret@standby.internal/mintwire',
    secret: true,
  }),
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer({ min: 1, max: 1000 }), {
    group: 'Store',
    why: 'How many PostgreSQL connections requests may use at once, on each server; one more looks whether the server is in order.',
    example: '20',
    fallback: '10',
  }),
  migrate: setting('MIGRATE', oneOf(['auto', 'off']), {
    group: 'Store',
    why: 'Whether a process that starts brings the store to its own version; with `off` it refuses an older one, and `npx mintwire migrate` does that on its own.',
    example: 'off',
    fallback: 'auto',
  }),
} as const;

// What this process does, when several share a store.

export const PROCESS_SETTINGS = {
  role: setting('ROLE', oneOf(['all', 'api', 'indexer']), {
    group: 'Nodes',
    why: 'What this process does, when several share a PostgreSQL database: `api` answers requests, `indexer` indexes chains and answers `/health` and `/ready` only, `all` does both. Of the processes that may index a chain one does; if it ends, another goes on within seconds. `mintwire serve --role` overrides it.',
    example: 'api',
    fallback: 'all',
  }),
  workers: setting('WORKERS', integer({ min: 1, max: 64 }), {
    group: 'Nodes',
    why: 'How many processes serve the port; a further one watches over them. More than one needs a PostgreSQL database. About as many as there are cores pays off once one is busy. Each has its own caches, as large as the settings say; budgets and streams are counted over all. A worker that ends is replaced.',
    example: '4',
    fallback: '1',
  }),
  leaseSeconds: setting('LEASE_SECONDS', integer({ min: 2, max: 300 }), {
    group: 'Nodes',
    why: 'How long a process that indexes a chain may be silent before another takes over. A longer time tolerates longer pauses of a machine or of the database.',
    example: '10',
    fallback: '3',
  }),
  indexedChains: setting(
    'INDEX_CHAINS',
    listOf((text) => {
      const chain = parseChainSlug(text);
      if (chain === null) throw new SettingProblem('must be the name of a chain');
      return chain;
    }),
    {
      group: 'Nodes',
      why: 'The chains that this process may index, comma-separated; it answers requests about the others all the same. Unset allows all that it follows.',
      example: 'base,arbitrum',
      fallback: '',
    },
  ),
} as const;

/** What the settings say together; one that cannot be read is null, and a problem of its own. */
export function* findProcessProblems(config: {
  readonly node: {
    readonly role: 'all' | 'api' | 'indexer' | null;
    readonly indexedChains: readonly ChainSlug[] | null;
    readonly workers: number | null;
  };
  readonly store: {
    readonly databaseUrl: string | null;
    readonly databaseReadUrl: string | null;
  };
  readonly access: { readonly keyPepper: unknown };
  readonly limits: { readonly redisUrl: string | null };
  readonly chains: readonly { readonly chain: ChainSlug }[];
  readonly devnet: {
    readonly mode: 'auto' | 'on' | 'off' | null;
    readonly deployment: string | null;
    readonly solana: 'on' | 'off' | 'only' | null;
    readonly solanaDeployment: string | null;
  };
}): Generator<string> {
  const { node, store, access, limits, chains, devnet } = config;
  const { role } = node;
  if (store.databaseUrl !== null && access.keyPepper === null) {
    yield 'KEY_PEPPER must be set with DATABASE_URL: all processes need the same one';
  }
  if (store.databaseReadUrl !== null && store.databaseUrl === null) {
    yield 'DATABASE_READ_URL needs DATABASE_URL: it names a standby of it';
  }
  if (limits.redisUrl !== null && store.databaseUrl === null) {
    yield 'REDIS_URL needs DATABASE_URL: SQLite serves one process';
  }
  if ((role === 'api' || role === 'indexer') && store.databaseUrl === null) {
    yield `ROLE=${role} needs DATABASE_URL: SQLite serves one process`;
  }
  const hasWorkers = (node.workers ?? 1) > 1;
  if (hasWorkers && store.databaseUrl === null) {
    yield 'WORKERS above 1 needs DATABASE_URL: SQLite serves one process';
  }
  if (role === 'indexer' && hasWorkers) {
    yield 'WORKERS must be 1 with ROLE=indexer: it serves no requests';
  }
  const embedded = listEmbedded(devnet, chains.length);
  const isRun = (chain: EmbeddedSlug) =>
    (chain === 'devnet' ? devnet.deployment : devnet.solanaDeployment) === null;
  if (role === 'api' && embedded.some(isRun)) {
    yield 'ROLE=api needs an RPC_… or DEVNET_DEPLOYMENT: it runs no devnet of its own';
  }
  if (hasWorkers && embedded.some(isRun)) {
    yield 'WORKERS above 1 needs an RPC_… or DEVNET_DEPLOYMENT: a devnet serves one process';
  }
  for (const chain of node.indexedChains ?? []) {
    const isFollowed =
      chains.some((one) => one.chain === chain) || embedded.some((slug) => slug === chain);
    if (!isFollowed) yield `INDEX_CHAINS names ${chain}, which is not followed`;
  }
}

// The budgets of callers, by how they identify themselves.

/** The cost of the most expensive request: a smaller burst could never pay for it. */
export const BURST_MIN = 10;

/** Lookups a minute; none at all if it is 0. */
function lookupLimit(name: string, about: { why: string; fallback: string }): Setting<number> {
  return setting(name, integer({ min: 0, max: 1_000_000 }), {
    ...about,
    group: 'Limits',
    example: about.fallback,
  });
}

function limit(name: string, about: { why: string; fallback: string }): Setting<number> {
  const min = name.endsWith('_BURST') ? BURST_MIN : 1;
  return setting(name, integer({ min, max: 1_000_000_000 }), {
    ...about,
    group: 'Limits',
    example: about.fallback,
  });
}

export const LIMIT_SETTINGS = {
  anonymousPerMinute: limit('LIMIT_ANONYMOUS_PER_MINUTE', {
    why: 'The budget per minute of a caller without credentials, counted per IPv4 address or IPv6 /64.',
    fallback: '120',
  }),
  anonymousBurst: limit('LIMIT_ANONYMOUS_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '60',
  }),
  keyPerMinute: limit('LIMIT_KEY_PER_MINUTE', {
    why: 'The budget per minute shared by all API keys of a wallet.',
    fallback: '1200',
  }),
  keyBurst: limit('LIMIT_KEY_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '300',
  }),
  sessionPerMinute: limit('LIMIT_SESSION_PER_MINUTE', {
    why: 'The budget per minute shared by all sessions of a wallet.',
    fallback: '600',
  }),
  sessionBurst: limit('LIMIT_SESSION_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '150',
  }),
  ipPerMinute: limit('LIMIT_IP_PER_MINUTE', {
    why: 'The budget per minute of everything that comes from one address, with any credentials.',
    fallback: '3000',
  }),
  ipBurst: limit('LIMIT_IP_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '600',
  }),
  anonymousLookups: lookupLimit('LIMIT_ANONYMOUS_LOOKUPS', {
    why: 'How many tokens a minute are looked up on their chain for a caller without credentials; half of them at once, 0 for none. `LOOKUPS_PER_MINUTE` bounds those of all callers.',
    fallback: '12',
  }),
  keyLookups: lookupLimit('LIMIT_KEY_LOOKUPS', {
    why: 'The same for all API keys of a wallet. A tier of `TIERS_FILE` may have its own (`lookups`).',
    fallback: '120',
  }),
  sessionLookups: lookupLimit('LIMIT_SESSION_LOOKUPS', {
    why: 'The same for all sessions of a wallet.',
    fallback: '60',
  }),
  addressConnections: limit('LIMIT_ADDRESS_CONNECTIONS', {
    why: 'How many connections one address may have open to a process; more are closed with 503 `OVERLOADED`. In all, a process has twice `STREAMS_MAX`, and fewer than the limit of open files allows; when they are taken, the address with the most loses its oldest. Trusted proxies are not counted: they bound their own clients.',
    fallback: '1000',
  }),
  redisUrl: optionalSetting('REDIS_URL', redisUrl, {
    group: 'Limits',
    why: 'A Redis or Valkey server through which processes on one `DATABASE_URL` share budgets and stream caps. While it is down, each takes its share of them. Unset, each process counts on its own.',
    example: 'redis://:secret@redis.internal:6379/0',
    secret: true,
  }),
  limiterIdentitiesMax: limit('LIMIT_IDENTITIES_MAX', {
    why: 'How many callers a limiter keeps in memory; the limit holds when very many addresses call.',
    fallback: '100000',
  }),
  overloadRequestsMax: limit('OVERLOAD_REQUESTS_MAX', {
    why: 'Above this many requests in work, new ones get 503 `OVERLOADED`. A request is in work from the arrival of its body until its answer is sent off. As many bodies may be on their way, a tenth of them from one address; when they are too many, the address with the most loses its oldest.',
    fallback: '1000',
  }),
  overloadLagMs: limit('OVERLOAD_LAG_MS', {
    why: 'Above this event-loop delay in milliseconds, new requests get 503 `OVERLOADED`.',
    fallback: '500',
  }),
} as const;

// Settings of the commands that ask a server: `npx mintwire search` and others.

export const CLIENT_SETTINGS = {
  server: setting('MINTWIRE_SERVER', urlWith(['http:', 'https:']), {
    group: 'Command line',
    why: 'The server that `npx mintwire search`, `token`, `klines`, `trades`, `quote` and `watch` ask.',
    example: 'https://api.example.com',
    fallback: 'http://localhost:8080',
  }),
  key: optionalSetting('MINTWIRE_KEY', (text) => text, {
    group: 'Command line',
    why: 'The API key that those commands send to that server, and to no other, for a higher budget and longer lists.',
    example: 'mw_live_…',
    secret: true,
  }),
} as const;

export const SERVER_SETTINGS = {
  host: setting('HOST', host, {
    group: 'Server',
    why: 'The address to listen on. The default keeps the service on this machine; 0.0.0.0 opens it to the network, which is best done behind a proxy that speaks TLS.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
  }),
  port: setting('PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Server',
    why: 'The port to listen on; 0 picks a free one and says which.',
    example: '3000',
    fallback: '8080',
  }),
  metricsPort: setting('METRICS_PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Server',
    why: 'The port that serves `/metrics` to Prometheus. It is separate from the public port so that metrics are never exposed by accident; 0 picks a free one.',
    example: '9100',
    fallback: '9464',
  }),
  metricsHost: setting('METRICS_HOST', host, {
    group: 'Server',
    why: 'The address on which `/metrics` listens. The default keeps it on this machine; in a container or for a Prometheus elsewhere, an address that only Prometheus can reach.',
    example: '10.0.0.5',
    fallback: '127.0.0.1',
  }),
  trustedProxies: setting('TRUSTED_PROXIES', listOf(cidr), {
    group: 'Server',
    why: 'Proxies whose `X-Forwarded-For` header is trusted, as addresses or CIDRs. The header is ignored from anyone else, so a caller cannot spoof its address.',
    example: '10.0.0.0/8,fd00::/8',
    fallback: '',
  }),
  shutdownGraceSeconds: setting('SHUTDOWN_GRACE_SECONDS', integer({ min: 0, max: 600 }), {
    group: 'Server',
    why: 'How long running requests may take to finish after SIGTERM before their connections are closed.',
    example: '30',
    fallback: '10',
  }),
  answerCacheMb: setting('ANSWER_CACHE_MB', integer({ min: 1, max: 65_536 }), {
    group: 'Server',
    why: 'Megabytes of memory for cached answers. Stale answers are never served, whatever the size.',
    example: '256',
    fallback: '64',
  }),
  logLevel: setting('LOG_LEVEL', oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']), {
    group: 'Server',
    why: 'The lowest log level to write. Requests are logged at `info`, on a terminal at `debug`.',
    example: 'warn',
    fallback: 'info',
  }),
  logFormat: setting('LOG_FORMAT', oneOf(['auto', 'json', 'text']), {
    group: 'Server',
    why: '`json` writes one JSON object per line, `text` is for people; `auto` picks text on a terminal and json elsewhere.',
    example: 'json',
    fallback: 'auto',
  }),
} as const;
