// Batches overlap, and commits stay in order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { appendAhead } from './append-ahead.ts';
import type { BlocksToAppend } from './chain-index-options.ts';
import type { PreparedBatch } from './prepare-batch.ts';

/** An index whose commits end when told; one begins when the one before is stored. */
class SlowIndex {
  readonly steps: string[] = [];
  #last: Promise<void> = Promise.resolve();
  readonly #commits: PromiseWithResolvers<void>[] = [];
  readonly #started: PromiseWithResolvers<void>[] = [];

  async prepare(append: BlocksToAppend): Promise<PreparedBatch> {
    this.steps.push(`prepare ${append.finalizedBlock}`);
    return { append } as PreparedBatch;
  }

  commit({ append }: PreparedBatch): Promise<void> {
    this.#last = this.#last.then(async () => {
      this.steps.push(`commit ${append.finalizedBlock}`);
      const commit = Promise.withResolvers<void>();
      this.#commits.push(commit);
      this.#at(this.#commits.length - 1).resolve();
      await commit.promise;
      this.steps.push(`stored ${append.finalizedBlock}`);
    });
    return this.#last;
  }

  /** Resolves when the commit has begun. */
  async began(index: number): Promise<PromiseWithResolvers<void>> {
    await this.#at(index).promise;
    return this.#commits[index]!;
  }

  #at(index: number): PromiseWithResolvers<void> {
    this.#started[index] ??= Promise.withResolvers();
    return this.#started[index];
  }
}

async function* list(count: number): AsyncGenerator<BlocksToAppend> {
  for (let block = 1; block <= count; block += 1) {
    yield { finalizedBlock: block } as BlocksToAppend;
  }
}

test('batches are prepared while two before are committed, and commits stay in order', async () => {
  const index = new SlowIndex();
  const done = appendAhead(index, list(4), async () => true);
  for (let commit = 0; commit < 4; commit += 1) {
    const { resolve } = await index.began(commit);
    await setImmediate();
    resolve();
  }
  await done;
  assert.deepEqual(index.steps, [
    ...['prepare 1', 'commit 1', 'prepare 2', 'prepare 3', 'stored 1', 'commit 2'],
    ...['prepare 4', 'stored 2', 'commit 3', 'stored 3', 'commit 4', 'stored 4'],
  ]);
});

test('nothing is committed after a commit that failed', async () => {
  const index = new SlowIndex();
  const done = appendAhead(index, list(3), async () => true);
  const { reject } = await index.began(0);
  await setImmediate();
  reject(new Error('the disk is full'));
  await assert.rejects(done, /the disk is full/);
  assert.deepEqual(index.steps, ['prepare 1', 'commit 1', 'prepare 2', 'prepare 3']);
});

test('no commit is under way any more when it ends, for whatever reason', async () => {
  const index = new SlowIndex();
  let hasEnded = false;
  const done = appendAhead(index, list(3), async () => {
    throw new Error('stop');
  }).finally(() => {
    hasEnded = true;
  });
  const commit = await index.began(0);
  await setImmediate();
  assert.equal(hasEnded, false);
  commit.resolve();
  await assert.rejects(done, /stop/);
  assert.deepEqual(index.steps, ['prepare 1', 'commit 1', 'stored 1']);
});

test('it ends after the batch that it is told to', async () => {
  const index = new SlowIndex();
  const done = appendAhead(index, list(3), async () => false);
  (await index.began(0)).resolve();
  await done;
  assert.deepEqual(index.steps, ['prepare 1', 'commit 1', 'stored 1']);
});
