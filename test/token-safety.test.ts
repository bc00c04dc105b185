// What /token/safety says of a token: what was measured in its pools, and what the index knows.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import type { HandlerContext } from '../src/contract/handler.ts';
import { getTokenSafety } from '../src/contract/operations/get-token-safety.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import { AppError } from '../src/errors/app-error.ts';
import { ContractBook } from '../src/market/contract-book.ts';
import { createGetTokenSafety } from '../src/market/create-get-token-safety.ts';
import type { TokenLists } from '../src/market/lists/token-lists.ts';
import type { MarketChain } from '../src/market/market-parts.ts';
import type { ChainSlug } from '../src/model/chain.ts';
import type { Address, PoolId } from '../src/model/ids.ts';
import type { PoolHook } from '../src/model/pool-hook.ts';
import type { SideSafety } from '../src/model/pool-safety.ts';
import type { ListingRecord } from '../src/store/market-reads.ts';
import { SafetyCache } from '../src/trading/graph/safety-cache.ts';
import { buildFakeAddress } from './fakes/fake-market.ts';
import { createMarketScene, createTestLists, type Json, type MarketScene } from './market-scene.ts';
import { setUp } from './root-hooks.ts';
import { address } from './test-ids.ts';

const NOW_MS = 1_800_000_000_000;
const CONTEXT = { identity: { kind: 'anonymous', key: 'test' } } as HandlerContext;
const CLEAN: SideSafety = { outBps: 0, inBps: 0, sellable: true };
const check = Compile(getTokenSafety.output);

let scene: MarketScene;
let token: Address;
let pools: readonly { readonly pool: PoolId; readonly token0: Address; readonly token1: Address }[];

setUp(async (t) => {
  scene = await createMarketScene(t as never, {
    ...{ engine: 'sqlite', seed: 4, finalityDepth: 20, blocks: 150 },
  });
  const { store } = scene;
  for await (const page of store.market.scanListings('devnet')) {
    for (const listing of page) {
      const top = await store.market.readTopPools('devnet', [listing.token], 50);
      const found = top.get(listing.token) ?? [];
      if (found.length < 2 || listing.liquidityUsdE18 === null) continue;
      [token, pools] = [listing.token, found];
      return;
    }
  }
  assert.fail('no token has two pools');
});

interface Asking {
  readonly readContractFacts?: MarketChain['readContractFacts'];
  readonly safetyCache?: SafetyCache;
  readonly lists?: TokenLists;
  readonly noted?: Address[];
  readonly findHook?: MarketChain['findHook'];
  readonly contracts?: ContractBook;
  readonly readLiquidityOwners?: MarketChain['readLiquidityOwners'];
  readonly mint?: Address;
}

function createHandler(asking: Asking = {}) {
  const { safetyCache = new SafetyCache(), lists, noted = [], readContractFacts } = asking;
  const { findHook = () => null, readLiquidityOwners } = asking;
  const { contracts = new ContractBook({ nowMs: () => NOW_MS }) } = asking;
  const { parts } = scene.market;
  const find = (slug: ChainSlug) => {
    const market = parts.chains.find(slug);
    return market && { ...market, readContractFacts, readLiquidityOwners, findHook };
  };
  return createGetTokenSafety({
    ...parts,
    chains: { ...parts.chains, find },
    ...(lists === undefined ? {} : { lists }),
    nowMs: () => NOW_MS,
    contracts,
    findSafety: () => ({
      unitName: 'gas',
      find: (pool) => safetyCache.get(pool) ?? null,
      isDoubted: (pool) => safetyCache.findDoubt(pool) === 'seen',
      sum: (ids, of) => safetyCache.ofToken(ids, (one) => one === of),
      note: (asked) => noted.push(asked),
    }),
  });
}

async function ask(asking: Asking = {}): Promise<Json> {
  const input = { chain: 'devnet', mint: asking.mint ?? token };
  const answer = await createHandler(asking)(input, CONTEXT);
  const json = JSON.parse(answer.bytes.toString());
  assert.ok(check.Check(json), JSON.stringify([...check.Errors(json)].slice(0, 3)));
  return json;
}

