// Joins pages of the list. A token that moved between two pages is shown once, where it is first.

import type { ListedTokenRow, TokenListReply } from '../../api/contract-types.ts';

export function buildTokenKey({ chain, mint }: { chain: string; mint: string }): string {
  return `${chain}:${mint}`;
}

/** A row, and the block of its chain that its page reflects. */
export type DatedTokenRow = ListedTokenRow & { readonly block: number };

export function mergeListPages(
  pages: readonly Pick<TokenListReply, 'tokens' | 'asOf'>[],
): readonly DatedTokenRow[] {
  const rows = new Map<string, DatedTokenRow>();
  for (const { tokens, asOf } of pages) {
    for (const row of tokens) {
      const key = buildTokenKey(row);
      if (!rows.has(key)) rows.set(key, { ...row, block: asOf[row.chain]?.block ?? 0 });
    }
  }
  return [...rows.values()];
}
