// Finds a Chromium for tests: the machine's own, the one in the package, or one installed now.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackage } from './install-package.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function findOnPath(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => existsSync(file)) ?? null;
}

export interface Browser {
  readonly executablePath: string;
  readonly args: readonly string[];
}

/** The package's own arguments are not used: one process for all crashes when a page closes. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/** Fails with instructions if there is none: a skipped test proves nothing. */
export async function findBrowser(): Promise<Browser> {
  const found = findOnPath();
  if (found !== null) return { executablePath: found, args: ARGS };
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: chromium } = await import('@sparticuz/chromium');
    return { executablePath: await chromium.executablePath(), args: ARGS };
  }
  installPackage('chromium');
  const installed = findOnPath();
  if (installed !== null) return { executablePath: installed, args: ARGS };
  throw new Error(
    `No browser to test with: install Chromium (Debian: apt-get install chromium) or Chrome, so that one of ${NAMES.join(', ')} is on the path.`,
  );
}
