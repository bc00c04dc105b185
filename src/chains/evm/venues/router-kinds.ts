// The kinds of routers. A new one is a file in its venue's folder and a line here.

import type { VenueRouterKind } from '../data/deployments/evm-deployment.ts';
import { VAULT_ROUTER } from './balancer/encode-vault-swap.ts';
import { CURVE_ROUTER } from './curve/encode-curve-swap.ts';
import type { RouterKind } from './router-kind.ts';
import { CAMELOT_ROUTER, ROUTER02, SOLIDLY_ROUTER } from './uniswap-v2/pair-routers.ts';
import {
  ALGEBRA_ROUTER,
  SLIPSTREAM_ROUTER,
  SMART_ROUTER,
  SWAP_ROUTER,
} from './uniswap-v3/range-routers.ts';

export const ROUTER_KINDS: Readonly<Record<VenueRouterKind, RouterKind>> = {
  ...{ router02: ROUTER02, camelot: CAMELOT_ROUTER, solidly: SOLIDLY_ROUTER },
  ...{ swapRouter: SWAP_ROUTER, slipstream: SLIPSTREAM_ROUTER, algebra: ALGEBRA_ROUTER },
  ...{ smart: SMART_ROUTER, vault: VAULT_ROUTER, curve: CURVE_ROUTER },
};
