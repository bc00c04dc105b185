// A branch is accepted only if it links to a block that we have, and never below finality.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildCheckpoint, buildHeader, toHash } from '../../../test/conformance/store-samples.ts';
import type { ChainAdapter } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import { ChainInconsistentError, FinalityError } from '../state/chain-errors.ts';
import { findAncestor } from './find-ancestor.ts';

const HEAD = 20;
const FINALIZED = 10;

/** The chain's own branch: ours up to a block, and another one above it. */
function buildBranch(lastCommon: number): Map<number, BlockHeader> {
  const branch = new Map<number, BlockHeader>();
  for (let number = 0; number <= HEAD; number += 1) {
    const header = buildHeader(number);
    const hash = number > lastCommon ? toHash(1000 + number) : header.hash;
    branch.set(number, { ...header, hash, parentHash: branch.get(number - 1)?.hash ?? '0x' });
  }
  return branch;
}

async function search(branch: ReadonlyMap<number, BlockHeader>) {
  const asked: number[] = [];
  // The network's edge: what the endpoints agree on.
  const adapter = {
    readAgreedHeader: async (number: number) => {
      asked.push(number);
      return branch.get(number) ?? null;
    },
  } as unknown as ChainAdapter;
  const stored = new Map<number, BlockHeader>();
  for (let number = 0; number <= HEAD; number += 1) stored.set(number, buildHeader(number));
  const checkpoint = { ...buildCheckpoint(1, HEAD), finalizedBlock: FINALIZED };
  const signal = new AbortController().signal;
  const found = findAncestor({ adapter, checkpoint, stored, signal });
  return { result: await found.catch((error: unknown) => error), asked };
}

describe('findAncestor', () => {
  it('finds the last block in common, down to the finalized one', async () => {
    for (const common of [FINALIZED, FINALIZED + 1, HEAD - 1]) {
      const { result } = await search(buildBranch(common));
      assert.equal((result as BlockHeader).position, common);
    }
  });

  it('never looks below the finalized block, though older headers are stored', async () => {
    const { result, asked } = await search(buildBranch(FINALIZED - 1));
    assert.ok(result instanceof FinalityError);
    assert.equal(asked.at(-1), FINALIZED);
  });

  it('rejects a branch that does not link or cannot be confirmed', async () => {
    const torn = buildBranch(FINALIZED + 2);
    const block = torn.get(FINALIZED + 5)!;
    torn.set(block.position, { ...block, parentHash: toHash(7) });
    assert.ok((await search(torn)).result instanceof ChainInconsistentError);
    const silent = buildBranch(FINALIZED + 2);
    silent.delete(FINALIZED + 5);
    assert.ok((await search(silent)).result instanceof ChainInconsistentError);
  });

  it('rolls nothing back if the chain has returned to our branch', async () => {
    assert.ok((await search(buildBranch(HEAD))).result instanceof ChainInconsistentError);
  });
});
