// Pins that cached answers equal those of a fresh market, whatever the chain does.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createRandom } from '../../test/fakes/create-random.ts';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import {
  askFreshly,
  createMarketScene,
  type Json,
  type MarketScene,
  openFreshly,
  type ReadId,
  type ReadInput,
} from '../../test/market-scene.ts';
import { AppError } from '../errors/app-error.ts';

const MINTS = [10, 11, 12, 14, 7].map((number) => buildFakeAddress('aaaa', number));

function listQueries(mint: string): [ReadId, ReadInput][] {
  const token = { chain: 'devnet', mint };
  return [
    ['getToken', token],
    ['getKlines', { ...token, interval: '1m' }],
    ['getKlines', { ...token, interval: '4h', fill: 'previous', currency: 'native' }],
    ['getKlines', { ...token, interval: '1s', fill: 'previous', limit: 50, outliers: 'include' }],
    ['getTrades', { ...token, limit: 30 }],
    ['getTrades', { ...token, side: 'buy', minUsd: '0.5', limit: 5 }],
    ['getHolders', { ...token, limit: 4 }],
    ['getHolders', { ...token, exclude: 'pool,contract' }],
  ];
}

const QUERIES: readonly [ReadId, ReadInput][] = [
  ...MINTS.flatMap(listQueries),
  ['listTokens', { sort: 'trending', window: '1h' }],
  ['listTokens', { sort: 'gainers', limit: 3, sparkline: '24h', include: 'unpriced,native' }],
  ['listTokens', { sort: 'new', limit: 2, chain: 'devnet' }],
  ...[0, 3, 7].map((number): [ReadId, ReadInput] => {
    return ['getPool', { chain: 'devnet', pool: buildFakeAddress('dddd', number) }];
  }),
  ['listPools', { sort: 'volume', limit: 5 }],
  ['listPools', { chain: 'devnet', mint: MINTS[0] ?? '', sort: 'new' }],
  ['searchTokens', { q: 't1' }],
  ['searchTokens', { q: 'token 1', limit: 3 }],
];

/** The answer, or the error code: a token may be gone with its block. */
async function readOutcome(asked: Promise<{ json: unknown }>): Promise<unknown> {
  try {
    return (await asked).json;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

async function assertSame(scene: MarketScene, round: number): Promise<void> {
  const askFresh = await openFreshly(scene.store);
  for (const [id, input] of QUERIES) {
    const kept = await readOutcome(scene.ask(id, input));
    const again = await readOutcome(scene.ask(id, input));
    assert.deepEqual(again, kept);
    if (id === 'searchTokens') continue;
    const fresh = await readOutcome(askFresh(id, input));
    assert.deepEqual(kept, fresh, `${id} ${JSON.stringify(input)} in round ${round}`);
  }
}

function move(scene: MarketScene, random: () => number): void {
  const roll = random();
  if (roll < 0.3) {
    const depth = 1 + Math.floor(random() * 6);
    // A shorter branch is a lagging source, not a reorganisation.
    scene.chain.reorganise(depth, depth + Math.floor(random() * 2));
  } else scene.chain.extend(1 + Math.floor(random() * 3));
}

for (const [engine, rounds] of [
  ['sqlite', 60],
  ['postgres', 6],
] as const) {
  describe(`on ${engine}`, () => {
    test('cached answers equal fresh ones through commits and reorganisations', async (t) => {
      const uneven = { clock: 'wild', gaps: true } as const;
      const options = { engine, seed: 5, finalityDepth: 8, blocks: 120, ...uneven };
      const scene = await createMarketScene(t, options);
      const random = createRandom(99);
      for (let round = 0; round < rounds; round += 1) {
        // Requests continue during commits, so that answers are built in between.
        for (let step = 0; step < 3; step += 1) {
          move(scene, random);
          const [id, input] = QUERIES[Math.floor(random() * QUERIES.length)]!;
          const asked = Array.from({ length: 4 }, () => readOutcome(scene.ask(id, input)));
          await setImmediate();
          await Promise.all(asked);
        }
        await scene.settle();
        await assertSame(scene, round);
      }
      const { hits, misses } = scene.market.cache.statistics;
      assert.ok(hits > misses / 2, `${hits} of ${hits + misses} came from memory`);
    });
  });
}

/** Volume and age, which a commit does not name, add at most half of it and half a point. */
function isOrdered(tokens: readonly Json[]): boolean {
  const points = tokens
    .filter(({ match }) => match === 'symbolPrefix')
    .map(({ liquidityUsd }) => Math.min(1e9, Math.max(1000, Number(liquidityUsd ?? 0))))
    .map((usd) => Math.log10(usd / 1000));
  return points.every((one, index) =>
    points.slice(index).every((later) => later <= 1.5 * one + 0.5),
  );
}

/** All tokens, by liquidity: the index reads changes a moment later. */
async function untilFound(scene: MarketScene, stored: readonly string[]): Promise<Json[]> {
  for (let look = 0; ; look += 1) {
    const { json } = await scene.ask('searchTokens', { q: 't', limit: 100 });
    const found = json.tokens.map(({ mint }: Json) => mint.toLowerCase());
    const isWhole = isDeepStrictEqual(found.toSorted(), stored.toSorted());
    if (isWhole && isOrdered(json.tokens)) return json.tokens;
    assert.ok(look < 200, `${found.length} tokens are found of ${stored.length}`);
    await sleep(20);
  }
}

test('search results and their summaries are as fresh as the token itself', async (t) => {
  const scene = await createMarketScene(t, {
    engine: 'sqlite',
    seed: 6,
    finalityDepth: 8,
    blocks: 60,
    clock: 'wild',
    gaps: true,
  });
  const random = createRandom(7);
  for (let round = 0; round < 25; round += 1) {
    move(scene, random);
    await scene.settle();
    const stored: string[] = [];
    for await (const page of scene.store.market.scanListings('devnet')) {
      for (const { token } of page) stored.push(token);
    }
    // Lists have codes of warnings, a token has none (decision 0099).
    for (const { match: _, warnings: __, ...summary } of await untilFound(scene, stored)) {
      const input = { chain: 'devnet', mint: summary.mint };
      const { json: whole } = await askFreshly(scene.store, 'getToken', input);
      const own = Object.fromEntries(Object.keys(summary).map((key) => [key, whole[key]]));
      assert.deepEqual(summary, own);
    }
  }
});
