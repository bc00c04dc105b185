// What a caller allows a route to use: some venues only, none of others, no token in between.

export interface RouteLimits {
  /** The only ones; empty for all. */
  readonly venues: readonly string[];
  readonly excludeVenues: readonly string[];
  /** Whether all pools must be of the two tokens themselves. */
  readonly directOnly: boolean;
}

export const NO_LIMITS: RouteLimits = { venues: [], excludeVenues: [], directOnly: false };

export function allowsVenue({ venues, excludeVenues }: RouteLimits, venue: string): boolean {
  return (venues.length === 0 || venues.includes(venue)) && !excludeVenues.includes(venue);
}

/** Whether anything is left out. */
export function isLimited({ venues, excludeVenues, directOnly }: RouteLimits): boolean {
  return venues.length + excludeVenues.length > 0 || directOnly;
}

/** Equal for equal limits; empty if there are none. */
export function describeLimits(limits: RouteLimits): string {
  if (!isLimited(limits)) return '';
  const { venues, excludeVenues, directOnly } = limits;
  return JSON.stringify([venues.toSorted(), excludeVenues.toSorted(), directOnly]);
}