/** A measurement of a pool in which our token's side is this one. */
function measure(
  safetyCache: SafetyCache,
  at: number,
  side: SideSafety,
  checkedAtMs = NOW_MS,
): void {
  const { pool, token0, token1 } = pools[at]!;
  const sides = token0 === token ? { side0: side, side1: CLEAN } : { side0: CLEAN, side1: side };
  safetyCache.set({ pool, token0, token1, ...sides, hookFees: null, checkedAtMs });
}

const factsOf = (json: Json): Json =>
  Object.fromEntries(json.facts.map(({ code, value }: Json) => [code, value]));
const codesOf = (json: Json): string[] => json.warnings.map(({ code }: Json) => code);

test('before any round trip everything measured is null, and the pools are asked for', async () => {
  const noted: Address[] = [];
  const json = await ask({ noted });
  assert.equal(json.pools.length, pools.length);
  for (const pool of json.pools) {
    const { buyTaxBps, sellTaxBps, sellable, checkedAt } = pool;
    assert.deepEqual(
      { buyTaxBps, sellTaxBps, sellable, checkedAt },
      {
        ...{ buyTaxBps: null, sellTaxBps: null, sellable: null, checkedAt: null },
      },
    );
  }
  const { BUY_TAX_BPS, SELL_TAX_BPS, SELLABLE, POOLS_CHECKED, VERIFIED } = factsOf(json);
  assert.deepEqual(
    [BUY_TAX_BPS, SELL_TAX_BPS, SELLABLE, POOLS_CHECKED, VERIFIED],
    [null, null, null, 0, null],
  );
  assert.ok(codesOf(json).includes('SAFETY_UNKNOWN'));
  assert.deepEqual(noted, [token]);
});

test("a pool's hook is told with its class, and what the last round trip cost there", async () => {
  const flags = ['beforeSwap'] as const;
  const hook: PoolHook = { address: address(token), class: 'before', flags, setsFee: false };
  const [first = assert.fail()] = pools;
  const safetyCache = new SafetyCache();
  measure(safetyCache, 0, CLEAN);
  const known = safetyCache.get(first.pool) ?? assert.fail();
  safetyCache.set({ ...known, hookFees: { zeroForOne: 3000, oneForZero: 90_000 } });
  const findHook: MarketChain['findHook'] = ({ pool }) => (pool === first.pool ? hook : null);
  const json = await ask({ safetyCache, findHook });
  const [bought, sold] = first.token0 === token ? [90_000, 3000] : [3000, 90_000];
  const { address: shown, buyFeePips, sellFeePips, ...rest } = json.pools[0].hook;
  assert.equal(shown.toLowerCase(), token);
  assert.deepEqual([buyFeePips, sellFeePips], [bought, sold]);
  assert.deepEqual(rest, { class: 'before', flags: [...flags], setsFee: false, source: 'index' });
  assert.equal(json.pools[1].hook, null);
  assert.ok(codesOf(json).includes('HOOKED_POOL'));
  const quiet = await ask({ safetyCache, findHook: () => ({ ...hook, class: 'after' }) });
  assert.equal(codesOf(quiet).includes('HOOKED_POOL'), false);
});

test('what is burned and locked of the liquidity of its pools is read in the background', async () => {
  const contracts = new ContractBook({ nowMs: () => NOW_MS });
  const [first = assert.fail()] = pools;
  const asked: PoolId[] = [];
  const readLiquidityOwners: MarketChain['readLiquidityOwners'] = async (of) => {
    asked.push(...of.map(({ pool }) => pool));
    const owners = {
      ...{ sharesRaw: 1_000_000n, burnedRaw: 250_000n, lockedRaw: 500_001n, block: 77 },
      ...{ lockers: [{ name: 'UNCX', address: token }], untilMs: NOW_MS + 1 },
    };
    return of.map(({ pool }) => (pool === first.pool ? owners : null));
  };
  assert.equal((await ask({ contracts, readLiquidityOwners })).pools[0].liquidity, null);
  await nextTurn();
  const json = await ask({ contracts, readLiquidityOwners });
  const { lpLocked, ...rest } = json.pools[0].liquidity;
  assert.deepEqual(rest, { lpBurnedPct: 25, source: 'contract', block: 77 });
  assert.deepEqual([lpLocked.pct, lpLocked.until], [50.0001, NOW_MS + 1]);
  assert.deepEqual(
    lpLocked.where.map(({ name, address: shown }: Json) => [name, shown.toLowerCase()]),
    [['UNCX', token]],
  );
  assert.equal(json.pools[1].liquidity, null);
  assert.deepEqual(
    asked,
    pools.slice(0, 5).map(({ pool }) => pool),
    'asked once',
  );
});

