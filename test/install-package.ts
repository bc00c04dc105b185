// Installs a program that tests need from Debian's packages, where that is allowed.

import { spawnSync } from 'node:child_process';

/** Of one command: without a way to the packages the tests that need them fail, and others run. */
const INSTALL_TIMEOUT_MS = 300_000;

function runApt(args: readonly string[]): boolean {
  // Installed, but not started as a service of the machine.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  // Another test file may be installing something.
  const command = ['-o', `DPkg::Lock::Timeout=${INSTALL_TIMEOUT_MS / 1000}`, ...args];
  const startedMs = performance.now();
  const { status } = spawnSync('apt-get', command, {
    ...{ stdio: 'ignore', env },
    ...{ timeout: INSTALL_TIMEOUT_MS, killSignal: 'SIGKILL' },
  });
  const tookS = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.error(`apt-get ${args.join(' ')}: ${status === 0 ? 'done' : 'failed'} after ${tookS} s`);
  return status === 0;
}

/** Whether it worked does not matter: the caller looks for the program again. */
export function installPackage(name: string): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  const install = ['install', '-y', '--no-install-recommends', name];
  // A machine may have no lists of packages, or old ones.
  if (!runApt(install) && runApt(['update'])) runApt(install);
}
