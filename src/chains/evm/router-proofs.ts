// Who executed the calls that we encode, by kind of router. What is built without a simulation
// depends on it, and `docs/venues.md` tells it.

import type { VenueRouterKind } from './evm-deployment.ts';

interface RouterProof {
  /** Who executed what we encode: the exchange's own contract, or a stand-in of ours. */
  readonly executedBy: 'contract' | 'standIn';
  /** Where that contract is from, or what its wire format is from. */
  readonly source: string;
}

const STAND_IN = 'test/contracts/routers.sol';

/** In the suite a few trades each, in `npm run drill -- --routers 100` as many as wanted. */
export const ROUTER_PROOFS: Readonly<Record<VenueRouterKind, RouterProof>> = {
  router02: { executedBy: 'contract', source: 'npm, @uniswap/v2-periphery' },
  swapRouter: { executedBy: 'contract', source: 'npm, @uniswap/v3-periphery' },
  vault: { executedBy: 'contract', source: 'npm, @balancer-labs/v2-deployments' },
  camelot: { executedBy: 'standIn', source: STAND_IN },
  solidly: { executedBy: 'standIn', source: STAND_IN },
  slipstream: { executedBy: 'standIn', source: STAND_IN },
  algebra: { executedBy: 'standIn', source: STAND_IN },
  smart: { executedBy: 'standIn', source: STAND_IN },
  curve: { executedBy: 'standIn', source: 'devnet/contracts/CurveStandIns.sol' },
};
