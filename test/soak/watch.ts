// Monitors a soak: the service's memory and its lag behind its chains.

import { readFileSync } from 'node:fs';
import { rest, type Stage } from './actors.ts';

export interface Sample {
  readonly atSeconds: number;
  readonly memoryMb: number;
  /** By chain. */
  readonly lags: ReadonlyMap<string, number | null>;
}

/** Resident memory without mapped files: the process's own. Linux only. */
function readMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function readLags(stage: Stage): Promise<Map<string, number | null>> {
  const response = await fetch(`${stage.origin}/v1/chains`);
  const { chains } = (await response.json()) as {
    chains: { slug: string; lagMs: number | null }[];
  };
  return new Map(chains.map(({ slug, lagMs }) => [slug, lagMs]));
}

export async function watch(
  stage: Stage,
  options: { readonly pid: number; readonly everyMs: number },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedMs = performance.now();
  while (!stage.isOver()) {
    const atSeconds = Math.round((performance.now() - startedMs) / 1000);
    const lags = await readLags(stage).catch(() => new Map());
    samples.push({ atSeconds, memoryMb: readMemoryMb(options.pid), lags });
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
