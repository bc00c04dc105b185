// Many mixtures of Portals of Solana that fail and lie: the rows are those of the nodes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMixtures } from '../../../../test/archived-solana.ts';
import { RUN_SEED } from '../../../../test/run-seed.ts';

const ROUNDS = 100;

for (const isFiltered of [false, true]) {
  const what = isFiltered ? 'filtered answers' : 'whole blocks';
  test(`${ROUNDS} mixtures in ${what}`, { timeout: 840_000 }, async (t) => {
    const used = await readMixtures(ROUNDS, { seed: RUN_SEED, isFiltered });
    assert.ok(used > ROUNDS / 2, `${used} rounds used an archive`);
    t.diagnostic(`${used} of ${ROUNDS} rounds used archives`);
  });
}
