// `npm test`: the whole suite on one PostgreSQL, or the files whose path holds an argument.

import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { startPostgres } from './postgres.ts';

const PATTERNS = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'devnet/**/*.test.ts',
  'bench/**/*.test.ts',
];

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

function findFiles(filters: readonly string[]): string[] {
  const files = globSync(PATTERNS, { exclude: ['**/node_modules/**'] }).sort();
  return filters.length === 0
    ? files
    : files.filter((file) => filters.some((filter) => file.includes(filter)));
}

function runFiles(files: string[]): Promise<Counts> {
  return new Promise((resolve, reject) => {
    const stream = run({ files, concurrency: 2 });
    stream.on('test:summary', ({ counts, file }) => {
      // A summary without a file is that of the whole run.
      if (file !== undefined) return;
      const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
      resolve({ passed: counts.passed, failed, skipped: counts.skipped });
    });
    stream.on('error', reject);
    stream.compose(spec).pipe(process.stdout);
  });
}

const files = findFiles(process.argv.slice(2));
if (files.length === 0) throw new Error('no test file matches');
const postgres = await startPostgres();
process.env['MINTWIRE_TEST_POSTGRES_URL'] = postgres.url;
try {
  const { passed, failed, skipped } = await runFiles(files);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  await postgres.stop();
}
