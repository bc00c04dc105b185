// A curve of LaunchLab with all its accounts, by hand: its creation is not in the stand-in.

import { CPMM_CONFIG } from '../devnet/solana/genesis.ts';
import {
  ASSOCIATED,
  CPMM,
  CPMM_AUTHORITY,
  type CpmmPool,
  describeCpmmPool,
  findAddress,
  findTokenAccount,
  keyBytes,
  LAUNCHLAB,
  SOL,
  SYSTEM,
  u64,
} from '../devnet/solana/instructions.ts';
import type { Svm } from '../devnet/solana/svm.ts';
import { TOKEN_PROGRAM } from '../devnet/solana/token-balance.ts';
import { createSigningKey, type Instruction, use } from '../devnet/solana/wire-transaction.ts';
import { AccountBytes } from '../src/chains/solana/data/account-bytes.ts';
import { toSolanaAddress } from '../src/chains/solana/data/solana-ids.ts';
import { LAUNCHLAB_ENCODER } from '../src/chains/solana/venues/raydium-launchlab/encode-swap.ts';
import { setAccount, setTokens } from './solana-programs.ts';

export interface LaunchFields {
  readonly sellTotal: bigint;
  readonly virtualBase: bigint;
  readonly virtualQuote: bigint;
  readonly realBase: bigint;
  readonly realQuote: bigint;
  /** In 1e-6: the trade fee, the platform's and the creator's. */
  readonly rates: readonly [bigint, bigint, bigint];
}

/** The usual curve, at its start. */
export const USUAL_LAUNCH: LaunchFields = {
  ...{ sellTotal: 793_100_000_000_000n, virtualBase: 1_073_025_605_596_382n },
  ...{ virtualQuote: 30_000_852_951n, realBase: 0n, realQuote: 0n },
  rates: [2500n, 10_000n, 500n],
};

export interface LaunchPlaces {
  readonly pool: string;
  readonly mint: string;
  readonly config: string;
  readonly platform: string;
  readonly baseVault: string;
  readonly quoteVault: string;
}

/** Who may move sold-out curves to pools. */
export const MIGRATOR = createSigningKey('launchlab migrator');
const SUPPLY = 10n ** 15n;
const MIGRATE = Buffer.from('885cc8671cda908c', 'hex');
const nameKey = (name: string) => createSigningKey(`launchlab ${name}`).address;

function writeWords(data: Buffer, places: Readonly<Record<number, bigint>>): Buffer {
  for (const [at, value] of Object.entries(places)) data.set(u64(value), Number(at));
  return data;
}

function writeKeys(data: Buffer, places: Readonly<Record<number, string>>): Buffer {
  for (const [at, key] of Object.entries(places)) data.set(keyBytes(key), Number(at));
  return data;
}

function describe(): LaunchPlaces & { readonly creator: string; readonly authority: string } {
  const [mint, config, platform] = ['coin', 'config', 'platform'].map(nameKey) as [
    string,
    string,
    string,
  ];
  const quote = keyBytes(SOL.mint);
  const pool = findAddress(LAUNCHLAB, ['pool', keyBytes(mint), quote]);
  const findVault = (of: Uint8Array) => findAddress(LAUNCHLAB, ['pool_vault', keyBytes(pool), of]);
  return {
    ...{ pool, mint, config, platform, creator: nameKey('creator') },
    ...{ baseVault: findVault(keyBytes(mint)), quoteVault: findVault(quote) },
    authority: findAddress(LAUNCHLAB, ['vault_auth_seed']),
  };
}

