// Builds a search segment in its own thread.

import { Worker } from 'node:worker_threads';
import { YOUNG_HEAP } from '../lib/thread-heap.ts';
import type { SegmentArrays } from '../market/search/segment.ts';
import { readSegmentFile, type SegmentOrigin } from '../market/search/segment-file.ts';
import { placeKeptFile } from './kept-segments.ts';
import type { SegmentThreadAnswer, SegmentThreadInput } from './segment-thread.ts';

type SegmentInput = Omit<SegmentThreadInput, 'file'>;

function runThread(input: SegmentThreadInput): Promise<SegmentThreadAnswer> {
  const worker = new Worker(new URL('./segment-thread.ts', import.meta.url), {
    workerData: input,
    resourceLimits: YOUNG_HEAP,
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended without a segment')));
  });
}

export async function buildSegmentElsewhere(input: SegmentInput): Promise<SegmentArrays> {
  const file = await placeKeptFile(input.store, input.chain);
  const { segment, written } = await runThread({ ...input, file });
  return segment ?? (await readBuilt(file, written));
}

/** Another process, of another index even, may have replaced the file, or damaged it. */
async function readBuilt(
  file: string,
  built: Pick<SegmentOrigin, 'chain'> & Partial<SegmentOrigin>,
): Promise<SegmentArrays> {
  const { chain, epoch, version = 0 } = built;
  const opened = await readSegmentFile(
    file,
    (one) => one.chain === chain && one.epoch === (epoch ?? one.epoch) && one.version >= version,
  );
  if (opened === null) throw new Error('the file of a segment was replaced');
  return opened.segment;
}
