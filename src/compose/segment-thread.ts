// The entry of a thread that reads a chain's tokens, builds a search segment, transfers it and
// ends.

import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import type { ChainEntries } from '../market/lists/token-directory.ts';
import type { Listing } from '../market/search/listing.ts';
import { buildSegment, type SegmentArrays } from '../market/search/segment.ts';
import { toListing } from '../market/token-search.ts';
import type { ChainSlug } from '../model/chain.ts';
import { openStore } from './open-store.ts';

export interface SegmentThreadInput {
  readonly store: Config['store'];
  readonly chain: ChainSlug;
  readonly entries: ChainEntries;
}

function listBuffers(arrays: object): ArrayBuffer[] {
  return Object.values(arrays).flatMap((value: unknown) =>
    ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : listBuffers(value as object),
  );
}

const { store: config, chain, entries } = workerData as SegmentThreadInput;
const store = await openStore(config);
const listings: Listing[] = [];
for await (const page of store.market.scanListings(chain)) {
  for (const record of page) listings.push(toListing(record, entries));
}
await store.close();
const segment: SegmentArrays = buildSegment(listings);
parentPort?.postMessage(segment, listBuffers(segment));
