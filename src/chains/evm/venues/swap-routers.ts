// The routers of a chain: the Universal Router, which divides a trade over all pools of Uniswap,
// and those of other exchanges, each for one path through pools of its own.

import type { Address } from '../../../model/ids.ts';
import { ContractsError } from '../../family.ts';
import type { TradeRouter } from '../../trade-router.ts';
import type {
  EvmDeployment,
  RouterLine,
  V2Fork,
  VenueRouterKind,
} from '../data/deployments/evm-deployment.ts';
import { ROUTER_KINDS, VENUE_PROTOCOLS } from './registry.ts';

interface AnyRouter extends TradeRouter {
  readonly address: Address;
  readonly wrapped: Address;
}

export interface UniversalRouter extends AnyRouter {
  readonly kind: 'universal';
  /** Decides the encoding of several V4 hops. */
  readonly version: '2.0' | '2.1';
  /** Takes the wallet's tokens for the router. */
  readonly permit2: Address;
}

export interface VenueRouter extends AnyRouter {
  readonly kind: VenueRouterKind;
  /** The factory of its first venue. */
  readonly factory: Address | null;
  /** The wallet approves the router itself. */
  readonly permit2: null;
}

export type SwapRouter = UniversalRouter | VenueRouter;

/** Null if none is known. */
export function findUniversalRouter(deployment: EvmDeployment): UniversalRouter | null {
  const { universalRouter, permit2, wrapped, v4 } = deployment;
  if (universalRouter === null || permit2 === null) return null;
  const forks = [...deployment.v2, ...deployment.v3].filter((fork) => fork.universalRouter);
  const venues = [...forks.map(({ venue }) => venue), ...(v4 === null ? [] : [v4.venue])];
  return {
    ...{ kind: 'universal', name: 'universal', ...universalRouter, permit2, wrapped },
    ...{ venues: new Set(venues), canDivide: true, canTax: true, isProven: true },
    outputCall: 'commands',
  };
}

/** A fork's `Router02`, unless the Universal Router trades there. */
function findRouter02({ venue, router, layout, universalRouter }: V2Fork): RouterLine[] {
  if (router === null || layout !== undefined || universalRouter) return [];
  return [{ name: venue, kind: 'router02', address: router, venues: [venue] }];
}

function buildVenueRouter(line: RouterLine, deployment: EvmDeployment): VenueRouter {
  const { name, kind, address, venues } = line;
  const { v2, v3, wrapped } = deployment;
  const { proof, output, canTax = false, keepsUnit, hasNoDeadline } = ROUTER_KINDS[kind];
  const fork = [...v2, ...v3].find(({ venue }) => venue === venues[0]);
  return {
    ...{ name, kind, address, wrapped, venues: new Set(venues), factory: fork?.factory ?? null },
    ...{ canDivide: false, canTax, isProven: proof.executedBy === 'contract' },
    ...{ outputCall: output?.call ?? 'input', permit2: null },
    ...{ keepsUnit: keepsUnit === true, hasNoDeadline: hasNoDeadline === true },
  };
}

/** Throws a `ContractsError` if two have the same name. */
export function listSwapRouters(deployment: EvmDeployment): readonly SwapRouter[] {
  const universal = findUniversalRouter(deployment);
  const lines = [
    ...(deployment.routers ?? []),
    ...VENUE_PROTOCOLS.flatMap(({ listRouters }) => listRouters?.(deployment) ?? []),
    ...deployment.v2.flatMap(findRouter02),
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
