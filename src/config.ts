// Every setting of the service, and the only reader of the environment.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type ChainSettings,
  createChainSettings,
  INDEXING_SETTINGS,
} from './config/chain-settings.ts';
import { DEVNET_SETTINGS } from './config/devnet-settings.ts';
import { readChainsFile } from './config/read-chains-file.ts';
import { type FileTier, readTiersFile } from './config/read-tiers-file.ts';
import {
  type ConfiguredScope,
  createScopeSettings,
  findScopeProblem,
  type ScopeSettings,
} from './config/scope-settings.ts';
import {
  CLIENT_SETTINGS,
  findProcessProblems,
  LIMIT_SETTINGS,
  PROCESS_SETTINGS,
  SERVER_SETTINGS,
  STORE_SETTINGS,
} from './config/server-settings.ts';
import {
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
  walletIdText,
} from './config/setting.ts';
import type { ArchiveSettings } from './model/archive-place.ts';
import { BUILT_IN_CHAINS, type ChainSlug } from './model/chain.ts';
import type { ChainContracts } from './model/chain-contracts.ts';
import { ChainRegistry } from './model/chain-registry.ts';
import type { CreditTable } from './model/rpc-usage.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`configuration has ${problems.length === 1 ? 'a problem' : 'problems'}`);
    this.problems = problems;
  }
}

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

const WEBHOOK_SETTINGS = {
  privateTargets: setting('WEBHOOK_PRIVATE_TARGETS', oneOf(['on', 'off']), {
    group: 'Webhooks',
    why: "Whether webhooks may be sent to private and loopback addresses, also by http and to any port: for receivers in the operator's own network. Whoever can sign in can then reach them. Link-local addresses are refused in any case.",
    example: 'on',
    fallback: 'off',
  }),
} as const;

