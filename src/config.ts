// Every setting of the service, and the only reader of the environment.

import { resolve } from 'node:path';
import { INDEXING_SETTINGS } from './config/indexing-settings.ts';
import { LIMIT_SETTINGS } from './config/limit-settings.ts';
import { createRpcSettings } from './config/rpc-settings.ts';
import {
  type ConfiguredScope,
  createScopeSettings,
  findScopeProblem,
  type ScopeSettings,
} from './config/scope-settings.ts';
import {
  cidr,
  host,
  integer,
  listOf,
  oneOf,
  optionalSetting,
  origin,
  pepper,
  type Setting,
  SettingProblem,
  setting,
  tokenListPlace,
  urlWith,
} from './config/setting.ts';
import { CHAINS, type ChainSlug, FOLLOWED_FAMILIES } from './model/chain.ts';
import type { CreditTable } from './model/rpc-usage.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`configuration has ${problems.length === 1 ? 'a problem' : 'problems'}`);
    this.problems = problems;
  }
}

const SERVER_SETTINGS = {
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
    why: 'The loopback port that serves `/metrics` to Prometheus. It is separate from the public port so that metrics are never exposed by accident; 0 picks a free one.',
    example: '9100',
    fallback: '9464',
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
    why: 'The lowest log level to write.',
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

const STORE_SETTINGS = {
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
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer({ min: 1, max: 1000 }), {
    group: 'Store',
    why: 'How many PostgreSQL connections requests may use at once; one more looks whether the server is in order.',
    example: '20',
    fallback: '10',
  }),
} as const;

const STREAM_SETTINGS = {
  resumeHours: setting('STREAM_RESUME_HOURS', integer({ min: 1, max: 168 }), {
    group: 'Streams',
    why: 'How long a stream client may be disconnected and still resume without loss; after that it gets a new snapshot. Data about reorganisations is kept for as long.',
    example: '48',
    fallback: '24',
  }),
  resumeEventsMax: setting('STREAM_RESUME_EVENTS', integer({ min: 1, max: 10_000_000 }), {
    group: 'Streams',
    why: 'How many trades a stream client may have missed and still resume without loss.',
    example: '10000',
    fallback: '50000',
  }),
  totalMax: setting('STREAMS_MAX', integer({ min: 1, max: 1_000_000 }), {
    group: 'Streams',
    why: 'The maximum number of open streams per process, over all callers; more get 503 `OVERLOADED`. Each stream holds a connection, so the limit of open files must be higher.',
    example: '50000',
    fallback: '20000',
  }),
} as const;

const LIST_SETTINGS = {
  places: setting('TOKEN_LISTS', listOf(tokenListPlace), {
    group: 'Token lists',
    why: 'Token lists (Uniswap schema) that vouch for tokens, as files or https URLs, comma-separated; the first list wins on conflict. Files are read at start; URLs every hour, and the last good copy is kept in `DATA_DIR`. None is bundled.',
    example: 'https://tokens.uniswap.org,./lists/ours.json',
    fallback: '',
  }),
} as const;

const ACCESS_SETTINGS = {
  publicOrigin: optionalSetting('PUBLIC_ORIGIN', origin, {
    group: 'Access',
    why: 'The public URL of the server. Sign-in messages name it, its pages may use sessions, and with https the session cookie is `Secure`. If unset, the server can be reached from this machine only.',
    example: 'https://api.example.com',
  }),
  sessionOrigins: setting('SESSION_ORIGINS', listOf(origin), {
    group: 'Access',
    why: 'Further origins whose pages may sign in and use sessions, as exact origins.',
    example: 'https://app.example.com,https://console.example.com',
    fallback: '',
  }),
  keyPepper: optionalSetting('KEY_PEPPER', pepper, {
    group: 'Access',
    why: 'The secret, with its version, that API keys and session tokens are hashed with. New hashes use the highest version; lower ones still verify older hashes. Required with `DATABASE_URL`; otherwise one is generated in `DATA_DIR`. `echo "1:$(openssl rand -base64 32)"` generates one.',
    example: '1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    secret: true,
  }),
} as const;

