// How far a chain is indexed, in words and numbers for an operator.

import type { IndexerStatus } from '../ingest/indexer.ts';
import type { FollowedChainStatus } from '../market/chain-status.ts';

/** How far behind the head a chain may be and still count as followed. */
const LAG_MAX_MS = 60_000;

/** A node that lost blocks, or was replaced by one that lags, is behind its own index. */
function toPlace(block: number | null, head: number | null): string | null {
  if (block === null || head === null) return null;
  return block > head
    ? `the node is at block ${head}, behind the index at block ${block}`
    : `block ${block} of ${head}`;
}

/**
 * What an operator should know; an error's own text stays in the log. Who has been at the head once
 * may fall a little behind; who has not is still catching up.
 */
export function toNotReady(
  status: Pick<IndexerStatus, 'block' | 'head' | 'lagMs' | 'state'>,
  hasArrived: boolean,
): string | null {
  const { block, head, lagMs, state } = status;
  const place = toPlace(block, head);
  if (state === 'following' && hasArrived) {
    return lagMs === null || lagMs > LAG_MAX_MS ? `behind: ${place ?? 'no block yet'}` : null;
  }
  if (state === 'failed') return 'indexing fails, see the log';
  if (state === 'stalled') return `no progress at block ${block ?? 'none'}, see the log`;
  return place === null ? 'starting' : `indexing history: ${place}`;
}

/** Null where there is no way to go: before the first block, and where the node is behind. */
export function toChainProgress(at: {
  readonly first: number;
  readonly block: number;
  readonly head: number;
}): FollowedChainStatus['progress'] {
  const { first, block, head } = at;
  if (block > head) return null;
  const share = head > first ? Math.max(0, (block - first) / (head - first)) : 1;
  return { block, head, share };
}
