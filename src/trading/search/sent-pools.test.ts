// What a search thread is sent: each pool once, in pieces, within its limit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandomQuestion } from '../../../test/fakes/random-trade.ts';
import { ConcentratedPool } from '../../amm/concentrated/concentrated-pool.ts';
import { TickList } from '../../amm/tick-list.ts';
import { planTrade, type RouteQuestion, toWholePlan } from '../routing/trade-plan.ts';
import type { SearchCommand } from './search-message.ts';
import { SentPools } from './search-threads.ts';

function send(sent: SentPools, question: RouteQuestion): SearchCommand[] {
  return [...sent.send(toWholePlan(planTrade(question)), 1)];
}

function count(commands: readonly SearchCommand[]) {
  let [pools, ticks, clears] = [0, 0, 0];
  for (const command of commands) {
    if (command.kind === 'pools') {
      pools += command.pools.length;
      ticks += command.ticks.length;
    }
    if (command.kind === 'clear') clears += 1;
  }
  return { pools, ticks, clears };
}

describe('SentPools', () => {
  it('sends a pool once, and one that moved without its ticks', () => {
    const sent = new SentPools();
    const question = createRandomQuestion({ seed: 1, poolCount: 30, worth: 10 });
    const first = count(send(sent, question));
    assert.ok(first.pools > 10 && first.ticks > 5);
    assert.deepEqual(count(send(sent, question)), { pools: 0, ticks: 0, clears: 0 });
    const { graph, tokenIn } = question;
    const pools = [...graph.pools()];
    const moving = pools.find(
      ({ curve, token0 }) => curve instanceof ConcentratedPool && token0 === tokenIn,
    );
    assert.ok(moving !== undefined);
    graph.set({ ...moving, curve: moving.curve.swapAndMove(true, 1_000n).after });
    assert.deepEqual(count(send(sent, question)), { pools: 1, ticks: 0, clears: 0 });
  });

  it('sends pools with very many ticks in pieces', () => {
    const question = createRandomQuestion({ seed: 1, poolCount: 12, worth: 10 });
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      tick: (index - 1_500) * 60,
      liquidityNet: index < 1_500 ? 1n : -1n,
    }));
    for (const pool of question.graph.pools()) {
      if (!(pool.curve instanceof ConcentratedPool)) continue;
      const terms = { ...pool.curve.terms, ticks: new TickList(rows) };
      question.graph.set({ ...pool, curve: new ConcentratedPool(pool.curve.state, terms) });
    }
    const pieces = send(new SentPools(), question).filter(({ kind }) => kind === 'pools');
    assert.ok(pieces.length > 1);
    for (const piece of pieces) assert.ok(piece.kind === 'pools' && piece.ticks.length <= 2);
  });

  it('clears a full thread and sends all that the search needs', () => {
    const sent = new SentPools();
    let clears = 0;
    for (let seed = 1; seed <= 25; seed += 1) {
      const question = createRandomQuestion({ seed, poolCount: 200, worth: 10 });
      const commands = send(sent, question);
      clears += count(commands).clears;
      assert.ok(sent.size <= 4_096 + 2 * 200 && sent.tickCount <= 400_000);
      const search = commands.at(-1);
      assert.ok(search?.kind === 'search');
      for (const number of search.plan.levels.any[0]?.numbers ?? []) sent.findPool(number);
    }
    assert.ok(clears > 0);
  });
});
