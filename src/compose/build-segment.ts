// Builds a search segment in its own thread.

import { Worker } from 'node:worker_threads';
import type { SegmentArrays } from '../market/search/segment.ts';
import type { SegmentThreadInput } from './segment-thread.ts';

export function buildSegmentElsewhere(input: SegmentThreadInput): Promise<SegmentArrays> {
  const worker = new Worker(new URL('./segment-thread.ts', import.meta.url), {
    workerData: input,
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended without a segment')));
  });
}