test('facts of the index are those of the other reads', async () => {
  const facts = factsOf(await ask());
  const input = { chain: 'devnet', mint: token };
  const { json } = await scene.ask('getToken', input);
  const holders = (await scene.ask('getHolders', input)).json;
  assert.equal(facts.LIQUIDITY_USD, json.liquidityUsd);
  assert.equal(facts.SUPPLY_RAW, json.totalSupplyRaw);
  assert.equal(facts.HOLDERS, json.holders);
  assert.equal(facts.POOLS, json.pools.length);
  const expected = holders.coverage.holdersComplete ? holders.top10Pct : null;
  assert.equal(facts.TOP10_PCT, expected);
});

describe('round trips', () => {
  test('each pool shows its own, the facts the worst, and the warning says so', async () => {
    const safetyCache = new SafetyCache();
    measure(safetyCache, 0, { outBps: 100, inBps: 300, sellable: true });
    measure(safetyCache, 1, { outBps: 500, inBps: 0, sellable: true });
    const json = await ask({ safetyCache });
    assert.deepEqual([json.pools[0].buyTaxBps, json.pools[0].sellTaxBps], [100, 300]);
    assert.deepEqual([json.pools[1].buyTaxBps, json.pools[1].sellTaxBps], [500, 0]);
    assert.equal(json.pools[0].checkedAt, NOW_MS);
    const { BUY_TAX_BPS, SELL_TAX_BPS, SELLABLE, POOLS_CHECKED } = factsOf(json);
    assert.deepEqual([BUY_TAX_BPS, SELL_TAX_BPS, SELLABLE, POOLS_CHECKED], [500, 300, true, 2]);
    const warning = json.warnings.find(({ code }: Json) => code === 'TAXED_TOKEN');
    assert.match(warning.message, /5 % when bought and 3 % when sold/);
  });

  test('a token that cannot be sold anywhere is unsellable', async () => {
    const safetyCache = new SafetyCache();
    for (const at of pools.keys()) {
      measure(safetyCache, at, { outBps: 0, inBps: null, sellable: false });
    }
    const json = await ask({ safetyCache });
    assert.equal(factsOf(json).SELLABLE, false);
    assert.ok(codesOf(json).includes('UNSELLABLE'));
    assert.ok(!codesOf(json).includes('SAFETY_UNKNOWN'));
  });

  test('an old measurement, or one with evidence against it, is stale', async () => {
    const old = new SafetyCache();
    measure(old, 0, CLEAN, NOW_MS - 31 * 60_000);
    assert.ok(codesOf(await ask({ safetyCache: old })).includes('SAFETY_STALE'));
    const safetyCache = new SafetyCache();
    measure(safetyCache, 0, CLEAN);
    assert.ok(!codesOf(await ask({ safetyCache })).includes('SAFETY_STALE'));
    safetyCache.doubt(token);
    assert.ok(codesOf(await ask({ safetyCache })).includes('SAFETY_STALE'));
  });
});

test('a token list decides what is verified, where one speaks of the chain', async () => {
  const list = (address: string) => {
    const entry = { chain: 'devnet', token: address, symbol: 'X', name: 'X', links: null };
    return createTestLists([{ name: 'Test list', tokens: [entry] } as never]);
  };
  const other = '0x00000000000000000000000000000000000000ff';
  const unverified = await ask({ lists: list(other) });
  assert.equal(factsOf(unverified).VERIFIED, false);
  assert.ok(codesOf(unverified).includes('UNVERIFIED'));
  const verified = await ask({ lists: list(token) });
  assert.equal(factsOf(verified).VERIFIED, true);
  assert.ok(!codesOf(verified).includes('UNVERIFIED'));
});

