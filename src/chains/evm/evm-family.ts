// The family of EVM chains.

import type { ChainSlug } from '../../model/chain.ts';
import type { ChainMarket } from '../chain-nodes.ts';
import type { ChainExplorer, ChainFamily, ChainSource } from '../family.ts';
import { BURN_ADDRESSES } from './burn-addresses.ts';
import { EVM_DEPLOYMENTS } from './deployments.ts';
import { EVM_ADDRESSES } from './evm-addresses.ts';
import { type EvmDeployment, toChainAssets } from './evm-deployment.ts';
import { parseEvmTransaction } from './evm-ids.ts';
import { openEvmNodes } from './evm-nodes.ts';
import { EVM_WALLETS } from './evm-signature.ts';
import { parseDevnetDeployment } from './parse-devnet-deployment.ts';
import { leavesSwapsAlone } from './pools/pool-hooks.ts';
import { EVM_COSTS, findHopBytes } from './transactions/evm-transaction-costs.ts';
import { listRoutableVenues } from './transactions/swap-plan.ts';

/** The explorers that the chains' own documents name. */
const EXPLORERS: Readonly<Partial<Record<ChainSlug, string>>> = {
  ethereum: 'https://etherscan.io',
  base: 'https://basescan.org',
  arbitrum: 'https://arbiscan.io',
  optimism: 'https://optimistic.etherscan.io',
  polygon: 'https://polygonscan.com',
  bsc: 'https://bscscan.com',
};

function findExplorer(chain: ChainSlug): ChainExplorer | null {
  const url = EXPLORERS[chain];
  if (url === undefined) return null;
  const { toShown } = EVM_ADDRESSES;
  return {
    transaction: (id) => `${url}/tx/${id}`,
    address: (address) => `${url}/address/${toShown(address)}`,
    token: (token) => `${url}/token/${toShown(token)}`,
  };
}

function findDeployment({ chain, devnet }: ChainSource): EvmDeployment {
  if (devnet !== null) return parseDevnetDeployment(devnet);
  const deployment = EVM_DEPLOYMENTS[chain];
  if (!deployment) throw new Error(`no contracts are known for ${chain}`);
  return deployment;
}

function describe(source: ChainSource): ChainMarket {
  const deployment = findDeployment(source);
  const { v2, v3, v4, wrapped, rollup } = deployment;
  return {
    assets: toChainAssets(deployment),
    wrapped,
    venues: [...v2, ...v3, ...(v4 === null ? [] : [v4])].map(({ venue }) => venue),
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
  findExplorer,
  markets: {
    describe,
    open: (source, parts) => openEvmNodes(source, { ...parts, deployment: findDeployment(source) }),
    leavesSwapsAlone,
    findHopBytes,
  },
};
