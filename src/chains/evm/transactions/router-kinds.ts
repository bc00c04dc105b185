// The kinds of routers. A new one is a file in its venue's folder and a line here.

import type { VenueRouterKind } from '../evm-deployment.ts';
import { CURVE_ROUTER } from './encode-curve-swap.ts';
import { VAULT_ROUTER } from './encode-vault-swap.ts';
import { CAMELOT_ROUTER, ROUTER02, SOLIDLY_ROUTER } from './pair-routers.ts';
import { ALGEBRA_ROUTER, SLIPSTREAM_ROUTER, SMART_ROUTER, SWAP_ROUTER } from './range-routers.ts';
import type { RouterKind } from './router-kind.ts';

export const ROUTER_KINDS: Readonly<Record<VenueRouterKind, RouterKind>> = {
  ...{ router02: ROUTER02, camelot: CAMELOT_ROUTER, solidly: SOLIDLY_ROUTER },
  ...{ swapRouter: SWAP_ROUTER, slipstream: SLIPSTREAM_ROUTER, algebra: ALGEBRA_ROUTER },
  ...{ smart: SMART_ROUTER, vault: VAULT_ROUTER, curve: CURVE_ROUTER },
};
