// Scope `watch` on a recorded chain of 3,000 tokens: few bytes, the same rows, joined without gap.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  BUSY_DEPLOYMENT,
  BusyTraders,
  buildBusySwap,
  buildBusyToken,
  buildBusyTransfer,
  createBusyPool,
  startBusyChain,
} from '../../../test/fakes/busy-chain.ts';
import { address, TRADER, WETH } from '../../../test/fakes/chain-scene.ts';
import { readIndex } from '../../../test/fakes/indexed-chain.ts';
import type { MemoryChain } from '../../../test/fakes/memory-chain.ts';
import { type ScopedIndex, startScopedIndex } from '../../../test/fakes/scoped-index.ts';
import { kindOf } from '../../amm/pool-kinds.ts';
import type { Address } from '../../model/ids.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketStore } from '../../store/store.ts';

const TOKENS = 3000;
/** Blocks that are read one by one. */
const AT_HEAD = 5;
const E18 = 10n ** 18n;

const tokens = Array.from({ length: TOKENS }, (_, index) => buildBusyToken(index));

function startChain() {
  const chain = startBusyChain();
  for (let at = 0; at < TOKENS; at += 100) {
    chain.add(tokens.slice(at, at + 100).map((one) => createBusyPool(one, 20n * E18)));
  }
  return { chain, traders: new BusyTraders(chain, tokens, 7) };
}

/** What is stored of some tokens. */
async function readRowsOf(store: MarketStore, wanted: ReadonlySet<Address>, fromBlock = 0) {
  const index = await readIndex(store);
  const pools = index.pools.filter(
    ({ token0, token1 }) => wanted.has(token0) || wanted.has(token1),
  );
  const ids = new Set(pools.map(({ pool }) => pool));
  return {
    tokens: index.tokens.filter(({ token }) => wanted.has(token)),
    pools,
    ticks: index.ticks.filter(({ pool }) => ids.has(pool)),
    balances: index.balances.filter(({ token }) => wanted.has(token)),
    trades: index.trades.filter(({ token, block }) => wanted.has(token) && block >= fromBlock),
    candles: index.candles.filter(({ token }) => wanted.has(token)),
  };
}

/** One by one, so that a failure shows the row. */
function assertSameRows(
  rows: Readonly<Record<string, readonly object[]>>,
  expected: Readonly<Record<string, readonly object[]>>,
): void {
  for (const [kind, wanted] of Object.entries(expected)) {
    assert.equal(rows[kind]?.length, wanted.length, kind);
    wanted.forEach((row, index) => {
      assert.deepEqual(rows[kind]?.[index], row, kind);
    });
  }
}

/** Indexes all but the last blocks, and those one by one. Returns the bytes that took. */
async function indexAll(index: ScopedIndex, chain: MemoryChain): Promise<number> {
  await index.settle();
  for (let head = chain.head - AT_HEAD + 1; head <= chain.head; head += 1) {
    index.setHead(head);
    await index.settle();
  }
  await index.stop();
  return index.node.bytesSent;
}

describe('watching 20 of 3,000 tokens', () => {
  test('takes 5 % of the bytes at most, and stores the same rows of them', async (t) => {
    const watched = new Set(tokens.slice(0, 20).map(({ token }) => token));
    const { chain, traders } = startChain();
    traders.mine(60, 60);
    const options = { deployment: BUSY_DEPLOYMENT, head: chain.head - AT_HEAD };
    const all = await startScopedIndex(t, chain, { ...options, scope: { name: 'all' } });
    const allBytes = await indexAll(all, chain);
    const scope = { name: 'watch', readWatched: async () => [...watched] } as const;
    const watch = await startScopedIndex(t, chain, { ...options, scope });
    const bytes = await indexAll(watch, chain);
    assert.ok(bytes <= 0.05 * allBytes, `${bytes} of ${allBytes}`);
    const expected = await readRowsOf(all.store, watched);
    assert.equal(expected.tokens.length, 20);
    assert.ok(expected.trades.length > 20, `${expected.trades.length} trades`);
    assert.ok(expected.trades.some(({ index }) => index > 0));
    assertSameRows(await readRowsOf(watch.store, watched), expected);
    const { tokens: stored } = await readIndex(watch.store);
    // The watched ones, the wrapped coin and the stable one.
    assert.equal(stored.length, 22);
  });
});

