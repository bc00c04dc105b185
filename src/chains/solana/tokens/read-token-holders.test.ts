// Whether all holders of a token are listed, and what happens where a node does not.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import {
  type MisbehavingRpc,
  type Misdeed,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { QUOTE, TOKEN } from '../../../../test/fakes/solana-scene.ts';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import { HistoryUnavailableError } from '../../chain-history.ts';
import { createSolanaAdapter } from '../create-solana-adapter.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../solana-ids.ts';

const [ALICE, BOB] = [11, 12].map((number) => encodeBase58(Buffer.alloc(32, number)));
const HEAD = 120;

interface HeldAccount {
  readonly owner: string | undefined;
  readonly amount: bigint;
  readonly length?: number;
}

/** The token of a program, with accounts of a length. */
function createChain(program: string, held: readonly HeldAccount[]): MemorySolana {
  const chain = new MemorySolana();
  for (const slot of [HEAD - 1, HEAD]) chain.add(slot);
  const mint = Buffer.alloc(program === TOKEN_PROGRAM ? 82 : 166);
  if (mint.length > 165) mint.writeUInt8(1, 165);
  mint.writeBigUInt64LE(
    held.reduce((sum, { amount }) => sum + amount, 0n),
    36,
  );
  chain.accounts.set(TOKEN, { owner: program, data: mint });
  for (const [index, { owner = '', amount, length = 165 }] of held.entries()) {
    const data = Buffer.alloc(length);
    data.set(decodeBase58(TOKEN) ?? [], 0);
    data.set(decodeBase58(owner) ?? [], 32);
    data.writeBigUInt64LE(amount, 64);
    chain.accounts.set(encodeBase58(Buffer.alloc(32, 100 + index)), { owner: program, data });
  }
  return chain;
}

const HELD: readonly HeldAccount[] = [
  { owner: ALICE, amount: 700n },
  { owner: BOB, amount: 41n },
  { owner: ALICE, amount: 9n },
  { owner: SYSTEM_PROGRAM, amount: 0n },
];

async function start(t: TestContext, chain: MemorySolana, misdeeds: readonly (Misdeed | null)[]) {
  const nodes: MisbehavingRpc[] = [];
  for (const misdeed of misdeeds) {
    const node = await startMisbehavingRpc(chain.answer);
    node.misbehave(({ method }) => (method === 'getProgramAccounts' ? misdeed : null));
    t.after(() => node.stop());
    nodes.push(node);
  }
  const clock = new ManualClock();
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: nodes.map(({ url }) => url) },
    ...{ clock, random: () => 0.5, sleep: async (ms) => clock.advance(ms) },
    knownPools: async () => [],
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      ...{ native: new Set([QUOTE]), stable: new Set(), anchorPools: [] },
    },
  });
  t.after(() => adapter.close());
  const read = () => adapter.readHolders?.({ token: TOKEN, minBlock: HEAD }) ?? assert.fail();
  return { adapter, nodes, read };
}

function listBalances({ balances }: { readonly balances: ReadonlyMap<string, bigint> }) {
  return Object.fromEntries(balances);
}

test('accounts of an owner are added up, and the answer is of a block', async (t) => {
  const { read } = await start(t, createChain(TOKEN_PROGRAM, HELD), [null]);
  const reading = await read();
  assert.deepEqual(listBalances(reading), { [String(ALICE)]: 709n, [String(BOB)]: 41n });
  assert.deepEqual(reading.at, { position: HEAD, hash: `hash${HEAD}` });
});

test('accounts of Token-2022 have any length; a multisignature account is none', async (t) => {
  const held = [...HELD, { owner: BOB, amount: 5n, length: 182 }];
  const chain = createChain(TOKEN_2022_PROGRAM, [...held, { owner: BOB, amount: 1n, length: 355 }]);
  const { read } = await start(t, chain, [null]);
  assert.deepEqual(listBalances(await read()), { [String(ALICE)]: 709n, [String(BOB)]: 46n });
});

const REFUSALS: readonly (readonly [string, Misdeed])[] = [
  ['does not know the method', { do: 'error', code: -32601, message: 'Method not found' }],
  ['keeps no index of it', { do: 'error', code: -32010, message: 'excluded from index' }],
  [
    'says so with another code',
    { do: 'error', code: -32600, message: 'Key excluded from account secondary indexes' },
  ],
  ['finds too many', { do: 'error', code: -32012, message: 'scan aborted' }],
  ['limits them', { do: 'error', code: -32000, message: 'Too many accounts requested' }],
  ['forbids it', { do: 'reply', status: 403, text: '{"error":{"code":403,"message":"no"}}' }],
  [
    'leaves some out',
    {
      do: 'change',
      change: (result) => {
        const { context, value } = result as { context: object; value: unknown[] };
        return { context, value: value.slice(1) };
      },
    },
  ],
  ['does not say of which slot', { do: 'change', change: () => [] }],
];

for (const [what, misdeed] of REFUSALS) {
  test(`an endpoint that ${what} is passed over, and goes on with other work`, async (t) => {
    const chain = createChain(TOKEN_PROGRAM, HELD);
    const alone = await start(t, chain, [misdeed]);
    await assert.rejects(alone.read(), (error) => {
      assert.ok(error instanceof HistoryUnavailableError, String(error));
      return /no endpoint lists its holders/.test(error.message);
    });
    const { limitations = [], endpoints = [] } = alone.adapter.status?.() ?? {};
    assert.match(limitations.join(), /does not list the holders of every token/);
    assert.deepEqual(
      endpoints.map(({ state }) => state),
      ['healthy'],
    );
    const both = await start(t, chain, [misdeed, null]);
    assert.equal((await both.read()).balances.size, 2);
  });
}

test('an endpoint that breaks off is not suspended, and nothing is final', async (t) => {
  const chain = createChain(TOKEN_PROGRAM, HELD);
  const { read, adapter } = await start(t, chain, [{ do: 'cut', after: 10 }]);
  await assert.rejects(read(), (error) => !(error instanceof HistoryUnavailableError));
  assert.deepEqual(
    adapter.status?.().endpoints.map(({ state }) => state),
    ['healthy'],
  );
});
