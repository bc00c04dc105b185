// A Raydium CPMM pool by its accounts, and swaps in it as a node records them.

import type { RawTransaction } from '../../src/chains/solana/data/raw-transaction.ts';
import { toSolanaAddress, toSolanaPool } from '../../src/chains/solana/data/solana-ids.ts';
import { decodeBase58, encodeBase58 } from '../../src/lib/base58.ts';
import type { MemorySolana } from './memory-solana.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const AUTHORITY = 'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL';

function toKey(number: number): string {
  return encodeBase58(Buffer.alloc(32, number));
}

export const TOKEN = toSolanaAddress(toKey(1));
export const QUOTE = toSolanaAddress('So11111111111111111111111111111111111111112');
export const POOL = toSolanaPool(toSolanaAddress(toKey(3)));
export const TRADER = toSolanaAddress(toKey(4));
export const VAULT_OWNER = toSolanaAddress(AUTHORITY);
const [VAULT_0, VAULT_1, CONFIG, USER_0, USER_1] = [5, 6, 7, 8, 9].map(toKey) as [
  ...[string, string, string, string, string],
];

function writeKey(data: Buffer, key: string, at: number): void {
  data.set(decodeBase58(key) ?? [], at);
}

function buildTokenAccount(mint: string, amount: bigint): Buffer {
  const data = Buffer.alloc(165);
  writeKey(data, mint, 0);
  writeKey(data, AUTHORITY, 32);
  data.writeBigUInt64LE(amount, 64);
  return data;
}

/** Sets what the pool holds, and its fee tier and mint. */
export function setPool(chain: MemorySolana, held0: bigint, held1: bigint): void {
  const pool = Buffer.alloc(637);
  pool.write('f7ede3f5d7c3de46', 'hex');
  for (const [at, key] of [
    ...([
      [8, CONFIG],
      [72, VAULT_0],
      [104, VAULT_1],
    ] as const),
    ...([
      [168, TOKEN],
      [200, QUOTE],
    ] as const),
  ]) {
    writeKey(pool, key, at);
  }
  const config = Buffer.alloc(236);
  config.writeBigUInt64LE(2500n, 12);
  config.writeBigUInt64LE(120_000n, 20);
  config.writeBigUInt64LE(40_000n, 28);
  const mint = Buffer.alloc(82);
  mint.writeBigUInt64LE(1_000_000_000n, 36);
  mint.writeUInt8(6, 44);
  chain.accounts.set(POOL, { owner: CPMM, data: pool });
  chain.accounts.set(CONFIG, { owner: CPMM, data: config });
  chain.accounts.set(TOKEN, { owner: TOKEN_PROGRAM, data: mint });
  const vaults = [[VAULT_0, TOKEN, held0] as const, [VAULT_1, QUOTE, held1] as const];
  for (const [vault, tokenMint, amount] of vaults) {
    chain.accounts.set(vault, { owner: TOKEN_PROGRAM, data: buildTokenAccount(tokenMint, amount) });
  }
}

function encodeTransfer(amount: bigint): string {
  const data = Buffer.alloc(9);
  data.writeUInt8(3);
  data.writeBigUInt64LE(amount, 1);
  return encodeBase58(data);
}

const AQUIFER = 'AQU1FRd7papthgdrwPTTq5JacJh8YtwEXaBfKU3bTz45';
/** Signs what its pools pay. */
const MAKER = toKey(20);
const [MAKER_0, MAKER_1, ORACLE] = [21, 22, 23].map(toKey) as [string, string, string];

/**
 * The trader sells the token to a market maker whose pool has no account that is known, or buys it
 * there. Only a transaction that names the token's mint is one of the token's.
 */
export function buildMakerSwap({
  id,
  amountIn,
  amountOut,
  isSale,
  namesMint,
}: Omit<SwapTerms, 'err'> & {
  readonly isSale: boolean;
  readonly namesMint: boolean;
}): RawTransaction {
  const keys = [TRADER, AQUIFER, TOKEN_PROGRAM, MAKER, ORACLE, USER_0, USER_1, MAKER_0, MAKER_1];
  if (namesMint) keys.push(TOKEN);
  const at = (key: string) => keys.indexOf(key);
  const move = (ends: readonly [string, string, string], amount: bigint) => ({
    ...{ programIdIndex: at(TOKEN_PROGRAM), accounts: ends.map(at) },
    ...{ data: encodeTransfer(amount), stackHeight: 2 },
  });
  const row = (account: string, mint: string, owner: string) => ({
    ...{ accountIndex: at(account), mint, owner, uiTokenAmount: { amount: '50000' } },
  });
  const rows = [
    ...[row(USER_0, TOKEN, TRADER), row(USER_1, QUOTE, TRADER)],
    ...[row(MAKER_0, TOKEN, MAKER), row(MAKER_1, QUOTE, MAKER)],
  ];
  const [paid, given] = isSale
    ? ([
        [USER_0, MAKER_0, TRADER],
        [MAKER_1, USER_1, MAKER],
      ] as const)
    : ([
        [USER_1, MAKER_1, TRADER],
        [MAKER_0, USER_0, MAKER],
      ] as const);
  const call = { programIdIndex: at(AQUIFER), stackHeight: 1 };
  return {
    transaction: {
      signatures: [toSwapSignature(id)],
      message: {
        accountKeys: keys,
        instructions: [{ ...call, accounts: keys.map(at), data: encodeBase58(Uint8Array.of(1)) }],
      },
    },
    meta: {
      err: null,
      // It pays first.
      innerInstructions: [
        { index: 0, instructions: [move(given, amountOut), move(paid, amountIn)] },
      ],
      ...{ preTokenBalances: rows, postTokenBalances: rows },
    },
  };
}

