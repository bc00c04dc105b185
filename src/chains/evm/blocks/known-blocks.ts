// Blocks that are known before a range is read, so that they need not be read again.

import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import type { EvmBlock } from '../data/parse-block.ts';
import { type BlockWish, readEvmBlocks } from './read-evm-blocks.ts';

/** By position. */
export type KnownBlocks = ReadonlyMap<number, EvmBlock>;

export const NO_BLOCKS: KnownBlocks = new Map();

function hasSenders({ senders, gasUsed }: EvmBlock): boolean {
  return senders.size > 0 || gasUsed === 0;
}

/** A block for each wish, in order; those that were read count before those that were known. */
export function joinBlocks(
  wishes: readonly BlockWish[],
  known: KnownBlocks,
  read: readonly EvmBlock[],
): EvmBlock[] {
  const all = new Map([...known, ...read.map((block) => [block.header.position, block] as const)]);
  return wishes.flatMap(({ block }) => all.get(block) ?? []);
}

/** The requested blocks, in order; those that are not known well enough are read. */
export async function completeBlocks(
  endpoint: RpcEndpoint,
  from: { readonly wishes: readonly BlockWish[]; readonly known: KnownBlocks },
  options: Parameters<typeof readEvmBlocks>[2],
): Promise<EvmBlock[]> {
  const { wishes, known } = from;
  const missing = wishes.filter(({ block, full }) => {
    const one = known.get(block);
    return one === undefined || (full && !hasSenders(one));
  });
  return joinBlocks(wishes, known, await readEvmBlocks(endpoint, missing, options));
}
