// What `npm ci` meets on a new machine: no warning on Node 20, and native parts for every platform.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

interface LockedPackage {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
}

const ROOT = join(import.meta.dirname, '..');
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

function readJson(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

function readLock(path: string): [string, LockedPackage][] {
  return Object.entries<LockedPackage>(readJson(path).packages).filter(([at]) => at !== '');
}

const locked = readLock('package-lock.json');

/** For usual ranges: one of the alternatives starts at 20 or below. */
function acceptsNode20(range: string): boolean {
  return range.split('||').some((alternative) => {
    const [, sign = '', major = '0'] = /^\s*([\^~]|>=?|)\s*v?(\d+)/.exec(alternative) ?? [];
    return sign.startsWith('>') ? Number(major) <= 20 : major === '20' || major === '0';
  });
}

test('every locked package accepts Node 20', () => {
  assert.ok(
    acceptsNode20('>= 18') && acceptsNode20('^18 || ^20.1.0 || >=22') && acceptsNode20('*'),
  );
  assert.ok(!acceptsNode20('>=22.12') && !acceptsNode20('^22.17.0 || >=24.0.0'));
  const refused = locked
    .filter(([, { engines }]) => engines?.node !== undefined && !acceptsNode20(engines.node))
    .map(([at, { engines }]) => `${at} asks for ${engines?.node}`);
  assert.deepEqual(refused, []);
});

test('the hash of every locked package is pinned', () => {
  const unpinned = locked.filter(([, { link, integrity }]) => !link && integrity === undefined);
  // Our own folder of the devnet's parts.
  assert.deepEqual(
    unpinned.map(([at]) => at),
    ['devnet'],
  );
});

test('every install script is allowed by name', () => {
  const { allowScripts } = readJson('package.json');
  const scripts = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([at]) => at.replace(/^.*node_modules\//, ''));
  assert.ok(scripts.length > 0);
  assert.deepEqual(scripts.toSorted(), Object.keys(allowScripts).toSorted());
});

test('a package with native parts is locked for every platform that it is made for', () => {
  const names = new Set(locked.map(([at]) => at.replace(/^.*node_modules\//, '')));
  const missing = locked.flatMap(([at, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => PLATFORMS.some((platform) => name.includes(platform)) && !names.has(name))
      .map((name) => `${at} → ${name}`),
  );
  assert.deepEqual(missing, []);
  const { optionalDependencies } = readJson('package.json');
  for (const platform of PLATFORMS) {
    const runtime = Object.keys(optionalDependencies).find((name) => name.endsWith(platform));
    assert.ok(runtime !== undefined && names.has(runtime), `no Node for ${platform}`);
  }
});

test('an installation that lost the link to its own Node gets it back', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'mintwire-link-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const { optionalDependencies } = readJson('package.json');
  const platform = `${process.platform}-${process.arch}`;
  const runtime = Object.keys(optionalDependencies).find((name) => name.endsWith(platform)) ?? '';
  for (const folder of ['src/cli', 'node_modules/.bin', `node_modules/${runtime}/bin`]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const script = join(root, 'src/cli/link-node.mjs');
  const link = join(root, 'node_modules/.bin/node');
  const target = join(root, 'node_modules', runtime, 'bin/node');
  copyFileSync(join(ROOT, 'src/cli/link-node.mjs'), script);
  writeFileSync(target, '');
  // Once without a link, once with a link that leads nowhere, once with the right one.
  execFileSync(process.execPath, [script]);
  assert.equal(realpathSync(link), realpathSync(target));
  rmSync(link);
  symlinkSync('../gone', link);
  for (let time = 0; time < 2; time += 1) {
    execFileSync(process.execPath, [script]);
    assert.equal(realpathSync(link), realpathSync(target));
  }
});

test('lockfiles record no download addresses', () => {
  const all = [...locked, ...readLock('test/mcp/inspector/package-lock.json')];
  const addresses = all.filter(([, { resolved, link }]) => resolved !== undefined && !link);
  assert.deepEqual(addresses, []);
});
