// Installs the pinned @uniswap/v3-sdk into an ignored folder on first use and loads it from there.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const V3_SDK_VERSION = '3.31.5';

const FOLDER = fileURLToPath(new URL('../../../.peers/v3-sdk/', import.meta.url));
const INSTALL_TIMEOUT_MS = 5 * 60_000;
const NOTHING = 'npm:empty-npm-package@1.0.0';

const PACKAGE = {
  name: 'v3-sdk-peer',
  private: true,
  dependencies: { '@uniswap/v3-sdk': V3_SDK_VERSION },
  // One of its dependencies lists its own build tools as dependencies.
  overrides: { hardhat: NOTHING, 'hardhat-watcher': NOTHING, dotenv: NOTHING },
};

/** The measured part of the SDK. */
export interface V3Sdk {
  readonly Pool: new (
    tokenA: unknown,
    tokenB: unknown,
    feePips: number,
    sqrtPriceX96: string,
    liquidity: string,
    tick: number,
    ticks: readonly unknown[],
  ) => {
    getOutputAmount(
      amount: unknown,
    ): Promise<[{ quotient: { toString(): string } }, { sqrtRatioX96: { toString(): string } }]>;
  };
}

export interface SdkCore {
  readonly Token: new (chainId: number, address: string, decimals: number) => unknown;
  readonly CurrencyAmount: { fromRawAmount(token: unknown, raw: string): unknown };
}

function readInstalledVersion(): string | null {
  const file = join(FOLDER, 'node_modules/@uniswap/v3-sdk/package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

async function runNpmInstall(): Promise<void> {
  console.log(`installs @uniswap/v3-sdk ${V3_SDK_VERSION} into .peers/v3-sdk (once)`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', args, {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`npm install of @uniswap/v3-sdk ended with ${code}`);
}

export async function loadV3Sdk(): Promise<{ readonly sdk: V3Sdk; readonly core: SdkCore }> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
  if (readInstalledVersion() !== V3_SDK_VERSION) {
    await rm(join(FOLDER, 'node_modules'), { recursive: true, force: true });
    await runNpmInstall();
  }
  const require = createRequire(join(FOLDER, 'package.json'));
  const sdk = require('@uniswap/v3-sdk') as V3Sdk;
  const core = createRequire(require.resolve('@uniswap/v3-sdk'))('@uniswap/sdk-core') as SdkCore;
  return { sdk, core };
}
