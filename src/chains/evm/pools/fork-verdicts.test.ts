// When a refusal counts for a pool, and when for all pools of its code.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../../test/fakes/fake-market.ts';
import { ForkVerdicts } from './fork-verdicts.ts';

const FIRST = buildFakeAddress('aa', 1);
const SECOND = buildFakeAddress('aa', 2);
const REFUSED = { kind: 'refused' };
const KEY = 'factory code';

describe('ForkVerdicts', () => {
  it('refuses a pool after two blocks, and its code not for that', () => {
    const verdicts = new ForkVerdicts();
    assert.equal(verdicts.keep(KEY, REFUSED, { pool: FIRST, block: 1 }), false);
    assert.equal(verdicts.keep(KEY, REFUSED, { pool: FIRST, block: 1 }), false);
    assert.equal(verdicts.keep(KEY, REFUSED, { pool: FIRST, block: 2 }), true);
    assert.equal(verdicts.find(KEY), undefined);
  });

  it('refuses a code after two pools', () => {
    const verdicts = new ForkVerdicts();
    verdicts.keep(KEY, REFUSED, { pool: FIRST, block: 1 });
    assert.equal(verdicts.keep(KEY, REFUSED, { pool: SECOND, block: 1 }), true);
    assert.equal(verdicts.find(KEY), REFUSED);
  });

  it('forgets what blocks that are gone have shown', () => {
    const verdicts = new ForkVerdicts();
    verdicts.keep(KEY, REFUSED, { pool: FIRST, block: 5 });
    verdicts.forgetAbove(4);
    assert.equal(verdicts.keep(KEY, REFUSED, { pool: SECOND, block: 6 }), false);
    assert.equal(verdicts.find(KEY), undefined);
  });
});