/** Thirty tokens, and an index that watches some of them. */
async function startSmall(t: { after(work: () => unknown): void }, watched: Set<Address>) {
  const few = tokens.slice(0, 30);
  const chain = startBusyChain();
  chain.add(few.map((one) => createBusyPool(one, 20n * E18)));
  const traders = new BusyTraders(chain, few, 11);
  traders.mine(20, 20);
  const options = { deployment: BUSY_DEPLOYMENT };
  const all = await startScopedIndex(t, chain, { ...options, scope: { name: 'all' } });
  const scope = { name: 'watch', readWatched: async () => [...watched] } as const;
  const watch = await startScopedIndex(t, chain, { ...options, scope });
  const settle = async () => {
    await all.settle();
    await watch.settle();
  };
  const replace = (depth: number, branch: string) => {
    chain.drop(depth);
    traders.mine(depth + 1, 20, branch);
  };
  await settle();
  return { chain, traders, all, watch, settle, replace };
}

async function readEntries({ store }: ScopedIndex): Promise<readonly ScopeEntry[]> {
  const entries: ScopeEntry[] = [];
  for await (const rows of store.scanScopeEntries('devnet')) entries.push(...rows);
  return entries;
}

describe('a quote asset that is watched', () => {
  const [own, left, late] = [tokens[0]!, tokens[1]!, buildBusyToken(41, 'v3')];

  test('has all its transfers, and brings no pools: neither known ones nor new ones', async (t) => {
    const watched = new Set([own.token, left.token]);
    const { chain, traders, all, watch, settle } = await startSmall(t, watched);
    // The pool of the one that leaves stays stored.
    watched.delete(left.token);
    watched.add(WETH);
    const joined = chain.head + 1;
    traders.mine(1, 20);
    await settle();
    const [from, to] = [address(0xabc1), address(0xabc2)];
    chain.add([buildBusyTransfer(WETH, { from: TRADER, to: from, amountRaw: 5n * E18 })]);
    chain.add([buildBusyTransfer(WETH, { from, to, amountRaw: 2n * E18 })]);
    chain.add([createBusyPool(late, 5n * E18)]);
    for (const one of [late, left, own]) {
      chain.add([{ from: TRADER, logs: buildBusySwap(one, 7) }]);
    }
    await settle();
    const entry = (await readEntries(watch)).find(({ token }) => token === WETH);
    assert.equal(entry?.fromBlock, joined);
    const index = await readIndex(watch.store);
    const heldOf = (owner: Address) =>
      index.balances.find((one) => one.token === WETH && one.owner === owner)?.amountRaw;
    assert.deepEqual([heldOf(from), heldOf(to)], [3n * E18, 2n * E18]);
    const find = (one: { readonly token: Address }) =>
      index.pools.filter(({ token0, token1 }) => token0 === one.token || token1 === one.token);
    assert.deepEqual(find(late), []);
    assert.deepEqual(
      find(left).map(({ complete, liquidityUsdE18 }) => [complete, liquidityUsdE18]),
      [[false, null]],
    );
    assert.deepEqual(
      find(own).map(({ complete }) => complete),
      [true],
    );
    const traded = new Set(
      index.trades.filter(({ block }) => block > joined).map(({ token }) => token),
    );
    assert.deepEqual([...traded], [own.token]);
    const full = await readIndex(all.store);
    assert.ok(full.trades.some(({ token, block }) => token === left.token && block > joined));
  });
});

