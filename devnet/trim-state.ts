// Removes archived blocks and their transactions from a saved chain: the node keeps all headers.

import { readFile, rename, stat, writeFile } from 'node:fs/promises';

export interface SavedState {
  readonly best_block_number: number;
  readonly blocks: readonly { readonly header: { readonly number: string } }[];
  readonly transactions: readonly { readonly block_number: number }[];
}

export interface TrimLimits {
  /** Blocks below this number are in the archive. */
  readonly archivedCount: number;
  /** This many blocks below the archive's end always stay. */
  readonly depth: number;
}

/** The genesis block stays, because the node takes its hash from there. */
export function trimState(state: SavedState, limits: TrimLimits): SavedState {
  // A chain that was not saved at the end may be shorter than the archive.
  const first = Math.min(limits.archivedCount, state.best_block_number) - limits.depth;
  const isKept = (number: number) => number === 0 || number >= first;
  return {
    ...state,
    blocks: state.blocks.filter(({ header }) => isKept(Number(header.number))),
    transactions: state.transactions.filter(({ block_number }) => isKept(Number(block_number))),
  };
}

/** The file is replaced as a whole, or stays as it was. */
export async function writeState(stateFile: string, state: SavedState): Promise<void> {
  await writeFile(`${stateFile}.trimmed`, JSON.stringify(state));
  await rename(`${stateFile}.trimmed`, stateFile);
}

/** A file smaller than `bytesMin` is not changed: reading it takes longer than it saves. */
export async function trimStateFile(
  stateFile: string,
  limits: TrimLimits & { readonly bytesMin: number },
): Promise<void> {
  const { size } = await stat(stateFile);
  if (size < limits.bytesMin) return;
  const state = JSON.parse(await readFile(stateFile, 'utf8')) as SavedState;
  const trimmed = trimState(state, limits);
  if (trimmed.blocks.length < state.blocks.length) await writeState(stateFile, trimmed);
}
