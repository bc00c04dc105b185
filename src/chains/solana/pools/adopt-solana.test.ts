// Pools that are traded all the time are adopted: their state is read at a slot that the index has
// not reached, joined with the trades after it, and equals the accounts from then on. A state of a
// branch that was left, or of another slot than the node says, is not.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type MisbehavingRpc,
  startMisbehavingRpc,
  type TrueAnswer,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { POOL, TOKEN } from '../../../../test/fakes/solana-scene.ts';
import { followSolana, TradedSolana } from '../../../../test/fakes/traded-solana.ts';
import { TOKEN_2022_PROGRAM } from '../data/solana-ids.ts';
import { EPOCH_ACCOUNTS } from '../tokens/mint-fees.ts';

async function startNode(t: TestContext, answer: TrueAnswer): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(answer);
  t.after(() => node.stop());
  return node;
}

/** A chain with some trades. */
function createScene(): TradedSolana {
  const scene = new TradedSolana();
  for (let count = 0; count < 5; count += 1) scene.trade();
  return scene;
}

/** Follows the chain through one node; `onRead` comes before accounts are read. */
async function followReading(t: TestContext, scene: TradedSolana, onRead: () => void) {
  const node = await startNode(t, scene.chain.answer);
  node.misbehave(({ method }) => {
    if (method === 'getMultipleAccounts') onRead();
    return null;
  });
  return await followSolana(t, scene, [node]);
}

test('a pool that trades in every block is adopted, and follows its trades', async (t) => {
  const scene = createScene();
  let left = 12;
  // Each time accounts are read, the chain is ahead of the index, and the pool is another.
  const { assertAdopted } = await followReading(t, scene, () => {
    if (left > 0) scene.trade();
    left -= 1;
  });
  await assertAdopted();
  for (let count = 0; count < 3; count += 1) scene.trade();
  await assertAdopted();
});

test('a state of a branch that was left is not adopted', async (t) => {
  const scene = createScene();
  let reads = 0;
  const { assertAdopted } = await followReading(t, scene, () => {
    reads += 1;
    if (reads > 8) return;
    scene.trade();
    if (reads % 3 === 0) scene.fork(scene.chain.head - 3);
  });
  await assertAdopted();
});

test('a state of a branch that was indexed and then left is not adopted', async (t) => {
  const scene = createScene();
  const { chain } = scene;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  // The index is at this slot at most when the state of a later one is read.
  let before = 0;
  let isHeld = false;
  const isPoolRead = (method: string, [keys]: readonly unknown[]) =>
    method === 'getMultipleAccounts' && (keys as string[]).includes(POOL);
  const first = await startNode(t, (method, params) => {
    if (!isHeld && isPoolRead(method, params)) {
      before = chain.head;
      for (let count = 0; count < 3; count += 1) scene.trade();
    }
    return chain.answer(method, params);
  });
  // The second endpoint is asked when the first one has told the state and the block's hash, once
  // for the pool and once for all of its accounts.
  let witnessReads = 0;
  const second = await startNode(t, async (method, params) => {
    const answer = chain.answer(method, params);
    if (isHeld || !isPoolRead(method, params)) return answer;
    witnessReads += 1;
    isHeld = witnessReads === 2;
    if (isHeld) await held;
    return answer;
  });
  const { until, isAtHead, assertAdopted, assertVerified } = await followSolana(t, scene, [
    first,
    second,
  ]);
  await until(async () => isHeld, 'the pool was not read');
  await until(isAtHead, 'the index is not at the slot of the state');
  // The same slots, other trades.
  const readAt = chain.head;
  scene.fork(before);
  while (chain.head < readAt) scene.trade();
  await until(isAtHead, 'the index is not on the other branch');
  release();
  await assertAdopted();
  await assertVerified();
});

