// The seed of a random test: another in each run, or `SEED=<number>` to repeat one. The names of
// the tests say it.

import { randomInt } from 'node:crypto';

export function pickSeed(): number {
  return Number(process.env['SEED'] ?? randomInt(1_000_000));
}
