// The MCP inspector, installed at its first use: it requires a newer Node than `npm ci` may run
// with, and would cause a warning for every newcomer. Its own lockfile pins it.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = join(import.meta.dirname, 'inspector');
const COMMAND = join(FOLDER, 'node_modules', '.bin', 'mcp-inspector');
/** npm writes this file when the installation is complete. */
const DONE = join(FOLDER, 'node_modules', '.package-lock.json');

/** Returns the path of its command. */
export async function installInspector(): Promise<string> {
  if (existsSync(DONE)) return COMMAND;
  const folder = dirname(process.execPath);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  await promisify(execFile)('npm', ['ci'], { cwd: FOLDER, env });
  return COMMAND;
}
