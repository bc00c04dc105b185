// Keeps what logs say of tokens within bounds: anybody can have thousands of contracts emit events,
// and must not push out what is said of a token that is traded.

import type { Address } from '../model/ids.ts';
import type { TokenNotice } from '../model/token-notice.ts';

/** More than this of one commit is narrowed down to tokens that the index has. */
const NOTICES_MAX = 20_000;
/** Tokens that are looked up at once. */
const LOOKUP_MAX = 1_000;

interface NoticeOptions {
  /** Which of the tokens the index has. */
  readonly findIndexed: (tokens: readonly Address[]) => Promise<ReadonlySet<Address>>;
  readonly countMax?: number;
}

/** Null stands for a range that was not searched, and for one that says too much of real tokens. */
export async function selectNotices(
  notices: readonly TokenNotice[] | null,
  { findIndexed, countMax = NOTICES_MAX }: NoticeOptions,
): Promise<readonly TokenNotice[] | null> {
  if (notices === null || notices.length <= countMax) return notices;
  const tokens = [...new Set(notices.map(({ token }) => token))];
  const indexed = new Set<Address>();
  for (let at = 0; at < tokens.length; at += LOOKUP_MAX) {
    for (const token of await findIndexed(tokens.slice(at, at + LOOKUP_MAX))) indexed.add(token);
  }
  const selected = notices.filter(({ token }) => indexed.has(token));
  return selected.length > countMax ? null : selected;
}
