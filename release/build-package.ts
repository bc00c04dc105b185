// Builds the published package into a folder: JavaScript in the layout of the sources, the built
// console, the docs that the service serves, and exact versions of what it needs. It has no tests
// and no install scripts.
//
// `npm run pack [folder]` builds it, and packs it into that folder.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { type LockedPackages, pickLocked } from './pick-locked.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PROGRAMS = ['src/cli/main.ts', 'devnet/main.ts', 'devnet/solana/main.ts'];
/** Beside the code, in the place where the code looks for it. */
const FILES = [
  ...['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs/**/*.md', 'src/**/*.json'],
  ...['devnet/contracts/*.json', 'devnet/solana/programs/*.so'],
];
/** Imports, and files that a thread or a process begins with. */
const RELATIVE_TS = /(["'`])(\.{1,2}\/[^"'`*\n]*)\.ts\1/g;
const IMPORTED =
  /^(?:import|export|\})[^'\n]*\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: unknown;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Every source that a program reaches; returns the packages that they import. */
function buildSources(target: string): Set<string> {
  const packages = new Set<string>();
  const found = new Set(PROGRAMS);
  for (const path of found) {
    if (/^test\/|\.test\.ts$/.test(path)) throw new Error(`${path} would be in the package`);
    const source = readFileSync(join(ROOT, path), 'utf8');
    // What Node itself does in a clone; lines stay where they are.
    const code = stripTypeScriptTypes(source);
    for (const [, , relative] of code.matchAll(RELATIVE_TS)) {
      found.add(`${posix.join(posix.dirname(path), relative ?? '')}.ts`);
    }
    for (const names of code.matchAll(IMPORTED)) {
      const name = names.slice(1).find(Boolean) ?? '';
      if (/^(?:\.|node:)/.test(name)) continue;
      packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
    write(join(target, path.replace(/\.ts$/, '.js')), code.replace(RELATIVE_TS, '$1$2.js$1'));
  }
  return packages;
}

/** Fails for a package that the project does not name among those of the service or the devnet. */
function pinVersions(names: Iterable<string>): Record<string, string> {
  const { dependencies } = readJson<Manifest>('package.json');
  const pinned = { ...readJson<Manifest>('devnet/package.json').dependencies, ...dependencies };
  const versions: [string, string][] = [...names].sort().map((name) => {
    const version = pinned[name];
    if (version === undefined) throw new Error(`${name} is imported and is no dependency`);
    return [name, version];
  });
  return Object.fromEntries(versions);
}

function writeManifest(
  folder: string,
  manifest: Record<string, unknown> & Pick<Manifest, 'dependencies'>,
  { lockfile, locked }: { readonly lockfile: string; readonly locked: LockedPackages },
): void {
  const optional = Object.keys((manifest['optionalDependencies'] as object | undefined) ?? {});
  const names = [...Object.keys(manifest.dependencies), ...optional];
  const packages = { '': manifest, ...pickLocked(locked, names) };
  const { name, version } = manifest;
  const lock = { name, version, lockfileVersion: 3, requires: true, packages };
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  write(join(folder, lockfile), `${JSON.stringify(lock, null, 2)}\n`);
}

export function buildPackage(target: string): void {
  const imported = buildSources(target);
  for (const file of globSync(FILES, { cwd: ROOT })) cpSync(join(ROOT, file), join(target, file));
  cpSync(join(import.meta.dirname, 'mintwire.mjs'), join(target, 'bin/mintwire.mjs'));
  const console = [join(ROOT, 'console/build.ts'), join(target, 'console/dist')];
  execFileSync(process.execPath, console, { stdio: 'inherit' });

  const { version, description, license } = readJson<Manifest>('package.json');
  const { packages: locked } = readJson<{ packages: LockedPackages }>('package-lock.json');
  // Read as a list of addresses, not imported.
  const dependencies = pinVersions([...imported, '@eth-optimism/tokenlist']);
  const engines = { node: '>=24' };
  const own = { name: 'mintwire', version, description, license, type: 'module' };
  const main = { ...own, bin: { mintwire: 'bin/mintwire.mjs' }, engines, dependencies };
  writeManifest(target, main, { lockfile: 'npm-shrinkwrap.json', locked });
  // The compiler is for changing the contracts, which are in the package compiled.
  const parts = readJson<Record<string, unknown> & Manifest>('devnet/package.json');
  const { solc: _, ...needed } = parts.dependencies;
  const { overrides } = readJson<Manifest>('package.json');
  const devnet = { ...parts, dependencies: needed, overrides };
  writeManifest(join(target, 'devnet/parts'), devnet, { lockfile: 'package-lock.json', locked });
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? '.');
  const built = mkdtempSync(join(tmpdir(), 'mintwire-package-'));
  buildPackage(built);
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', built, '--pack-destination', folder, '--loglevel=error'], {
    stdio: 'inherit',
  });
  rmSync(built, { recursive: true });
}