const LIST_SETTINGS = {
  places: setting('TOKEN_LISTS', listOf(tokenListPlace), {
    group: 'Token lists',
    why: 'Token lists (Uniswap schema) that vouch for tokens, as files or https URLs, comma-separated; the first list wins on conflict. Files are read at start; URLs every hour, and the last good copy is kept in `DATA_DIR`.',
    example: 'https://tokens.uniswap.org,./lists/ours.json',
    fallback: '',
  }),
  bundled: setting('BUNDLED_TOKEN_LIST', oneOf(['on', 'off']), {
    group: 'Token lists',
    why: "Whether the token lists that come with the service vouch for tokens, after the lists of `TOKEN_LISTS`: Mintwire's own short list of well-known tokens of every built-in chain, and the Superchain Token List of Optimism for Ethereum, Base and OP Mainnet. `off` leaves them out: whom to trust is the operator's choice.",
    example: 'off',
    fallback: 'on',
  }),
  logoCacheMb: setting('LOGO_CACHE_MB', integer({ min: 0, max: 65_536 }), {
    group: 'Token lists',
    why: "Megabytes of disk in `DATA_DIR` for logos that token lists name. Each is fetched once over https, from public addresses only, and served by `/token/logo`. 0 fetches none; logos in files beside a list's own file are served all the same.",
    example: '256',
    fallback: '64',
  }),
  ipfsGateway: optionalSetting('IPFS_GATEWAY', origin, {
    group: 'Token lists',
    why: 'The origin of an IPFS gateway, for logos whose URL begins with `ipfs://`. If unset, such tokens have no logo.',
    example: 'https://ipfs.io',
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
  operatorWallets: setting('OPERATOR_WALLETS', listOf(walletIdText), {
    group: 'Access',
    why: 'Wallets whose sessions may read `/v1/status`, as addresses or wallet ids, comma-separated. A contract wallet needs its whole id, such as `eip155:8453:0x…`.',
    example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    fallback: '',
  }),
  tiersFile: optionalSetting('TIERS_FILE', (text) => resolve(text), {
    group: 'Access',
    why: 'A JSON file with tiers that `npx mintwire tiers assign` gives to wallets; docs/api/limits.md describes it. All nodes need the same file.',
    example: './tiers.json',
  }),
} as const;

const CHAINS_FILE_SETTING = optionalSetting('CHAINS_FILE', (text) => resolve(text), {
  group: 'Chains',
  why: 'A JSON file with chains that are not built in, and with further exchanges and assets of chains that are; docs/chains-file.md describes it. A chain `my-chain` of the file has the same settings as a built-in one: `RPC_MY_CHAIN`, `SCOPE_MY_CHAIN` and so on.',
  example: './chains.json',
});

const DEVNET_SCOPE = createScopeSettings(BUILT_IN_CHAINS.devnet);

function listSettings(chains: readonly ChainSettings[]): readonly Setting<unknown>[] {
  return [
    ...Object.values(SERVER_SETTINGS),
    ...Object.values(STORE_SETTINGS),
    ...Object.values(PROCESS_SETTINGS),
    ...Object.values(ACCESS_SETTINGS),
    ...Object.values(LIMIT_SETTINGS),
    CHAINS_FILE_SETTING,
    ...chains.flatMap(({ chain: _, scope, lookupTables, archives, ...settings }) => [
      ...Object.values(settings),
      ...(lookupTables === null ? [] : [lookupTables]),
      archives,
      ...Object.values(scope),
    ]),
    ...Object.values(LIST_SETTINGS),
    ...Object.values(STREAM_SETTINGS),
    ...Object.values(WEBHOOK_SETTINGS),
    ...Object.values(INDEXING_SETTINGS),
    ...Object.values(DEVNET_SETTINGS),
    ...Object.values(DEVNET_SCOPE),
    ...Object.values(CLIENT_SETTINGS),
  ];
}

/** The settings without those of chains in the operator's file. */
export const SETTINGS: readonly Setting<unknown>[] = listSettings(
  createChainSettings(new ChainRegistry()),
);

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
  readonly creditsPerSecond: number | null;
  readonly scope: ConfiguredScope;
  /** On Solana: tables of addresses that shorten transactions. */
  readonly lookupTables: readonly string[];
  /** Where history is read from in place of the endpoints. */
  readonly archives: ArchiveSettings;
  /** What the operator's file says of its contracts; null if it has no entry. */
  readonly contracts: ChainContracts | null;
}

export interface Config {
  readonly server: ValuesOf<typeof SERVER_SETTINGS>;
  readonly store: ValuesOf<typeof STORE_SETTINGS>;
  /** Of commands that ask a server. */
  readonly client: ValuesOf<typeof CLIENT_SETTINGS>;
  readonly node: ValuesOf<typeof PROCESS_SETTINGS>;
  readonly access: ValuesOf<typeof ACCESS_SETTINGS>;
  readonly limits: ValuesOf<typeof LIMIT_SETTINGS>;
  /** Those of the operator's file. */
  readonly tiers: readonly FileTier[];
  readonly streams: ValuesOf<typeof STREAM_SETTINGS>;
  readonly webhooks: ValuesOf<typeof WEBHOOK_SETTINGS>;
  readonly chains: readonly FollowedChain[];
  /** Every chain that is known by name, followed or not. */
  readonly knownChains: ChainRegistry;
  readonly lists: ValuesOf<typeof LIST_SETTINGS>;
  readonly indexing: ValuesOf<typeof INDEXING_SETTINGS>;
  readonly devnet: ValuesOf<typeof DEVNET_SETTINGS> & { readonly scope: ConfiguredScope };
  /** Unknown settings with our prefixes: probably typos, reported at start. */
  readonly unknownNames: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A chain's slug may make the name of another setting, such as `credits-base`. */
function findSharedNames(settings: readonly Setting<unknown>[]): string[] {
  const names = settings.map((one) => one.name);
  const shared = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...shared].map(
    (name) => `CHAINS_FILE has a chain whose name makes ${name} two settings: rename it`,
  );
}

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
  const chainsFile = read(CHAINS_FILE_SETTING);
  const fileChains = chainsFile === null ? [] : readChainsFile(chainsFile, problems);
  const knownChains = new ChainRegistry(fileChains.map(({ info }) => info));
  const chainSettings = createChainSettings(knownChains);
  const settings = listSettings(chainSettings);
  problems.push(...findSharedNames(settings));
  const access = readAll(ACCESS_SETTINGS);
  const indexing = readAll(INDEXING_SETTINGS);
  const config: Config = {
    server: readAll(SERVER_SETTINGS),
    store: readAll(STORE_SETTINGS),
    client: readAll(CLIENT_SETTINGS),
    node: readAll(PROCESS_SETTINGS),
    access,
    limits: readAll(LIMIT_SETTINGS),
    tiers: access.tiersFile === null ? [] : readTiersFile(access.tiersFile, problems),
    streams: readAll(STREAM_SETTINGS),
    webhooks: readAll(WEBHOOK_SETTINGS),
    knownChains,
    chains: chainSettings.flatMap((entry) => {
      const urls = read(entry.rpcUrls);
      const startBlock = read(entry.startBlock);
      const credits = read(entry.credits);
      const creditsPerDay = read(entry.creditsPerDay);
      const creditsPerSecond = read(entry.creditsPerSecond);
      const scope = readScope(entry.scope);
      if (scope.watch.length > 0 && !urls?.http.length) {
        problems.push(`${entry.scope.watch.name} needs ${entry.rpcUrls.name}: it is not followed`);
      }
      if (!urls?.http.length) return [];
      const { http: rpcUrls, sockets } = urls;
      const contracts = fileChains.find(({ info }) => info.slug === entry.chain)?.contracts ?? null;
      const costs = { credits, creditsPerDay, creditsPerSecond };
      const followed = { chain: entry.chain, rpcUrls, sockets, startBlock, ...costs };
      const lookupTables = entry.lookupTables === null ? [] : read(entry.lookupTables);
      const places = read(entry.archives);
      const archives = { places: places ?? [], samplePct: indexing.historySamplePct };
      return [{ ...followed, scope, contracts, lookupTables, archives }];
    }),
    lists: readAll(LIST_SETTINGS),
    indexing,
    devnet: { ...readAll(DEVNET_SETTINGS), scope: readScope(DEVNET_SCOPE) },
    unknownNames: findUnknownNames(env, settings),
  };
  problems.push(...findProcessProblems(config));
  if (config.devnet.scope.watch.length > 0 && config.devnet.mode === 'off') {
    problems.push(`${DEVNET_SCOPE.watch.name} needs ${DEVNET_SETTINGS.mode.name}=on or auto`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** Node has `WATCH_…` variables of its own, with more words. */
const PREFIX = /^((RPC|HISTORY|START_BLOCK|SCOPE|LIQUID|LIMIT|DEVNET|RETAIN)_[A-Z]+|WATCH_[A-Z]+$)/;

function findUnknownNames(
  env: Environment,
  settings: readonly Setting<unknown>[],
): readonly string[] {
  const known = new Set(settings.map((one) => one.name));
  return Object.keys(env).filter((name) => PREFIX.test(name) && !known.has(name));
}

/** In the folder that a command is called in. Variables of the environment come first. */
export const SETTINGS_FILE = 'mintwire.env';

function readSettingsFile(): void {
  if (!existsSync(SETTINGS_FILE)) return;
  try {
    process.loadEnvFile(SETTINGS_FILE);
  } catch (error) {
    throw new ConfigError([`${SETTINGS_FILE} cannot be read: ${(error as Error).message}`]);
  }
}

/** The configuration of this process; what its command line says comes first. */
export function loadProcessConfig(typed: Environment = {}): Config {
  readSettingsFile();
  return loadConfig({ ...process.env, ...typed });
}

/** This process's environment without our secrets, for a child process. */
export function buildChildEnvironment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const secrets = new Set(SETTINGS.filter((one) => one.secret).map((one) => one.name));
  // The operator's file may add chains, each with endpoints.
  const isSecret = (name: string) => secrets.has(name) || /^(?:RPC|HISTORY)_/.test(name);
  const kept = Object.entries(process.env).filter(([name]) => !isSecret(name));
  return { ...Object.fromEntries(kept), ...extra };
}
