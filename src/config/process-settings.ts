// What this process does, when several share a store.

import { type ChainSlug, type EmbeddedSlug, parseChainSlug } from '../model/chain.ts';
import { listEmbedded } from './devnet-settings.ts';
import { integer, listOf, oneOf, SettingProblem, setting } from './setting.ts';

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
