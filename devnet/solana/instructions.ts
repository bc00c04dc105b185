// Instructions of the programs that the embedded chain has: system, tokens, and the two stand-ins.

import { createHash } from 'node:crypto';
import { findProgramAddress, toSeed } from '../../src/chains/solana/data/program-address.ts';
import { toSolanaAddress } from '../../src/chains/solana/data/solana-ids.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';
import { type Instruction, use } from './wire-transaction.ts';

export const SYSTEM = '11111111111111111111111111111111';
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
export const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
export const PUMP = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
export const LAUNCHLAB = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj';
export const PUMP_FEES = 'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ';
export const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const RENT_SYSVAR = 'SysvarRent111111111111111111111111111111111';

export function u64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function keyBytes(address: string): Uint8Array {
  return toSeed(toSolanaAddress(address));
}

/** The first bytes of an Anchor instruction or account. */
export function discriminate(space: 'global' | 'account', name: string): Buffer {
  return createHash('sha256').update(`${space}:${name}`).digest().subarray(0, 8);
}

const found = new Map<string, string>();
const FOUND_MAX = 50_000;

/** An address of a program by its seeds; a key is a seed by its bytes. */
export function findAddress(program: string, seeds: readonly (string | Uint8Array)[]): string {
  const id = [program, ...seeds.map((seed) => Buffer.from(seed).toString('hex'))].join(' ');
  const known = found.get(id);
  if (known !== undefined) return known;
  const address = findProgramAddress(toSolanaAddress(program), seeds);
  if (found.size >= FOUND_MAX) found.clear();
  found.set(id, address);
  return address;
}

/** A mint, and the token program that it belongs to. */
export interface MintRef {
  readonly mint: string;
  readonly program: string;
}

export const SOL: MintRef = { mint: WRAPPED_SOL, program: TOKEN_PROGRAM };

export function findTokenAccount(owner: string, { mint, program }: MintRef): string {
  return findAddress(ASSOCIATED, [keyBytes(owner), keyBytes(program), keyBytes(mint)]);
}

export function setComputeLimit(units: number): Instruction {
  const data = Buffer.concat([Uint8Array.of(2), u32(units)]);
  return { program: COMPUTE_BUDGET, accounts: [], data };
}

export function transferLamports(from: string, to: string, lamports: bigint): Instruction {
  return {
    program: SYSTEM,
    accounts: [use.payer(from), use.writable(to)],
    data: Buffer.concat([u32(2), u64(lamports)]),
  };
}

export function createAccount(
  payer: string,
  account: string,
  terms: { readonly lamports: bigint; readonly space: number; readonly owner: string },
): Instruction {
  const { lamports, space, owner } = terms;
  return {
    program: SYSTEM,
    accounts: [use.payer(payer), use.payer(account)],
    data: Buffer.concat([u32(0), u64(lamports), u64(space), keyBytes(owner)]),
  };
}

/** Does nothing if it exists. */
export function openTokenAccount(payer: string, owner: string, token: MintRef): Instruction {
  return {
    program: ASSOCIATED,
    accounts: [
      ...[use.payer(payer), use.writable(findTokenAccount(owner, token)), use.readonly(owner)],
      ...[token.mint, SYSTEM, token.program].map(use.readonly),
    ],
    data: Uint8Array.of(1),
  };
}

export function closeTokenAccount(owner: string, token: MintRef): Instruction {
  const account = findTokenAccount(owner, token);
  return {
    program: token.program,
    accounts: [use.writable(account), use.writable(owner), use.signer(owner)],
    data: Uint8Array.of(9),
  };
}

/** Lamports that were sent to an account of wrapped SOL count from now on. */
export function syncNative(owner: string): Instruction {
  const accounts = [use.writable(findTokenAccount(owner, SOL))];
  return { program: TOKEN_PROGRAM, accounts, data: Uint8Array.of(17) };
}

/** Nobody can freeze its accounts. */
export function initializeMint(
  { mint, program }: MintRef,
  terms: { readonly decimals: number; readonly authority: string },
): Instruction {
  const { decimals, authority } = terms;
  const parts = [Uint8Array.of(20, decimals), keyBytes(authority), Uint8Array.of(0)];
  return { program, accounts: [use.writable(mint)], data: Buffer.concat(parts) };
}

/** The authority may withdraw what is withheld; nobody may change the fee. */
export function initializeTransferFee(
  { mint }: MintRef,
  terms: { readonly bps: number; readonly most: bigint; readonly authority: string },
): Instruction {
  const bps = Buffer.alloc(2);
  bps.writeUInt16LE(terms.bps);
  const parts = [Uint8Array.of(26, 0, 0, 1), keyBytes(terms.authority), bps, u64(terms.most)];
  return { program: TOKEN_2022, accounts: [use.writable(mint)], data: Buffer.concat(parts) };
}

/** The mint itself holds its name. */
export function initializeMetadataPointer({ mint }: MintRef, authority: string): Instruction {
  const parts = [Uint8Array.of(39, 0), keyBytes(authority), keyBytes(mint)];
  return { program: TOKEN_2022, accounts: [use.writable(mint)], data: Buffer.concat(parts) };
}

export function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u32(bytes.length), bytes]);
}

const WRITE_METADATA = Buffer.from('d2e11ea258b84d8d', 'hex');

