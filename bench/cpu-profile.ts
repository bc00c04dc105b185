// Reads CPU profiles as V8 writes them, and tells their largest costs.

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
  /** Of the time that the thread worked. */
  readonly share: number;
}

const COSTS_SHOWN = 3;
const NATIVE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code outside of JavaScript (sockets, system calls)',
};

/** A file as a reader of the project knows it, wherever the project stands. */
function toPlace({ functionName, url }: Frame): string {
  if (url === '') return NATIVE[functionName] ?? `\`${functionName}\` of the runtime`;
  // Only the runtime's own fetch brings any: its parser of HTTP.
  if (url.startsWith('wasm:')) return 'the HTTP parser of `fetch`';
  const packaged = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (packaged !== undefined) return packaged;
  return /\/((?:src|bench|test|devnet)\/.*)$/.exec(url)?.[1] ?? url;
}

/** What is not the path's own work: waiting, and whatever makes or drives a test's market. */
function isCounted({ functionName, url }: Frame): boolean {
  return !['(idle)', '(root)'].includes(functionName) && !/\/(?:test|bench|devnet)\//.test(url);
}

interface Spent {
  micros: number;
  readonly byFunction: Map<string, number>;
}

function toCost(place: string, spent: Spent, total: number): Cost {
  const [most] = [...spent.byFunction].sort(([, a], [, b]) => b - a);
  const inside = /^(?:src\/|node:)/.test(place) && most?.[0] ? `, most of it \`${most[0]}\`` : '';
  return { name: `${place}${inside}`, share: spent.micros / total };
}

/** The largest costs by self time since a moment of the monotonic clock, file by file. */
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
    const place = toPlace(frame);
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
    .map(([place, spent]) => toCost(place, spent, total));
}

/** Now, on the clock that profiles are told in. */
export function readMonotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export interface ProfileFolder {
  /** What a process must be started with to leave its profile here. */
  readonly nodeArgs: readonly string[];
  /** The profile of the main thread of the process that has ended. */
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
