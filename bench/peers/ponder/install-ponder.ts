// Installs the pinned Ponder into an ignored folder on first use, and writes its app beside it.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Pinned, because its npm `latest` is older code. */
export const PONDER_VERSION = '0.16.6';

const FOLDER = fileURLToPath(new URL('../../../.peers/ponder/', import.meta.url));
const INSTALL_TIMEOUT_MS = 10 * 60_000;

const PACKAGE = {
  name: 'ponder-peer',
  private: true,
  type: 'module',
  dependencies: { ponder: PONDER_VERSION, viem: '2.57.1', hono: '4.9.0' },
};

/** The app's files, by Ponder's paths. */
const APP_FILES: Readonly<Record<string, string>> = {
  'ponder.config.ts': 'ponder.config.ts.txt',
  'ponder.schema.ts': 'ponder.schema.ts.txt',
  'src/index.ts': 'src/indexing.ts.txt',
  'src/api/index.ts': 'src/api/totals.ts.txt',
};

function readInstalledVersion(): string | null {
  const file = join(FOLDER, 'node_modules/ponder/package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

async function runNpmInstall(): Promise<void> {
  const startedMs = performance.now();
  console.log(`installs ponder ${PONDER_VERSION} into .peers/ponder (about a minute, once)`);
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`npm install of ponder ended with ${code}`);
  console.log(`installed in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}

async function writeApp(): Promise<void> {
  for (const [path, source] of Object.entries(APP_FILES)) {
    const target = join(FOLDER, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, readFileSync(new URL(`./app/${source}`, import.meta.url), 'utf8'));
  }
}

/** Returns the folder of a Ponder app that is ready to start. */
export async function installPonder(): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
  if (readInstalledVersion() !== PONDER_VERSION) {
    await rm(join(FOLDER, 'node_modules'), { recursive: true, force: true });
    await runNpmInstall();
  }
  await writeApp();
  return FOLDER;
}