export function initializeMetadata(
  { mint }: MintRef,
  terms: { readonly authority: string; readonly name: string; readonly symbol: string },
): Instruction {
  const { authority, name, symbol } = terms;
  return {
    program: TOKEN_2022,
    accounts: [
      ...[use.writable(mint), use.readonly(authority), use.readonly(mint)],
      use.signer(authority),
    ],
    data: Buffer.concat([WRITE_METADATA, ...[name, symbol, ''].map(encodeText)]),
  };
}

export function mintTo(
  { mint, program }: MintRef,
  terms: { readonly account: string; readonly authority: string; readonly amount: bigint },
): Instruction {
  const { account, authority, amount } = terms;
  return {
    program,
    accounts: [use.writable(mint), use.writable(account), use.signer(authority)],
    data: Buffer.concat([Uint8Array.of(7), u64(amount)]),
  };
}

export function transferTokens(
  token: MintRef & { readonly decimals: number },
  terms: { readonly from: string; readonly to: string; readonly amount: bigint },
): Instruction {
  const [from, to] = [terms.from, terms.to].map((owner) => findTokenAccount(owner, token));
  return {
    program: token.program,
    accounts: [
      ...[use.writable(from ?? ''), use.readonly(token.mint), use.writable(to ?? '')],
      use.signer(terms.from),
    ],
    data: Buffer.concat([Uint8Array.of(12), u64(terms.amount), Uint8Array.of(token.decimals)]),
  };
}

/** The accounts of a pool of the CPMM stand-in, by its two mints in their order. */
export interface CpmmPool {
  readonly config: string;
  readonly pool: string;
  readonly token0: MintRef;
  readonly token1: MintRef;
  readonly vault0: string;
  readonly vault1: string;
}

export const CPMM_AUTHORITY = findAddress(CPMM, ['vault_and_lp_mint_auth_seed']);

export function findCpmmConfig(index: number): string {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(index);
  return findAddress(CPMM, ['amm_config', bytes]);
}

export function describeCpmmPool(config: string, a: MintRef, b: MintRef): CpmmPool {
  const isOrdered = Buffer.compare(keyBytes(a.mint), keyBytes(b.mint)) < 0;
  const [token0, token1] = isOrdered ? [a, b] : [b, a];
  const [first, second] = [keyBytes(token0.mint), keyBytes(token1.mint)];
  const pool = findAddress(CPMM, ['pool', keyBytes(config), first, second]);
  const vaultOf = (mint: Uint8Array) => findAddress(CPMM, ['pool_vault', keyBytes(pool), mint]);
  return { config, pool, token0, token1, vault0: vaultOf(first), vault1: vaultOf(second) };
}

/** The creator pays in both tokens, from accounts that exist. */
export function initializeCpmm(
  creator: string,
  pool: CpmmPool,
  amounts: { readonly amount0: bigint; readonly amount1: bigint },
): Instruction {
  const { token0, token1 } = pool;
  const share = {
    mint: findAddress(CPMM, ['pool_lp_mint', keyBytes(pool.pool)]),
    program: TOKEN_PROGRAM,
  };
  const observation = findAddress(CPMM, ['observation', keyBytes(pool.pool)]);
  const { amount0, amount1 } = amounts;
  return {
    program: CPMM,
    accounts: [
      ...[use.payer(creator), use.readonly(pool.config), use.readonly(CPMM_AUTHORITY)],
      ...[use.writable(pool.pool), use.readonly(token0.mint), use.readonly(token1.mint)],
      use.writable(share.mint),
      ...[token0, token1, share].map((token) => use.writable(findTokenAccount(creator, token))),
      ...[pool.vault0, pool.vault1, CPMM_AUTHORITY, observation].map(use.writable),
      ...[TOKEN_PROGRAM, token0.program, token1.program, ASSOCIATED, SYSTEM].map(use.readonly),
      use.readonly(RENT_SYSVAR),
    ],
    data: Buffer.concat([discriminate('global', 'initialize'), u64(amount0), u64(amount1), u64(0)]),
  };
}

/** Exact input, or exact output with the most to pay for it. */
export function swapCpmm(
  user: string,
  pool: CpmmPool,
  order: {
    readonly isZeroIn: boolean;
    readonly kind: 'exactIn' | 'exactOut';
    readonly amountIn: bigint;
    readonly amountOut: bigint;
  },
): Instruction {
  const { token0, token1, vault0, vault1 } = pool;
  const [input, output] = order.isZeroIn ? [token0, token1] : [token1, token0];
  const vaults = order.isZeroIn ? [vault0, vault1] : [vault1, vault0];
  const name = order.kind === 'exactIn' ? 'swap_base_input' : 'swap_base_output';
  const observation = findAddress(CPMM, ['observation', keyBytes(pool.pool)]);
  return {
    program: CPMM,
    accounts: [
      ...[use.payer(user), use.readonly(CPMM_AUTHORITY), use.readonly(pool.config)],
      use.writable(pool.pool),
      ...[input, output].map((token) => use.writable(findTokenAccount(user, token))),
      ...vaults.map(use.writable),
      ...[input.program, output.program, input.mint, output.mint].map(use.readonly),
      use.writable(observation),
    ],
    data: Buffer.concat([discriminate('global', name), u64(order.amountIn), u64(order.amountOut)]),
  };
}
