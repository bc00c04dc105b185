// Recorded quotes, swaps and logs of EVM venues.

import { existsSync, readFileSync } from 'node:fs';

export const VENUE_FIXTURES = new URL('../../shared/fixtures/evm-venues/', import.meta.url);

function findSkip(): false | string {
  if (existsSync(VENUE_FIXTURES)) return false;
  const reason = 'fixtures/evm-venues is absent: recorded venues are NOT compared';
  console.error(reason);
  return reason;
}

/** For a test's `skip`: false, or what is missing. */
export const skipWithoutVenues = findSkip();

export function readVenueFixture(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, VENUE_FIXTURES), 'utf8'));
}

/** A swap of a Curve pool: the state before it, and its amounts. */
export interface RecordedExchange {
  readonly balances: readonly string[];
  readonly rates: readonly string[];
  readonly ampPrecise: string;
  readonly fee: string;
  readonly offpegFeeMultiplier: string;
  readonly i: number;
  readonly j: number;
  readonly dx: string;
  readonly dy: string;
}

export function readExchanges(): readonly RecordedExchange[] {
  return readVenueFixture('curve-stableswap-ng/swaps.json') as readonly RecordedExchange[];
}
