// `verify` compares all holders of complete tokens with the chain's accounts, though nodes have
// their present state only, and the market goes on.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isHoldersComplete } from '../../src/market/coverage.ts';
import {
  collect,
  followMarket,
  ManualMarket,
  SLUG,
  startMarketNode,
  verifyMarket,
} from '../../test/manual-market.ts';

/** An index of a market that has moved on since. */
async function startBehind(t: TestContext) {
  const market = new ManualMarket();
  market.graduate();
  market.grow(12);
  const node = await startMarketNode(t, market);
  const { store, indexing } = await followMarket(t, market, { rpcUrls: [node.url] });
  await indexing.indexer.stop();
  const block = (await store.market.readCheckpoint(SLUG))?.block ?? assert.fail();
  market.grow(8);
  const tokens = (await collect(store.market.scanTokens(SLUG))).filter(isHoldersComplete);
  const complete = new Set(tokens.map(({ token }) => token));
  const rows = (await collect(store.market.scanBalances(SLUG))).filter(
    ({ token, amountRaw }) => amountRaw > 0n && complete.has(token),
  );
  return { market, node, store, indexing, block, complete, rows };
}

interface Listed {
  readonly context: object;
  readonly value: readonly { readonly account: { readonly data: readonly [string, string] } }[];
}

/** Moves a unit from one account to another: the sum is still the supply. */
function moveUnit(answer: unknown): unknown {
  const { context, value } = answer as Listed;
  let [isTaken, isGiven] = [false, false];
  const changed = value.map((row) => {
    const [text, encoding] = row.account.data;
    const data = Buffer.from(text, 'base64');
    // The amount follows the owner, unless more than both was asked for.
    const at = data.length === 40 ? 32 : 64;
    const amountRaw = data.readBigUInt64LE(at);
    if (amountRaw < 2n || isGiven) return row;
    data.writeBigUInt64LE(isTaken ? amountRaw + 1n : amountRaw - 1n, at);
    if (isTaken) isGiven = true;
    else isTaken = true;
    return { ...row, account: { ...row.account, data: [data.toString('base64'), encoding] } };
  });
  return { context, value: isGiven ? changed : value };
}

test('all holders of complete tokens are compared, and each block is read once', async (t) => {
  const { node, store, indexing, block, complete, rows, market } = await startBehind(t);
  assert.ok(complete.size > 3 && rows.length > 20, `${complete.size} ${rows.length}`);
  const calls = node.calls.length;
  const { differences, checked } = await verifyMarket(store, indexing);
  assert.deepEqual(differences, []);
  const listed = checked['token with holders listed'] ?? 0;
  assert.ok(listed >= complete.size, `${listed} of ${complete.size}`);
  assert.ok((checked['balance of contract'] ?? 0) >= rows.length);
  assert.equal(checked['balance without answer'] ?? 0, 0);
  const made = node.calls.slice(calls);
  const lists = made.filter(({ method }) => method === 'getProgramAccounts');
  assert.equal(lists.length, listed);
  const later = made.filter(({ method, params: [slot, config] }) => {
    const { transactionDetails } = (config ?? {}) as { transactionDetails?: string };
    return method === 'getBlock' && Number(slot) > block && transactionDetails === 'full';
  });
  const slots = market.chain.ledger.listSlots(block + 1, market.chain.head.slot);
  assert.equal(later.length, slots.length);
});

test('holders that the chain does not have are differences', async (t) => {
  const { node, store, indexing } = await startBehind(t);
  node.misbehave(({ method }) =>
    method === 'getProgramAccounts' ? { do: 'change', change: moveUnit } : null,
  );
  const { differences } = await verifyMarket(store, indexing);
  assert.ok(differences.length > 0);
  const expected = /^holder of \w+ \w+: amountRaw is \d+, should be -?\d+$/;
  for (const line of differences) assert.match(line, expected);
});

test('a list that is wrong once is made again', async (t) => {
  const { node, store, indexing, rows } = await startBehind(t);
  const counts = Map.groupBy(rows, ({ token }) => token);
  const [[token] = []] = [...counts].sort(([, a], [, b]) => b.length - a.length);
  const listsOf = () =>
    node.calls.filter(({ method, params: [, config] }) => {
      const { filters } = (config ?? {}) as { filters?: readonly { memcmp?: { bytes: string } }[] };
      return method === 'getProgramAccounts' && filters?.[0]?.memcmp?.bytes === token;
    }).length;
  let lies = 0;
  node.misbehave(({ method, params: [, config] }) => {
    const isWanted = JSON.stringify(config ?? null).includes(`"${token}"`);
    if (method !== 'getProgramAccounts' || !isWanted || lies >= 2) return null;
    lies += 1;
    return { do: 'change', change: moveUnit };
  });
  assert.deepEqual((await verifyMarket(store, indexing)).differences, []);
  assert.deepEqual([lies, listsOf()], [2, 3]);
});
