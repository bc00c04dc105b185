// Uniswap's Universal Router, which divides a trade over all of its pools.

import type { UniversalRouterVersion } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import type { EvmRouter } from '../router-kind.ts';

export interface UniversalRouter extends EvmRouter {
  readonly kind: 'universal';
  /** Decides the encoding of swaps. */
  readonly version: UniversalRouterVersion;
  /** Takes the wallet's tokens for the router. */
  readonly permit2: Address;
}

/** Null if none is known. */
export function findUniversalRouter(deployment: EvmDeployment): UniversalRouter | null {
  const { universalRouter, permit2, wrapped, v4 } = deployment;
  if (universalRouter === null || permit2 === null) return null;
  const forks = [...deployment.v2, ...deployment.v3].filter((fork) => fork.universalRouter);
  const venues = [...forks.map(({ venue }) => venue), ...(v4 === null ? [] : [v4.venue])];
  return {
    ...{ kind: 'universal', name: 'universal', ...universalRouter, permit2, wrapped },
    ...{ venues: new Set(venues), canDivide: true, canTax: true, paysFee: true },
    // npm has no 2.1.1 to execute.
    isProven: universalRouter.version !== '2.1.1',
    outputCall: 'commands',
  };
}
