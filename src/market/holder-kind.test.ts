// The kind of an owner: known addresses first, then pools, then what the chain reported.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { poolRecord } from '../../test/conformance/store-records.ts';
import { toCheckpoint, toToken } from '../../test/conformance/store-samples.ts';
import { toFakeAddress } from '../../test/fakes/fake-market.ts';
import { address, poolId } from '../../test/ids.ts';
import {
  createAsk,
  createTestMarket,
  FAKE_MARKET_CHAIN,
  openTestStore,
} from '../../test/market-scene.ts';
import type { PoolRecord } from '../model/pool.ts';
import { readHolderKinds } from './holder-kind.ts';
import type { MarketChain } from './market-parts.ts';

const TOKEN = toFakeAddress('aaaa', 16);
const POOL = toFakeAddress('dddd', 1);
const VAULT = toFakeAddress('dddd', 2);
const CONTRACT = toFakeAddress('cccc', 4);
const WALLET = toFakeAddress('cccc', 5);
const NEW = toFakeAddress('cccc', 7);
const BURN = address('0x000000000000000000000000000000000000dead');
const LOW = address('0x0000000000000000000000000000000000000009');
const OWNERS = [POOL, VAULT, CONTRACT, WALLET, NEW, BURN, LOW];

async function openFilled(t: TestContext) {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.putTokens([toToken({ token: TOKEN, holders: OWNERS.length })]);
    const [sample] = fc.sample(poolRecord, 1) as [PoolRecord];
    await transaction.putPools([{ ...sample, pool: poolId(POOL), token0: TOKEN }]);
    await transaction.putBalances(
      OWNERS.map((owner, index) => ({ token: TOKEN, owner, amountRaw: BigInt(7 - index) })),
    );
    await transaction.setCheckpoint(toCheckpoint(1));
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
  it('pools, vaults and burn addresses are told before contracts and wallets', async (t) => {
    const store = await openFilled(t);
    const market: MarketChain = { ...FAKE_MARKET_CHAIN, vaults: new Set([VAULT]) };
    const kinds = await store.market.snapshot((reader) => readHolderKinds(reader, market, OWNERS));
    assert.deepEqual(
      OWNERS.map((owner) => kinds.get(owner)),
      ['pool', 'pool', 'contract', 'wallet', null, 'burn', 'burn'],
    );
  });

  it('what a node did not tell is asked for again by the next request', async (t) => {
    const store = await openFilled(t);
    let isSilent = true;
    const chain: MarketChain = {
      ...FAKE_MARKET_CHAIN,
      findContracts: async (addresses) => {
        if (isSilent) throw new Error('no node');
        return new Map(addresses.map((address) => [address, false]));
      },
    };
    const market = createTestMarket({ store, chain });
    await market.pauses.look();
    await market.states.look();
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
