// Holders of tokens that are older than the index: listed once, joined with the blocks, and then
// the same as those of an index of the whole chain, whatever happens at the seam.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toSolanaAddress } from '../../src/chains/solana/data/solana-ids.ts';
import { isHoldersComplete } from '../../src/market/coverage.ts';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';
import type { Mischief, Misdeed } from '../../test/fakes/misbehaving-rpc.ts';
import {
  assertNoDifferences,
  collect,
  followMarket,
  ManualMarket,
  SLUG,
  startMarketNode,
} from '../../test/manual-market.ts';
import { answerCall } from './answer-call.ts';

const JOINED_MAX_MS = 60_000;
const LEVIED = 'LEVY';
const FORKS_MAX = 10;

/** Tokens of both programs, and a coin of a curve. */
async function startLate(t: TestContext, mischief: (market: ManualMarket) => Mischief | null) {
  const market = new ManualMarket();
  const coin = market.graduate();
  market.grow(12);
  const full = await followMarket(t, market);
  const startBlock = market.chain.head.slot;
  // History must be final before it is asked for.
  market.grow(36);
  const node = await startMarketNode(t, market);
  const late = await followMarket(t, market, { startBlock, rpcUrls: [node.url] });
  const { tokens: scene } = market.scene;
  const mints = [
    ...scene.filter(({ symbol }) => !['SOL', 'USDC'].includes(symbol)),
    { mint: coin },
  ];
  const tokens = mints.map(({ mint }) => toSolanaAddress(mint));
  node.misbehave(mischief(market));
  const settle = async () => {
    await full.indexing.settle();
    await late.indexing.settle();
  };
  return { market, full, late, node, tokens, settle };
}

type Late = Awaited<ReturnType<typeof startLate>>;

async function readJobs({ late, tokens }: Late) {
  return await late.store.market.readBackfills(SLUG, tokens);
}

/** Asks for all tokens, while the market goes on, until their jobs are as wanted. */
async function untilJobs(scene: Late, status: 'done' | 'failed'): Promise<void> {
  const { market, late, tokens } = scene;
  const deadline = Date.now() + JOINED_MAX_MS;
  for (;;) {
    for (const token of tokens) late.indexing.indexer.request(token);
    market.grow(1);
    await scene.settle();
    const jobs = await readJobs(scene);
    const settled = jobs.filter((job) => job.status === status);
    if (settled.length === tokens.length) return;
    if (Date.now() > deadline) throw new Error(`not ${status}: ${JSON.stringify(jobs)}`);
    await sleep(20);
  }
}

async function readHolders(store: MarketStore, tokens: readonly Address[]) {
  const rows = (await collect(store.scanBalances(SLUG))).filter(
    ({ token, amountRaw }) => amountRaw > 0n && tokens.includes(token),
  );
  const counts = await store.readTokens(SLUG, tokens);
  return {
    balances: rows.map(({ token, owner, amountRaw }) => `${token} ${owner} ${amountRaw}`).sort(),
    counts: counts.map(
      ({ token, holders, balanceSumRaw }) => `${token} ${holders} ${balanceSumRaw}`,
    ),
  };
}

/** Also after more blocks, which are applied to what was listed. */
async function assertSameHolders(scene: Late): Promise<void> {
  const { market, full, late, tokens, settle } = scene;
  for (let round = 0; round < 2; round += 1) {
    await settle();
    const own = await readHolders(late.store.market, tokens);
    assert.deepEqual(own, await readHolders(full.store.market, tokens));
    assert.ok(own.balances.length > tokens.length);
    market.grow(3);
  }
  // Supplies are read after a join.
  const deadline = Date.now() + JOINED_MAX_MS;
  for (let isDone = false; !isDone; ) {
    await settle();
    const rows = await late.store.market.readTokens(SLUG, tokens);
    const incomplete = rows.filter((row) => !isHoldersComplete(row)).map(({ token }) => token);
    isDone = incomplete.length === 0;
    if (Date.now() > deadline) assert.deepEqual(incomplete, []);
    market.grow(1);
  }
  await settle();
  const levied = market.scene.tokens.find(({ symbol }) => symbol === LEVIED)?.mint;
  const { balances } = await readHolders(late.store.market, tokens);
  assert.ok(
    balances.some((row) => row.startsWith(`${levied} ${levied} `)),
    'fees are withheld',
  );
}

