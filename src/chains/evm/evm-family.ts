// The family of EVM chains.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainMarket } from '../chain-nodes.ts';
import type { ChainFamily, ChainSource } from '../family.ts';
import { BURN_ADDRESSES } from './burn-addresses.ts';
import { EVM_DEPLOYMENTS } from './deployments.ts';
import { EVM_ADDRESSES } from './evm-addresses.ts';
import { type EvmDeployment, toChainAssets } from './evm-deployment.ts';
import { parseEvmTransaction } from './evm-ids.ts';
import { openEvmNodes } from './evm-nodes.ts';
import { EVM_WALLETS } from './evm-signature.ts';
import { parseDevnetDeployment } from './parse-devnet-deployment.ts';
import { measureEndpoints } from './plan/measure-endpoints.ts';
import { leavesSwapsAlone } from './pools/pool-hooks.ts';
import { EVM_COSTS, findHopBytes, findSwapCost } from './transactions/evm-transaction-costs.ts';
import { listRoutableVenues } from './transactions/swap-plan.ts';
import { VENUE_PROTOCOLS } from './venues/registry.ts';

/** The explorers that the chains' own documents name. */
const EXPLORERS: Readonly<Partial<Record<ChainSlug, string>>> = {
  ethereum: 'https://etherscan.io',
  base: 'https://basescan.org',
  arbitrum: 'https://arbiscan.io',
  optimism: 'https://optimistic.etherscan.io',
  polygon: 'https://polygonscan.com',
  bsc: 'https://bscscan.com',
};

function findTokenPage(chain: ChainSlug, token: Address): string | null {
  const url = EXPLORERS[chain];
  return url === undefined ? null : `${url}/token/${EVM_ADDRESSES.toShown(token)}`;
}

function findDeployment({ chain, devnet }: ChainSource): EvmDeployment {
  if (devnet !== null) return parseDevnetDeployment(devnet);
  const deployment = EVM_DEPLOYMENTS[chain];
  if (!deployment) throw new Error(`no contracts are known for ${chain}`);
  return deployment;
}

function describe(source: ChainSource): ChainMarket {
  const deployment = findDeployment(source);
  const { v4, wrapped, rollup } = deployment;
  return {
    assets: toChainAssets(deployment),
    wrapped,
    venues: VENUE_PROTOCOLS.flatMap(({ listVenues }) => listVenues(deployment)),
    tradedVenues: new Set(listRoutableVenues(deployment).keys()),
    vaults: new Set(v4 === null ? [] : [v4.poolManager]),
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
    leavesSwapsAlone,
    findSwapCost,
    findHopBytes,
  },
};
