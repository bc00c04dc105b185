// Several reads as of one commit.

import { createSerializer } from '../contract/create-serializer.ts';
import { buildNotReadyError } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { MarketReads } from '../store/market-reads.ts';
import type { MarketReader, MarketStore } from '../store/store.ts';
import type { StreamReads } from '../store/stream-reads.ts';
import { markInSnapshot, StatsBehindError, StatsPassedError } from './rolling-stats/chain-stats.ts';
import type { StandbyReads } from './state/standby-reads.ts';

// The state of a chain that an answer reflects.

export function toAsOf(checkpoint: Checkpoint) {
  return {
    block: checkpoint.block,
    blockHash: checkpoint.blockHash,
    timestamp: checkpoint.timestampMs,
    finalizedBlock: checkpoint.finalizedBlock,
  };
}

const serialize = createSerializer(asOfSchema);
const texts = new WeakMap<Checkpoint, string>();

/** As JSON; built once per commit of a chain. */
export function serializeAsOf(checkpoint: Checkpoint): string {
  let text = texts.get(checkpoint);
  if (text === undefined) {
    text = serialize(toAsOf(checkpoint));
    texts.set(checkpoint, text);
  }
  return text;
}

export type AnswerReader = MarketReader & MarketReads & StreamReads;

interface ReadAt<T> {
  readonly value: T;
  /** The commit that the value reflects; null while the chain has none. */
  readonly checkpoint: Checkpoint | null;
}

/** Commits are far too rare to interrupt more attempts than this. */
const ATTEMPTS = 3;
/** The rolling stats may already be past a snapshot. */
const SNAPSHOTS_MAX = 20;

/** Where answers are read from. */
interface ReadPlaces {
  readonly store: MarketStore;
  /** Asked first, if there is one. */
  readonly standby?: StandbyReads | undefined;
}

type ReadWork<T> = (reader: AnswerReader, checkpoint: Checkpoint | null) => Promise<T>;

/** `work` may run several times; its last run counts. */
export async function readAt<T>(
  { store, standby }: ReadPlaces,
  chain: ChainSlug,
  work: ReadWork<T>,
): Promise<ReadAt<T>> {
  const read = (await standby?.read(chain, work)) ?? (await readFromStore(store, chain, work));
  if (read.checkpoint !== null) standby?.noteAnnounced(chain, read.checkpoint);
  return read;
}

/**
 * Reads again if there was a commit in between. That is cheaper than a snapshot, which is the
 * fallback if commits keep coming.
 */
async function readFromStore<T>(
  store: MarketStore,
  chain: ChainSlug,
  work: ReadWork<T>,
): Promise<ReadAt<T>> {
  let checkpoint = await store.readCheckpoint(chain);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const done = await tryWork(() => work(store, checkpoint));
    const after = await store.readCheckpoint(chain);
    if (!isMissed(done) && after?.version === checkpoint?.version) {
      return { value: done.value, checkpoint };
    }
    checkpoint = after;
  }
  for (let attempt = 1; attempt <= SNAPSHOTS_MAX; attempt += 1) {
    const read = await store.snapshot(async (reader) => {
      const at = await reader.readCheckpoint(chain);
      return { done: await tryWork(() => work(markInSnapshot(reader), at)), checkpoint: at };
    });
    if (!isMissed(read.done)) return { value: read.done.value, checkpoint: read.checkpoint };
    // Without the snapshot, which holds a connection.
    if (read.done.missed instanceof StatsBehindError) await read.done.missed.arrived;
  }
  throw buildNotReadyError(chain);
}

type Tried<T> = { readonly value: T } | { readonly missed: StatsPassedError };

function isMissed<T>(tried: Tried<T>): tried is { readonly missed: StatsPassedError } {
  return 'missed' in tried;
}

/** The commit is missed if the rolling stats are past it, or not there yet. */
async function tryWork<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof StatsPassedError) return { missed: error };
    throw error;
  }
}
