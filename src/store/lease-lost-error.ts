// Thrown if another process has taken the right to index a chain.

import type { ChainSlug } from '../model/chain.ts';

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(chain: ChainSlug) {
    super(`Another process indexes ${chain} now. Nothing was written.`);
  }
}
