// The latest results, stored part by part in `bench/results/latest.json`.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Row } from './row.ts';

export interface MachineInfo {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
}

export interface PartResult {
  readonly measuredAt: string;
  /** The commit whose code ran. */
  readonly commit: string;
  readonly quick: boolean;
  readonly seconds: number;
  /** The load average when the part began; above the number of cores, other processes interfere. */
  readonly loadBefore: number;
  /**
   * The share of the cores' time that the host of a virtual machine gave to others meanwhile; not
   * there in results from before it was read.
   */
  readonly stolenShare?: number;
  readonly machine: MachineInfo;
  readonly rows: readonly Row[];
}

export interface PathProfile {
  readonly measuredAt: string;
  readonly commit: string;
  /** The largest costs by self time, as shares of the busy time of the thread. */
  readonly costs: readonly { readonly name: string; readonly share: number }[];
}

export interface Results {
  readonly parts: Readonly<Record<string, PartResult>>;
  readonly profiles: Readonly<Record<string, PathProfile>>;
}

const PATH = 'bench/results/latest.json';

export function readMachine(): MachineInfo {
  const all = cpus();
  return {
    cores: all.length,
    cpu: all[0]?.model.trim() || 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}

/** The current commit, or `unknown` outside a repository. */
export function readCommit(): string {
  try {
    const args = ['rev-parse', '--short', 'HEAD'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

export function readResults(): Results {
  try {
    return JSON.parse(readFileSync(PATH, 'utf8')) as Results;
  } catch {
    return { parts: {}, profiles: {} };
  }
}

/** Replaces what was measured again and keeps the rest. */
export function writeResults(fresh: Partial<Results>): Results {
  const kept = readResults();
  const results = {
    parts: { ...kept.parts, ...fresh.parts },
    profiles: { ...kept.profiles, ...fresh.profiles },
  };
  mkdirSync(dirname(PATH), { recursive: true });
  writeFileSync(PATH, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}
