// The adapter of an EVM chain: composes endpoints, decoders and pools.

import type { Clock } from '../../lib/clock.ts';
import { type Random, type Sleep, sleep as sleepInRealTime } from '../../lib/retry.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainAdapter, KnownPools } from '../adapter.ts';
import { PoolPieceReader } from './adopt/pool-piece-reader.ts';
import { BlockReader, type LogVerification } from './blocks/block-reader.ts';
import type { LogSpanOptions } from './blocks/log-span.ts';
import { type EvmDeployment, toChainAssets } from './evm-deployment.ts';
import { createLogDecoding } from './log-decoding.ts';
import { callContracts } from './multicall.ts';
import { PoolDirectory } from './pools/pool-directory.ts';
import { HeadReader } from './read-head.ts';
import { readAgreedHeader, readHeader } from './read-header.ts';
import type { EndpointPool } from './rpc/endpoint-pool.ts';
import { type Log, RpcClient } from './rpc/rpc-client.ts';
import type { EndpointLimits } from './rpc/rpc-endpoint.ts';
import { isRpcError } from './rpc/rpc-error.ts';
import {
  readBalances,
  readContractSupplies,
  readTokenMetadata,
} from './tokens/read-token-metadata.ts';
import { readPoolStates } from './venues/read-pool-states.ts';
import type { CallContracts } from './venues/venue-protocol.ts';

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
}

const DEFAULT_LIMITS: EndpointLimits = {
  timeoutMs: 20_000,
  replyBytesMax: 64 * 1024 * 1024,
  batchCallsMax: 50,
  batchesMax: 3,
  chainCheckMs: 15_000,
};

const DEFAULT_SPAN: LogSpanOptions = { blocksStart: 200, blocksMax: 10_000, logsTarget: 15_000 };

const DEFAULT_BUDGET_MS = 30_000;

const SILENT: Log = { info: () => {}, warn: () => {} };

export interface EvmAdapter extends ChainAdapter {
  readonly deployment: EvmDeployment;
  /** For other reads from the same endpoints, such as quotes and simulations. */
  readonly client: RpcClient;
}

function createClient(options: EvmAdapterOptions): RpcClient {
  return new RpcClient({
    endpoints: options.endpoints,
    chainId: options.deployment.chainId,
    clock: options.clock,
    random: options.random,
    sleep: options.sleep ?? sleepInRealTime,
    log: options.log ?? SILENT,
    budgetMs: options.budgetMs ?? DEFAULT_BUDGET_MS,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  });
}

/** What contracts said at a block; null if no node has its state or it is no longer there. */
function createReadAt(client: RpcClient, multicall3: Address | null) {
  return async <T>(
    block: BlockHeader,
    read: (callContracts: CallContracts) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | null> => {
    try {
      const result = await read((calls) =>
        callContracts(calls, { client, multicall3, block: block.position, signal }),
      );
      // Calls are by number, since not every node accepts hashes, so the block's hash is checked
      // afterwards.
      const header = await readHeader(client, block.position, signal);
      return header?.hash === block.hash ? result : null;
    } catch (error) {
      if (isRpcError(error, 'stateUnavailable')) return null;
      throw error;
    }
  };
}

export function createEvmAdapter(options: EvmAdapterOptions): EvmAdapter {
  const { deployment } = options;
  const client = createClient(options);
  const { multicall3 } = deployment;
  const directory = new PoolDirectory({ deployment, knownPools: options.knownPools });
  const createCallContracts =
    (at: { minBlock?: number; signal?: AbortSignal | undefined }): CallContracts =>
    (calls) =>
      callContracts(calls, { client, multicall3, block: null, ...at });
  const reader = new BlockReader({
    client,
    directory,
    createCallContracts,
    decoding: createLogDecoding(deployment),
    verification: options.verification ?? 'linked',
    logAddresses: options.logAddresses ?? null,
    span: { ...DEFAULT_SPAN, ...options.span },
  });
  const { finalityDepth } = deployment;
  const heads = new HeadReader({ client, finalityDepth, clock: options.clock });

  const readAt = createReadAt(client, multicall3);
  const pieces = new PoolPieceReader(client, deployment);
  return {
    chain: options.chain,
    deployment,
    client,
    assets: toChainAssets(deployment),
    readHead: (signal) => heads.read(signal),
    readHeader: (block, signal) => readHeader(client, block, signal),
    readAgreedHeader: (block, signal) => readAgreedHeader(client, block, signal),
    readBlocks: (range, signal) => reader.read(range, signal),
    readTokenMetadata: (tokens, signal) =>
      readTokenMetadata(tokens, createCallContracts({ signal })),
    async readSupplies(tokens, block, signal) {
      const supplies = await readAt(block, (call) => readContractSupplies(tokens, call), signal);
      return supplies ?? tokens.map((token) => ({ token, supplyRaw: null }));
    },
    async readBalances(keys, block, signal) {
      const balances = await readAt(block, (call) => readBalances(keys, call), signal);
      return balances ?? keys.map(() => null);
    },
    async readPoolStates(queries, block, signal) {
      const read = (call: CallContracts) =>
        readPoolStates(queries, { deployment, callContracts: call });
      return (await readAt(block, read, signal)) ?? [];
    },
    readPoolPiece: (query, block, signal) => pieces.read(query, block, signal),
    status: () => ({
      endpoints: client.endpoints.map((endpoint) => endpoint.describeStatus()),
      poolsIgnored: directory.ignoredCount,
      repliesRefused: client.repliesRefused,
    }),
    async close() {
      client.close();
    },
  };
}
