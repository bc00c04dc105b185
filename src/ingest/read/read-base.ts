// The block before the first one that is indexed.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';

export async function readBase(
  adapter: ChainAdapter,
  position: number,
  signal: AbortSignal,
): Promise<BlockHeader> {
  const header = await adapter.readHeader(position, signal);
  if (header === null) throw new Error(`the chain has no block ${position} to start after`);
  return header;
}
