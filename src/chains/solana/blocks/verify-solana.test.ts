// What `verify` finds on Solana: wrong rows of every kind, trades that a transaction's balances
// contradict, and blocks that no node calls final.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type MisbehavingRpc,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import {
  buildCpmmSwap,
  POOL,
  TOKEN,
  toSwapSignature,
} from '../../../../test/fakes/solana-scene.ts';
import { followSolana, TRADED_START, TradedSolana } from '../../../../test/fakes/traded-solana.ts';
import type { MarketTransaction } from '../../../store/store.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';

async function startNode(t: TestContext, scene: TradedSolana): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(scene.chain.answer);
  t.after(() => node.stop());
  return node;
}

function createScene(): TradedSolana {
  const scene = new TradedSolana();
  for (let count = 0; count < 8; count += 1) scene.trade();
  scene.chain.finalized = scene.chain.head - 3;
  return scene;
}

async function readAll<T>(scan: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of scan) rows.push(...page);
  return rows;
}

test('eleven kinds of wrong rows are named', async (t) => {
  const scene = createScene();
  const { store, assertAdopted, verify } = await followSolana(t, scene, [
    await startNode(t, scene),
  ]);
  await assertAdopted();
  assert.deepEqual((await verify()).differences, []);
  const [amount, price, flag, last] = await readAll(store.scanTrades('devnet'));
  const [pool] = await store.readPools('devnet', [POOL]);
  const token = (await readAll(store.scanTokens('devnet'))).find((row) => row.token === TOKEN);
  const [candle, missing] = await readAll(store.scanCandles('devnet'));
  const [balance] = await readAll(store.scanBalances('devnet'));
  const [position] = await readAll(store.scanPositions('devnet'));
  assert.ok(amount && price && flag && last && candle && missing && balance && position && token);
  assert.ok(pool?.kind === 'ceiledProduct' && token.supplyRaw !== null);
  const { supplyRaw } = token;
  const spoil = (work: (transaction: MarketTransaction) => Promise<void>) =>
    store.transaction('devnet', work);
  await spoil(async (transaction) => {
    await transaction.putTrades([
      { ...amount, amountRaw: amount.amountRaw + 1n },
      { ...price, priceNative: '123.5' },
      { ...flag, outlier: !flag.outlier },
      { ...last, logIndex: 998 },
    ]);
    await transaction.putCandles([{ ...candle, volumeRaw: candle.volumeRaw + 1n }]);
    await transaction.deleteCandles([missing]);
    await transaction.putBalances([{ ...balance, amountRaw: 12_345n }]);
    await transaction.putPositions([{ ...position, costUsdE6: 77n }]);
    const state = { ...pool.state, reserve0: 5n };
    await transaction.putPools([{ ...pool, state, feePips: pool.feePips + 1 }]);
    await transaction.putTokens([{ ...token, decimals: 3, supplyRaw: supplyRaw + 1n }]);
  });
  const { differences } = await verify();
  const toTrade = (one: typeof amount) => `trade ${one.block} ${one.logIndex} ${one.token}`;
  const expected = {
    amount: `${toTrade(amount)}: amountRaw is `,
    price: `${toTrade(price)}: priceNative is `,
    flag: `${toTrade(flag)}: outlier is `,
    extra: `${toTrade({ ...last, logIndex: 998 })}: stored, but not on the chain`,
    candle: `candle ${candle.token} `,
    balance: `balance ${balance.token} ${balance.owner}: amountRaw is 12345`,
    position: `position ${position.token} ${position.wallet}: `,
    state: `pool ${POOL}: reserve0 is 5`,
    terms: `pool ${POOL}: feePips is `,
    decimals: `token ${TOKEN}: decimals is 3`,
    supply: `supply ${TOKEN}: supplyRaw is `,
  };
  const unnamed = Object.entries(expected).filter(
    ([, line]) => !differences.some((one) => one.startsWith(line)),
  );
  assert.deepEqual(unnamed, [], differences.join('\n'));
  assert.ok(differences.some((one) => /^candle .*: missing from the store$/.test(one)));
});

/** The same transfers in the record, but one of them says more than the balances. */
function inflate(raw: RawTransaction): RawTransaction {
  const other = buildCpmmSwap({ id: 1, amountIn: 99_999n, amountOut: 1n });
  const { innerInstructions = null } = other.meta ?? {};
  return { ...raw, meta: raw.meta && { ...raw.meta, innerInstructions } };
}

test('a trade that its balances contradict is named, although it is read the same again', async (t) => {
  const scene = createScene();
  const node = await startNode(t, scene);
  const slot = TRADED_START + 2;
  const signature = toSwapSignature(2);
  node.misbehave(({ method, params }) => {
    const { transactionDetails } = (params[1] ?? {}) as { transactionDetails?: string };
    if (method !== 'getBlock' || params[0] !== slot || transactionDetails !== 'full') return null;
    const change = (block: unknown) => {
      const { transactions, ...rest } = block as { transactions: RawTransaction[] };
      return { ...rest, transactions: transactions.map(inflate) };
    };
    return { do: 'change', change };
  });
  const { store, until, isAtHead, verify } = await followSolana(t, scene, [node]);
  await until(isAtHead, 'not at the head');
  const trades = await readAll(store.scanTrades('devnet'));
  assert.equal(trades.find(({ block }) => block === slot)?.amountRaw, 99_999n);
  const { differences, checked } = await verify();
  const named = differences.filter((line) => line.startsWith(`trades of ${signature}: vault `));
  assert.equal(named.length, 2, differences.join('\n'));
  assert.match(named[0] ?? '', / changed by 99999, by its balances 10014$/);
  // Both vaults of each trade.
  assert.equal(checked['vault of trades'], 2 * trades.length);
});

test('what the store calls final is read with that commitment, what comes after is not', async (t) => {
  const scene = createScene();
  const { finalized } = scene.chain;
  const node = await startNode(t, scene);
  const { until, isAtHead, verify } = await followSolana(t, scene, [node]);
  await until(isAtHead, 'not at the head');
  const asked = new Map<number, Set<string>>();
  node.misbehave(({ method, params }) => {
    const [slot, config] = params as [number, { commitment: string; transactionDetails: string }];
    if (method !== 'getBlock' || config.transactionDetails !== 'full') return null;
    asked.set(slot, (asked.get(slot) ?? new Set()).add(config.commitment));
    return null;
  });
  assert.deepEqual((await verify()).differences, []);
  assert.ok(asked.size > 5);
  for (const [slot, commitments] of asked) {
    assert.deepEqual([...commitments], [slot <= finalized ? 'finalized' : 'confirmed'], `${slot}`);
  }
});
