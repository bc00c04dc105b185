// Which protocol a stored pool belongs to, by its venue.

import type { EvmDeployment } from '../evm-deployment.ts';
import type { VenueProtocol } from './venue-protocol.ts';

/** Venues of forks that nobody listed: then the factory. */
export const FORK_VENUE_PREFIX = 'v2-like:';

export function ownsVenue(
  protocol: VenueProtocol,
  venue: string,
  deployment: EvmDeployment,
): boolean {
  if (venue.startsWith(FORK_VENUE_PREFIX)) return protocol.hasForks === true;
  return protocol.listVenues(deployment).includes(venue);
}
