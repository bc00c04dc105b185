// A lookup that the caller's tier refuses leaves the request its price: the store has been read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LookupLimits } from '../../src/access/limits/lookup-limits.ts';
import type { Tier } from '../../src/access/tiers.ts';
import type { AnyHandler } from '../../src/contract/handler.ts';
import type { LookupDesk } from '../../src/contract/look-up-token.ts';
import { COSTS, LOOKUP_COST } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { createTestMarket, FAKE_MARKET_CHAIN } from '../market-scene.ts';
import { buildLimits, startTestServer } from '../start-http-server.ts';
import { createTwoChainsScene } from '../two-chains-scene.ts';

const BURST = 100;
const UNKNOWN = `0x${'e'.repeat(40)}`;

/** A server that follows two chains, whose callers have so many lookups a minute. */
async function startServer(
  t: Parameters<typeof startTestServer>[0],
  market: { readonly lookups: number; readonly scene: Scene },
) {
  const clock = new ManualClock();
  const desk: LookupDesk = {
    find: async (_, caller) => {
      caller.charge();
      return 'noToken';
    },
    noteKnown: () => undefined,
  };
  const lookups = new LookupLimits(desk, {
    ...{ clock, identitiesMax: 10 },
    tierOf: () =>
      ({ name: 'test', depth: { lookups: market.lookups } }) as Pick<Tier, 'name' | 'depth'>,
  });
  const { handlers, start, stop, search } = createTestMarket({
    ...{ store: market.scene.store, lookups },
    moreChains: [{ ...FAKE_MARKET_CHAIN, slug: 'base' }],
  });
  await start();
  while (!search.isLoaded('base') || !search.isLoaded('devnet')) await setImmediate();
  const bills: number[] = [];
  const budget = { perMinute: 1, burst: BURST };
  const server = await startTestServer(t, {
    operations: operations.filter(({ id }) => id in handlers),
    handlers: handlers as unknown as Readonly<Record<string, AnyHandler>>,
    limits: buildLimits({
      anonymous: { policy: 'anonymous', ...budget },
      ip: { policy: 'ip', ...budget },
    }),
    access: {
      identify: () => ({ kind: 'anonymous', key: 'a' }),
      countUse: () => undefined,
      countAnswer: (_, { cost }) => void bills.push(cost),
    },
    clock,
  });
  const ask = async (path: string) => {
    const response = await server.get(path);
    const { code } = (await response.json()) as { readonly code?: string };
    const left = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
    return { status: response.status, code, left, bill: bills.at(-1) };
  };
  return { ask, stop };
}

type Scene = Awaited<ReturnType<typeof createTwoChainsScene>>;

const SEARCH = `/v1/tokens/search?q=${UNKNOWN}`;
const READS = [
  `/v1/token?chain=base&mint=${UNKNOWN}`,
  `/v1/token/price?chain=base&mint=${UNKNOWN}`,
  `/v1/token/trades?chain=devnet&mint=${UNKNOWN}`,
];

test('a refused lookup of a search over chains, or of a read, gives nothing back', async (t) => {
  const scene = await createTwoChainsScene(t, {
    ...{ engine: 'sqlite', seed: 5, finalityDepth: 20, blocks: 20 },
  });
  for (const lookups of [0, 1]) {
    const { ask, stop } = await startServer(t, { lookups, scene });
    try {
      let left = BURST;
      // The only lookup of this minute.
      if (lookups === 1) left = (await ask(READS[0] ?? '')).left;
      assert.equal(left, lookups === 1 ? BURST - COSTS.read - LOOKUP_COST : BURST);
      const refused = lookups === 0 ? [403, 'LOOKUPS_NOT_INCLUDED'] : [429, 'RATE_LIMITED'];
      for (const path of [SEARCH, ...READS, SEARCH]) {
        const cost = path === SEARCH ? COSTS.search : COSTS.read;
        const answer = await ask(path);
        assert.deepEqual([answer.status, answer.code], refused, path);
        assert.deepEqual([left - answer.left, answer.bill], [cost, cost], path);
        left = answer.left;
      }
    } finally {
      // Before the scene closes the store.
      await stop();
    }
  }
});
