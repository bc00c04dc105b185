// Thrown if another writer has moved the checkpoint since this writer last saw it.

import type { ChainSlug } from '../model/chain.ts';

export class StaleWriterError extends Error {
  override readonly name = 'StaleWriterError';

  constructor(
    chain: ChainSlug,
    versions: { readonly expected: number; readonly stored: number | null },
  ) {
    super(
      `Another indexer writes ${chain}: its checkpoint is at version ${versions.stored ?? 'none'}, ` +
        `this one expected ${versions.expected}. Nothing was written.`,
    );
  }
}
