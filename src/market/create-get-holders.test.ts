// Holders of a token with more than ten: what the share of the top ten includes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildCheckpoint, buildToken } from '../../test/conformance/store-samples.ts';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import {
  askFreshly,
  FAKE_MARKET_CHAIN,
  type Json,
  openTestStore,
  type ReadInput,
} from '../../test/market-scene.ts';
import { readPages } from '../../test/read-pages.ts';
import { after, before } from '../../test/root-hooks.ts';
import type { MarketStore, Store } from '../store/store.ts';

const TOKEN = buildFakeAddress('aaaa', 16);
/** Owners with 30, 29 … 1 per mille of the supply; every second one is a contract. */
const COUNT = 30;
const OWNERS = Array.from({ length: COUNT }, (_, index) => buildFakeAddress('cccc', 100 + index));
const SUPPLY = 1000n;

const RECORD = buildToken({
  token: TOKEN,
  decimals: 1,
  holders: COUNT,
  supplyRaw: SUPPLY,
  balanceSumRaw: 465n,
  supplyBalanceSumRaw: 465n,
});

let store: Store;
let remove: () => Promise<void>;

before(async () => {
  ({ store, remove } = await openTestStore('sqlite'));
  await fill(store);
});

after(() => remove());

async function fill({ market }: Store): Promise<void> {
  await market.transaction('devnet', async (transaction) => {
    await transaction.putTokens([RECORD]);
    await transaction.putBalances(
      OWNERS.map((owner, index) => ({ token: TOKEN, owner, amountRaw: BigInt(COUNT - index) })),
    );
    await transaction.setCheckpoint(buildCheckpoint(1));
  });
}

async function ask(input: ReadInput): Promise<Json> {
  const whole = { chain: 'devnet', mint: TOKEN, ...input };
  return (await askFreshly(store, 'getHolders', whole)).json;
}

describe('top10Pct', () => {
  it('is of the ten largest, however long the page and wherever it begins', async () => {
    // 30 + 29 + … + 21 of 1,000.
    for (const limit of [1, 9, 10, 11, 30, 100]) {
      assert.equal((await ask({ limit })).top10Pct, 25.5, `${limit}`);
    }
    const { nextCursor } = await ask({ limit: 12 });
    const second = await ask({ limit: 12, cursor: nextCursor });
    assert.deepEqual([second.holders[0].rank, second.top10Pct], [13, 25.5]);
  });

  it('is of the ten largest that are not left out', async () => {
    // Every second one: 29 + 27 + … + 11 of 1,000.
    for (const limit of [3, 12, 30]) {
      assert.equal((await ask({ limit, exclude: 'contract' })).top10Pct, 20, `${limit}`);
    }
  });
});

describe('pages', () => {
  it('ranks, shares and the total are of all owners', async () => {
    const { holders, total, nextCursor } = await ask({ limit: 30 });
    assert.deepEqual([total, nextCursor], [COUNT, null]);
    assert.deepEqual(
      holders.map(({ rank, amountRaw, amount, pct }: Json) => [rank, amountRaw, amount, pct]),
      OWNERS.map((_, index) => {
        const amount = COUNT - index;
        return [index + 1, `${amount}`, `${amount / 10}`, amount / 10];
      }),
    );
  });

  it('every owner appears once, even if kinds are excluded', async () => {
    for (const limit of [1, 4, 15]) {
      const ranks = await readPages(COUNT, async (cursor: string | null) => {
        const input = { limit, exclude: 'contract', ...(cursor === null ? {} : { cursor }) };
        const { holders, nextCursor } = await ask(input);
        return { rows: holders.map(({ rank }: Json) => rank), next: nextCursor };
      });
      assert.deepEqual(
        ranks,
        Array.from({ length: COUNT / 2 }, (_, index) => 2 * index + 2),
      );
    }
  });
});

/** Every commit is there, but no account: those are stored outside commits. */
function hideAccounts(market: MarketStore): MarketStore {
  return new Proxy(market, {
    get: (whole, name) => {
      if (name === 'readAccounts') return async () => new Map();
      const member = Reflect.get(whole, name, whole);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });
}

describe('kinds of owners', () => {
  it('are known at the first request, though the standby does not have them yet', async (t) => {
    const fresh = await openTestStore('sqlite');
    t.after(() => fresh.remove());
    await fill(fresh.store);
    let [reads, questions] = [0, 0];
    const market = hideAccounts(fresh.store.market);
    const standby = {
      get market() {
        reads += 1;
        return market;
      },
      isUp: true,
      noteSlow: () => undefined,
    };
    const chain: typeof FAKE_MARKET_CHAIN = {
      ...FAKE_MARKET_CHAIN,
      findContracts: (addresses, signal) => {
        questions += 1;
        return FAKE_MARKET_CHAIN.findContracts(addresses, signal);
      },
    };
    const input = { chain: 'devnet', mint: TOKEN, limit: 10 };
    const { json } = await askFreshly({ ...fresh.store, standby }, 'getHolders', input, chain);
    const kinds = json.holders.map(({ kind }: Json) => kind);
    assert.deepEqual([...new Set(kinds)].sort(), ['contract', 'wallet']);
    assert.ok(reads > 0);
    assert.equal(questions, 1);
  });
});
