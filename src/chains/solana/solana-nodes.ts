// All that is asked of Solana's nodes, over one pool of endpoints.

import { sleep } from '../../lib/retry.ts';
import type { ChainNodes } from '../chain-nodes.ts';
import type { ChainSource, NodeParts } from '../family.ts';
import { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RpcClient } from '../rpc/rpc-client.ts';
import { createSolanaAdapter } from './create-solana-adapter.ts';
import { toSolanaAddress } from './data/solana-ids.ts';
import { readLiquidityOwners } from './pools/read-liquidity-owners.ts';
import { findProgramOwned } from './rpc/find-program-owned.ts';
import { createSolanaDialect } from './rpc/solana-dialect.ts';
import { findSolanaMarket } from './solana-market.ts';
import { readMintFacts } from './tokens/read-mint-facts.ts';
import { findNonMints } from './tokens/read-mints.ts';
import { readOwnerHoldings } from './tokens/read-owner-holdings.ts';
import { checkRoundTrip } from './trading/check-round-trip.ts';
import { LookupTables } from './trading/lookup-tables.ts';
import { readSolanaFees } from './trading/solana-fees.ts';
import { createSolanaTransactions } from './trading/solana-transactions.ts';

/** A reader waits: an endpoint that does not answer soon counts as not answering. */
const READER_USE = {
  budgetMs: 4500,
  limits: {
    timeoutMs: 4000,
    replyBytesMax: 8 * 1024 * 1024,
    batchCallsMax: 20,
    batchesMax: 2,
    chainCheckMs: 15_000,
  },
};

export function openSolanaNodes(
  source: ChainSource,
  { clock, log, shared, genesis }: NodeParts & { readonly genesis: string },
): ChainNodes {
  const { chain, budget } = source;
  const random = Math.random;
  const endpoints = new EndpointPool(source.endpoints, { clock, random, shared, budget });
  const dialect = createSolanaDialect(genesis);
  const reading = new RpcClient({ ...READER_USE, endpoints, dialect, clock, random, sleep, log });
  const lookups = new LookupTables((source.lookupTables ?? []).map(toSolanaAddress), clock);
  return {
    createAdapter: ({ knownPools, usesArchives }) =>
      createSolanaAdapter({
        ...{ chain, genesis, endpoints, assets: findSolanaMarket(source).assets },
        ...{ knownPools, clock, random, log },
        archives: usesArchives === true ? source.archives : undefined,
      }),
    transactions: createSolanaTransactions(reading, lookups),
    readFees: (signal) =>
      reading.at((endpoint) => readSolanaFees(endpoint, lookups, signal), { signal }),
    simulateRoundTrip: (trip, signal) =>
      reading.at((endpoint) => checkRoundTrip(endpoint, trip, signal), { signal }),
    findContracts: (addresses, signal) =>
      reading.at((endpoint) => findProgramOwned(endpoint, addresses, signal), { signal }),
    readHoldings: (query, signal) =>
      reading.at((endpoint) => readOwnerHoldings(endpoint, query, signal), { signal }),
    findNonTokens: (addresses, signal) =>
      reading.at((endpoint) => findNonMints(endpoint, addresses, signal), { signal }),
    readContractFacts: (token, signal) =>
      reading.at((endpoint) => readMintFacts(endpoint, token, signal), { signal }),
    readLiquidityOwners: (pools, signal) => {
      const addresses = pools.map(({ pool }) => toSolanaAddress(pool));
      return reading.at((endpoint) => readLiquidityOwners(endpoint, addresses, signal), { signal });
    },
    // A program has no key, and nothing else may sign for it.
    verifyContractSignature: async () => false,
    checkContracts: async () => [],
    listUsage: () => endpoints.meter.listUsage(),
    listLimitations: () => reading.listLimitations(),
    close: () => reading.close(),
  };
}
