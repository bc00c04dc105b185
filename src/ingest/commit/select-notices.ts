// Limits the number of token notices: anyone can have thousands of contracts emit events, which
// must not displace notices about a token that is traded.

import type { Address } from '../../model/ids.ts';
import type { TokenNotice } from '../../model/token-notice.ts';

/** If a commit has more notices than this, only those about indexed tokens are kept. */
const NOTICES_MAX = 20_000;
/** Tokens that are looked up at once. */
const LOOKUP_MAX = 1_000;

interface NoticeOptions {
  /** Which of the tokens the index has. */
  readonly findIndexed: (tokens: readonly Address[]) => Promise<ReadonlySet<Address>>;
  readonly countMax?: number;
}

/** Null if the range was not searched, or has too many notices about indexed tokens. */
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