const DEVNET_SETTINGS = {
  mode: setting('DEVNET', oneOf(['auto', 'on', 'off']), {
    group: 'Devnet',
    why: 'Whether to run and follow the embedded local chain; `auto` does so when no `RPC_…` is set. It needs the development dependencies.',
    example: 'off',
    fallback: 'auto',
  }),
  port: optionalSetting('DEVNET_PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Devnet',
    why: 'The loopback port of the devnet node; 0 picks a free one. If unset, it is 8545 or, where that is in use, a free one. `/v1/chains` shows the URL.',
    example: '0',
  }),
  traders: setting('DEVNET_TRADERS', oneOf(['on', 'off']), {
    group: 'Devnet',
    why: 'Whether simulated traders keep the market moving; `off` leaves the chain to you.',
    example: 'off',
    fallback: 'on',
  }),
  deployment: optionalSetting('DEVNET_DEPLOYMENT', (text) => resolve(text), {
    group: 'Devnet',
    why: 'The `deployment.json` of a devnet that already runs (`npm run devnet`), to follow it instead of starting another.',
    example: './data/devnet/deployment.json',
  }),
  startBlock: optionalSetting('START_BLOCK_DEVNET', integer({ min: 0, max: 1e12 }), {
    group: 'Devnet',
    why: 'The first devnet block to index, to test adoption of older pools; unset indexes all of it. A store that has the devnet already keeps its own start.',
    example: '500',
  }),
  historyHours: setting('DEVNET_HISTORY_HOURS', integer({ min: 0, max: 240 }), {
    group: 'Devnet',
    why: 'How many hours of history a new devnet starts with.',
    example: '1',
    fallback: '24',
  }),
} as const;

/** The chains that can be followed by setting `RPC_<CHAIN>`. */
const FOLLOWABLE_CHAINS: readonly ChainSlug[] = Object.values(CHAINS)
  .filter((chain) => FOLLOWED_FAMILIES.has(chain.family) && chain.slug !== 'devnet')
  .map((chain) => chain.slug);

function startBlockSetting(chain: ChainSlug): Setting<number | null> {
  return optionalSetting(`START_BLOCK_${chain.toUpperCase()}`, integer({ min: 0, max: 1e12 }), {
    group: 'Chains',
    why: `The first ${CHAINS[chain].name} block to index. If unset, indexing starts near the head.`,
    example: '20000000',
  });
}

const CHAIN_SETTINGS = FOLLOWABLE_CHAINS.map((chain) => ({
  chain,
  ...createRpcSettings(chain),
  startBlock: startBlockSetting(chain),
  scope: createScopeSettings(chain),
}));

const DEVNET_SCOPE = createScopeSettings('devnet');

export const SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values(SERVER_SETTINGS),
  ...Object.values(STORE_SETTINGS),
  ...Object.values(ACCESS_SETTINGS),
  ...Object.values(LIMIT_SETTINGS),
  ...CHAIN_SETTINGS.flatMap(({ chain: _, scope, ...settings }) => [
    ...Object.values(settings),
    ...Object.values(scope),
  ]),
  ...Object.values(LIST_SETTINGS),
  ...Object.values(STREAM_SETTINGS),
  ...Object.values(INDEXING_SETTINGS),
  ...Object.values(DEVNET_SETTINGS),
  ...Object.values(DEVNET_SCOPE),
];

type ValuesOf<Settings> = {
  readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer T> ? T : never;
};

export interface FollowedChain {
  readonly chain: ChainSlug;
  readonly rpcUrls: readonly string[];
  /** WebSocket URLs of nodes that announce their blocks. */
  readonly sockets: readonly string[];
  readonly startBlock: number | null;
  /** Null counts every call as one credit. */
  readonly credits: CreditTable | null;
  readonly creditsPerDay: number | null;
  readonly scope: ConfiguredScope;
}

