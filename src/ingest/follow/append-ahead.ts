// Appends batches, each applied in memory while the one before is written to the store.

import type { ChainIndex } from './chain-index.ts';
import type { BlocksToAppend } from './chain-index-options.ts';

/**
 * Commits stay in order, and a failed one fails the whole: the index must then be loaded again. No
 * commit is under way any more when this ends. `onAppended` runs after each batch was prepared, and
 * says whether to go on.
 */
export async function appendAhead(
  index: Pick<ChainIndex, 'prepare' | 'commit'>,
  batches: AsyncIterable<BlocksToAppend>,
  onAppended: () => Promise<boolean>,
): Promise<void> {
  let committing: Promise<void> = Promise.resolve();
  try {
    for await (const batch of batches) {
      const prepared = await index.prepare(batch);
      await committing;
      committing = index.commit(prepared);
      // It is awaited later; until then its failure must not count as unhandled.
      committing.catch(() => undefined);
      if (!(await onAppended())) break;
    }
  } finally {
    await committing.catch(() => undefined);
  }
  await committing;
}
