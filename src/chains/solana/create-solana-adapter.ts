// The adapter of Solana: composes endpoints, decoders and pools.

import type { Clock } from '../../lib/clock.ts';
import { type Random, type Sleep, sleep as sleepInRealTime } from '../../lib/retry.ts';
import type { ArchiveSettings } from '../../model/archive-place.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { ChainAdapter, ChainAssets, ChainSourceStatus, KnownPools } from '../adapter.ts';
import type { ChainLog } from '../family.ts';
import { readAgreedHeader, readAnyHeader } from '../rpc/agreed-header.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RpcClient } from '../rpc/rpc-client.ts';
import type { EndpointLimits, RpcEndpoint } from '../rpc/rpc-endpoint.ts';
import { isRpcError } from '../rpc/rpc-error.ts';
import { SolanaPortal } from './archives/solana-portal.ts';
import { readSlotHeader } from './blocks/read-slot-header.ts';
import { SlotHeadReader } from './blocks/slot-head-reader.ts';
import { SolanaArchives } from './blocks/solana-archives.ts';
import { SolanaBlockReader } from './blocks/solana-block-reader.ts';
import { UndecodedCalls } from './blocks/undecoded-calls.ts';
import { PoolStateReader } from './pools/pool-state-reader.ts';
import { SolanaPoolDirectory } from './pools/solana-pool-directory.ts';
import { SolanaTokenFinder } from './pools/solana-token-finder.ts';
import { createSolanaDialect } from './rpc/solana-dialect.ts';
import { TransactionVersions } from './rpc/transaction-versions.ts';
import { MintNames } from './tokens/mint-names.ts';
import { readHeldNow } from './tokens/read-held-now.ts';
import { readMintSupplies, readUnusedSupplies } from './tokens/read-mints.ts';
import { readOwnerBalances } from './tokens/read-owner-balances.ts';
import { readTokenHolders } from './tokens/read-token-holders.ts';

interface SolanaAdapterOptions {
  readonly chain: ChainSlug;
  /** Its hash, or the part of it in the chain's CAIP-2 identifier. */
  readonly genesis: string;
  /** URLs, the preferred one first; or a pool that others use, too. */
  readonly endpoints: readonly string[] | EndpointPool;
  readonly assets: ChainAssets;
  readonly knownPools: KnownPools;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep?: Sleep;
  readonly log?: ChainLog;
  readonly limits?: Partial<EndpointLimits>;
  /** How long one read may look for a working endpoint. */
  readonly budgetMs?: number;
  /** Where whole blocks that are final are read, before the endpoints. */
  readonly archives?: ArchiveSettings | undefined;
}

const DEFAULT_LIMITS: EndpointLimits = {
  timeoutMs: 20_000,
  // A block of mainnet is 3 to 7 megabytes.
  replyBytesMax: 64 * 1024 * 1024,
  batchCallsMax: 20,
  batchesMax: 3,
  chainCheckMs: 600_000,
};

const DEFAULT_BUDGET_MS = 30_000;

const SILENT: ChainLog = { info: () => {}, warn: () => {} };

interface SolanaAdapter extends ChainAdapter {
  status(): ChainSourceStatus;
}

/** Null if the endpoint does not have the block, or no longer has it. */
async function readHeaderAt(
  endpoint: RpcEndpoint,
  position: number,
  signal?: AbortSignal,
): Promise<BlockHeader | null> {
  try {
    return await readSlotHeader(endpoint, position, signal);
  } catch (error) {
    if (isRpcError(error, 'stateUnavailable')) return null;
    throw error;
  }
}

export function createSolanaAdapter(options: SolanaAdapterOptions): SolanaAdapter {
  const { assets, clock, random, endpoints } = options;
  const sleep = options.sleep ?? sleepInRealTime;
  const client = new RpcClient({
    ...{ endpoints, clock, random, isPaced: true },
    dialect: createSolanaDialect(options.genesis),
    sleep,
    log: options.log ?? SILENT,
    budgetMs: options.budgetMs ?? DEFAULT_BUDGET_MS,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  });
  const directory = new SolanaPoolDirectory(options.knownPools);
  const undecoded = new UndecodedCalls();
  const versions = new TransactionVersions(options.log ?? SILENT);
  const quotes = new Set([...assets.native, ...assets.stable]);
  const names = new MintNames(client);
  const atHeader = (position: number) => ({ position, readAt: readHeaderAt });
  const { places, samplePct } = options.archives ?? { places: [], samplePct: 0 };
  const archives =
    places.length === 0
      ? null
      : new SolanaArchives({
          ...{ client, versions, samplePct, clock, random, log: options.log ?? SILENT },
          sources: places.map(({ place }) => new SolanaPortal(place)),
          // While some are down nobody may have a majority: one that answers is asked then.
          readHeader: async (slot, signal) =>
            (await readAgreedHeader(client, atHeader(slot), signal)) ??
            (await readAnyHeader(client, atHeader(slot), signal)),
        });
  const reader = new SolanaBlockReader({
    ...{ client, clock, directory, undecoded, versions, names, quotes, archives },
  });
  const heads = new SlotHeadReader({ client, clock, sleep });
  const states = new PoolStateReader(client, clock);
  const tokens = new SolanaTokenFinder({ client, assets, clock });
  return {
    chain: options.chain,
    assets,
    hasNewestStateOnly: true,
    readHead: (signal) => heads.read(signal),
    waitForHead: (intervalMs, signal) => heads.wait(intervalMs, signal),
    readHeader: (position, signal) => readAnyHeader(client, atHeader(position), signal),
    readAgreedHeader: (position, signal) => readAgreedHeader(client, atHeader(position), signal),
    readBlocks: (range, signal) => reader.read(range, signal),
    readTokenMetadata: (tokens, { signal } = {}) => names.read(tokens, signal),
    readSupplies: (tokens, { position: slot }, signal) =>
      client.at((endpoint) => readMintSupplies(endpoint, { tokens, slot }, signal), { signal }),
    readExactSupplies: (tokens, { position: slot }, signal) =>
      client.at((endpoint) => readUnusedSupplies(endpoint, { tokens, slot }, signal), { signal }),
    readPoolStates: (queries, block, signal) => states.readStates(queries, block, signal),
    readBalances: (keys, { position: slot }, signal) =>
      client.at((endpoint) => readOwnerBalances(endpoint, { keys, slot }, signal), { signal }),
    readHolders: ({ token, minBlock: minSlot }, signal) =>
      readTokenHolders(client, { token, minSlot }, signal),
    readHeldNow: ({ token, owners, minBlock: minSlot }, signal) =>
      readHeldNow(client, { token, owners, minSlot }, signal),
    readPoolPage: (query, block, signal) => states.readPage(query, block, signal),
    findToken: (query, block, signal) => tokens.find(query, block, signal),
    status: () => ({
      endpoints: client.endpoints.map((endpoint) => endpoint.describeStatus()),
      poolsIgnored: directory.ignoredCount,
      repliesRefused: client.repliesRefused,
      limitations: [
        ...client.listLimitations(),
        ...versions.listLimitations(),
        ...(archives?.listLimitations() ?? []),
      ],
      slowed: client.meter.describeSlowed(),
      undecoded: [...undecoded.list(), ...versions.listCounts()],
    }),
    async close() {
      archives?.close();
      client.close();
    },
  };
}
