// Between the calm bounds of a level no figure changes anything: what is skipped there is nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import type { AlertCondition } from '../model/alert.ts';
import { createLevel } from './levels.ts';

const CONDITIONS: readonly AlertCondition[] = [
  { kind: 'priceUsd', when: 'above', at: '1' },
  { kind: 'priceUsd', when: 'below', at: '1' },
  { kind: 'priceUsd', when: 'crosses', at: '1' },
  { kind: 'liquidityUsd', when: 'below', at: '1' },
  { kind: 'liquidityUsd', when: 'drop', pct: 5 },
];

test('a calm figure changes nothing and fires nothing, and most figures are calm', () => {
  const random = createRandom(7);
  for (const condition of CONDITIONS) {
    for (const rearmPct of [0, 1, 5]) {
      const level = createLevel(condition, rearmPct)!;
      let memory = level.start('1.01');
      let [calm, fired] = [0, 0];
      for (let step = 0; step < 3000; step += 1) {
        // On the bound now and then, and on both sides of it.
        const figure = random() < 0.05 ? '1' : (0.9 + random() * 0.2).toFixed(6).replace(/0+$/, '');
        const [above, below] = level.findCalm(memory);
        const { passed, ...next } = level.next(memory, figure);
        if (Number(figure) > above && Number(figure) < below) {
          calm += 1;
          assert.deepEqual(
            [passed, next],
            [null, memory],
            `${JSON.stringify(condition)} ${figure}`,
          );
        }
        fired += Number(passed !== null);
        memory = next;
      }
      assert.ok(
        calm > 100 && fired > 0,
        `${calm} ${fired} ${JSON.stringify(condition)} ${rearmPct}`,
      );
    }
  }
});

test('a level that was passed can be passed again after the way back, and not before', () => {
  const level = createLevel({ kind: 'priceUsd', when: 'above', at: '100' }, 5)!;
  let memory = level.start('90');
  const passes = ['101', '99', '101', '95', '100', '101'].map((figure) => {
    const { passed, ...next } = level.next(memory, figure);
    memory = next;
    return passed !== null;
  });
  assert.deepEqual(passes, [true, false, false, false, false, true]);
});
