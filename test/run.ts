// `npm test`: the whole suite on one PostgreSQL, or the files whose path contains an argument.
// `npm run test:long`: the same for the files named `*.long.test.ts`, which `npm test` leaves out.

import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS_FILE } from '../src/config.ts';
import { reportCpu } from './cpu-notes.ts';
import { joinFiles } from './join-files.ts';
import { startPostgres } from './postgres.ts';
import { findForbidden, findScenes, readNotes, sumCounts } from './rpc-notes.ts';
import { LIMITS, reportSkipped, runFiles } from './run-files.ts';
import { describeSeed } from './run-seed.ts';

const PATTERNS = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'devnet/**/*.test.ts',
  'bench/**/*.test.ts',
  'release/**/*.test.ts',
  'console/**/*.test.ts',
  'sdk/**/*.test.ts',
];

const LONG = /\.long\.test\.ts$/;

/** Up to so many, as when one is asked for by its name, each file has a process of its own. */
const FEW_FILES = 20;

/** Begun first, so that no long file runs alone at the end. */
const END_TO_END = /^test\/e2e\//;

function findFiles(filters: readonly string[], isLong: boolean): string[] {
  const files = globSync(PATTERNS, { exclude: ['**/node_modules/**'] })
    .filter((file) => LONG.test(file) === isLong)
    .sort()
    .sort((a, b) => Number(END_TO_END.test(b)) - Number(END_TO_END.test(a)));
  return filters.length === 0
    ? files
    : files.filter((file) => filters.some((filter) => file.includes(filter)));
}

/** Makes every process and thread of the run record the service's RPC calls. */
function recordCalls(folder: string): void {
  process.env['MINTWIRE_TEST_RPC_NOTES'] = folder;
  const module = new URL('record-calls.ts', import.meta.url).href;
  process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import ${module}`.trim();
}

/**
 * Prints the RPC methods that were called; false if one of them can do more than read, or if
 * nothing was recorded for a file in which the service follows a real node.
 */
function reportMethods(folder: string, files: readonly string[]): boolean {
  const notes = readNotes(folder);
  const scenes = findScenes(files);
  const unseen = scenes.filter((file) => (notes.get(file)?.size ?? 0) === 0);
  if (unseen.length > 0) console.error(`NO CALL RECORDED: ${unseen.join(', ')}`);
  const counts = sumCounts(notes.values());
  if (counts.size === 0) return unseen.length === 0;
  const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const list = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(
    `\n${calls} calls to nodes in ${notes.size} files, ${scenes.length} of them on real nodes: ` +
      list.map((one) => one.join(' ')).join(', '),
  );
  const forbidden = findForbidden(counts);
  for (const method of forbidden) {
    const where = [...notes].filter(([, one]) => one.has(method)).map(([file]) => file);
    console.error(`NOT A READ: ${method} in ${where.join(', ')}`);
  }
  return forbidden.length === 0 && unseen.length === 0;
}

/** What one process has compiled, the next ones read. */
function shareCompiled(folder: string): void {
  process.env['NODE_COMPILE_CACHE'] ??= folder;
}

/** In CI, beside the recorded data, a test that is skipped checks nothing and nobody sees it. */
function mustRunAll(): boolean {
  const recorded = new URL('../../shared/', import.meta.url);
  return process.env['CI'] === 'true' && existsSync(recorded);
}

// Services of the tests would read it.
if (existsSync(SETTINGS_FILE)) throw new Error(`move ${SETTINGS_FILE} to another folder`);
// Last as well as here: a run may be ended from outside.
console.log(describeSeed());
const filters = process.argv.slice(2).filter((one) => one !== '--long');
const files = findFiles(filters, process.argv.includes('--long'));
if (files.length === 0) throw new Error('no test file matches');
const notes = mkdtempSync(join(tmpdir(), 'mintwire-rpc-notes-'));
const compiled = mkdtempSync(join(tmpdir(), 'mintwire-compiled-'));
const joined = mkdtempSync(join(tmpdir(), 'mintwire-joined-'));
shareCompiled(compiled);
const postgres = await startPostgres();
recordCalls(notes);
process.env['MINTWIRE_TEST_POSTGRES_URL'] = postgres.url;
process.env['MINTWIRE_TEST_CPU_NOTES'] = joined;
try {
  const paths = files.length > FEW_FILES ? joinFiles(files, joined) : files;
  const { passed, failed: broken, skipped } = await runFiles(paths, LIMITS);
  reportCpu(joined);
  const isReadOnly = reportMethods(notes, files);
  const failed = broken + reportSkipped(skipped, { mustRunAll: mustRunAll() });
  const { length } = skipped;
  console.log(describeSeed());
  console.log(`\n${passed} passed, ${failed} failed${length > 0 ? `, ${length} skipped` : ''}`);
  process.exitCode = failed > 0 || passed === 0 || !isReadOnly ? 1 : 0;
} finally {
  await postgres.stop();
  for (const folder of [notes, compiled, joined]) rmSync(folder, { recursive: true, force: true });
}