export interface Config {
  readonly server: ValuesOf<typeof SERVER_SETTINGS>;
  readonly store: ValuesOf<typeof STORE_SETTINGS>;
  readonly access: ValuesOf<typeof ACCESS_SETTINGS>;
  readonly limits: ValuesOf<typeof LIMIT_SETTINGS>;
  readonly streams: ValuesOf<typeof STREAM_SETTINGS>;
  readonly chains: readonly FollowedChain[];
  readonly lists: ValuesOf<typeof LIST_SETTINGS>;
  readonly indexing: ValuesOf<typeof INDEXING_SETTINGS>;
  readonly devnet: ValuesOf<typeof DEVNET_SETTINGS> & { readonly scope: ConfiguredScope };
  /** Unknown settings with our prefixes: probably typos, reported at start. */
  readonly unknownNames: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks every setting; throws one `ConfigError` with all problems. */
export function loadConfig(env: Environment): Config {
  const problems: string[] = [];
  function read<T>(one: Setting<T>): T {
    const text = env[one.name]?.trim() || one.fallback;
    // An unset optional setting is null; its type says so.
    if (text === null) return null as T;
    try {
      return one.parse(text);
    } catch (error) {
      if (!(error instanceof SettingProblem)) throw error;
      problems.push(`${one.name} ${error.message}${one.secret ? '' : ` (it is "${text}")`}`);
      return null as T;
    }
  }
  function readAll<Settings extends Record<string, Setting<unknown>>>(settings: Settings) {
    const entries = Object.entries(settings).map(([key, one]) => [key, read(one)]);
    return Object.freeze(Object.fromEntries(entries)) as ValuesOf<Settings>;
  }
  function readScope(settings: ScopeSettings): ConfiguredScope {
    const values = { name: read(settings.name), watch: read(settings.watch) };
    // A scope that cannot be read is a problem of its own.
    const problem = values.name === null ? null : findScopeProblem(settings, values);
    if (problem !== null) problems.push(problem);
    return { name: values.name, watch: values.watch ?? [] };
  }
  const config: Config = {
    server: readAll(SERVER_SETTINGS),
    store: readAll(STORE_SETTINGS),
    access: readAll(ACCESS_SETTINGS),
    limits: readAll(LIMIT_SETTINGS),
    streams: readAll(STREAM_SETTINGS),
    chains: CHAIN_SETTINGS.flatMap((entry) => {
      const urls = read(entry.rpcUrls);
      const startBlock = read(entry.startBlock);
      const credits = read(entry.credits);
      const creditsPerDay = read(entry.creditsPerDay);
      const scope = readScope(entry.scope);
      if (scope.watch.length > 0 && !urls?.http.length) {
        problems.push(`${entry.scope.watch.name} needs ${entry.rpcUrls.name}: it is not followed`);
      }
      if (!urls?.http.length) return [];
      const { http: rpcUrls, sockets } = urls;
      return [{ chain: entry.chain, rpcUrls, sockets, startBlock, credits, creditsPerDay, scope }];
    }),
    lists: readAll(LIST_SETTINGS),
    indexing: readAll(INDEXING_SETTINGS),
    devnet: { ...readAll(DEVNET_SETTINGS), scope: readScope(DEVNET_SCOPE) },
    unknownNames: findUnknownNames(env),
  };
  if (config.store.databaseUrl !== null && config.access.keyPepper === null) {
    problems.push('KEY_PEPPER must be set with DATABASE_URL: all processes need the same one');
  }
  if (config.devnet.scope.watch.length > 0 && config.devnet.mode === 'off') {
    problems.push(`${DEVNET_SCOPE.watch.name} needs ${DEVNET_SETTINGS.mode.name}=on or auto`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** Node has `WATCH_…` variables of its own, with more words. */
const PREFIX = /^((RPC|START_BLOCK|SCOPE|LIQUID|LIMIT|DEVNET|RETAIN)_[A-Z]+|WATCH_[A-Z]+$)/;

function findUnknownNames(env: Environment): readonly string[] {
  const known = new Set(SETTINGS.map((one) => one.name));
  return Object.keys(env).filter((name) => PREFIX.test(name) && !known.has(name));
}

/** The configuration of this process. */
export function loadProcessConfig(): Config {
  return loadConfig(process.env);
}

/** This process's environment without our secrets, for a child process. */
export function buildChildEnvironment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const secrets = new Set(SETTINGS.filter((one) => one.secret).map((one) => one.name));
  const kept = Object.entries(process.env).filter(([name]) => !secrets.has(name));
  return { ...Object.fromEntries(kept), ...extra };
}
