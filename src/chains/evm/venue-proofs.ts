// What our maths and our calls were compared with, by layout of pools and by kind of router.
// `docs/venues.md` is made from it, and what is built without a simulation depends on it.

import type { V2LayoutName, V3LayoutName } from '../../model/chain-contracts.ts';
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
};

const RECORDED = "swaps that the exchange's own contracts executed, as recorded";

/** What the swaps of pools were compared with, to the unit; null if with nothing. */
export const LAYOUT_PROOFS: Readonly<{
  v2: Readonly<Record<V2LayoutName, string | null>>;
  v3: Readonly<Record<V3LayoutName, string | null>>;
}> = {
  v2: {
    uniswap: 'contracts of npm on the devnet',
    solidly: `2,560 quotes and 320 ${RECORDED}`,
    solidlyFork: null,
    camelot: `1,000 quotes and 122 ${RECORDED}`,
  },
  v3: {
    uniswap: 'contracts of npm on the devnet; PancakeSwap V3 by 300 random swaps of its own (npm)',
    slipstream: `300 ${RECORDED}, each with the fee of its block`,
    algebra: `300 random swaps of @cryptoalgebra/v1-core (npm), and 300 ${RECORDED}`,
    algebraDirectional: `300 ${RECORDED}`,
    solidlyV3: null,
    kyberElastic: null,
  },
};

/** The same for pools of other shapes. */
export const SHAPE_PROOFS: Readonly<Record<'v4' | 'stableSwap' | 'weighted', string>> = {
  v4: 'contracts of npm on the devnet',
  stableSwap: `330 ${RECORDED}`,
  weighted: `300 random swaps of @balancer-labs/v2-deployments (npm), and 360 ${RECORDED}`,
};
