// Monitors a soak: the service's memory and its lag behind the chain.

import { readFileSync } from 'node:fs';
import { rest, type Stage } from './actors.ts';

export interface Sample {
  readonly atSeconds: number;
  readonly memoryMb: number;
  readonly lagMs: number | null;
}

/** Resident memory without mapped files: the process's own. Linux only. */
function readMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function readLagMs(stage: Stage): Promise<number | null> {
  const response = await fetch(`${stage.origin}/v1/chains`);
  const { chains } = (await response.json()) as { chains: { lagMs: number | null }[] };
  return chains[0]?.lagMs ?? null;
}

export async function watch(
  stage: Stage,
  options: { readonly pid: number; readonly everyMs: number },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedMs = performance.now();
  while (!stage.isOver()) {
    const atSeconds = Math.round((performance.now() - startedMs) / 1000);
    const lagMs = await readLagMs(stage).catch(() => null);
    samples.push({ atSeconds, memoryMb: readMemoryMb(options.pid), lagMs });
    await rest(options.everyMs);
  }
  return samples;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export interface Trend {
  readonly earlyMb: number;
  readonly lateMb: number;
  readonly isFlat: boolean;
}

/** A heap fluctuates and caches fill at first, so the second and the last quarter are compared. */
export function computeTrend(memory: readonly number[]): Trend {
  const quarter = Math.floor(memory.length / 4);
  const earlyMb = median(memory.slice(quarter, 2 * quarter));
  const lateMb = median(memory.slice(-quarter));
  return { earlyMb, lateMb, isFlat: lateMb <= earlyMb * 1.15 + 20 };
}
