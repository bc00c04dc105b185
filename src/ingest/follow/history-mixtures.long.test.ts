// Many mixtures of archives that fail and lie: `verify` finds no difference in any index of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexMixtures } from '../../../test/archived-index.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';

/** Of about a second of CPU each. */
const ROUNDS = 70;

test(`${ROUNDS} mixtures leave no difference`, { timeout: 840_000 }, async (t) => {
  const archived = await indexMixtures(ROUNDS, RUN_SEED);
  assert.ok(archived > ROUNDS / 2, `${archived} rounds used an archive`);
  t.diagnostic(`${archived} of ${ROUNDS} rounds used archives`);
});
