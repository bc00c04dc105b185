// The routers of a chain: the Universal Router, which divides a trade over all pools of Uniswap,
// and those of other exchanges, each for one path through pools of its own.

import type { Address } from '../../../model/ids.ts';
import { ContractsError } from '../../family.ts';
import type {
  EvmDeployment,
  RouterLine,
  VenueRouterKind,
} from '../data/deployments/evm-deployment.ts';
import { listFactories, ROUTER_KINDS, VENUE_PROTOCOLS } from './registry.ts';
import type { EvmRouter } from './router-kind.ts';
import { findUniversalRouter, type UniversalRouter } from './universal-router/universal-router.ts';

export interface VenueRouter extends EvmRouter {
  readonly kind: VenueRouterKind;
  /** The factory of its first venue. */
  readonly factory: Address | null;
  /** The wallet approves the router itself. */
  readonly permit2: null;
  /** Whether its contract may hand signed permits to tokens; false if absent. */
  readonly takesPermits?: boolean;
}

export type SwapRouter = UniversalRouter | VenueRouter;

function buildVenueRouter(line: RouterLine, deployment: EvmDeployment): VenueRouter {
  const { name, kind, address, venues, onlyOutputs = false } = line;
  const { wrapped } = deployment;
  const { proof, output, canTax = false, ...traits } = ROUTER_KINDS[kind];
  const fork = listFactories(deployment).find(({ venue }) => venue === venues[0]);
  return {
    ...{ name, kind, address, wrapped, venues: new Set(venues), factory: fork?.factory ?? null },
    ...{ canDivide: false, canTax, isProven: proof.executedBy === 'contract' },
    ...{ outputCall: output?.call ?? 'input', permit2: null },
    ...{ keepsUnit: traits.keepsUnit === true, hasNoDeadline: traits.hasNoDeadline === true },
    cannotWrap: traits.cannotWrap === true,
    paysFee: traits.paysFee === true,
    onlyOutputs,
    takesPermits: traits.takesPermits === true,
  };
}

/** Throws a `ContractsError` if two have the same name. */
export function listSwapRouters(deployment: EvmDeployment): readonly SwapRouter[] {
  const universal = findUniversalRouter(deployment);
  const lines = [
    ...(deployment.routers ?? []),
    // A search may end before the last router: the forks' own, which are the most, come last.
    ...VENUE_PROTOCOLS.toReversed().flatMap(({ listRouters }) => listRouters?.(deployment) ?? []),
  ];
  const routers = [
    ...(universal === null ? [] : [universal]),
    ...lines.map((line) => buildVenueRouter(line, deployment)),
  ];
  const names = routers.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length === 0) return routers;
  const path = `chains.${deployment.chain}.factories`;
  throw new ContractsError(
    repeated.map((name) => `${path}: a router has the name ${name} already; rename the venue`),
  );
}
