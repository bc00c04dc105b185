// The family of EVM chains.

import { type ChainInfo, isBuiltIn } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ChainMarket } from '../chain-nodes.ts';
import type { ChainFamily, ChainSource } from '../family.ts';
import type { TradeRouter } from '../trade-router.ts';
import { measureEndpoints } from './blocks/measure-endpoints.ts';
import { BURN_ADDRESSES } from './data/burn-addresses.ts';
import { EVM_DEPLOYMENTS } from './data/deployments/deployments.ts';
import { type EvmDeployment, toChainAssets } from './data/deployments/evm-deployment.ts';
import { toFileDeployment } from './data/deployments/file-deployment.ts';
import { parseDevnetDeployment } from './data/deployments/parse-devnet-deployment.ts';
import { EVM_ADDRESSES } from './data/evm-addresses.ts';
import { parseEvmTransaction } from './data/evm-ids.ts';
import { EVM_WALLETS } from './data/evm-signature.ts';
import { openEvmNodes } from './evm-nodes.ts';
import { leavesSwapsAlone } from './pools/pool-hooks.ts';
import { EVM_COSTS, findHopBytes, findSwapCost } from './trading/evm-transaction-costs.ts';
import { VENUE_PROTOCOLS } from './venues/registry.ts';
import { listSwapRouters, type SwapRouter } from './venues/swap-routers.ts';

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
  const { keepsUnit = false, hasNoDeadline = false } = router;
  return { name, venues, canDivide, canTax, outputCall, isProven, keepsUnit, hasNoDeadline };
}

function describe(source: ChainSource): ChainMarket {
  const deployment = findDeployment(source);
  const { wrapped, rollup } = deployment;
  const routers = listSwapRouters(deployment).map(toTradeRouter);
  return {
    assets: toChainAssets(deployment),
    wrapped,
    venues: VENUE_PROTOCOLS.flatMap(({ listVenues }) => listVenues(deployment)),
    tradedVenues: new Set(routers.flatMap((one) => [...one.venues])),
    calledVenues: new Set(
      VENUE_PROTOCOLS.flatMap(({ listCalledVenues }) => listCalledVenues?.(deployment) ?? []),
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
    leavesSwapsAlone,
    findSwapCost,
    findHopBytes,
  },
};
