// Powers over a mint's tokens and the cost of transfers, as the mint's account says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { countAccountBytes, findMintFlags } from './mint-extensions.ts';
import { EPOCH_ACCOUNTS } from './mint-fees.ts';
import { readMintFacts } from './read-mint-facts.ts';

const MINT = nameKey(1);
const SLOT = 77;

function nameKey(fill: number): Address {
  return toSolanaAddress(encodeBase58(Buffer.alloc(32, fill)));
}

function toBytes(key: Address): Buffer {
  return Buffer.from(decodeBase58(key) ?? []);
}

interface MintSpec {
  readonly supply?: bigint;
  readonly mintAuthority?: Address;
  readonly freezeAuthority?: Address;
  /** By type. */
  readonly extensions?: Readonly<Record<number, Buffer>>;
}

function buildMint(spec: MintSpec): Buffer {
  const { supply = 1000n, mintAuthority, freezeAuthority, extensions } = spec;
  const data = Buffer.alloc(82);
  for (const [at, key] of [
    [0, mintAuthority],
    [46, freezeAuthority],
  ] as const) {
    if (key === undefined) continue;
    data.writeUInt32LE(1, at);
    toBytes(key).copy(data, at + 4);
  }
  data.writeBigUInt64LE(supply, 36);
  if (extensions === undefined) return data;
  const parts = Object.entries(extensions).map(([type, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(Number(type));
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  });
  return Buffer.concat([data, Buffer.alloc(83), Buffer.from([1]), ...parts]);
}

function buildFees(older: number, newer: number, newerFrom: bigint): Buffer {
  const data = Buffer.alloc(108);
  data.writeBigUInt64LE(500n, 72 + 8);
  data.writeUInt16LE(older, 72 + 16);
  data.writeBigUInt64LE(newerFrom, 90);
  data.writeBigUInt64LE(900n, 90 + 8);
  data.writeUInt16LE(newer, 90 + 16);
  return data;
}

/** At epoch 5; `largest` null is a node that does not answer that. */
function createNode(data: Buffer, owner: Address, largest: readonly string[] | null): SolanaNode {
  const clock = Buffer.alloc(40);
  clock.writeBigUInt64LE(5n, 16);
  const [clockKey, scheduleKey] = EPOCH_ACCOUNTS;
  const accounts: Record<string, { owner: string; data: Buffer }> = {
    [MINT]: { owner, data },
    [clockKey ?? '']: { owner: TOKEN_PROGRAM, data: clock },
    [scheduleKey ?? '']: { owner: TOKEN_PROGRAM, data: Buffer.alloc(33) },
  };
  return {
    name: 'node',
    async request({ method, params: [keys] }) {
      if (method === 'getTokenLargestAccounts') {
        if (largest === null) throw new RpcError('unsupported', 'no such method');
        return { context: { slot: SLOT }, value: largest.map((amount) => ({ amount })) };
      }
      const value = (keys as string[]).map((key) => {
        const account = accounts[key];
        const text = [account?.data.toString('base64'), 'base64'];
        return account === undefined ? null : { owner: account.owner, data: text, lamports: 1 };
      });
      return { context: { slot: SLOT }, value };
    },
  };
}

test('a plain mint names who may mint and freeze, or nobody', async () => {
  const [minter, freezer] = [nameKey(2), nameKey(3)];
  const data = buildMint({ mintAuthority: minter, freezeAuthority: freezer });
  const owned = await readMintFacts(createNode(data, TOKEN_PROGRAM, ['300', '150']), MINT);
  assert.deepEqual(owned, {
    ...{ kind: 'mint', slot: SLOT, program: 'spl-token' },
    ...{ mintAuthority: minter, freezeAuthority: freezer },
    ...{ transferFee: null, nextTransferFee: null, transferHook: null, permanentDelegate: null },
    ...{ isDefaultFrozen: false, pauseAuthority: null, isPaused: false, isTransferable: true },
    largestPct: 45,
  });
  const free = await readMintFacts(createNode(buildMint({}), TOKEN_PROGRAM, null), MINT);
  assert.deepEqual([free?.mintAuthority, free?.freezeAuthority], [null, null]);
  assert.equal(free?.largestPct, null, 'the node does not list accounts');
});

test('every extension of Token-2022 that concerns holders is told', async () => {
  const [delegate, pauser, hook] = [nameKey(4), nameKey(5), nameKey(6)];
  const extensions = {
    1: buildFees(100, 250, 7n),
    6: Buffer.from([2]),
    9: Buffer.alloc(0),
    12: toBytes(delegate),
    14: Buffer.concat([Buffer.alloc(32), toBytes(hook)]),
    26: Buffer.concat([toBytes(pauser), Buffer.from([1])]),
  };
  const data = buildMint({ extensions });
  const facts = await readMintFacts(createNode(data, TOKEN_2022_PROGRAM, []), MINT);
  assert.equal(facts?.program, 'token-2022');
  assert.deepEqual(facts?.transferFee, { bps: 100, maxRaw: 500n });
  assert.deepEqual(facts?.nextTransferFee, { bps: 250, maxRaw: 900n, fromEpoch: 7 });
  assert.deepEqual(
    [facts?.transferHook, facts?.permanentDelegate, facts?.pauseAuthority],
    [hook, delegate, pauser],
  );
  assert.deepEqual(
    [facts?.isDefaultFrozen, facts?.isPaused, facts?.isTransferable],
    [true, true, false],
  );
  const expected = ['transferFee', 'transferHook', 'nonTransferable', 'frozenAccounts'];
  assert.deepEqual(findMintFlags(data).toSorted(), expected.toSorted());
});

test('extensions without a key give nobody a power', async () => {
  const extensions = { 12: Buffer.alloc(32), 14: Buffer.alloc(64), 26: Buffer.alloc(33) };
  const data = buildMint({ extensions });
  const facts = await readMintFacts(createNode(data, TOKEN_2022_PROGRAM, []), MINT);
  assert.deepEqual(
    [facts?.transferHook, facts?.permanentDelegate, facts?.pauseAuthority, facts?.isPaused],
    [null, null, null, false],
  );
});

test('an account that is no mint has no facts', async () => {
  const account = Buffer.alloc(165);
  assert.equal(await readMintFacts(createNode(account, TOKEN_PROGRAM, []), MINT), null);
  assert.equal(await readMintFacts(createNode(buildMint({}), nameKey(9), []), MINT), null);
});

test('accounts of a mint are as long as its extensions make them', () => {
  const of = (owner: Address, extensions?: MintSpec['extensions']) =>
    countAccountBytes({ owner, data: buildMint(extensions === undefined ? {} : { extensions }) });
  assert.equal(of(TOKEN_PROGRAM), 165);
  assert.equal(of(TOKEN_2022_PROGRAM), 170);
  assert.equal(of(TOKEN_2022_PROGRAM, { 1: buildFees(1, 1, 0n) }), 182);
});
