// The adapter of an EVM chain: composes endpoints, decoders and pools.

import type { Clock } from '../../lib/clock.ts';
import { type Random, type Sleep, sleep as sleepInRealTime } from '../../lib/retry.ts';
import type { ArchiveSettings } from '../../model/archive-place.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { ChainAdapter, ChainHead, KnownPools } from '../adapter.ts';
import { readAgreedHeader, readAnyHeader } from '../rpc/agreed-header.ts';
import { EndpointPool } from '../rpc/endpoint-pool.ts';
import { type Log, RpcClient } from '../rpc/rpc-client.ts';
import type { EndpointLimits, RpcEndpoint } from '../rpc/rpc-endpoint.ts';
import { openArchives } from './archives/open-archives.ts';
import { ArchivedLogs } from './blocks/archived-logs.ts';
import { BlockReader, type LogVerification } from './blocks/block-reader.ts';
import { EvmHistory } from './blocks/evm-history.ts';
import { HeadReader } from './blocks/head-reader.ts';
import { HeadSubscription } from './blocks/head-subscription.ts';
import { HeadTimer } from './blocks/head-timer.ts';
import { createLogFilters } from './blocks/log-filters.ts';
import type { LogSpanOptions } from './blocks/log-span.ts';
import type { EvmDeployment } from './data/deployments/evm-deployment.ts';
import type { EvmLog } from './data/evm-log.ts';
import { ForkFinder } from './pools/fork-finder.ts';
import { ForkQueue } from './pools/fork-queue.ts';
import { PoolDirectory } from './pools/pool-directory.ts';
import { PoolPageReader } from './pools/pool-page-reader.ts';
import { TokenFinder } from './pools/token-finder.ts';
import { createReadAt } from './rpc/create-read-at.ts';
import { createEvmDialect } from './rpc/evm-dialect.ts';
import { type CallContracts, callContracts } from './rpc/multicall.ts';
import { readHeaderAt } from './rpc/read-header.ts';
import { readNames } from './tokens/read-names.ts';
import { readBalances, readContractSupplies } from './tokens/read-token-metadata.ts';
import { createLogDecoding } from './venues/log-decoding.ts';
import { readPoolStates } from './venues/read-pool-states.ts';
import { describeAssets, FORK_PROTOCOLS, listSharedEmitters } from './venues/registry.ts';

export interface EvmAdapterOptions {
  readonly chain: ChainSlug;
  /** HTTP or HTTPS URLs, the preferred one first; or a pool that others use, too. */
  readonly endpoints: readonly string[] | EndpointPool;
  readonly deployment: EvmDeployment;
  readonly clock: Clock;
  readonly random: Random;
  readonly knownPools: KnownPools;
  readonly log?: Log;
  readonly sleep?: Sleep;
  /**
   * `linked` (the default) checks the logs of linked ranges against their headers; `all` does so
   * for every range, which needs every header.
   */
  readonly verification?: LogVerification;
  /** For nodes that serve log queries only for given contracts. */
  readonly logAddresses?: readonly string[];
  readonly span?: Partial<LogSpanOptions>;
  readonly limits?: Partial<EndpointLimits>;
  /** How long one read may look for a working endpoint. */
  readonly budgetMs?: number;
  /** WebSocket URLs of nodes that announce their blocks. */
  readonly sockets?: readonly string[];
  /** Whether the head is polled about when a block is due; otherwise at fixed intervals. */
  readonly isPollTimed?: boolean;
  /** Whether pairs of factories that nobody listed are accepted by what they do. */
  readonly findsForks?: boolean;
  /** Where whole blocks that are final are read, before the endpoints. */
  readonly archives?: ArchiveSettings | undefined;
  /** How old the final block may become before it is read again. */
  readonly finalizedAgeMs?: number;
}

const DEFAULT_LIMITS: EndpointLimits = {
  timeoutMs: 20_000,
  replyBytesMax: 64 * 1024 * 1024,
  batchCallsMax: 50,
  batchesMax: 3,
  chainCheckMs: 600_000,
};

const DEFAULT_FINALIZED_AGE_MS = 60_000;

/** How long to wait for an announcement before looking whether it is overdue. */
const ANNOUNCED_MAX_MS = 10_000;

const DEFAULT_SPAN: LogSpanOptions = { blocksStart: 200, blocksMax: 10_000, logsTarget: 8000 };

const DEFAULT_BUDGET_MS = 30_000;

