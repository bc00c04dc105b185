// What owners hold, as every endpoint says; and what happens where one does not.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import { type Mischief, startMisbehavingRpc } from '../../../../test/fakes/misbehaving-rpc.ts';
import { QUOTE, TOKEN } from '../../../../test/fakes/solana-scene.ts';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import { createSolanaAdapter } from '../create-solana-adapter.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';

const HEAD = 120;
const [ALICE, BOB] = [11, 12].map((byte) => toSolanaAddress(encodeBase58(Buffer.alloc(32, byte))));
const OWNERS = [ALICE ?? assert.fail(), BOB ?? assert.fail()];

/** A chain on which Alice holds an amount, in two accounts, and Bob nothing. */
function createChain(amount: bigint): MemorySolana {
  const chain = new MemorySolana();
  for (const slot of [HEAD - 1, HEAD]) chain.add(slot);
  for (const [index, part] of [amount - 1n, 1n].entries()) {
    const data = Buffer.alloc(165);
    data.set(decodeBase58(TOKEN) ?? [], 0);
    data.set(decodeBase58(ALICE ?? '') ?? [], 32);
    data.writeBigUInt64LE(part, 64);
    const address = encodeBase58(Buffer.alloc(32, 100 + index));
    chain.accounts.set(address, { owner: TOKEN_PROGRAM, data });
  }
  return chain;
}

async function start(t: TestContext, nodes: readonly (readonly [MemorySolana, Mischief | null])[]) {
  const endpoints: string[] = [];
  for (const [chain, mischief] of nodes) {
    const node = await startMisbehavingRpc(chain.answer);
    node.misbehave(mischief);
    t.after(() => node.stop());
    endpoints.push(node.url);
  }
  const clock = new ManualClock();
  const { genesis } = new MemorySolana();
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis, endpoints, clock, random: () => 0.5 },
    sleep: async (ms) => clock.advance(ms),
    knownPools: async () => [],
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      ...{ native: new Set([QUOTE]), stable: new Set(), anchorPools: [] },
    },
  });
  t.after(() => adapter.close());
  const query = { token: TOKEN, owners: OWNERS, minBlock: HEAD };
  const read = () => adapter.readHeldNow?.(query) ?? assert.fail();
  const listStates = () => adapter.status?.().endpoints.map(({ state }) => state);
  return { read, listStates };
}

const refuse =
  (owner: unknown, message: string): Mischief =>
  ({ method, params: [first] }) => {
    const isMeant = method === 'getTokenAccountsByOwner' && (owner === null || first === owner);
    return isMeant ? { do: 'error', code: -32000, message } : null;
  };

test('every endpoint is asked, so that one that is stale is found', async (t) => {
  const { read } = await start(t, [
    [createChain(700n), null],
    [createChain(650n), null],
  ]);
  const { readings, callCount } = await read();
  const [alice, bob] = OWNERS;
  assert.deepEqual(readings, [
    { owner: alice, amountRaw: 700n, block: HEAD },
    { owner: bob, amountRaw: 0n, block: HEAD },
    { owner: alice, amountRaw: 650n, block: HEAD },
    { owner: bob, amountRaw: 0n, block: HEAD },
  ]);
  assert.equal(callCount, 4);
});

for (const message of ['excluded from account secondary indexes', 'it takes too long', 'api key']) {
  test(`an owner that is refused is left out, and suspends nothing: ${message}`, async (t) => {
    const one = await start(t, [[createChain(700n), refuse(OWNERS[0], message)]]);
    assert.deepEqual((await one.read()).readings, [
      { owner: OWNERS[1], amountRaw: 0n, block: HEAD },
    ]);
    const all = await start(t, [[createChain(700n), refuse(null, message)]]);
    await assert.rejects(all.read(), /no endpoint says what owners of the token hold/);
    assert.deepEqual(all.listStates(), ['healthy']);
  });
}

test('an answer of an earlier slot is no answer', async (t) => {
  const old: Mischief = ({ method }) =>
    method === 'getTokenAccountsByOwner'
      ? {
          do: 'change',
          change: (result) => ({ ...(result as object), context: { slot: HEAD - 1 } }),
        }
      : null;
  const { read } = await start(t, [
    [createChain(650n), old],
    [createChain(700n), null],
  ]);
  assert.deepEqual(
    (await read()).readings.map(({ amountRaw }) => amountRaw),
    [700n, 0n],
  );
});
