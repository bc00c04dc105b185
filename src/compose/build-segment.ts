// Builds a search segment in its own thread, once for all workers of a port.

import { Worker } from 'node:worker_threads';
import type { SegmentArrays } from '../market/search/segment.ts';
import { readSegmentFile } from '../market/search/segment-file.ts';
import type { SegmentThreadInput } from './segment-thread.ts';
import type { WorkerLink } from './worker-link.ts';

type SegmentInput = Omit<SegmentThreadInput, 'file'>;

function runThread(input: SegmentThreadInput): Promise<SegmentArrays | null> {
  const worker = new Worker(new URL('./segment-thread.ts', import.meta.url), {
    workerData: input,
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended without a segment')));
  });
}

export async function buildSegmentElsewhere(
  input: SegmentInput,
  link: Pick<WorkerLink, 'ask' | 'tell'> | null,
): Promise<SegmentArrays> {
  if (link !== null) return await shareSegment(input, link);
  return await buildInMemory(input);
}

async function buildInMemory(input: SegmentInput): Promise<SegmentArrays> {
  const segment = await runThread({ ...input, file: null });
  if (segment === null) throw new Error('the thread kept its segment');
  return segment;
}

async function shareSegment(
  input: SegmentInput,
  link: Pick<WorkerLink, 'ask' | 'tell'>,
): Promise<SegmentArrays> {
  const { chain } = input;
  const { file, mustBuild } = await link.ask('segment', chain);
  if (file === null) return await buildInMemory(input);
  if (mustBuild) {
    let isBuilt = false;
    try {
      await runThread({ ...input, file });
      isBuilt = true;
    } finally {
      link.tell({ type: 'built', chain, isBuilt });
    }
  }
  return await readSegmentFile(file);
}
