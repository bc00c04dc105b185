// The entry of a thread that reads a chain's tokens and builds a search segment. It transfers the
// segment or, if it is for several processes, writes it to a file, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import type { Listing } from '../market/search/listing.ts';
import { buildSegment, type SegmentArrays } from '../market/search/segment.ts';
import { writeSegmentFile } from '../market/search/segment-file.ts';
import { type ListingFacts, toListing } from '../market/token-search.ts';
import type { ChainSlug } from '../model/chain.ts';
import { openStore } from './open-store.ts';

export interface SegmentThreadInput {
  readonly store: Config['store'];
  readonly chain: ChainSlug;
  readonly facts: ListingFacts;
  /** Where to write the segment; null transfers it. */
  readonly file: string | null;
}

function listBuffers(arrays: object): ArrayBuffer[] {
  return Object.values(arrays).flatMap((value: unknown) =>
    ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : listBuffers(value as object),
  );
}

const { store: config, chain, facts, file } = workerData as SegmentThreadInput;
const store = await openStore(config);
const listings: Listing[] = [];
for await (const page of store.market.scanListings(chain)) {
  for (const record of page) listings.push(toListing(record, facts));
}
await store.close();
const segment: SegmentArrays = buildSegment(listings);
if (file === null) parentPort?.postMessage(segment, listBuffers(segment));
else {
  await writeSegmentFile(file, segment);
  parentPort?.postMessage(null);
}
