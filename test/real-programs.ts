// The venues' own Solana programs, where the operator of a test has them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { skipWithoutSolana } from './solana-fixtures.ts';

export const REAL_PROGRAMS_FOLDER = process.env['SOLANA_PROGRAMS_DIR'] ?? '';

/** Null, and a line that nobody overlooks, if the binary is not at hand; `what` was not done. */
export function findRealProgram(t: TestContext, name: string, what: string): Uint8Array | null {
  const folder = REAL_PROGRAMS_FOLDER;
  const file = join(folder, name);
  const missing =
    folder === '' ? 'SOLANA_PROGRAMS_DIR is not set' : existsSync(file) ? null : `no ${file}`;
  const why = missing ?? (skipWithoutSolana === false ? null : skipWithoutSolana);
  if (why === null) return readFileSync(file);
  t.skip(`NOT RUN: ${what} ${name} (${why})`);
  return null;
}
