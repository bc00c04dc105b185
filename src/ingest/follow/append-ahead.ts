// Appends batches, each applied in memory while those before are written to the store.

import type { ChainIndex } from './chain-index.ts';
import type { BlocksToAppend } from './chain-index-options.ts';
import type { PreparedBatch } from './prepare-batch.ts';

/**
 * How many batches may be applied and not stored yet. With two, neither side waits for the other
 * where one batch takes it longer than usual: a store that writes its log back, code that is still
 * being compiled.
 */
const COMMITS_MAX = 2;

/**
 * Commits stay in order, and a failed one fails the whole: the index must then be loaded again. No
 * commit is under way any more when this ends. `onAppended` runs after each batch was prepared, and
 * says whether to go on.
 */
export async function appendAhead(
  index: Pick<ChainIndex, 'prepare' | 'commit'>,
  batches: AsyncIterable<BlocksToAppend>,
  onAppended: (prepared: PreparedBatch) => Promise<boolean>,
): Promise<void> {
  const committing: Promise<void>[] = [];
  try {
    for await (const batch of batches) {
      const prepared = await index.prepare(batch);
      if (committing.length === COMMITS_MAX) await committing.shift();
      const commit = index.commit(prepared);
      // It is awaited later; until then its failure must not count as unhandled.
      commit.catch(() => undefined);
      committing.push(commit);
      if (!(await onAppended(prepared))) break;
    }
  } finally {
    await Promise.allSettled(committing);
  }
  await Promise.all(committing);
}
