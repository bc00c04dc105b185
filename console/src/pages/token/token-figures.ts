// The figures of a token's page: what was read, or what the stream said since.

import type { TokenReply } from '../../api/contract-types.ts';
import type { TokenFeed } from './token-feed.ts';

export interface TokenHeaderProps {
  readonly token: TokenReply;
  readonly feed: TokenFeed;
}

/** The stream's figures where they are newer, in the window of 24 hours, too. */
export function pickTokenFigures({ token, feed }: TokenHeaderProps) {
  const live = feed.price.value;
  const isNewer = live !== null && live.block >= token.asOf.block;
  const holders = feed.holders.value?.total ?? token.holders;
  if (!isNewer) return { ...token, holders };
  const { priceChange24hPct: priceChangePct, volume24hUsd: volumeUsd, trades24h: trades } = live;
  const day = { ...token.windows['24h'], priceChangePct, volumeUsd, trades };
  return { ...token, ...live, windows: { ...token.windows, '24h': day }, holders };
}
