// What the tape is filtered for: in the URL, and kept for the next token.

import { setQuery } from '../../current-location.ts';
import { readStored, writeStored } from '../../state/stored-choice.ts';
import type { TapeFilter } from './trade-tape.ts';

export const parseSide = (side: string | null): TapeFilter['side'] =>
  side === 'buy' || side === 'sell' ? side : null;

/** What stays from token to token; a wallet is of one of them. */
const STORED = 'tape';
const STORED_FIELDS = ['side', 'minUsd'] as const;

function parseStored(json: unknown): Readonly<Record<string, string>> | null {
  if (typeof json !== 'object' || json === null) return null;
  const texts = Object.entries(json).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}

/** A link that names a filter goes before what this browser has kept. */
function addStoredFilter(query: URLSearchParams): URLSearchParams {
  const isNamed = STORED_FIELDS.some((name) => query.has(name));
  return isNamed ? query : new URLSearchParams(readStored(STORED, parseStored) ?? {});
}

export function changeFilter(filter: TapeFilter, change: Partial<TapeFilter>): void {
  const { side, minUsd } = { ...filter, ...change };
  const kept = { side: side ?? '', minUsd: minUsd ?? '' };
  writeStored(STORED, kept);
  setQuery(kept);
}

export function parseTapeFilter(wanted: URLSearchParams): TapeFilter {
  const query = addStoredFilter(wanted);
  const side = query.get('side');
  const minUsd = query.get('minUsd');
  return {
    side: parseSide(side),
    minUsd: minUsd !== null && /^\d+(\.\d+)?$/.test(minUsd) ? minUsd : null,
    wallet: wanted.get('wallet') || null,
  };
}
