// The MCP inspector, installed at its first use: it asks for a newer Node than `npm ci` may be run
// with, and would greet every newcomer with a warning. Its own lockfile pins it.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = join(import.meta.dirname, 'inspector');
const COMMAND = join(FOLDER, 'node_modules', '.bin', 'mcp-inspector');
/** npm leaves this file when everything is in place. */
const DONE = join(FOLDER, 'node_modules', '.package-lock.json');

/** Returns the path of its command. */
export async function installInspector(): Promise<string> {
  if (existsSync(DONE)) return COMMAND;
  const folder = dirname(process.execPath);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  await promisify(execFile)('npm', ['ci'], { cwd: FOLDER, env });
  return COMMAND;
}
