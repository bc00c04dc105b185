// `node devnet/solana/build-programs.ts`: compiles the stand-in programs and records compiler and
// hashes. A test compares the committed builds, and rebuilds them where that compiler exists.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkProgram } from './link-program.ts';

const FOLDER = fileURLToPath(new URL('programs/', import.meta.url));
const RECORD = join(FOLDER, 'builds.json');
export const PROGRAM_NAMES = ['cpmm', 'pump', 'launchlab'] as const;
type ProgramName = (typeof PROGRAM_NAMES)[number];

/** Builds differ with the version of the compiler: one is recorded. */
interface BuildRecord {
  readonly compiler: string;
  readonly sha256: Readonly<Record<ProgramName, string>>;
}

const FLAGS = ['-target', 'bpf', '-mcpu=v2', '-O2', '-ffreestanding', '-fno-builtin', '-Wall'];

export function readProgram(name: ProgramName): Buffer {
  return readFileSync(join(FOLDER, `${name}.so`));
}

export function readBuildRecord(): BuildRecord {
  return JSON.parse(readFileSync(RECORD, 'utf8')) as BuildRecord;
}

export function hashProgram(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The first line that the compiler says of itself; null if there is none. */
export function findCompiler(clang = process.env['CLANG'] ?? 'clang'): string | null {
  try {
    const text = execFileSync(clang, ['--version'], { encoding: 'utf8' });
    return text.split('\n')[0] ?? null;
  } catch {
    return null;
  }
}

export function compileProgram(name: ProgramName, clang = process.env['CLANG'] ?? 'clang'): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-program-'));
  try {
    const object = join(folder, `${name}.o`);
    execFileSync(clang, [...FLAGS, '-c', `${name}.c`, '-o', object], { cwd: FOLDER });
    return linkProgram(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function buildAll(): void {
  const compiler = findCompiler();
  if (compiler === null) throw new Error('no clang: install it, or set CLANG to its path');
  const builds = PROGRAM_NAMES.map((name) => [name, compileProgram(name)] as const);
  for (const [name, bytes] of builds) writeFileSync(join(FOLDER, `${name}.so`), bytes);
  const sha256 = Object.fromEntries(builds.map(([name, bytes]) => [name, hashProgram(bytes)]));
  writeFileSync(RECORD, `${JSON.stringify({ compiler, sha256 }, null, 2)}\n`);
  for (const [name, bytes] of builds) console.log(`${name}.so ${bytes.length} bytes`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildAll();
