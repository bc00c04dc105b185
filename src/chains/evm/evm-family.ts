// The family of EVM chains.

import { sleep } from '../../lib/retry.ts';
import { type ChainInfo, isBuiltIn } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainMarket, ChainNodes, RoundTrip } from '../chain-nodes.ts';
import type { ChainFamily, ChainSource, NodeParts } from '../family.ts';
import { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RpcClient } from '../rpc/rpc-client.ts';
import type { EndpointLimits } from '../rpc/rpc-endpoint.ts';
import type { TradeRouter } from '../trade-router.ts';
import { measureEndpoints } from './blocks/measure-endpoints.ts';
import { checkContracts } from './check-contracts.ts';
import { createEvmAdapter } from './create-evm-adapter.ts';
import { BURN_ADDRESSES } from './data/burn-addresses.ts';
import type { EvmDeployment } from './data/deployments/evm-deployment.ts';
import { EVM_ADDRESSES } from './data/evm-addresses.ts';
import { parseEvmTransaction } from './data/evm-ids.ts';
import { EVM_WALLETS } from './data/evm-signature.ts';
import { LOCKERS } from './pools/lockers.ts';
import { readLiquidityOwners } from './pools/read-liquidity-owners.ts';
import { createEvmDialect } from './rpc/evm-dialect.ts';
import { type CallContracts, callContracts } from './rpc/multicall.ts';
import { readContractAccounts } from './rpc/read-contract-accounts.ts';
import { readContractFacts } from './tokens/read-contract-facts.ts';
import { readHoldings } from './tokens/read-holdings.ts';
import { EVM_COSTS, findHopBytes, findSwapCost } from './trading/evm-transaction-costs.ts';
import { createEvmTransactions } from './trading/evm-transactions.ts';
import { readDataFees } from './trading/read-data-fees.ts';
import { readNetworkFees } from './trading/read-network-fees.ts';
import { simulateRoundTrip } from './trading/simulate-round-trip.ts';
import { verifyContractSignature } from './trading/verify-contract-signature.ts';
import { EVM_DEPLOYMENTS } from './venues/deployments.ts';
import { toFileDeployment } from './venues/file-deployment.ts';
import { parseDevnetDeployment } from './venues/parse-devnet-deployment.ts';
import { quotePoolsOnChain } from './venues/quote-pools-on-chain.ts';
import { readPoolFees } from './venues/read-pool-fees.ts';
import { describeAssets, findFirst, VENUE_PROTOCOLS } from './venues/registry.ts';
import { listSwapRouters, type SwapRouter } from './venues/swap-routers.ts';

// All that is asked of an EVM chain's nodes, over one pool of endpoints. How long a use waits, and
// how much it asks for at once, is its own.

interface NodeUse {
  readonly budgetMs: number;
  /** Whether it waits when the daily budget is spent. */
  readonly isPaced?: boolean;
  readonly limits: EndpointLimits;
}

/** A person waits: an endpoint that does not answer soon counts as not answering. */
const BUILD_USE: NodeUse = {
  budgetMs: 8000,
  limits: {
    timeoutMs: 6000,
    replyBytesMax: 8 * 1024 * 1024,
    batchCallsMax: 30,
    batchesMax: 2,
    chainCheckMs: 15_000,
  },
};

/** For background requests, for which no client waits. */
const WATCH_USE: NodeUse = {
  budgetMs: 10_000,
  isPaced: true,
  limits: {
    timeoutMs: 8000,
    replyBytesMax: 4 * 1024 * 1024,
    batchCallsMax: 20,
    batchesMax: 2,
    chainCheckMs: 600_000,
  },
};

/** Quotes wait for the first fees. */
const FEE_USE: NodeUse = { ...WATCH_USE, isPaced: false };

/** A reader waits. */
const ACCOUNT_USE: NodeUse = {
  budgetMs: 2000,
  limits: {
    timeoutMs: 1800,
    replyBytesMax: 32 * 1024 * 1024,
    batchCallsMax: 50,
    batchesMax: 4,
    chainCheckMs: 15_000,
  },
};

/** A person waits. */
const SIGNATURE_USE: NodeUse = {
  budgetMs: 4500,
  limits: {
    timeoutMs: 4000,
    replyBytesMax: 256 * 1024,
    batchCallsMax: 2,
    batchesMax: 1,
    chainCheckMs: 15_000,
  },
};

const OWN_FINALIZED_AGE_MS = 1000;

interface EvmNodesParts extends NodeParts {
  readonly deployment: EvmDeployment;
}