test('holders of older tokens equal those of a full index, and verify agrees', async (t) => {
  const scene = await startLate(t, () => null);
  const { late, tokens, node } = scene;
  const before = await late.store.market.readTokens(SLUG, tokens);
  assert.ok(before.length > 0 && !before.some(isHoldersComplete));
  await untilJobs(scene, 'done');
  await assertSameHolders(scene);
  assert.equal(node.count('getProgramAccounts'), tokens.length, 'each is listed once');
  await assertNoDifferences(late.store, late.indexing);
});

test('forks at the seam: what was listed on a branch that is left is not joined', async (t) => {
  let [lists, forks] = [0, 0];
  const scene = await startLate(t, (market) => {
    // While blocks are listed that will be replaced, the index is told of none of them.
    let open: { readonly head: number; readonly listed: number } | null = null;
    const replaced: Misdeed = {
      do: 'change',
      change: (answer) => {
        open = null;
        forks += 1;
        market.fork(1 + (forks % 3));
        market.grow(1);
        return answer;
      },
    };
    return ({ method, params: [first] }) => {
      if (method === 'getProgramAccounts' && forks < FORKS_MAX) {
        lists += 1;
        const head = market.chain.head.slot;
        market.grow(3);
        open = { head, listed: market.chain.head.slot };
        return lists % 2 === 0 ? replaced : null;
      }
      if (open === null) return null;
      if (method === 'getBlock' && first === open.listed) return replaced;
      const { head } = open;
      return method === 'getSlot' ? { do: 'change', change: () => head } : null;
    };
  });
  await untilJobs(scene, 'done');
  assert.ok(forks > 3, `${forks} forks`);
  await assertSameHolders(scene);
  await assertNoDifferences(scene.late.store, scene.late.indexing);
});

test('a fork below the join takes it back, and the holders are listed again', async (t) => {
  const scene = await startLate(t, () => null);
  const { market, late, node } = scene;
  await untilJobs(scene, 'done');
  const listed = node.count('getProgramAccounts');
  const joins = (await readJobs(scene)).map(({ joinBlock }) => joinBlock ?? 0);
  const depth = market.chain.ledger.listSlots(Math.min(...joins), market.chain.head.slot).length;
  market.fork(Math.min(30, depth + 1));
  await late.indexing.settle();
  await untilJobs(scene, 'done');
  assert.ok(node.count('getProgramAccounts') > listed);
  await assertSameHolders(scene);
  await assertNoDifferences(late.store, late.indexing);
});

test('a list that is older than the slot it names is not joined', async (t) => {
  const seen = new Set<unknown>();
  let stale = 0;
  const scene = await startLate(t, () => null);
  const { market, tokens, node } = scene;
  node.misbehave(({ method, params }) => {
    const [, config] = params as [string, { filters: [{ memcmp: { bytes: string } }] }];
    const token = method === 'getProgramAccounts' ? config.filters[0].memcmp.bytes : null;
    if (token === null || seen.has(token)) return null;
    seen.add(token);
    const { value } = answerCall(market.chain, method, params) as { value: unknown };
    // Trades move the token from owner to owner: the sum stays the supply.
    market.grow(6);
    return {
      do: 'change',
      change: (answer) => {
        const { context, value: now } = answer as { context: object; value: unknown };
        if (JSON.stringify(now) !== JSON.stringify(value)) stale += 1;
        return { context, value };
      },
    };
  });
  await untilJobs(scene, 'done');
  assert.ok(stale > 1, `${stale} lists were stale`);
  assert.equal(node.count('getProgramAccounts'), tokens.length + stale, 'those are listed again');
  await assertSameHolders(scene);
});

test('an endpoint that lists no holders leaves them incomplete, and says so', async (t) => {
  const message = 'excluded from account secondary indexes; this RPC method unavailable for key';
  const scene = await startLate(
    t,
    () =>
      ({ method }) =>
        method === 'getProgramAccounts' ? { do: 'error', code: -32600, message } : null,
  );
  const { late, tokens } = scene;
  await untilJobs(scene, 'failed');
  const reasons = new Set((await readJobs(scene)).map(({ reason }) => reason));
  assert.match([...reasons].join(), /no endpoint lists its holders: .*excluded from account/);
  const rows = await late.store.market.readTokens(SLUG, tokens);
  assert.ok(!rows.some(isHoldersComplete));
  const { limitations, endpoints } = late.indexing.adapter.status();
  assert.match(limitations.join(), /does not list the holders of every token/);
  assert.deepEqual(
    endpoints.map(({ state }) => state),
    ['healthy'],
  );
});
