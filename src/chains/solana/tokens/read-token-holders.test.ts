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
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../data/solana-ids.ts';

const [ALICE, BOB] = [11, 12].map((number) => encodeBase58(Buffer.alloc(32, number)));
const HEAD = 120;

interface HeldAccount {
  readonly owner: string | undefined;
  readonly amount: bigint;
  readonly length?: number;
  /** Of transfers to it; makes the account one with extensions. */
  readonly withheld?: bigint;
}

interface MintOptions {
  /** Collected from accounts; makes the mint one with a transfer fee. */
  readonly withheld?: bigint;
  readonly isConfidential?: boolean;
  /** The sum of all accounts by default. */
  readonly supply?: bigint;
}

const MULTISIG_BYTES = 355;
const ACCOUNT_TYPE = Buffer.from([2]);

/** An extension: its type, its length, its data. */
function encodeExtension(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

function encodeWords(byteCount: number, words: Readonly<Record<number, bigint>>): Buffer {
  const data = Buffer.alloc(byteCount);
  for (const [offset, word] of Object.entries(words)) data.writeBigUInt64LE(word, Number(offset));
  return data;
}

function encodeMint(program: string, supply: bigint, options: MintOptions): Buffer {
  if (program === TOKEN_PROGRAM) return encodeWords(82, { 36: supply });
  const { withheld, isConfidential } = options;
  return Buffer.concat([
    ...[encodeWords(165, { 36: supply }), Buffer.from([1])],
    ...(withheld === undefined ? [] : [encodeExtension(1, encodeWords(108, { 64: withheld }))]),
    ...(isConfidential ? [encodeExtension(4, Buffer.alloc(65))] : []),
  ]);
}

function encodeAccount({ owner = '', amount, length = 165, withheld }: HeldAccount): Buffer {
  const data = encodeWords(length, { 64: amount });
  data.set(decodeBase58(TOKEN) ?? [], 0);
  data.set(decodeBase58(owner) ?? [], 32);
  if (withheld === undefined) return data;
  const extensions = [
    encodeExtension(7, Buffer.alloc(0)),
    encodeExtension(2, encodeWords(8, { 0: withheld })),
  ];
  return Buffer.concat([data, ACCOUNT_TYPE, ...extensions]);
}

/** The token of a program, with accounts of a length. */
function createChain(
  program: string,
  held: readonly HeldAccount[],
  options: MintOptions = {},
): MemorySolana {
  const chain = new MemorySolana();
  for (const slot of [HEAD - 1, HEAD]) chain.add(slot);
  const supply = held
    .filter(({ length }) => length !== MULTISIG_BYTES)
    .reduce((sum, { amount, withheld = 0n }) => sum + amount + withheld, options.withheld ?? 0n);
  const mint = encodeMint(program, options.supply ?? supply, options);
  chain.accounts.set(TOKEN, { owner: program, data: mint });
  for (const [index, account] of held.entries()) {
    const address = encodeBase58(Buffer.alloc(32, 100 + index));
    chain.accounts.set(address, { owner: program, data: encodeAccount(account) });
  }
  return chain;
}

const HELD: readonly HeldAccount[] = [
  { owner: ALICE, amount: 700n },
  { owner: BOB, amount: 41n },
  { owner: ALICE, amount: 9n },
  { owner: SYSTEM_PROGRAM, amount: 0n },
];

/** In accounts with extensions, some of which have withheld fees. */
const LEVIED = HELD.map((held, index) => ({ ...held, withheld: BigInt(index * 7) }));

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
  const chain = createChain(TOKEN_2022_PROGRAM, [
    ...held,
    { owner: BOB, amount: 1n, length: MULTISIG_BYTES },
  ]);
  const { read } = await start(t, chain, [null]);
  assert.deepEqual(listBalances(await read()), { [String(ALICE)]: 709n, [String(BOB)]: 46n });
});

test('fees that are withheld in accounts and in the mint are held by the mint', async (t) => {
  const chain = createChain(TOKEN_2022_PROGRAM, LEVIED, { withheld: 3n });
  const { read } = await start(t, chain, [null]);
  const inAccounts = LEVIED.reduce((sum, { withheld }) => sum + withheld, 0n);
  assert.deepEqual(listBalances(await read()), {
    ...{ [String(ALICE)]: 709n, [String(BOB)]: 41n },
    [String(TOKEN)]: inAccounts + 3n,
  });
  const short = createChain(TOKEN_2022_PROGRAM, LEVIED, { withheld: 3n, supply: 751n });
  await assert.rejects((await start(t, short, [null])).read(), /do not add up to the supply/);
});

