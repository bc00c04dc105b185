// Where history ends that was filled in: trades before that are stored, and were on no feed.

import type { ChainSlug } from '../../src/model/chain.ts';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';

/** The first block after it, of those of the rows' tokens that have any. */
export async function findHistoryEnds(
  store: MarketStore,
  chain: ChainSlug,
  rows: Iterable<{ readonly token: Address }>,
): Promise<ReadonlyMap<Address, number>> {
  const tokens = new Set(Array.from(rows, ({ token }) => token));
  const jobs = await store.readBackfills(chain, [...tokens]);
  return new Map(jobs.flatMap((job) => (job.kind === 'trades' ? [[job.token, job.toBlock]] : [])));
}