/** By which the maker's pools are believed. */
export function setMaker(chain: MemorySolana): void {
  chain.accounts.set(ORACLE, { owner: AQUIFER, data: Buffer.alloc(8) });
}

interface SwapTerms {
  /** Tells transactions apart. */
  readonly id: number;
  /** Of the token, sold for the quote token. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly err?: unknown;
}

/** The signature of the swap with that id. */
export function toSwapSignature(id: number): string {
  const bytes = Buffer.alloc(64, 1);
  bytes.writeUInt32LE(id, 60);
  return encodeBase58(bytes);
}

/** The trader sells the token. */
export function buildCpmmSwap({ id, amountIn, amountOut, err = null }: SwapTerms): RawTransaction {
  const keys = [
    ...[TRADER, CPMM, TOKEN_PROGRAM, AUTHORITY, CONFIG, POOL, USER_0, USER_1, VAULT_0, VAULT_1],
    ...[TOKEN, QUOTE],
  ];
  const at = (key: string) => keys.indexOf(key);
  const move = (from: string, to: string, amount: bigint) => ({
    ...{ programIdIndex: at(TOKEN_PROGRAM), accounts: [at(from), at(to), at(TRADER)] },
    ...{ data: encodeTransfer(amount), stackHeight: 2 },
  });
  const row = (account: string, mint: string, owner: string, amount: bigint) => ({
    ...{ accountIndex: at(account), mint, owner, uiTokenAmount: { amount: String(amount) } },
  });
  const accounts = [
    ...[TRADER, AUTHORITY, CONFIG, POOL, USER_0, USER_1, VAULT_0, VAULT_1],
    ...[TOKEN_PROGRAM, TOKEN_PROGRAM, TOKEN, QUOTE],
  ].map(at);
  const data = encodeBase58(Buffer.from('8fbe5adac41e33de', 'hex'));
  const rows = (sold: bigint, bought: bigint) => [
    row(USER_0, TOKEN, TRADER, 10_000_000n - sold),
    row(USER_1, QUOTE, TRADER, bought),
    row(VAULT_0, TOKEN, AUTHORITY, 50_000_000n + sold),
    row(VAULT_1, QUOTE, AUTHORITY, 50_000_000n - bought),
  ];
  return {
    transaction: {
      signatures: [toSwapSignature(id)],
      message: {
        accountKeys: keys,
        instructions: [{ programIdIndex: at(CPMM), accounts, data, stackHeight: 1 }],
      },
    },
    meta: {
      err,
      innerInstructions: [
        {
          index: 0,
          instructions: [move(USER_0, VAULT_0, amountIn), move(VAULT_1, USER_1, amountOut)],
        },
      ],
      preTokenBalances: rows(0n, 0n),
      postTokenBalances: rows(amountIn, amountOut),
    },
  };
}

/** The trader sends the token to somebody, or to the pool's vault: no trade. */
export function buildTransfer({
  id,
  amount,
  isToVault,
}: {
  readonly id: number;
  readonly amount: bigint;
  readonly isToVault: boolean;
}): RawTransaction {
  const to = isToVault ? VAULT_0 : toKey(30);
  const row = (accountIndex: number, owner: string, held: bigint) => ({
    ...{ accountIndex, mint: TOKEN, owner, uiTokenAmount: { amount: String(held) } },
  });
  const rows = (sent: bigint) => [
    row(2, TRADER, 10_000_000n - sent),
    row(3, isToVault ? AUTHORITY : toKey(31), 50_000_000n + sent),
  ];
  return {
    transaction: {
      signatures: [toSwapSignature(id)],
      message: {
        accountKeys: [TRADER, TOKEN_PROGRAM, USER_0, to],
        instructions: [
          { programIdIndex: 1, accounts: [2, 3, 0], data: encodeTransfer(amount), stackHeight: 1 },
        ],
      },
    },
    meta: {
      ...{ err: null, innerInstructions: [] },
      ...{ preTokenBalances: rows(0n), postTokenBalances: rows(amount) },
    },
  };
}