test('encrypted balances may be less than the supply', async (t) => {
  const options = { isConfidential: true, supply: 10_000n };
  const { read } = await start(t, createChain(TOKEN_2022_PROGRAM, HELD, options), [null]);
  assert.equal((await read()).balances.size, 2);
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

const KINDS: readonly (readonly [string, () => MemorySolana])[] = [
  ['SPL', () => createChain(TOKEN_PROGRAM, HELD)],
  ['Token-2022', () => createChain(TOKEN_2022_PROGRAM, HELD)],
  ['levied', () => createChain(TOKEN_2022_PROGRAM, LEVIED, { withheld: 3n })],
];

for (const [kind, create, what, misdeed] of KINDS.flatMap((one) =>
  REFUSALS.map((refusal) => [...one, ...refusal] as const),
)) {
  test(`${kind}: an endpoint that ${what} is passed over, and goes on with other work`, async (t) => {
    const chain = create();
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
    const owners = [...(await both.read()).balances.keys()];
    assert.equal(owners.filter((owner) => owner !== TOKEN).length, 2);
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

/** Something is minted while holders are listed, before the scan or during it. */
function mintMeanwhile(chain: MemorySolana, when: 'before' | 'during'): Misdeed {
  return {
    do: 'change',
    change: (result) => {
      const mint = chain.accounts.get(TOKEN) ?? assert.fail();
      chain.accounts.set(TOKEN, { ...mint, data: encodeWords(82, { 36: 755n }) });
      if (when === 'during') return result;
      const address = encodeBase58(Buffer.alloc(32, 99));
      const data = encodeAccount({ owner: BOB, amount: 5n });
      chain.accounts.set(address, { owner: TOKEN_PROGRAM, data });
      const { context, value } = result as { context: object; value: unknown[] };
      const part = data.subarray(32, 72).toString('base64');
      return { context, value: [...value, { account: { space: 165, data: [part, 'base64'] } }] };
    },
  };
}

test('a supply that moved is compared with the later one', async (t) => {
  const chain = createChain(TOKEN_PROGRAM, HELD);
  const { read } = await start(t, chain, [mintMeanwhile(chain, 'before')]);
  assert.deepEqual(listBalances(await read()), { [String(ALICE)]: 709n, [String(BOB)]: 46n });
});

test('holders that add up to neither supply are listed again', async (t) => {
  const chain = createChain(TOKEN_PROGRAM, HELD);
  const misdeed = mintMeanwhile(chain, 'during');
  const cut: Misdeed = {
    do: 'change',
    change: (result) => {
      const all = result as { value: unknown[] };
      if (misdeed.do === 'change') misdeed.change(result);
      return { ...all, value: all.value.slice(1) };
    },
  };
  const { read, adapter } = await start(t, chain, [cut]);
  await assert.rejects(read(), (error) => {
    assert.ok(!(error instanceof HistoryUnavailableError), 'it may be listed later');
    return /the supply changed while holders were listed/.test(String(error));
  });
  assert.deepEqual(adapter.status?.().limitations, []);
});

test('a list of an earlier slot than asked for is refused', async (t) => {
  const chain = createChain(TOKEN_PROGRAM, HELD);
  const old: Misdeed = {
    do: 'change',
    change: (result) => ({ ...(result as object), context: { slot: HEAD - 1 } }),
  };
  const alone = await start(t, chain, [old]);
  await assert.rejects(alone.read(), /accounts are of slot 119, before 120/);
  const both = await start(t, chain, [old, null]);
  assert.equal((await both.read()).at.position, HEAD);
});

test('more accounts than are kept are refused before they are looked at', async (t) => {
  const list = (count: number): Misdeed => ({
    do: 'change',
    change: (result) => ({ ...(result as object), value: new Array(count).fill(0) }),
  });
  const chain = createChain(TOKEN_PROGRAM, HELD);
  const many = await start(t, chain, [list(200_001)]);
  await assert.rejects(many.read(), /too many accounts/);
  const fewer = await start(t, chain, [list(200_000)]);
  await assert.rejects(fewer.read(), /a token account is malformed/);
});
