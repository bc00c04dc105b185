// Venues whose contracts nobody checked.

import type { ChainAssets } from './adapter.ts';

/** In the venue of a pool whose factory nobody listed: what the pool does, then its factory. */
const UNLISTED_MARK = ':';

/** Whether what such a venue says of its reserves is no depth. */
export function isUncheckedVenue(
  { uncheckedVenues }: Pick<ChainAssets, 'uncheckedVenues'>,
  venue: string,
): boolean {
  return uncheckedVenues?.has(venue) === true || venue.includes(UNLISTED_MARK);
}