test('an endpoint with accounts of an earlier slot than it says is not believed', async (t) => {
  const scene = createScene();
  const stale = new Map(scene.chain.accounts);
  for (let count = 0; count < 3; count += 1) scene.trade();
  const [liar, honest] = [
    await startNode(t, scene.chain.answer),
    await startNode(t, scene.chain.answer),
  ];
  liar.misbehave(({ method, params }) => {
    if (method !== 'getMultipleAccounts') return null;
    const keys = params[0] as string[];
    const toOld = (value: unknown, index: number) => {
      const account = stale.get(keys[index] ?? '');
      if (account === undefined) return value;
      const data = [Buffer.from(account.data).toString('base64'), 'base64'];
      return { ...(value as object), data };
    };
    return {
      do: 'change',
      change: (result) => {
        const { context, value } = result as { context: object; value: unknown[] };
        return { context, value: value.map(toOld) };
      },
    };
  });
  const { indexer, until, assertAdopted, assertVerified } = await followSolana(t, scene, [
    liar,
    honest,
  ]);
  await until(async () => (indexer.adoption()?.failed ?? 0) > 0, 'the lie was not found');
  assert.equal(indexer.adoption()?.adopted, 0);
  liar.misbehave(null);
  await assertAdopted();
  await assertVerified();
});

const SLOTS_PER_EPOCH = 1000;
const [OLDER_FEE, NEWER_FEE] = [170 + 72, 170 + 90];

/** The token takes two per cent of transfers, and three from epoch 2 on. */
function setEpoch({ chain }: TradedSolana, epoch: number): void {
  const mint = Buffer.alloc(166 + 4 + 108);
  mint.writeUInt8(1, 165);
  mint.writeUInt16LE(1, 166);
  mint.writeUInt16LE(108, 168);
  mint.writeBigUInt64LE(2n, NEWER_FEE);
  for (const [at, bps] of [[OLDER_FEE, 200] as const, [NEWER_FEE, 300] as const]) {
    mint.writeBigUInt64LE(10n ** 9n, at + 8);
    mint.writeUInt16LE(bps, at + 16);
  }
  const clock = Buffer.alloc(40);
  clock.writeBigUInt64LE(BigInt(epoch), 16);
  const schedule = Buffer.alloc(33);
  schedule.writeBigUInt64LE(BigInt(SLOTS_PER_EPOCH), 0);
  chain.accounts.set(TOKEN, { owner: TOKEN_2022_PROGRAM, data: mint });
  for (const [index, data] of [clock, schedule].entries()) {
    chain.accounts.set(EPOCH_ACCOUNTS[index] ?? '', { owner: TOKEN_2022_PROGRAM, data });
  }
}

test('a pool that nobody trades is read again when the fee of its token changes', async (t) => {
  const scene = createScene();
  setEpoch(scene, 0);
  const node = await startNode(t, scene.chain.answer);
  const { store, indexer, until, isAtHead, assertVerified } = await followSolana(t, scene, [node]);
  const readFees = async () => {
    const [row] = await store.readPools('devnet', [POOL]);
    return row?.complete ? (row.state as { transferFees?: string }).transferFees : null;
  };
  await until(async () => (await readFees()) === '200:1000000000//2000', 'it was not adopted');
  const countReads = () => node.count('getMultipleAccounts');
  // As a quote asks for it: nothing is due yet.
  const before = countReads();
  indexer.adopt([POOL], 'shown');
  scene.chain.add(scene.chain.head + 1);
  await until(isAtHead, 'the index is not at the head');
  assert.equal(indexer.adoption()?.adopted, 1);
  assert.equal(countReads(), before);
  scene.chain.add(2 * SLOTS_PER_EPOCH + 10);
  setEpoch(scene, 2);
  await until(isAtHead, 'the index is not in the next epoch');
  indexer.adopt([POOL], 'shown');
  await until(async () => (await readFees()) === '300:1000000000//4000', 'it was not read again');
  await assertVerified();
});
