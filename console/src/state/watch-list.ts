// The tokens that this browser watches. No server is told of them.

import { signal } from '@preact/signals';
import { readStored, writeStored } from './stored-choice.ts';

export interface WatchedToken {
  readonly chain: string;
  readonly mint: string;
}

const NAME = 'watched';
/** Each is asked for on its own. */
const WATCHED_MAX = 20;

function isWatchedToken(value: unknown): value is WatchedToken {
  const { chain, mint } = (value ?? {}) as Partial<WatchedToken>;
  return typeof chain === 'string' && typeof mint === 'string';
}

function parseWatchList(json: unknown): WatchedToken[] | null {
  return Array.isArray(json) ? json.filter(isWatchedToken).slice(0, WATCHED_MAX) : null;
}

/** The newest first. */
export const watchList = signal<readonly WatchedToken[]>(readStored(NAME, parseWatchList) ?? []);

const isSame = (a: WatchedToken, b: WatchedToken) => a.chain === b.chain && a.mint === b.mint;

export function isWatched(token: WatchedToken): boolean {
  return watchList.value.some((each) => isSame(each, token));
}

export function toggleWatched({ chain, mint }: WatchedToken): void {
  const token = { chain, mint };
  const others = watchList.peek().filter((each) => !isSame(each, token));
  const isNew = others.length === watchList.peek().length;
  watchList.value = (isNew ? [token, ...others] : others).slice(0, WATCHED_MAX);
  writeStored(NAME, watchList.value);
}

/** Another tab has changed it. */
export function followWatchList(): void {
  addEventListener('storage', () => {
    watchList.value = readStored(NAME, parseWatchList) ?? [];
  });
}