/** The curve, and what its trades need. */
export function setLaunch(svm: Svm, fields: LaunchFields): LaunchPlaces {
  const places = describe();
  const { pool, mint, config, platform, baseVault, quoteVault, creator, authority } = places;
  const { sellTotal, virtualBase, virtualQuote, realBase, realQuote, rates } = fields;
  const state = Buffer.alloc(429);
  state.write('f7ede3f5d7c3de46', 'hex');
  state.set([6, 9], 18);
  writeWords(state, { 21: SUPPLY, 29: sellTotal, 37: virtualBase, 45: virtualQuote });
  writeWords(state, { 53: realBase, 61: realQuote, 69: 85_000_000_000n });
  writeKeys(state, { 141: config, 173: platform, 205: mint, 237: SOL.mint, 269: baseVault });
  writeKeys(state, { 301: quoteVault, 333: creator });
  setAccount(svm, pool, { owner: LAUNCHLAB, data: state });
  const [trade, ofPlatform, ofCreator] = rates;
  const settings = writeWords(Buffer.alloc(371), { 27: trade });
  settings.write('95089ccaa0fcb0d9', 'hex');
  writeKeys(settings, { 211: MIGRATOR.address });
  setAccount(svm, MIGRATOR.address, {});
  setAccount(svm, config, { owner: LAUNCHLAB, data: settings });
  const own = writeWords(Buffer.alloc(728), { 104: ofPlatform, 720: ofCreator });
  own.write('a04e8000f853e6a0', 'hex');
  setAccount(svm, platform, { owner: LAUNCHLAB, data: own });
  const ofMint = writeWords(Buffer.alloc(82), { 36: SUPPLY });
  ofMint.set([6, 1], 44);
  setAccount(svm, mint, { owner: TOKEN_PROGRAM, data: ofMint });
  const program = TOKEN_PROGRAM;
  const held = { owner: authority, program };
  setTokens(svm, { ...held, address: baseVault, mint, amount: SUPPLY - realBase });
  setTokens(svm, { ...held, address: quoteVault, mint: SOL.mint, amount: realQuote });
  for (const owner of [platform, creator]) {
    const address = findAddress(LAUNCHLAB, [keyBytes(owner), keyBytes(SOL.mint)]);
    setTokens(svm, { address, mint: SOL.mint, owner: authority, amount: 0n, program });
  }
  return places;
}

export interface LaunchAmounts {
  readonly fixed: 'input' | 'output';
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** As the service encodes it, between the user's usual accounts of both tokens. */
export function tradeLaunch(
  svm: Svm,
  places: LaunchPlaces,
  trade: LaunchAmounts & { readonly user: string; readonly isSale: boolean },
): Instruction {
  const { user, isSale, fixed, amountIn, amountOut } = trade;
  const tokenProgram = toSolanaAddress(TOKEN_PROGRAM);
  const accountOf = (mint: string) =>
    toSolanaAddress(findTokenAccount(user, { mint, program: TOKEN_PROGRAM }));
  const [mintIn, mintOut] = isSale ? [places.mint, SOL.mint] : [SOL.mint, places.mint];
  const { program, accounts, data } = LAUNCHLAB_ENCODER.encode({
    ...{ program: toSolanaAddress(LAUNCHLAB), pool: toSolanaAddress(places.pool) },
    data: new AccountBytes(svm.read(places.pool)?.data ?? Buffer.alloc(0)),
    ...{ user: toSolanaAddress(user), fixed, amountIn, amountOut, open: () => null },
    ...{ mintIn: toSolanaAddress(mintIn), mintOut: toSolanaAddress(mintOut) },
    ...{ accountIn: accountOf(mintIn), accountOut: accountOf(mintOut) },
    ...{ tokenProgramIn: tokenProgram, tokenProgramOut: tokenProgram },
  });
  return { program, accounts: [...accounts], data: Buffer.from(data) };
}

/** To the pool that is opened. */
export function migrateLaunch(places: LaunchPlaces): {
  readonly to: CpmmPool;
  readonly instruction: Instruction;
} {
  const { authority } = describe();
  const coin = { mint: places.mint, program: TOKEN_PROGRAM };
  const to = describeCpmmPool(CPMM_CONFIG, coin, SOL);
  const isFirst = to.token0.mint === coin.mint;
  const [baseVault, quoteVault] = isFirst ? [to.vault0, to.vault1] : [to.vault1, to.vault0];
  const shares = findAddress(CPMM, ['pool_lp_mint', keyBytes(to.pool)]);
  const ofShares = findTokenAccount(authority, { mint: shares, program: TOKEN_PROGRAM });
  const observation = findAddress(CPMM, ['observation', keyBytes(to.pool)]);
  const accounts = [
    ...[use.payer(MIGRATOR.address), use.readonly(places.mint), use.readonly(SOL.mint)],
    ...[places.platform, CPMM].map(use.readonly),
    ...[use.writable(to.pool), use.readonly(CPMM_AUTHORITY)],
    ...[shares, baseVault, quoteVault].map(use.writable),
    ...[use.readonly(CPMM_CONFIG), use.writable(CPMM_AUTHORITY), use.writable(observation)],
    ...[SYSTEM, SYSTEM, SYSTEM].map(use.readonly),
    ...[use.writable(authority), use.writable(places.pool), use.readonly(places.config)],
    ...[places.baseVault, places.quoteVault, ofShares].map(use.writable),
    ...[TOKEN_PROGRAM, TOKEN_PROGRAM, ASSOCIATED, SYSTEM, SYSTEM, SYSTEM].map(use.readonly),
  ];
  return { to, instruction: { program: LAUNCHLAB, accounts, data: MIGRATE } };
}
