// How the venues of a chain are written in `deployments.ts`.

import type { V2LayoutName, V3LayoutName } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { EvmDeployment, V2Fork, V3Fork, V4Deployment } from './evm-deployment.ts';
import { evmAddress } from '../evm-ids.ts';

interface ForkLine {
  readonly factory: string;
  /** V2: its `Router02`. V3: its `QuoterV2`. */
  readonly periphery: string;
}

function parseContracts({ factory, periphery }: ForkLine): Record<keyof ForkLine, Address> {
  return { factory: evmAddress(factory), periphery: evmAddress(periphery) };
}

/** Uniswap's own V2: the Universal Router trades there. */
export function uniswapV2(line: ForkLine): V2Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue: 'uniswap-v2', factory, feePips: 3000, router: periphery, universalRouter: true };
}

export function v2Fork(venue: string, feePips: number, line: ForkLine): V2Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue, factory, feePips, router: periphery, universalRouter: false };
}

/** Pairs like those of V2, with logs and fees of their own. */
export function v2Like(venue: string, layout: V2LayoutName, factory: string): V2Fork {
  const place = { venue, factory: evmAddress(factory), layout };
  return { ...place, feePips: 0, router: null, universalRouter: false };
}

/** Uniswap's own V3: the Universal Router trades there. */
export function uniswapV3(line: ForkLine): V3Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue: 'uniswap-v3', factory, quoter: periphery, universalRouter: true };
}

export function v3Fork(venue: string, line: ForkLine): V3Fork {
  const { factory, periphery } = parseContracts(line);
  return { venue, factory, quoter: periphery, universalRouter: false };
}

/** Pools like those of V3, with logs and getters of their own. */
export function v3Like(
  venue: string,
  layout: V3LayoutName,
  factory: string,
  quoter?: string,
): V3Fork {
  const place = { venue, factory: evmAddress(factory), layout };
  const asked = quoter === undefined ? null : evmAddress(quoter);
  return { ...place, quoter: asked, universalRouter: false };
}

type V4Contracts = Exclude<keyof V4Deployment, 'venue'>;

export function uniswapV4(contracts: Readonly<Record<V4Contracts, string>>): V4Deployment {
  return {
    venue: 'uniswap-v4',
    poolManager: evmAddress(contracts.poolManager),
    positionManager: evmAddress(contracts.positionManager),
    stateView: evmAddress(contracts.stateView),
    quoter: evmAddress(contracts.quoter),
  };
}

export function routerAt(
  address: string,
  version: '2.0' | '2.1',
): EvmDeployment['universalRouter'] {
  return { address: evmAddress(address), version };
}
