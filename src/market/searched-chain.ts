// What search keeps of each chain.

import type { Address } from '../model/ids.ts';
import { ChainSearch } from './search/chain-search.ts';

/** Volume and age change without a commit that names the token, so all are read again. */
export const REFRESH_MS = 3_600_000;

export interface SearchedChain {
  readonly index: ChainSearch;
  readonly changed: Set<Address>;
  isLoaded: boolean;
  loading: Promise<void> | null;
  /** Resolves when the kept segment was looked for. */
  opening: Promise<unknown>;
  /** Requested while a load was in progress. */
  mustReload: boolean;
  builtAtMs: number;
  /** How many loads have failed in a row. */
  failedLoads: number;
  /** Whether the volumes were known when it was loaded. */
  hasVolumes: boolean;
  /** The token lists that it was loaded with. */
  listsMark: string;
  /** How long until volumes and ages are read again. */
  freshForMs: number;
  /** Tokens that were read while the volumes were not known. */
  readonly withoutVolume: Set<Address>;
  timer: NodeJS.Timeout | null;
  volumesTimer: NodeJS.Timeout | null;
  refreshTimer: NodeJS.Timeout | null;
}

export function createSearchedChain(): SearchedChain {
  return {
    index: new ChainSearch(),
    changed: new Set(),
    isLoaded: false,
    loading: null,
    opening: Promise.resolve(),
    mustReload: false,
    builtAtMs: 0,
    failedLoads: 0,
    hasVolumes: false,
    listsMark: '',
    freshForMs: REFRESH_MS,
    withoutVolume: new Set(),
    timer: null,
    volumesTimer: null,
    refreshTimer: null,
  };
}
