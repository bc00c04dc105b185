// Finds the node's executable: this platform's package, else anvil on PATH, else an emulated one.

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
  /** Its origin, in a few words for the log. */
  readonly origin: string;
}

/** There is no node for this machine. */
export class NoAnvilError extends Error {
  override readonly name = 'NoAnvilError';
}

/** What decides which node is run; tests describe their own machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where fetched packages are kept. */
  readonly cacheDir: string;
  /** The module from which installed packages are looked up. */
  readonly from: string;
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** Null if the lockfile cannot pin it: npm then checks it against the registry. */
  readonly integrity: string | null;
}

/**
 * Available in every registry. The others are missing from some, so the lockfile cannot list them.
 */
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

/** Foundry's own build for a platform, under its published name. */
function pickPlatformPackage({ platform, arch }: Machine): NpmPackage {
  const name = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  const { version, integrity } = EMULATED_PACKAGE;
  return { name, version, integrity: name === EMULATED_PACKAGE.name ? integrity : null };
}

/** In node_modules, where npm puts packages of the lockfile. */
function findInstalledPackage(machine: Machine): string | null {
  try {
    const { name } = pickPlatformPackage(machine);
    const manifest = createRequire(machine.from).resolve(`${name}/package.json`);
    const binary = join(dirname(manifest), 'bin', 'anvil');
    return isExecutable(binary) ? binary : null;
  } catch {
    return null;
  }
}

/** In a clone a folder that `npm ci` removes; the published package names one of the user's. */
export function cacheDir(): string {
  const named = process.env['DEVNET_CACHE_DIR'];
  return named
    ? named
    : join(import.meta.dirname, '..', 'node_modules', '.cache', 'mintwire-devnet');
}

