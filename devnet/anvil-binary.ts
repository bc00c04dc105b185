// Finds the node's executable, fetching and emulating it where no build for this machine exists.

import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface AnvilCommand {
  readonly command: string;
  /** Arguments that come before the node's own. */
  readonly args: readonly string[];
  /** True under an emulator, where everything takes about ten times as long. */
  readonly emulated: boolean;
}

/** The one build that the registry has; anything else comes from the user's own installation. */
export const EMULATED_PACKAGE = {
  name: '@foundry-rs/anvil-linux-amd64',
  version: '1.7.1',
  integrity:
    'sha512-+XmShybEaxfCrr0OUUZwYEy2OnYZt5pHH9TzBtLv3+VrK0O/ANuNSVEahqNhKHlgX7GRJ59383ofNhxkRWIYTg==',
} as const;

const EMULATOR = 'qemu-x86_64';
const SYSROOT = '/usr/x86_64-linux-gnu';
const DEBIAN_PACKAGES = ['qemu-user-static', 'libc6-amd64-cross', 'libgcc-s1-amd64-cross'];
const FETCH_TIMEOUT_MS = 180_000;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findOnPath(name: string, env: NodeJS.ProcessEnv): string | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function findInstalledPackage(): string | null {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', file);
  } catch {
    return null;
  }
}

/** A folder that `npm ci` removes and version control ignores. */
export function cacheDir(): string {
  return join(import.meta.dirname, '..', 'node_modules', '.cache', 'mintwire-devnet');
}

async function downloadPackage(intoDir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { name, version, integrity } = EMULATED_PACKAGE;
  // Under `npm run` the very npm that runs us is named in the environment; it may not be on PATH.
  const npmScript = env['npm_execpath'];
  const [command, prefix] =
    npmScript?.endsWith('.js') === true ? [process.execPath, [npmScript]] : ['npm', []];
  const args = ['pack', `${name}@${version}`, '--pack-destination', intoDir, '--loglevel=error'];
  try {
    await run(command, [...prefix, ...args], { cwd: intoDir, timeout: FETCH_TIMEOUT_MS });
  } catch (cause) {
    throw new Error(
      `could not fetch ${name}@${version} through npm. Install Foundry's anvil and put it on ` +
        'PATH or name it in ANVIL_PATH, or follow a chain of your own by RPC_…',
      { cause },
    );
  }
  const tarball = (await readdir(intoDir)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack of ${name} left no archive`);
  const path = join(intoDir, tarball);
  const actual = `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`;
  if (actual !== integrity) {
    throw new Error(`${name}@${version} is not what was expected: ${actual}, not ${integrity}`);
  }
  return path;
}

/** Several processes may come here at once: each fills its own folder, the first rename wins. */
async function fillOnce(home: string, fill: (intoDir: string) => Promise<void>): Promise<void> {
  const attemptDir = join(cacheDir(), `fetch-${randomUUID()}`);
  await mkdir(attemptDir, { recursive: true });
  try {
    await fill(attemptDir);
    await rename(attemptDir, home).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(attemptDir, { recursive: true, force: true });
  }
}

async function fetchEmulatedBinary(env: NodeJS.ProcessEnv): Promise<string> {
  const home = join(cacheDir(), `anvil-linux-amd64-${EMULATED_PACKAGE.version}`);
  const binary = join(home, 'package', 'bin', 'anvil');
  if (isExecutable(binary)) return binary;
  await fillOnce(home, async (intoDir) => {
    const tarball = await downloadPackage(intoDir, env);
    await run('tar', ['-xzf', tarball, '-C', intoDir]);
    await rm(tarball);
  });
  return binary;
}

/** From Debian's archive into a folder of ours: needs no rights and changes nothing elsewhere. */
async function downloadDebianPackages(intoDir: string): Promise<void> {
  const options = { cwd: intoDir, timeout: FETCH_TIMEOUT_MS };
  const download = ['download', ...DEBIAN_PACKAGES];
  try {
    await run('apt-get', download, options);
  } catch {
    // Slim images come without package lists.
    const folders = ['lists/partial', 'cache/archives/partial'].map((name) => join(intoDir, name));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    const ownLists = [
      ...['-o', `Dir::State::lists=${join(intoDir, 'lists')}`],
      ...['-o', `Dir::Cache=${join(intoDir, 'cache')}`],
      ...['-o', 'APT::Sandbox::User=root', '-o', 'Debug::NoLocking=true'],
    ];
    await run('apt-get', [...ownLists, 'update'], options);
    await run('apt-get', [...ownLists, ...download], options);
  }
  const unpacked = join(intoDir, 'unpacked');
  for (const file of await readdir(intoDir)) {
    if (file.endsWith('.deb')) await run('dpkg-deb', ['-x', file, unpacked], options);
  }
  const kept = ['emulator', 'sysroot'];
  await rename(join(unpacked, 'usr', 'bin', `${EMULATOR}-static`), join(intoDir, 'emulator'));
  await rename(join(unpacked, SYSROOT), join(intoDir, 'sysroot'));
  for (const name of await readdir(intoDir)) {
    if (!kept.includes(name)) await rm(join(intoDir, name), { recursive: true });
  }
}

interface Emulator {
  readonly command: string;
  readonly sysroot: string;
}

async function findEmulator(env: NodeJS.ProcessEnv): Promise<Emulator> {
  const installed = findOnPath(EMULATOR, env) ?? findOnPath(`${EMULATOR}-static`, env);
  if (installed !== null && existsSync(join(SYSROOT, 'lib'))) {
    return { command: installed, sysroot: SYSROOT };
  }
  const home = join(cacheDir(), EMULATOR);
  const own = { command: join(home, 'emulator'), sysroot: join(home, 'sysroot') };
  if (isExecutable(own.command)) return own;
  try {
    await fillOnce(home, downloadDebianPackages);
  } catch (cause) {
    throw new Error(
      'no anvil for linux/arm64 is published in this registry, and the x64 one needs an emulator: ' +
        `run "apt-get install ${DEBIAN_PACKAGES.join(' ')}" as root, or install Foundry's anvil ` +
        'and put it on PATH or in ANVIL_PATH',
      { cause },
    );
  }
  return own;
}

/** The first of: ANVIL_PATH, `anvil` on PATH, this platform's package, the x64 one emulated. */
export async function resolveAnvil(env: NodeJS.ProcessEnv = process.env): Promise<AnvilCommand> {
  const named = env['ANVIL_PATH'];
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new Error(`ANVIL_PATH=${named} is not an executable file`);
    return { command: named, args: [], emulated: false };
  }
  const native = findOnPath('anvil', env) ?? findInstalledPackage();
  if (native !== null) return { command: native, args: [], emulated: false };
  if (process.platform === 'linux' && process.arch === 'arm64') {
    const [emulator, binary] = await Promise.all([findEmulator(env), fetchEmulatedBinary(env)]);
    return { command: emulator.command, args: ['-L', emulator.sysroot, binary], emulated: true };
  }
  throw new Error(
    `no anvil for ${process.platform}/${process.arch} is installed: install Foundry's anvil and ` +
      'put it on PATH or name it in ANVIL_PATH',
  );
}
