// Reads V8 CPU profiles and reports their largest costs.

import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Cost {
  readonly name: string;
  /** Of the time that the thread was busy. */
  readonly share: number;
}

const COSTS_SHOWN = 3;
const NATIVE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code outside of JavaScript (sockets, system calls)',
};

/** A file's path relative to the project. */
function namePlace({ functionName, url }: Frame): string {
  if (url === '') return NATIVE[functionName] ?? `\`${functionName}\` of the runtime`;
  // Only the runtime's own fetch uses WebAssembly: its HTTP parser.
  if (url.startsWith('wasm:')) return 'the HTTP parser of `fetch`';
  const packaged = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (packaged !== undefined) return packaged;
  return /\/((?:src|bench|test|devnet)\/.*)$/.exec(url)?.[1] ?? url;
}

/**
 * Excludes what is not the path's own work: idle time, and code that generates or drives the test
 * market.
 */
function isCounted({ functionName, url }: Frame): boolean {
  return !['(idle)', '(root)'].includes(functionName) && !/\/(?:test|bench|devnet)\//.test(url);
}

interface Spent {
  micros: number;
  readonly byFunction: Map<string, number>;
}

function buildCost(place: string, spent: Spent, total: number): Cost {
  const [most] = [...spent.byFunction].sort(([, a], [, b]) => b - a);
  const inside = /^(?:src\/|node:)/.test(place) && most?.[0] ? `, most of it \`${most[0]}\`` : '';
  return { name: `${place}${inside}`, share: spent.micros / total };
}

/** The largest costs by self time since a moment of the monotonic clock, by file. */
export function readCosts(profile: CpuProfile, sinceMicros = 0): Cost[] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const places = new Map<string, Spent>();
  let total = 0;
  let atMicros = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const micros = profile.timeDeltas[index] ?? 0;
    atMicros += micros;
    const frame = frames.get(id);
    if (frame === undefined || atMicros < sinceMicros || !isCounted(frame)) continue;
    const place = namePlace(frame);
    const spent = places.get(place) ?? { micros: 0, byFunction: new Map() };
    spent.micros += micros;
    spent.byFunction.set(
      frame.functionName,
      (spent.byFunction.get(frame.functionName) ?? 0) + micros,
    );
    places.set(place, spent);
    total += micros;
  }
  return [...places]
    .sort(([, a], [, b]) => b.micros - a.micros)
    .slice(0, COSTS_SHOWN)
    .map(([place, spent]) => buildCost(place, spent, total));
}

/** Now, on the clock of the profiles. */
export function readMonotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export interface ProfileFolder {
  /** Arguments that make a process write its profile here. */
  readonly nodeArgs: readonly string[];
  /** The main thread's profile, after the process has ended. */
  readMain(): CpuProfile;
  remove(): void;
}

export function createProfileFolder(): ProfileFolder {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-profile-'));
  return {
    nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    readMain: () => {
      // CPU.<day>.<time>.<process>.<thread>.<count>.cpuprofile: the main thread is number 0.
      const [file] = globSync(join(folder, 'CPU.*.*.*.0.*.cpuprofile'));
      if (file === undefined) throw new Error('the process has left no profile');
      return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