async function downloadPackage(
  wanted: NpmPackage,
  intoDir: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { name, version, integrity } = wanted;
  // Under `npm run` the environment names the npm that runs us; it may not be on PATH.
  const npmScript = env['npm_execpath'];
  const [command, prefix] =
    npmScript?.endsWith('.js') === true ? [process.execPath, [npmScript]] : ['npm', []];
  const args = ['pack', `${name}@${version}`, '--pack-destination', intoDir, '--loglevel=error'];
  await run(command, [...prefix, ...args], { cwd: intoDir, timeout: FETCH_TIMEOUT_MS, env });
  const tarball = (await readdir(intoDir)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack of ${name} left no archive`);
  const path = join(intoDir, tarball);
  const actual = `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`;
  if (integrity !== null && actual !== integrity) {
    throw new Error(`${name}@${version} is not what was expected: ${actual}, not ${integrity}`);
  }
  return path;
}

/** Several processes may do this at once: each fills its own folder, and the first rename wins. */
async function fillOnce(home: string, fill: (intoDir: string) => Promise<void>): Promise<void> {
  const attemptDir = join(dirname(home), `fetch-${randomUUID()}`);
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

function locateCachedBinary(wanted: NpmPackage, { cacheDir: cache }: Machine) {
  const home = join(cache, `${wanted.name.replace('@foundry-rs/', '')}-${wanted.version}`);
  return { home, binary: join(home, 'package', 'bin', 'anvil') };
}

async function fetchBinary(wanted: NpmPackage, machine: Machine): Promise<string> {
  const { home, binary } = locateCachedBinary(wanted, machine);
  if (isExecutable(binary)) return binary;
  await fillOnce(home, async (intoDir) => {
    const tarball = await downloadPackage(wanted, intoDir, machine.env);
    await run('tar', ['-xzf', tarball, '-C', intoDir]);
    await rm(tarball);
  });
  return binary;
}

/**
 * Downloads from Debian's archive into our own folder: needs no root and changes nothing elsewhere.
 */
async function downloadDebianPackages(intoDir: string): Promise<void> {
  const options = { cwd: intoDir, timeout: FETCH_TIMEOUT_MS };
  const download = ['download', ...DEBIAN_PACKAGES];
  try {
    await run('apt-get', download, options);
  } catch {
    // Slim images have no package lists.
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

function findEmulator({ env, cacheDir: cache }: Machine): Emulator | null {
  const installed = findOnPath(EMULATOR, env) ?? findOnPath(`${EMULATOR}-static`, env);
  if (installed !== null && existsSync(join(SYSROOT, 'lib'))) {
    return { command: installed, sysroot: SYSROOT };
  }
  const home = join(cache, EMULATOR);
  const own = { command: join(home, 'emulator'), sysroot: join(home, 'sysroot') };
  return isExecutable(own.command) ? own : null;
}

function buildNativeCommand(command: string, origin: string): AnvilCommand {
  return { command, args: [], emulated: false, origin };
}

function buildEmulatedCommand({ command, sysroot }: Emulator, binary: string): AnvilCommand {
  const { name, version } = EMULATED_PACKAGE;
  const origin = `${name}@${version} under ${EMULATOR} emulation, about ten times slower`;
  return { command, args: ['-L', sysroot, binary], emulated: true, origin };
}

function canEmulate({ platform, arch }: Machine): boolean {
  return platform === 'linux' && arch === 'arm64';
}

/** What is already on this machine; makes no request. */
function findLocal(machine: Machine): AnvilCommand | null {
  const wanted = pickPlatformPackage(machine);
  const { binary } = locateCachedBinary(wanted, machine);
  const packaged = findInstalledPackage(machine) ?? (isExecutable(binary) ? binary : null);
  if (packaged !== null) return buildNativeCommand(packaged, `${wanted.name}@${wanted.version}`);
  const onPath = findOnPath('anvil', machine.env);
  if (onPath !== null) return buildNativeCommand(onPath, `${onPath}, found on PATH`);
  const emulator = canEmulate(machine) ? findEmulator(machine) : null;
  const emulated = locateCachedBinary(EMULATED_PACKAGE, machine).binary;
  return emulator !== null && isExecutable(emulated)
    ? buildEmulatedCommand(emulator, emulated)
    : null;
}

async function fetchEmulated(machine: Machine): Promise<AnvilCommand> {
  const binary = await fetchBinary(EMULATED_PACKAGE, machine);
  if (findEmulator(machine) === null) {
    await fillOnce(join(machine.cacheDir, EMULATOR), downloadDebianPackages);
  }
  const emulator = findEmulator(machine);
  if (emulator === null) throw new Error(`${EMULATOR} was unpacked but cannot be run`);
  return buildEmulatedCommand(emulator, binary);
}

function buildNoAnvilError(machine: Machine, cause: unknown): NoAnvilError {
  const { name, version } = pickPlatformPackage(machine);
  const emulation = canEmulate(machine)
    ? `, and emulation could not be set up (as root: apt-get install ${DEBIAN_PACKAGES.join(' ')})`
    : '';
  return new NoAnvilError(
    `no anvil for ${machine.platform}/${machine.arch}: ${name}@${version} could not be fetched ` +
      `through npm, none is on PATH${emulation}. Install Foundry (https://getfoundry.sh) or set ` +
      'ANVIL_PATH, or follow a chain of your own by RPC_…, and start again',
    { cause },
  );
}

function describeThisMachine(): Machine {
  const { platform, arch, env } = process;
  return { platform, arch, env, cacheDir: cacheDir(), from: import.meta.url };
}

/**
 * The first of: this platform's package, `anvil` on PATH, the x64 package emulated. Fetches what is
 * missing, in the same order; this happens once at installation, so that a start makes no request.
 */
export async function fetchAnvil(machine: Machine = describeThisMachine()): Promise<AnvilCommand> {
  const { name, version } = pickPlatformPackage(machine);
  const local = findLocal(machine);
  if (local !== null && local.origin === `${name}@${version}`) return local;
  try {
    const fetched = await fetchBinary(pickPlatformPackage(machine), machine);
    return buildNativeCommand(fetched, `${name}@${version}`);
  } catch (cause) {
    if (local !== null) return local;
    if (!canEmulate(machine)) throw buildNoAnvilError(machine, cause);
  }
  return fetchEmulated(machine).catch((cause) => {
    throw buildNoAnvilError(machine, cause);
  });
}

/** ANVIL_PATH first; then what is installed, and only if nothing is, what can be fetched. */
export async function resolveAnvil(machine = describeThisMachine()): Promise<AnvilCommand> {
  const named = machine.env['ANVIL_PATH'];
  if (named === undefined || named === '') return findLocal(machine) ?? fetchAnvil(machine);
  if (isExecutable(named)) return buildNativeCommand(named, `${named}, named by ANVIL_PATH`);
  throw new NoAnvilError(`ANVIL_PATH=${named} is not an executable file`);
}