const SILENT: Log = { info: () => {}, warn: () => {} };

export interface EvmAdapter extends ChainAdapter {
  readonly deployment: EvmDeployment;
  /** For other reads from the same endpoints, such as quotes and simulations. */
  readonly client: RpcClient;
}

/** One for work in the background, and one for lookups, which clients wait for. */
function createClients(options: EvmAdapterOptions): { client: RpcClient; lookups: RpcClient } {
  const endpoints =
    options.endpoints instanceof EndpointPool
      ? options.endpoints
      : new EndpointPool(options.endpoints, options);
  const shared = {
    endpoints,
    dialect: createEvmDialect(options.deployment.chainId),
    clock: options.clock,
    random: options.random,
    sleep: options.sleep ?? sleepInRealTime,
    log: options.log ?? SILENT,
    budgetMs: options.budgetMs ?? DEFAULT_BUDGET_MS,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  };
  return {
    client: new RpcClient({ ...shared, isPaced: true }),
    lookups: new RpcClient({ ...shared, isPaced: false }),
  };
}

/** How the head is read and waited for. */
function createHeads(
  options: EvmAdapterOptions,
  parts: { readonly client: RpcClient; readonly wantsSenders: (endpoint: RpcEndpoint) => boolean },
) {
  const { clock, random, log = SILENT, sockets = [], sleep = sleepInRealTime } = options;
  const { chainId, finalityDepth } = options.deployment;
  const { meter } = parts.client;
  const subscription =
    sockets.length === 0
      ? null
      : new HeadSubscription({ urls: sockets, chainId, meter, random, log });
  const finalizedAgeMs = options.finalizedAgeMs ?? DEFAULT_FINALIZED_AGE_MS;
  const reader = new HeadReader({ ...parts, subscription, finalityDepth, finalizedAgeMs, clock });
  const timer = new HeadTimer();
  return {
    reader,
    listFaults: (): string[] => {
      const fault = subscription?.describeFault() ?? null;
      return fault === null ? [] : [fault];
    },
    close: () => subscription?.close(),
    async read(signal?: AbortSignal): Promise<ChainHead> {
      const askedAtMs = clock.nowMs();
      const head = await reader.read(signal);
      timer.observe(head.latest, clock.nowMs(), askedAtMs);
      return head;
    },
    async wait(intervalMs: number, signal: AbortSignal): Promise<void> {
      subscription?.start();
      const pollMs = options.isPollTimed
        ? timer.computeWaitMs(clock.nowMs(), intervalMs)
        : intervalMs;
      const announced = subscription?.latest ?? null;
      const pause = async () => {
        const pauseMs = timer.computePauseMs(clock.nowMs());
        if (pauseMs > 0) await sleep(pauseMs, signal);
      };
      if (announced !== null && reader.isNews(announced)) return await pause();
      const waitMs = announced === null ? pollMs : ANNOUNCED_MAX_MS;
      if (subscription === null) return await sleep(waitMs, signal);
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const slept = sleep(waitMs, either).catch(() => signal.throwIfAborted());
      await Promise.race([slept, subscription.untilNews(either)]).finally(() => over.abort());
      signal.throwIfAborted();
      if (subscription.latest !== null) await pause();
    },
  };
}

/** Reads of contracts at a block. */
function createStateReads(
  readAt: ReturnType<typeof createReadAt>,
  deployment: EvmDeployment,
): Pick<EvmAdapter, 'readSupplies' | 'readBalances' | 'readPoolStates'> {
  return {
    async readSupplies(tokens, block, signal) {
      const read = (call: CallContracts) => readContractSupplies(tokens, call);
      const supplies = await readAt(block, read, { signal });
      return supplies?.value ?? tokens.map((token) => ({ token, supplyRaw: null }));
    },
    async readBalances(keys, block, signal) {
      const balances = await readAt(block, (call) => readBalances(keys, call), { signal });
      return balances?.value ?? keys.map(() => null);
    },
    async readPoolStates(queries, block, signal) {
      const read = (call: CallContracts) =>
        readPoolStates(queries, { deployment, callContracts: call });
      return (await readAt(block, read, { signal }))?.value ?? [];
    },
  };
}

