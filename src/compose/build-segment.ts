// Builds a search segment in its own thread, once for all workers of a port.

import { Worker } from 'node:worker_threads';
import type { SegmentArrays } from '../market/search/segment.ts';
import { readSegmentFile } from '../market/search/segment-file.ts';
import { keepSegmentFile, placeKeptFile } from './kept-segments.ts';
import type { SegmentThreadInput } from './segment-thread.ts';
import type { WorkerLink } from './worker-link.ts';

type SegmentInput = Omit<SegmentThreadInput, 'file'>;

/** Null if the segment is in the file. */
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
  const file = await placeKeptFile(input.store, input.chain);
  return (await runThread({ ...input, file })) ?? (await readBuilt(file));
}

async function readBuilt(file: string): Promise<SegmentArrays> {
  const opened = await readSegmentFile(file);
  if (opened === null) throw new Error('the file of a segment was replaced');
  return opened.segment;
}

async function shareSegment(
  input: SegmentInput,
  link: Pick<WorkerLink, 'ask' | 'tell'>,
): Promise<SegmentArrays> {
  const { chain, store } = input;
  const { file, mustBuild } = await link.ask('segment', chain);
  if (file === null) return await buildInMemory(input);
  if (mustBuild) {
    let isBuilt = false;
    try {
      const unwritten = await runThread({ ...input, file });
      if (unwritten !== null) return unwritten;
      isBuilt = true;
      // Without it, the next start builds.
      await keepSegmentFile(store, chain, file).catch(() => undefined);
    } finally {
      link.tell({ type: 'built', chain, isBuilt });
    }
  }
  return await readBuilt(file);
}

async function buildInMemory(input: SegmentInput): Promise<SegmentArrays> {
  const segment = await runThread({ ...input, file: null });
  if (segment === null) throw new Error('the thread kept its segment');
  return segment;
}
