// The indexing progress of a chain, as text and numbers for operators.

import type { IndexerStatus } from '../ingest/follow/indexer.ts';
import type { ChainAnswer, FollowedChainStatus } from '../market/chain-status.ts';

/** The lag up to which a chain counts as up to date. */
const LAG_MAX_MS = 60_000;
const DAY_MS = 86_400_000;

type HistoryRate = 'historyLeftMs' | 'historyBlocksPerSecond';

/** A node that lost blocks, or a replacement that lags, is behind our index. */
function formatPlace(block: number | null, head: number | null): string | null {
  if (block === null || head === null) return null;
  return block > head
    ? `the node is at block ${head}, behind the index at block ${block}`
    : `block ${block} of ${head}`;
}

/** Whether answers about the chain are older than they should be. */
export function isLate({ notReady, answer }: FollowedChainStatus): boolean {
  return notReady !== null || (answer.lagMs ?? 0) > LAG_MAX_MS;
}

/**
 * What an operator should know; error texts stay in the log. A chain that has been at its head may
 * fall a little behind; one that has not is still catching up.
 */
export function describeNotReady(
  status: Pick<IndexerStatus, 'block' | 'head' | 'lagMs' | 'state' | HistoryRate>,
  { hasArrived, isSlowed }: { readonly hasArrived: boolean; readonly isSlowed: boolean },
): string | null {
  const { block, head, lagMs, state } = status;
  const place = formatPlace(block, head);
  // Behind because its operator wants it so.
  if (hasArrived && isSlowed && state !== 'failed' && state !== 'stalled') return null;
  if (state === 'following' && hasArrived) {
    return lagMs === null || lagMs > LAG_MAX_MS ? `behind: ${place ?? 'no block yet'}` : null;
  }
  if (state === 'failed') return 'indexing fails, see the log';
  if (state === 'stalled') return `no progress at block ${block ?? 'none'}, see the log`;
  const pace = describePace(status);
  return place === null ? 'starting' : `indexing history: ${place}${pace}`;
}

/** The rate at which history is read, and what is left at it; nothing while it is not known. */
export function describePace(status: Pick<IndexerStatus, HistoryRate>): string {
  const { historyLeftMs, historyBlocksPerSecond } = status;
  if (historyLeftMs === undefined || historyBlocksPerSecond === undefined) return '';
  const rate = Number(historyBlocksPerSecond.toPrecision(2));
  const minutes = historyLeftMs / 60_000;
  const [left, unit] =
    minutes < 90
      ? [Math.ceil(minutes), 'minute']
      : minutes < 36 * 60
        ? [Math.round(minutes / 60), 'hour']
        : [Math.round(historyLeftMs / DAY_MS), 'day'];
  return `, ${rate} blocks a second, about ${left} ${unit}${left === 1 ? '' : 's'} more`;
}

/** For clients: whether the chain can be relied on. */
export function pickStatus(
  notReady: string | null,
  state: IndexerStatus['state'] | undefined,
): ChainAnswer['status'] {
  if (notReady === null) return 'ready';
  return state === 'failed' || state === 'stalled' ? 'stalled' : 'indexing';
}

/** Progress in per cent, to two decimals. */
export function toShown(progress: FollowedChainStatus['progress']): ChainAnswer['progress'] {
  if (progress === null) return null;
  const { share, historyLeftMs, historyBlocksPerSecond, ...place } = progress;
  const pct = Math.min(100, Math.floor(share * 10_000) / 100);
  if (historyLeftMs === undefined || historyBlocksPerSecond === undefined) return { ...place, pct };
  const blocksPerSecond = Number(historyBlocksPerSecond.toPrecision(3));
  return { ...place, pct, blocksPerSecond, leftMs: Math.round(historyLeftMs) };
}

/** Why a chain of the operator's file is not indexed. */
export function describeProblems(problems: readonly string[]): string {
  return `CHAINS_FILE does not fit the chain, nothing is indexed: ${problems.join('; ')}`;
}

/** Null if there is no progress to show: before the first block, or if the node is behind. */
export function computeChainProgress(at: {
  readonly first: number;
  readonly block: number;
  readonly head: number;
}): FollowedChainStatus['progress'] {
  const { first, block, head } = at;
  if (block > head) return null;
  const share = head > first ? Math.max(0, (block - first) / (head - first)) : 1;
  return { block, head, share };
}