function createDirectory(
  options: EvmAdapterOptions,
  client: RpcClient,
): { readonly directory: PoolDirectory; readonly forks: ForkQueue | null } {
  const { deployment, knownPools, findsForks, clock } = options;
  const { log = SILENT, sleep = sleepInRealTime } = options;
  const known = { deployment, knownPools, isFiltered: (options.logAddresses ?? null) !== null };
  if (!findsForks) return { directory: new PoolDirectory(known), forks: null };
  const finder = new ForkFinder(client, deployment);
  const accept = (description: PoolDescription) => directory.accept(description);
  const forget = (pool: PoolId) => directory.forget(pool);
  const isSlowed = () => client.meter.describeSlowed() !== null;
  const forks = new ForkQueue({ finder, accept, forget, isSlowed, sleep, clock, log });
  const onUnclaimed = (swaps: readonly EvmLog[]) =>
    forks.add(FORK_PROTOCOLS.flatMap(({ listSwapped }) => listSwapped(swaps)));
  const directory = new PoolDirectory({ ...known, onUnclaimed });
  return { directory, forks };
}

export function createEvmAdapter(options: EvmAdapterOptions): EvmAdapter {
  const { deployment } = options;
  const { client, lookups } = createClients(options);
  const { multicall3 } = deployment;
  const createCallContracts =
    (at: { minBlock?: number; signal?: AbortSignal | undefined }): CallContracts =>
    (calls) =>
      callContracts(calls, { client, multicall3, block: null, ...at });
  const { directory, forks } = createDirectory(options, client);
  const logReading = {
    client,
    directory,
    createCallContracts,
    decoding: createLogDecoding(deployment),
    clock: options.clock,
  };
  const archives = openArchives(options.archives ?? { places: [], samplePct: 0 }, {
    ...{ client, chainId: deployment.chainId, clock: options.clock, random: options.random },
    ...{ log: options.log ?? SILENT, sleep: options.sleep ?? sleepInRealTime },
  });
  const archivedLogs =
    archives === null
      ? null
      : new ArchivedLogs({
          ...{ client, sources: archives.sources, clock: options.clock, random: options.random },
          samplePct: options.archives?.samplePct ?? 0,
        });
  const reader = new BlockReader({
    ...logReading,
    ...{ archives, archivedLogs },
    verification: options.verification ?? 'linked',
    filters: createLogFilters(deployment),
    logAddresses: options.logAddresses ?? null,
    span: { ...DEFAULT_SPAN, ...options.span },
    known: {
      findBlock: (endpoint, position) => heads.reader.findBlock(endpoint, position),
      forgetBlock: (endpoint) => heads.reader.forgetBlock(endpoint),
    },
  });
  const wantsSenders = (endpoint: RpcEndpoint) => reader.wantsSenders(endpoint);
  const heads = createHeads(options, { client, wantsSenders });

  const readAt = createReadAt(client, multicall3);
  const pages = new PoolPageReader(readAt, deployment);
  const finder = new TokenFinder(lookups, deployment);
  return {
    chain: options.chain,
    deployment,
    client,
    assets: describeAssets(deployment),
    readHead: (signal) => heads.read(signal),
    waitForHead: (intervalMs, signal) => heads.wait(intervalMs, signal),
    readHeader: (position, signal) =>
      readAnyHeader(client, { position, readAt: readHeaderAt }, signal),
    readAgreedHeader: (position, signal) =>
      readAgreedHeader(client, { position, readAt: readHeaderAt }, signal),
    readBlocks: (range, signal) => reader.read(range, signal),
    readTokenMetadata: (tokens, from = {}) => readNames(tokens, from, { client, multicall3 }),
    ...createStateReads(readAt, deployment),
    readPoolPage: (query, block, signal) => pages.read(query, block, signal),
    noteRollback: (position) => forks?.forgetAbove(position),
    history: new EvmHistory({
      ...{ ...logReading, ...listSharedEmitters(deployment) },
      archives: archivedLogs,
    }),
    findToken: (query, block, signal) => finder.find(query, block, signal),
    status: () => ({
      endpoints: client.endpoints.map((endpoint) => endpoint.describeStatus()),
      poolsIgnored: directory.ignoredCount,
      swapsUnclaimed: directory.unclaimedCount,
      repliesRefused: client.repliesRefused + lookups.repliesRefused,
      limitations: [
        ...client.listLimitations(),
        ...heads.listFaults(),
        ...(archives?.listLimitations() ?? []),
      ],
      slowed: client.meter.describeSlowed(),
    }),
    async close() {
      forks?.close();
      archives?.close();
      heads.close();
      client.close();
      lookups.close();
    },
  };
}
