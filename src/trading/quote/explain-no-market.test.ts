// Why a token has no route, when its pools are read while that is found out.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildFakeAddress, COIN } from '../../../test/fakes/fake-market.ts';
import { AppError } from '../../errors/app-error.ts';
import { createExplainedPrice } from './create-pricing.ts';
import type { PricedTrade, TradeCaller, TradeRequest } from './priced-trade.ts';
import type { TradeChain } from './trade-chain.ts';

const TOKEN = buildFakeAddress('aa', 1);
const REQUEST = {
  ...{ chain: 'devnet', mint: TOKEN, quoteMint: COIN, side: 'sell', fixed: 'input' },
  ...{ amountRaw: 1n, slippageBps: 50, priority: 'medium' },
} as const satisfies TradeRequest;
const CALLER = {} as TradeCaller;
const PRICED = { amountOutRaw: 7n } as PricedTrade;

/** A token whose pool is in the store, and in the graph from a commit on that may come later. */
function createScene(commits: {
  readonly whileExplained?: number;
  readonly whileWaiting?: number;
  /** What the store tells of it. */
  readonly kind?: 'noRoute' | 'venues' | null;
}) {
  let version = 1;
  let searches = 0;
  const chain = {
    slug: 'devnet',
    addresses: { toShown: (token: string) => token, native: COIN },
    readGraph: () => ({ checkpoint: { version } }),
    settle: async () => {
      if (commits.whileWaiting === Infinity) return false;
      version += commits.whileWaiting ?? 0;
      return true;
    },
    explainUnquotable: async () => {
      version += commits.whileExplained ?? 0;
      const { kind = 'noRoute' } = commits;
      return kind && { token: TOKEN, kind, venues: ['raydium-cpmm'] };
    },
  } as unknown as TradeChain;
  const price = createExplainedPrice(
    async () => {
      searches += 1;
      if (version > 1) return PRICED;
      throw new AppError('NO_MARKET', { chain: 'devnet', from: TOKEN, to: COIN });
    },
    { find: () => chain },
  );
  return { price: () => price(REQUEST, CALLER), countSearches: () => searches };
}

it('is searched again if a pool became known in between', async () => {
  const { price, countSearches } = createScene({ whileExplained: 1 });
  assert.equal(await price(), PRICED);
  assert.equal(countSearches(), 2);
});

it('is the answer if nothing has changed', async () => {
  const { price, countSearches } = createScene({ whileExplained: 0 });
  await assert.rejects(price(), { code: 'NO_ROUTE' });
  assert.equal(countSearches(), 1);
});

it('is searched again once the pools in memory are those of the store', async () => {
  const { price, countSearches } = createScene({ whileWaiting: 1 });
  assert.equal(await price(), PRICED);
  assert.equal(countSearches(), 2);
});

it('is searched again then, whatever the store tells of the pools', async () => {
  for (const [kind, code] of [
    [null, 'NO_MARKET'],
    ['venues', 'VENUE_NOT_SUPPORTED'],
  ] as const) {
    assert.equal(await createScene({ kind, whileWaiting: 1 }).price(), PRICED);
    await assert.rejects(createScene({ kind, whileWaiting: Infinity }).price(), {
      code: 'LOOKUP_PENDING',
    });
    await assert.rejects(createScene({ kind }).price(), { code });
  }
});

it('is not known yet if that takes too long', async () => {
  const { price } = createScene({ whileWaiting: Infinity });
  await assert.rejects(price(), { code: 'LOOKUP_PENDING' });
});
