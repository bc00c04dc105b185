// The kind of an owner: known addresses first, then pools, then what the chain reported.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { poolRecord } from '../../test/conformance/store-records.ts';
import { buildCheckpoint, buildToken } from '../../test/conformance/store-samples.ts';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import { fc } from '../../test/fast-check.ts';
import {
  createAsk,
  createTestMarket,
  FAKE_MARKET_CHAIN,
  openTestStore,
} from '../../test/market-scene.ts';
import { address, poolId } from '../../test/test-ids.ts';
import type { PoolRecord } from '../model/pool.ts';
import { readHolderKinds } from './create-get-holders.ts';
import type { MarketChain } from './market-parts.ts';

const TOKEN = buildFakeAddress('aaaa', 16);
const POOL = buildFakeAddress('dddd', 1);
const VAULT = buildFakeAddress('dddd', 2);
const CONTRACT = buildFakeAddress('cccc', 4);
const WALLET = buildFakeAddress('cccc', 5);
const NEW = buildFakeAddress('cccc', 7);
const BURN = address('0x000000000000000000000000000000000000dead');
const LOW = address('0x0000000000000000000000000000000000000009');
const OWNERS = [POOL, VAULT, CONTRACT, WALLET, NEW, BURN, LOW];

async function openFilled(t: TestContext) {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.putTokens([buildToken({ token: TOKEN, holders: OWNERS.length })]);
    const [sample] = fc.sample(poolRecord, 1) as [PoolRecord];
    await transaction.putPools([{ ...sample, pool: poolId(POOL), token0: TOKEN }]);
    await transaction.putBalances(
      OWNERS.map((owner, index) => ({ token: TOKEN, owner, amountRaw: BigInt(7 - index) })),
    );
    await transaction.setCheckpoint(buildCheckpoint(1));
  });
  await store.market.putAccounts(
    'devnet',
    new Map([
      [POOL, true],
      [BURN, true],
      [CONTRACT, true],
      [WALLET, false],
    ]),
  );
  return store;
}

describe('kinds', () => {
  it('pools, vaults and burn addresses take precedence over contracts and wallets', async (t) => {
    const store = await openFilled(t);
    const market: MarketChain = { ...FAKE_MARKET_CHAIN, vaults: new Set([VAULT]) };
    const kinds = await store.market.snapshot((reader) => readHolderKinds(reader, market, OWNERS));
    assert.deepEqual(
      OWNERS.map((owner) => kinds.get(owner)),
      ['pool', 'pool', 'contract', 'wallet', null, 'burn', 'burn'],
    );
  });

  it('what a node did not answer is asked again by the next request', async (t) => {
    const store = await openFilled(t);
    let isSilent = true;
    const chain: MarketChain = {
      ...FAKE_MARKET_CHAIN,
      noteIncomplete: () => undefined,
      requestHistory: () => undefined,
      findContracts: async (addresses) => {
        if (isSilent) throw new Error('no node');
        return new Map(addresses.map((address) => [address, false]));
      },
    };
    const market = createTestMarket({ store, chain });
    await market.pauses.poll();
    await market.states.poll();
    const ask = createAsk(market);
    const readKind = async () => {
      const { json } = await ask('getHolders', { chain: 'devnet', mint: TOKEN, limit: 7 });
      return json.holders.find(({ owner }: { owner: string }) => owner.toLowerCase() === NEW)?.kind;
    };
    assert.equal(await readKind(), null);
    isSilent = false;
    assert.equal(await readKind(), 'wallet');
  });
});
