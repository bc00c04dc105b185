// What a test file and the processes that it started cost in CPU time. How long a file takes
// depends on what runs beside it; what it costs does not, and two cores have only so much of it.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Set by `npm test` and inherited by child processes. */
const FOLDER = process.env['MINTWIRE_TEST_CPU_NOTES'];
const FILE = 'cpu';
const SHOWN = 30;
/** Ticks a second in /proc, on every Linux that Node runs on. */
const TICKS = 100;

/** Of this process and its ended children; elsewhere than on Linux of this process alone. */
function measureCpuS(): number {
  const { user, system } = process.cpuUsage();
  const ownS = (user + system) / 1e6;
  if (process.platform !== 'linux') return ownS;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name in brackets may contain blanks; the times of children are the 16th and 17th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ownS + (Number(fields[13]) + Number(fields[14])) / TICKS;
}

export function noteCpu(testFile: string): void {
  if (FOLDER === undefined) return;
  process.on('exit', () => {
    appendFileSync(join(FOLDER, FILE), `${measureCpuS().toFixed(2)} ${testFile}\n`);
  });
}

/** Prints what the whole run cost, and its dearest files, for those who keep it short. */
export function reportCpu(folder: string): void {
  const path = join(folder, FILE);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const costs = lines
    .map((line) => line.split(' '))
    .map(([seconds, file]) => ({ seconds: Number(seconds), file }))
    .sort((a, b) => b.seconds - a.seconds);
  const allS = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = costs.slice(0, SHOWN).map(({ seconds, file }) => `${seconds.toFixed(1)} s ${file}`);
  console.log(`\n${allS.toFixed(0)} s of CPU in ${costs.length} files; the dearest:`);
  console.log(rows.join('\n'));
}
