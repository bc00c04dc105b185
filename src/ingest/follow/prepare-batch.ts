// Applies a batch of blocks in memory, and copies the rows that it changed.

import { setImmediate } from 'node:timers/promises';
import type { BlockRangeReading, ChainAdapter } from '../../chains/adapter.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenNotice } from '../../model/token-notice.ts';
import type { MarketReader } from '../../store/store.ts';
import type { IncompletePool } from '../adopt/pool-adopter.ts';
import { findIncomplete } from '../adopt/pool-adopter.ts';
import { applyBlocks } from '../apply/apply-blocks.ts';
import { findStoredTokens, loadState } from '../apply/load-state.ts';
import { renewSupplies } from '../apply/supplies.ts';
import { selectNotices } from '../commit/commit-batch.ts';
import type { SelectedBlocks } from '../scope/chain-scope.ts';
import { type ChangedRows, copyRows } from '../state/changed-rows.ts';
import type { MarketState } from '../state/market-state.ts';
import type { BlocksToAppend } from './chain-index-options.ts';

/** A batch that is applied in memory and not stored yet. */
export interface PreparedBatch {
  readonly append: BlocksToAppend;
  /** What is in scope. */
  readonly selected: SelectedBlocks;
  readonly rows: ChangedRows;
  readonly notices: readonly TokenNotice[] | null | undefined;
  readonly incomplete: readonly IncompletePool[];
  /** The tokens whose supplies are due but were not read. */
  readonly missed: readonly Address[];
}

/** Loads what alerts need to know of tokens that trade, or change hands, after a time. */
export type LoadFigures = (of: {
  readonly traded: ReadonlySet<Address>;
  readonly moved: ReadonlySet<Address>;
  readonly timestampMs: number;
}) => Promise<void>;

interface BatchSource {
  readonly loadFigures: LoadFigures;
  readonly reader: MarketReader;
  readonly adapter: ChainAdapter;
  readonly signal: AbortSignal;
}

/** Some ten milliseconds of work. */
const EVENTS_PER_SLICE = 1000;

/** Between slices, replies of the node and of the store are heard: neither waits for the whole. */
async function applyInSlices(
  state: MarketState,
  blocks: readonly BlockEvents[],
  finalizedBlock: number,
): Promise<void> {
  let start = 0;
  let eventCount = 0;
  for (const [index, { events }] of blocks.entries()) {
    eventCount += events.length;
    if (eventCount < EVENTS_PER_SLICE) continue;
    applyBlocks(state, blocks.slice(start, index + 1), finalizedBlock);
    start = index + 1;
    eventCount = 0;
    await setImmediate();
  }
  applyBlocks(state, blocks.slice(start), finalizedBlock);
}

/** Tokens with a swap in a known pool; one that is created in the batch has no past. */
function listTraded(state: MarketState, blocks: readonly BlockEvents[]): Set<Address> {
  const tokens = new Set<Address>();
  for (const { events } of blocks) {
    for (const event of events) {
      if (event.kind !== 'swap') continue;
      for (const { base } of state.pools.get(event.pool)?.views ?? []) tokens.add(base);
    }
  }
  return tokens;
}

/** Tokens with transfers whose holders alerts watch. */
function listMoved({ alerts }: MarketState, blocks: readonly BlockEvents[]): Set<Address> {
  const tokens = new Set<Address>();
  for (const { events } of blocks) {
    for (const event of events) {
      if (event.kind === 'transfer' && alerts.watchesHolders(event.token)) tokens.add(event.token);
    }
  }
  return tokens;
}

export async function prepareBatch(
  state: MarketState,
  source: BatchSource,
  batch: Pick<PreparedBatch, 'append' | 'selected'>,
): Promise<PreparedBatch> {
  const { reading, last, finalizedBlock, withSupplies } = batch.append;
  const { adapter, signal } = source;
  const { blocks } = batch.selected;
  // Of history the newest names are read: few nodes have states that old.
  const block = last.position > finalizedBlock ? last.position : undefined;
  await loadState(state, { ...source, block }, blocks);
  state.forgetMovedTops();
  const first = blocks[0];
  if (first !== undefined && state.alerts.size > 0) {
    await source.loadFigures({
      traded: listTraded(state, blocks),
      moved: listMoved(state, blocks),
      timestampMs: first.header.timestampMs,
    });
  }
  await applyInSlices(state, blocks, finalizedBlock);
  const changes = state.takeChanges();
  const missed = await renewSupplies(adapter, {
    ...{ tokens: changes.tokens, header: last, isRead: withSupplies, signal },
  });
  const incomplete = findIncomplete(state, changes.pools);
  const notices = await selectIndexed(state, source, reading.notices);
  return { ...batch, rows: copyRows(changes), notices, incomplete, missed };
}

function selectIndexed(
  state: MarketState,
  { reader, adapter }: BatchSource,
  notices: BlockRangeReading['notices'],
) {
  if (notices === undefined) return undefined;
  const { chain } = adapter;
  const findIndexed = (tokens: readonly Address[]) =>
    findStoredTokens(state, { reader, chain, tokens });
  return selectNotices(notices, { findIndexed });
}