function openEvmNodes(source: ChainSource, parts: EvmNodesParts): ChainNodes {
  const { deployment, clock, log, shared } = parts;
  const dialect = createEvmDialect(deployment.chainId);
  const random = Math.random;
  const { budget, sockets } = source;
  const endpoints = new EndpointPool(source.endpoints, { clock, random, shared, budget });
  // The devnet's node is ours alone, and makes blocks when it is told to.
  const isOurs = source.instance !== null;
  const polling = isOurs ? { finalizedAgeMs: OWN_FINALIZED_AGE_MS } : { isPollTimed: true };
  const open = (use: NodeUse): RpcClient =>
    new RpcClient({ ...use, endpoints, dialect, clock, random, sleep, log });
  const watching = open(WATCH_USE);
  const pricing = open(FEE_USE);
  const building = open(BUILD_USE);
  const accounts = open(ACCOUNT_USE);
  const signatures = open(SIGNATURE_USE);
  return {
    createAdapter: ({ usesArchives, ...options }) =>
      createEvmAdapter({
        ...{ chain: source.chain, endpoints, deployment, clock, random, log, ...polling },
        ...(sockets === undefined ? {} : { sockets }),
        ...options,
        archives: usesArchives === true ? source.archives : undefined,
        // The devnet's factories are all listed.
        findsForks: options.findsForks === true && !isOurs,
      }),
    transactions: createEvmTransactions(deployment, { client: building, clock }),
    readFees: async (signal) => {
      const [fees, data] = await Promise.all([
        readNetworkFees(pricing, signal),
        readDataFees(pricing, deployment),
      ]);
      const perUnit = fees.baseFeePerGas + fees.maxPriorityFeePerGas;
      return { perUnit, perUnitMax: fees.maxFeePerGas, tips: fees.tips, data };
    },
    readPoolFees: (pools, signal) => {
      const { multicall3 } = deployment;
      const at = { client: watching, multicall3, block: null, signal };
      return readPoolFees(pools, {
        deployment,
        callContracts: (calls) => callContracts(calls, at),
      });
    },
    quotePools: ({ block, ...query }, signal) => {
      const { multicall3 } = deployment;
      const at = { client: accounts, multicall3, block, minBlock: block, signal };
      const call: CallContracts = (calls) => callContracts(calls, at);
      return quotePoolsOnChain(query, { deployment, call });
    },
    simulateRoundTrip: (trip: RoundTrip, signal) =>
      simulateRoundTrip(watching, { trip, deployment }, signal),
    findContracts: (addresses, signal) => readContractAccounts(accounts, addresses, signal),
    readHoldings: (query, signal) =>
      readHoldings(accounts, { multicall3: deployment.multicall3, query }, signal),
    readLiquidityOwners: (pools, signal) => {
      const shares = pools.map((pool) =>
        findFirst(VENUE_PROTOCOLS, ({ findShares }) => findShares?.(pool) ?? null),
      );
      const lockers = LOCKERS[source.chain] ?? [];
      const { multicall3 } = deployment;
      return readLiquidityOwners(accounts, { shares, lockers, multicall3 }, signal);
    },
    readContractFacts: (token, signal) => readContractFacts(accounts, token, signal),
    verifyContractSignature: (signed, signal) =>
      verifyContractSignature(signatures, signed, signal),
    checkContracts: (signal) =>
      source.contracts
        ? checkContracts(source.contracts, { client: building, deployment, signal })
        : Promise.resolve([]),
    listUsage: () => endpoints.meter.listUsage(),
    listLimitations: () => watching.listLimitations(),
    close: () => {
      for (const client of [watching, pricing, building, accounts, signatures]) client.close();
    },
  };
}

function findTokenPage({ explorerUrl }: ChainInfo, token: Address): string | null {
  return explorerUrl === null ? null : `${explorerUrl}/token/${EVM_ADDRESSES.toShown(token)}`;
}

function findDeployment({ chain, devnet, contracts }: ChainSource): EvmDeployment {
  if (devnet !== null) return parseDevnetDeployment(devnet);
  const deployment = isBuiltIn(chain) ? (EVM_DEPLOYMENTS[chain] ?? null) : null;
  if (contracts) return toFileDeployment(chain, contracts, deployment);
  if (deployment === null) throw new Error(`no contracts are known for ${chain}`);
  return deployment;
}

function toTradeRouter(router: SwapRouter): TradeRouter {
  const { name, venues, canDivide, canTax, outputCall, isProven } = router;
  const { keepsUnit = false, hasNoDeadline = false, cannotWrap = false, paysFee = false } = router;
  const onlyOutputs = router.kind !== 'universal' && router.onlyOutputs === true;
  return {
    ...{ name, venues, canDivide, canTax, outputCall, isProven },
    ...{ keepsUnit, hasNoDeadline, cannotWrap, paysFee, onlyOutputs },
  };
}

function describe(source: ChainSource): ChainMarket {
  const deployment = findDeployment(source);
  const { wrapped, rollup } = deployment;
  const routers = listSwapRouters(deployment).map(toTradeRouter);
  return {
    assets: describeAssets(deployment),
    wrapped,
    venues: VENUE_PROTOCOLS.flatMap(({ listVenues }) => listVenues(deployment)),
    tradedVenues: new Set(routers.flatMap((one) => [...one.venues])),
    onChainVenues: new Set(
      VENUE_PROTOCOLS.flatMap(({ listOnChainVenues }) => listOnChainVenues?.(deployment) ?? []),
    ),
    routers,
    vaults: new Set(VENUE_PROTOCOLS.flatMap(({ listVaults }) => listVaults?.(deployment) ?? [])),
    burnAddresses: BURN_ADDRESSES,
    costs: { ...EVM_COSTS, hasDataFees: rollup !== undefined },
  };
}

export const EVM_FAMILY: ChainFamily = {
  name: 'evm',
  addresses: EVM_ADDRESSES,
  transactionIds: {
    parse: parseEvmTransaction,
    rule: 'must be 0x and 64 hex digits',
  },
  wallets: EVM_WALLETS,
  findTokenPage,
  markets: {
    describe,
    open: (source, parts) => openEvmNodes(source, { ...parts, deployment: findDeployment(source) }),
    measure: (source, parts, signal) =>
      measureEndpoints(source, { ...parts, deployment: findDeployment(source) }, signal),
    findHook: (pool) => findFirst(VENUE_PROTOCOLS, ({ findHook }) => findHook?.(pool) ?? null),
    findSwapCost,
    findHopBytes,
  },
};
