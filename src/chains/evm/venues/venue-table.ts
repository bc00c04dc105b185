// How the contracts of a protocol are written: by chain, in its folder.

import type { BuiltInSlug } from '../../../model/chain.ts';
import type { Address } from '../../../model/ids.ts';
import type {
  RouterLine,
  VenueContracts,
  VenueRouterKind,
} from '../data/deployments/evm-deployment.ts';
import { evmAddress } from '../data/evm-ids.ts';

export interface VenueFactory {
  readonly venue: string;
  readonly factory: Address;
  /** Whether the chain's Universal Router supports its pools. */
  readonly universalRouter: boolean;
  /** False if it is not asked for the pools of a token: they are found when they trade. */
  readonly isSearched?: false;
}

/** Contracts that a part of the devnet's file names; a missing one is an error. */
export interface DevnetContracts {
  has(name: string): boolean;
  find(name: string): Address;
}

interface DevnetFile {
  readonly contracts: DevnetContracts;
  /** Those of some exchanges; null if the chain does without, as most chains for tests. */
  findPart(name: string): DevnetContracts | null;
}

export type ReadDevnet = (file: DevnetFile) => Partial<VenueContracts>;

export type VenueTable = Readonly<Partial<Record<BuiltInSlug, Partial<VenueContracts>>>>;

/** The router of one venue. */
export function routerOf(venue: string, kind: VenueRouterKind, address: string): RouterLine {
  return { name: venue, kind, address: evmAddress(address), venues: [venue] };
}