describe('a token that joins while the service runs', () => {
  const [first, second] = [tokens[0]!, tokens[1]!];
  // Created later, so that its creation is seen.
  const late = buildBusyToken(40, 'v3');

  test('has rows from the next block on, as a full index has them', async (t) => {
    const watched = new Set([first.token]);
    const { chain, traders, all, watch, settle } = await startSmall(t, watched);
    watched.add(second.token).add(late.token);
    const joined = chain.head + 1;
    traders.mine(1, 20);
    await settle();
    chain.add([createBusyPool(late, 5n * E18)]);
    chain.add([{ from: TRADER, logs: buildBusySwap(late, 7) }]);
    traders.mine(3, 20);
    await settle();
    const entries = await readEntries(watch);
    assert.deepEqual(
      entries.map(({ token, fromBlock, leftBlock }) => ({ token, fromBlock, leftBlock })),
      [first.token, second.token, late.token].map((token, index) => ({
        ...{ token, fromBlock: index === 0 ? 0 : joined, leftBlock: null },
      })),
    );
    // The pool of the second is older and nobody has looked it up; its transfers are there.
    const { balances } = await readRowsOf(watch.store, new Set([second.token]));
    assert.ok(balances.length > 0);
    const both = new Set([first.token, late.token]);
    const expected = await readRowsOf(all.store, both);
    assert.ok(expected.trades.some(({ token }) => token === late.token));
    assertSameRows(await readRowsOf(watch.store, both), expected);
  });

  test('is looked up once the block it joins at is known', async (t) => {
    const watched = new Set([first.token]);
    const { traders, watch, settle } = await startSmall(t, watched);
    watched.add(second.token);
    await settle();
    assert.equal(await watch.indexer.lookUp(second.token), 'unchanged');
    traders.mine(1, 20);
    await settle();
    assert.notEqual(await watch.indexer.lookUp(second.token), 'unchanged');
  });

  test('joins again where a reorganisation took back the block it joined at', async (t) => {
    const watched = new Set([first.token]);
    const { chain, traders, all, watch, settle, replace } = await startSmall(t, watched);
    traders.mine(2, 20);
    await settle();
    watched.add(late.token);
    const before = chain.head;
    chain.add([createBusyPool(late, 5n * E18), { from: TRADER, logs: buildBusySwap(late, 7) }]);
    traders.mine(1, 20);
    await settle();
    const find = async () =>
      (await readEntries(watch)).find(({ token }) => token === late.token)?.fromBlock;
    assert.equal(await find(), before + 1);
    // The last two blocks and two more: the token's pool is gone.
    replace(4, 'other');
    await settle();
    assert.equal(await find(), before - 1);
    const gone = await readRowsOf(watch.store, new Set([late.token]));
    assert.deepEqual([gone.pools.length, gone.trades.length], [0, 0]);
    chain.add([createBusyPool(late, 5n * E18)]);
    chain.add([{ from: TRADER, logs: buildBusySwap(late, 9) }]);
    await settle();
    const both = new Set([first.token, late.token]);
    assertSameRows(await readRowsOf(watch.store, both), await readRowsOf(all.store, both));
  });
});

/** Of a V3 pool of which nothing is known. */
function buildUnknownState() {
  return kindOf({ kind: 'concentrated' }).stateAtStart;
}

describe('a token that leaves', () => {
  const [kept, left] = [tokens[0]!, tokens[1]!];

  test('looks current no longer, and is read again when it comes back', async (t) => {
    const watched = new Set([kept.token, left.token]);
    const { chain, traders, watch, settle, replace } = await startSmall(t, watched);
    const own = new Set([left.token]);
    const before = await readRowsOf(watch.store, own);
    assert.equal(before.pools[0]?.complete, true);
    watched.delete(left.token);
    traders.mine(1, 20);
    await settle();
    traders.mine(1, 20);
    await settle();
    const after = await readRowsOf(watch.store, own);
    const [token, pool] = [after.tokens[0], after.pools[0]];
    assert.deepEqual(
      [token?.priceUsd, token?.priceNative, token?.liquidityUsdE18, token?.balancesBroken],
      [null, null, null, true],
    );
    assert.deepEqual([pool?.complete, pool?.liquidityUsdE18], [false, null]);
    assert.deepEqual(pool?.state, buildUnknownState());
    assert.ok(after.trades.length >= before.trades.length);
    // A reorganisation restores the rows; they are made unknown again.
    replace(4, 'other');
    await settle();
    assert.equal((await readRowsOf(watch.store, own)).pools[0]?.complete, false);
    assert.equal((await readRowsOf(watch.store, own)).tokens[0]?.priceUsd, null);
    watched.add(left.token);
    const rejoined = chain.head + 1;
    traders.mine(1, 20);
    chain.add([{ from: TRADER, logs: buildBusySwap(left, 3) }]);
    await settle();
    const entries = (await readEntries(watch)).filter(({ token }) => token === left.token);
    assert.equal(entries.length, 2);
    assert.deepEqual([entries[1]?.fromBlock, entries[1]?.leftBlock], [rejoined, null]);
    const back = await readRowsOf(watch.store, own);
    assert.equal(back.trades.at(-1)?.block, chain.head);
    // Positions that were not seen may have changed meanwhile.
    assert.equal(back.pools[0]?.complete, false);
    assert.deepEqual(
      watch.warnings.filter((text) => !text.startsWith('reorg')),
      [],
    );
  });
});