test('a token that looks like one that a list vouches for is told from it', async () => {
  const { native, stable } = scene.market.parts.chains.find('devnet')!.assets;
  const listings: ListingRecord[] = [];
  for await (const page of scene.store.market.scanListings('devnet')) listings.push(...page);
  const isPlain = (one: ListingRecord) => !native.has(one.token) && !stable.has(one.token);
  const { token: mint, name } = listings.find((one) => one.name !== null && isPlain(one))!;
  const list = (address: string, vouched: string) => {
    const entry = { chain: 'devnet', token: address, symbol: 'X', name: vouched, links: null };
    return createTestLists([{ name: 'Test list', tokens: [entry] } as never]);
  };
  const other = '0x00000000000000000000000000000000000000ff';
  const shown = findFamily('devnet').addresses.toShown(address(other));
  const copy = await ask({ mint, lists: list(other, `\u200b${name?.toUpperCase()}\u0301`) });
  assert.equal(factsOf(copy).LOOKALIKE_OF, `devnet:${shown}`);
  assert.deepEqual([copy.lookalikeOf.chain, copy.lookalikeOf.mint], ['devnet', shown]);
  const { message } = copy.warnings.find(({ code }: Json) => code === 'LOOKALIKE');
  assert.ok(message.includes(shown), message);
  for (const lists of [list(other, 'OTHER'), list(mint, name ?? '')]) {
    const json = await ask({ mint, lists });
    assert.equal(factsOf(json).LOOKALIKE_OF, undefined);
    assert.equal(json.lookalikeOf, null);
    assert.ok(!codesOf(json).includes('LOOKALIKE'));
  }
});

test('an unknown token is 404, a malformed address 400', async () => {
  const handler = createHandler();
  const askFor = async (mint: string) => handler({ chain: 'devnet', mint }, CONTEXT);
  const unknown = `0x${'ee'.repeat(20)}`;
  await assert.rejects(askFor(unknown), (error) => {
    return error instanceof AppError && error.code === 'TOKEN_NOT_FOUND';
  });
  await assert.rejects(askFor('nonsense'), (error) => {
    return error instanceof AppError && error.code === 'INVALID_ADDRESS';
  });
});

describe('facts of the contract', () => {
  const CODES = ['OWNER', 'MINTABLE', 'PROXY'];
  const pick = (json: Json) => json.facts.filter(({ code }: Json) => CODES.includes(code));
  const input = () => ({ chain: 'devnet', mint: token });

  async function askTwice(read: NonNullable<Asking['readContractFacts']>): Promise<Json[]> {
    let calls = 0;
    const done = Promise.withResolvers<void>();
    const handler = createHandler({
      readContractFacts: async (...of) => {
        calls += 1;
        // The cache keeps what is read in a later turn.
        setImmediate(() => setImmediate(done.resolve));
        return read(...of);
      },
    });
    const first = JSON.parse((await handler(input(), CONTEXT)).bytes.toString());
    await done.promise;
    const second = JSON.parse((await handler(input(), CONTEXT)).bytes.toString());
    assert.equal(calls, 1, 'it is kept');
    for (const json of [first, second]) assert.ok(check.Check(json));
    return [first, second].map(pick);
  }

  test('are read in the background, and say why while they are unknown', async () => {
    const owner = buildFakeAddress('cccc', 1);
    const [first, second] = await askTwice(async () => {
      return { kind: 'contract', owner, isMintable: true, isProxy: false };
    });
    for (const fact of first) {
      assert.equal(fact.value, null);
      assert.match(fact.reason, /being asked/);
    }
    const shown = findFamily('devnet').addresses.toShown(owner);
    assert.deepEqual(second, [
      { code: 'OWNER', value: shown, source: 'contract' },
      { code: 'MINTABLE', value: true, source: 'contract' },
      { code: 'PROXY', value: false, source: 'contract' },
    ]);
  });

  test('of a proxy say nothing of its functions', async () => {
    const [, facts] = await askTwice(async () => {
      return { kind: 'contract', owner: null, isMintable: null, isProxy: true };
    });
    assert.deepEqual(
      facts.map(({ value, reason }: Json) => [value, reason]),
      [
        [null, 'The contract names no owner.'],
        [null, 'The code is behind a proxy.'],
        [true, undefined],
      ],
    );
  });

  test('are unknown where the node fails, there is no code, or the chain has none', async () => {
    const [, failed] = await askTwice(() => Promise.reject(new Error('no answer')));
    const [, none] = await askTwice(async () => null);
    const unsupported = pick(await ask());
    for (const [facts, reason] of [
      [failed, /did not answer/],
      [none, /no contract or mint at this address/],
      [unsupported, /no code of their own/],
    ] as const) {
      for (const fact of facts) assert.match(fact.reason, reason);
    }
  });
});
