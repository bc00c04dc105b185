// Removes archived blocks from a saved chain: the node saves all headers.

import { readFile, rename, stat, writeFile } from 'node:fs/promises';

interface SavedState {
  readonly best_block_number: number;
  readonly blocks: readonly { readonly header: { readonly number: string } }[];
}

export interface PruneLimits {
  /** Blocks below this number are in the archive. */
  readonly archivedCount: number;
  /** This many blocks below the head always stay. */
  readonly depth: number;
  /** A smaller file is not changed: reading it takes longer than it saves. */
  readonly bytesMin: number;
}

/** The genesis block stays, because the node takes its hash from there. */
export async function pruneState(stateFile: string, limits: PruneLimits): Promise<void> {
  const { size } = await stat(stateFile);
  if (size < limits.bytesMin) return;
  const state = JSON.parse(await readFile(stateFile, 'utf8')) as SavedState;
  // A chain that was not saved at the end may be shorter than the archive.
  const first = Math.min(limits.archivedCount, state.best_block_number) - limits.depth;
  const blocks = state.blocks.filter(({ header }) => {
    const number = Number(header.number);
    return number === 0 || number >= first;
  });
  if (blocks.length === state.blocks.length) return;
  await writeFile(`${stateFile}.pruned`, JSON.stringify({ ...state, blocks }));
  await rename(`${stateFile}.pruned`, stateFile);
}
