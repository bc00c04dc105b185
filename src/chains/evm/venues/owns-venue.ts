// Which protocol a stored pool belongs to, by its venue.

import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { VenueProtocol } from './venue-protocol.ts';

/** Venues of forks that nobody listed, by what their pools are like: then the factory. */
export const FORK_VENUE_PREFIXES = { pairs: 'v2-like:', ranges: 'v3-like:' } as const;

type ForkPools = keyof typeof FORK_VENUE_PREFIXES;

/** What the pools of an unlisted fork are like; null if the venue is none. */
export function findForkPools(venue: string): ForkPools | null {
  if (venue.startsWith(FORK_VENUE_PREFIXES.pairs)) return 'pairs';
  return venue.startsWith(FORK_VENUE_PREFIXES.ranges) ? 'ranges' : null;
}

export function ownsVenue(
  protocol: VenueProtocol,
  venue: string,
  deployment: EvmDeployment,
): boolean {
  const pools = findForkPools(venue);
  if (pools !== null) return protocol.forks === pools;
  return protocol.listVenues(deployment).includes(venue);
}
