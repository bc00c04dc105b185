// The entry of a thread that reads a chain's tokens and builds a search segment. It writes the
// segment to a file or, if that is not possible, transfers it, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { openStore } from '../engines/open-store.ts';
import { lowerThreadPriority } from '../lib/lower-thread-priority.ts';
import type { Listing } from '../market/search/listing.ts';
import { buildSegment, type SegmentArrays } from '../market/search/segment.ts';
import { type SegmentOrigin, writeSegmentFile } from '../market/search/segment-file.ts';
import { computeListsMark, type ListingFacts, toListing } from '../market/token-search.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Store } from '../store/store.ts';

export interface SegmentThreadInput {
  readonly store: Config['store'];
  readonly chain: ChainSlug;
  readonly facts: ListingFacts;
  /** Where to write the segment. */
  readonly file: string;
}

/** The segment, or what the one in the file was built from. */
export type SegmentThreadAnswer =
  | { readonly segment: SegmentArrays; readonly written: null }
  | { readonly segment: null; readonly written: SegmentOrigin };

function listBuffers(arrays: object): ArrayBuffer[] {
  return Object.values(arrays).flatMap((value: unknown) =>
    ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : listBuffers(value as object),
  );
}

/** Null before the chain's first commit. */
async function readOrigin(
  store: Store,
  { chain, facts }: SegmentThreadInput,
): Promise<SegmentOrigin | null> {
  const checkpoint = await store.market.readCheckpoint(chain);
  const epoch = await store.market.readEpoch(chain);
  if (checkpoint === null || epoch === null) return null;
  const { version, finalizedBlock } = checkpoint;
  const listsMark = computeListsMark(facts.entries);
  return {
    ...{ chain, epoch: epoch.epoch, version, finalizedBlock },
    ...{ hasVolumes: facts.hasVolumes, listsMark },
  };
}

async function writeSegment(
  file: string,
  origin: SegmentOrigin,
  segment: SegmentArrays,
): Promise<boolean> {
  try {
    await writeSegmentFile(file, { origin, segment });
    return true;
  } catch {
    // A disk that is full, or a folder that may only be read: search works without the file.
    return false;
  }
}

const input = workerData as SegmentThreadInput;
const { chain, facts, file } = input;
// Without volumes it is the first one, for which search waits.
if (facts.hasVolumes) lowerThreadPriority();
const store = await openStore(input.store);
// Read before the rows, which may include newer commits: applying those again is harmless.
const origin = await readOrigin(store, input);
const listings: Listing[] = [];
for await (const page of store.market.scanListings(chain)) {
  for (const record of page) listings.push(toListing(record, facts));
}
await store.close();
const segment: SegmentArrays = buildSegment(listings);
const answer: SegmentThreadAnswer =
  origin !== null && (await writeSegment(file, origin, segment))
    ? { segment: null, written: origin }
    : { segment, written: null };
parentPort?.postMessage(answer, answer.segment === null ? [] : listBuffers(segment));
