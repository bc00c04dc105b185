// Names, decimals and supplies of mints of both token programs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { readMintMetadata, readMintSupplies, readUnusedSupplies } from './read-mints.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';

const USDC = toSolanaAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
/** Of USDC's mint, on mainnet. */
const USDC_METADATA = '5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq';
const OWN = toSolanaAddress(encodeBase58(Buffer.alloc(32, 7)));

interface FakeAccount {
  readonly owner: string;
  readonly data: Buffer;
}

/** `lastUse` is the slot of the newest transaction of every account. */
function createNode(
  accounts: Readonly<Record<string, FakeAccount>>,
  lastUse: number | null = null,
): SolanaNode {
  return {
    name: 'node',
    async request({ method, params: [keys] }) {
      if (method === 'getSignaturesForAddress') return lastUse === null ? [] : [{ slot: lastUse }];
      const value = (keys as string[]).map((key) => {
        const account = accounts[key];
        const data = [account?.data.toString('base64'), 'base64'];
        return account === undefined ? null : { owner: account.owner, data, lamports: 1 };
      });
      return { context: { slot: 9 }, value };
    },
  };
}

function buildMint(supply: bigint, decimals: number): Buffer {
  const data = Buffer.alloc(82);
  data.writeBigUInt64LE(supply, 36);
  data.writeUInt8(decimals, 44);
  return data;
}

/** A string after its length, padded with zeros to a size. */
function buildText(text: string, size = Buffer.byteLength(text)): Buffer {
  const data = Buffer.alloc(4 + size);
  data.writeUInt32LE(size);
  data.write(text, 4);
  return data;
}

/** Metaplex pads names to 32 bytes and symbols to 10. */
function buildMetaplex(mint: string, name: string, symbol: string): Buffer {
  const key = Buffer.from(decodeBase58(mint) ?? []);
  const head = Buffer.concat([Buffer.from([4]), Buffer.alloc(32), key]);
  return Buffer.concat([head, buildText(name, 32), buildText(symbol, 10), buildText('uri')]);
}

/** A mint with two extensions, the second of which has its name. */
function buildNamedMint(name: string, symbol: string): Buffer {
  const metadata = Buffer.concat([Buffer.alloc(64), buildText(name), buildText(symbol)]);
  const extension = (type: number, value: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(type);
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  };
  const padded = Buffer.concat([buildMint(5n, 9), Buffer.alloc(83), Buffer.from([1])]);
  return Buffer.concat([padded, extension(18, Buffer.alloc(64)), extension(19, metadata)]);
}

test('names come from the Metaplex account, or from the mint itself', async () => {
  const node = createNode({
    [USDC]: { owner: TOKEN_PROGRAM, data: buildMint(1n, 6) },
    [USDC_METADATA]: { owner: METAPLEX, data: buildMetaplex(USDC, 'USD Coin', 'USDC') },
    [OWN]: { owner: TOKEN_2022, data: buildNamedMint('Own\u202e name', 'OWN') },
  });
  assert.deepEqual(await readMintMetadata(node, { tokens: [USDC, OWN], minSlot: 0 }), [
    { token: USDC, name: 'USD Coin', symbol: 'USDC', decimals: 6 },
    { token: OWN, name: 'Own name', symbol: 'OWN', decimals: 9 },
  ]);
});

test('a name in an account that Metaplex does not own is not believed', async () => {
  const node = createNode({
    [USDC]: { owner: TOKEN_PROGRAM, data: buildMint(1n, 6) },
    [USDC_METADATA]: { owner: TOKEN_PROGRAM, data: buildMetaplex(USDC, 'USD Coin', 'USDC') },
  });
  const [metadata] = await readMintMetadata(node, { tokens: [USDC], minSlot: 0 });
  assert.deepEqual(metadata, { token: USDC, name: null, symbol: null, decimals: 6 });
});

test('an account that is no mint has nothing', async () => {
  for (const account of [
    { owner: METAPLEX, data: buildMint(1n, 6) },
    { owner: TOKEN_PROGRAM, data: Buffer.alloc(165) },
    { owner: TOKEN_2022, data: Buffer.alloc(170, 2) },
  ]) {
    const node = createNode({ [OWN]: account });
    const [metadata] = await readMintMetadata(node, { tokens: [OWN], minSlot: 0 });
    assert.deepEqual(metadata, { token: OWN, name: null, symbol: null, decimals: null });
    const [supply] = await readMintSupplies(node, { tokens: [OWN], slot: 9 });
    assert.equal(supply?.supplyRaw, null);
  }
});

test('a metadata account that lies about its lengths gives no name', async () => {
  const data = buildMetaplex(USDC, 'USD Coin', 'USDC');
  data.writeUInt32LE(4_000_000_000, 65);
  const node = createNode({
    [USDC]: { owner: TOKEN_PROGRAM, data: buildMint(1n, 6) },
    [USDC_METADATA]: { owner: METAPLEX, data },
  });
  assert.equal((await readMintMetadata(node, { tokens: [USDC], minSlot: 0 }))[0]?.name, null);
});

test('a supply is exact only if its mint was not used since the block', async () => {
  for (const [lastUse, supplyRaw] of [
    [null, 5n],
    [9, 5n],
    [10, null],
  ] as const) {
    const node = createNode({ [OWN]: { owner: TOKEN_PROGRAM, data: buildMint(5n, 6) } }, lastUse);
    const query = { tokens: [OWN], slot: 9 };
    assert.deepEqual(await readUnusedSupplies(node, query), [{ token: OWN, supplyRaw }]);
    assert.deepEqual(await readMintSupplies(node, query), [{ token: OWN, supplyRaw: 5n }]);
  }
});
