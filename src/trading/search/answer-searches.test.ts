// Pins that a long search on a thread pauses, with the same result.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomQuestion } from '../../../test/fakes/random-trade.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import { PAUSE_EVALUATIONS, SearchWork } from '../routing/search-work.ts';
import { planTrade, toWholePlan } from '../routing/trade-plan.ts';
import { createSearchAnswerer } from './answer-searches.ts';
import type { SearchMessage } from './search-message.ts';
import { SentPools } from './search-threads.ts';

test('a long search on a thread pauses, and does the work that it does without pauses', () => {
  const question = createRandomQuestion({ seed: 9, poolCount: 200, worth: 3e6 });
  const here = new SearchWork();
  searchTrade(planTrade(question), here);
  let pauses = 0;
  const messages: SearchMessage[] = [];
  const answer = createSearchAnswerer(
    (message) => messages.push(message),
    () => {
      pauses += 1;
    },
  );
  for (const command of new SentPools().send(toWholePlan(planTrade(question)), 1)) answer(command);
  assert.equal(messages[0]?.work, here.count);
  assert.ok(pauses > 0 && pauses <= here.count / PAUSE_EVALUATIONS, `${pauses} pauses`);
});
