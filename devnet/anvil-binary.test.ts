// Which node is run on which machine, and that a fetched one matches the lockfile.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  EMULATED_PACKAGE,
  fetchAnvil,
  type Machine,
  NoAnvilError,
  resolveAnvil,
} from './anvil-binary.ts';

const { version } = EMULATED_PACKAGE;

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-anvil-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function writeExecutable(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'anvil');
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

/** A registry with one package or none; counts its requests. */
async function startRegistry(t: TestContext, name: string | null) {
  const folder = createFolder(t);
  writeExecutable(join(folder, 'package', 'bin'));
  const manifest = { name, version, bin: { anvil: './bin/anvil' } };
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
  execFileSync('tar', ['-czf', 'anvil.tgz', 'package'], { cwd: folder });
  const tarball = readFileSync(join(folder, 'anvil.tgz'));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    if (path.endsWith('.tgz')) return void response.end(tarball);
    if (path !== `/${name}`) return void response.writeHead(404).end('{}');
    const dist = { tarball: `${url}anvil.tgz`, integrity };
    response.end(JSON.stringify({ name, versions: { [version]: { ...manifest, dist } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, asked };
}

/** The PATH without folders that have an anvil: on x64 npm adds the project's own. */
function buildPathWithoutAnvil(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !existsSync(join(folder, 'anvil'))).join(delimiter);
}

/** An Apple machine without a node, whose npm uses the given registry. */
function describeMachine(t: TestContext, registry: string): Machine {
  const folder = createFolder(t);
  const env = {
    ...process.env,
    PATH: buildPathWithoutAnvil(),
    ANVIL_PATH: '',
    npm_config_registry: registry,
    npm_config_cache: join(folder, 'npm'),
    npm_config_fetch_retries: '0',
  };
  const from = join(folder, 'index.js');
  return { platform: 'darwin', arch: 'arm64', env, cacheDir: join(folder, 'cache'), from };
}

function addToPath(machine: Machine, folder: string): Machine {
  return { ...machine, env: { ...machine.env, PATH: `${folder}:${machine.env['PATH']}` } };
}

test('ANVIL_PATH wins over everything else', async (t) => {
  const machine = describeMachine(t, 'http://127.0.0.1:1/');
  const named = { ...machine, env: { ...machine.env, ANVIL_PATH: process.execPath } };
  const anvil = await resolveAnvil(named);
  assert.equal(anvil.command, process.execPath);
  assert.equal(anvil.emulated, false);
});

test('an ANVIL_PATH that cannot be run is refused by name', async (t) => {
  const machine = describeMachine(t, 'http://127.0.0.1:1/');
  const named = { ...machine, env: { ANVIL_PATH: '/nowhere/anvil' } };
  await assert.rejects(resolveAnvil(named), /ANVIL_PATH=\/nowhere\/anvil/);
});

test("an installation fetches the platform's own package, even with anvil on PATH", async (t) => {
  const registry = await startRegistry(t, '@foundry-rs/anvil-darwin-arm64');
  const machine = describeMachine(t, registry.url);
  const withPath = addToPath(machine, join(machine.cacheDir, '..', 'bin'));
  writeExecutable(join(machine.cacheDir, '..', 'bin'));
  const anvil = await fetchAnvil(withPath);
  assert.equal(anvil.origin, `@foundry-rs/anvil-darwin-arm64@${version}`);
  assert.ok(anvil.command.startsWith(machine.cacheDir));
  // A second start finds it and makes no request.
  const count = registry.asked.length;
  assert.deepEqual(await resolveAnvil(withPath), anvil);
  assert.equal(registry.asked.length, count);
});

test('where the registry lacks the package, anvil on PATH is taken', async (t) => {
  const registry = await startRegistry(t, null);
  const machine = describeMachine(t, registry.url);
  const file = writeExecutable(join(machine.cacheDir, '..', 'bin'));
  const anvil = await fetchAnvil(addToPath(machine, join(machine.cacheDir, '..', 'bin')));
  assert.equal(anvil.command, file);
  assert.match(anvil.origin, /found on PATH/);
  assert.deepEqual([...new Set(registry.asked)], ['/@foundry-rs/anvil-darwin-arm64']);
});

test('on linux/arm64 the x64 package is emulated when there is nothing else', async (t) => {
  const machine: Machine = { ...describeMachine(t, 'http://127.0.0.1:1/'), platform: 'linux' };
  const cached = join(machine.cacheDir, `anvil-linux-amd64-${version}`, 'package', 'bin');
  const binary = writeExecutable(cached);
  mkdirSync(join(machine.cacheDir, 'qemu-x86_64'), { recursive: true });
  const emulator = join(machine.cacheDir, 'qemu-x86_64', 'emulator');
  writeFileSync(emulator, '#!/bin/sh\n');
  chmodSync(emulator, 0o755);
  const anvil = await fetchAnvil({ ...machine, env: { ...machine.env, PATH: createBarePath(t) } });
  assert.equal(anvil.emulated, true);
  assert.equal(anvil.command, emulator);
  assert.equal(anvil.args.at(-1), binary);
  assert.match(anvil.origin, /emulation/);
});

/** A PATH with neither an emulator nor npm. */
function createBarePath(t: TestContext): string {
  return createFolder(t);
}

test('a machine without a node binary gets a one-line error', async (t) => {
  const registry = await startRegistry(t, null);
  const machine = describeMachine(t, registry.url);
  await assert.rejects(resolveAnvil(machine), (error) => {
    assert.ok(error instanceof NoAnvilError);
    assert.match(error.message, /^no anvil for darwin\/arm64: .*getfoundry\.sh.*ANVIL_PATH/);
    assert.ok(!error.message.includes('\n'));
    return true;
  });
});

test('the fetched package is the one that the lockfile pins', () => {
  const root = join(import.meta.dirname, '..');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const pinned = lock.packages[`node_modules/${EMULATED_PACKAGE.name}`];
  assert.equal(pinned.version, EMULATED_PACKAGE.version);
  assert.equal(pinned.integrity, EMULATED_PACKAGE.integrity);
});
