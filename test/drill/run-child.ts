// Runs a module of a drill as a process of its own.

import { spawn } from 'node:child_process';
import type { Cleanup } from '../start-service-process.ts';

export interface DrillChild {
  /** Resolves with what it wrote; rejects if it fails. Null if it was killed. */
  readonly result: Promise<string | null>;
  kill(): void;
}

/** `options` is passed as JSON. */
export function runChild(t: Cleanup, file: URL, options: object): DrillChild {
  const args = ['--expose-gc', file.pathname, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const kill = () => void child.kill('SIGKILL');
  t.after(kill);
  const result = new Promise<string | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve(null);
      else if (code === 0) resolve(written.stdout);
      else reject(new Error(`${file.pathname} failed: ${written.stderr.slice(-2000)}`));
    });
  });
  // Whoever does not wait for it is not interested in why it failed.
  result.catch(() => undefined);
  return { result, kill };
}
