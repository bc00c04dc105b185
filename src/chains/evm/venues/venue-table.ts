// How the contracts of a protocol are written: by chain, in its folder.

import type { BuiltInSlug } from '../../../model/chain.ts';
import type {
  RouterLine,
  VenueContracts,
  VenueRouterKind,
} from '../data/deployments/evm-deployment.ts';
import { evmAddress } from '../data/evm-ids.ts';

export type VenueTable = Readonly<Partial<Record<BuiltInSlug, Partial<VenueContracts>>>>;

/** The router of one venue. */
export function routerOf(venue: string, kind: VenueRouterKind, address: string): RouterLine {
  return { name: venue, kind, address: evmAddress(address), venues: [venue] };
}
