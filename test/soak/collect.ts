// Loaded into every thread of the soaked service (`--import`): collects garbage periodically and
// records what is left. A heap without pressure grows freely; what is left after a collection is
// what the service keeps.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 10_000;
const FILE_VARIABLE = 'MINTWIRE_SOAK_NOTES';

/** The environment that makes a service's threads record what they keep. */
export function buildCollectingEnv(file: string): Record<string, string> {
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --import ${import.meta.url}`.trim();
  return { [FILE_VARIABLE]: file, NODE_OPTIONS: options };
}

/** Megabytes kept by all threads together, by collection. */
export function readKept(file: string): number[] {
  const keptByThread = new Map<string, number>();
  const sums: number[] = [];
  if (!existsSync(file)) return sums;
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const [thread = '', megabytes] = line.split(' ');
    keptByThread.set(thread, Number(megabytes));
    // The main thread starts the others, so it is first in each round.
    if (thread !== '0') continue;
    sums.push([...keptByThread.values()].reduce((sum, one) => sum + one, 0));
  }
  return sums;
}

function noteKept(file: string, collect: () => void): void {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  appendFileSync(file, `${threadId} ${((heapUsed + external) / 1024 / 1024).toFixed(2)}\n`);
}

const file = process.env[FILE_VARIABLE];
if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setInterval(() => noteKept(file, collect), EVERY_MS).unref();
}
