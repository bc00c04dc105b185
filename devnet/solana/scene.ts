// Wallets, mints and pools of the embedded chain, and the transactions that make them.

import { CPMM_CONFIG, type Genesis } from './genesis.ts';
import {
  type CpmmPool,
  closeTokenAccount,
  createAccount,
  describeCpmmPool,
  findTokenAccount,
  initializeCpmm,
  initializeMetadata,
  initializeMetadataPointer,
  initializeMint,
  initializeTransferFee,
  type MintRef,
  mintTo,
  openTokenAccount,
  SOL,
  setComputeLimit,
  syncNative,
  transferLamports,
  transferTokens,
} from './instructions.ts';
import { type SceneTokenSpec, SOL_PRICE_USD, SOL_SYMBOL, TOKENS, USDC } from './scene-tokens.ts';
import type { SolanaChain } from './solana-chain.ts';
import { TOKEN_2022 } from './token-balance.ts';
import {
  createSigningKey,
  type Instruction,
  type SigningKey,
  signTransaction,
  type TransactionPlan,
} from './wire-transaction.ts';

export interface SceneToken extends MintRef {
  readonly symbol: string;
  readonly decimals: number;
  readonly priceUsd: number;
}

export interface ScenePool extends CpmmPool {
  readonly base: SceneToken;
  readonly quote: SceneToken;
}

export interface Wallets {
  readonly maker: SigningKey;
  readonly authority: SigningKey;
  readonly feeRecipient: SigningKey;
  readonly traders: readonly SigningKey[];
  readonly testers: readonly SigningKey[];
}

export interface Scene {
  readonly wallets: Wallets;
  readonly tokens: readonly SceneToken[];
  readonly pools: readonly ScenePool[];
}

const TRADER_COUNT = 16;
const TESTER_COUNT = 3;
const LAMPORTS = 1_000_000_000n;
const WALLET_LAMPORTS = 20_000n * LAMPORTS;
const MAKER_LAMPORTS = 1_000_000n * LAMPORTS;
/** What traders and test accounts get of each token, in dollars. */
const SHARE_USD = 20_000;
const SUPPLY_USD = 4_000_000;
/** Of Token-2022: after the 165 bytes and the type, extensions with their headers. */
const MINT_BYTES = 82;
const EXTENDED_BYTES = 166;
const POINTER_BYTES = 4 + 64;
const FEE_BYTES = 4 + 108;
/** A fee has no other limit than its rate. */
const FEE_MAX = 2n ** 63n;

/** Test accounts have public keys: their seeds are the same for every chain. */
function createWallets(seed: string): Wallets {
  const named = (name: string) => createSigningKey(`mintwire devnet-solana ${seed} ${name}`);
  const list = (length: number, create: (index: number) => SigningKey) =>
    Array.from({ length }, (_, index) => create(index));
  return {
    maker: named('maker'),
    authority: named('authority'),
    feeRecipient: named('fees'),
    traders: list(TRADER_COUNT, (index) => named(`trader ${index}`)),
    testers: list(TESTER_COUNT, createTestAccount),
  };
}

export function createTestAccount(index: number): SigningKey {
  return createSigningKey(`mintwire devnet-solana test account ${index}`);
}

function createMintKey(seed: string, symbol: string): SigningKey {
  return createSigningKey(`mintwire devnet-solana ${seed} mint ${symbol}`);
}

export function toRaw(token: Pick<SceneToken, 'decimals'>, amount: number): bigint {
  return BigInt(Math.round(amount * 10 ** token.decimals));
}

export function describeScene(seed: string): Scene {
  const sol = { ...SOL, symbol: SOL_SYMBOL, decimals: 9, priceUsd: SOL_PRICE_USD };
  const own = TOKENS.map(({ symbol, decimals, program, priceUsd }) => ({
    ...{ mint: createMintKey(seed, symbol).address, program, symbol, decimals, priceUsd },
  }));
  const tokens = [sol, ...own];
  const pools = TOKENS.flatMap(({ symbol, against }) =>
    against.map((other) => {
      const ends = [symbol, other].map((name) => tokens.find((one) => one.symbol === name) ?? sol);
      // SOL is priced in dollars, everything else in SOL or dollars.
      const [base = sol, quote = sol] = symbol === USDC ? ends.reverse() : ends;
      return { ...describeCpmmPool(CPMM_CONFIG, base, quote), base, quote };
    }),
  );
  return { wallets: createWallets(seed), tokens, pools };
}

export function describeGenesis(seed: string): Genesis {
  const { maker, authority, feeRecipient, traders, testers } = createWallets(seed);
  const wallets = new Map([[maker.address, MAKER_LAMPORTS]]);
  for (const { address } of [authority, feeRecipient, ...traders, ...testers]) {
    wallets.set(address, WALLET_LAMPORTS);
  }
  const named = TOKENS.filter(({ program }) => program !== TOKEN_2022).map(({ symbol, name }) => ({
    ...{ mint: createMintKey(seed, symbol).address, name, symbol },
  }));
  const owners = { feeRecipient: feeRecipient.address, withdrawAuthority: authority.address };
  const sol = { mint: SOL.mint, name: 'Wrapped SOL', symbol: SOL_SYMBOL };
  return { wallets, named: [sol, ...named], ...owners };
}

/** Signs with the newest blockhash. */
export function send(chain: SolanaChain, plan: TransactionPlan): string {
  return chain.submit(signTransaction(plan, chain.head.hash));
}

function planMint(chain: SolanaChain, seed: string, spec: SceneTokenSpec): TransactionPlan {
  const { maker } = createWallets(seed);
  const key = createMintKey(seed, spec.symbol);
  const { program, feeBps, name, symbol, decimals } = spec;
  const token = { mint: key.address, program };
  const authority = maker.address;
  const isExtended = program === TOKEN_2022;
  const extensions = POINTER_BYTES + (feeBps === undefined ? 0 : FEE_BYTES);
  const space = isExtended ? EXTENDED_BYTES + extensions : MINT_BYTES;
  const nameBytes = 4 + 64 + 3 * 4 + 4 + Buffer.byteLength(name + symbol);
  const lamports = chain.svm.findRent(space + (isExtended ? nameBytes : 0));
  const before: Instruction[] = [];
  if (isExtended) before.push(initializeMetadataPointer(token, authority));
  if (feeBps !== undefined) {
    before.push(initializeTransferFee(token, { bps: feeBps, most: FEE_MAX, authority }));
  }
  const account = findTokenAccount(authority, token);
  const amount = toRaw({ decimals }, SUPPLY_USD / spec.priceUsd);
  return {
    ...{ payer: maker, signers: [key] },
    instructions: [
      createAccount(authority, key.address, { lamports, space, owner: program }),
      ...before,
      initializeMint(token, { decimals, authority }),
      ...(isExtended ? [initializeMetadata(token, { authority, name, symbol })] : []),
      openTokenAccount(authority, authority, token),
      mintTo(token, { account, authority, amount }),
    ],
  };
}

/** Adds to a wallet's wrapped SOL. */
export function wrapSol(owner: string, lamports: bigint): Instruction[] {
  const account = findTokenAccount(owner, SOL);
  const opened = openTokenAccount(owner, owner, SOL);
  return [opened, transferLamports(owner, account, lamports), syncNative(owner)];
}

function planPool(maker: SigningKey, pool: ScenePool, depthUsd: number): TransactionPlan {
  const amountOf = (token: SceneToken) => toRaw(token, depthUsd / token.priceUsd);
  const { base, quote } = pool;
  const [first, second] = pool.token0.mint === base.mint ? [base, quote] : [quote, base];
  const amounts = { amount0: amountOf(first), amount1: amountOf(second) };
  const sol = [base, quote].find(({ mint }) => mint === SOL.mint);
  return {
    payer: maker,
    instructions: [
      setComputeLimit(600_000),
      ...(sol === undefined ? [] : wrapSol(maker.address, amountOf(sol))),
      initializeCpmm(maker.address, pool, amounts),
    ],
  };
}

function planGift(maker: SigningKey, to: string, tokens: readonly SceneToken[]): TransactionPlan {
  return {
    payer: maker,
    instructions: tokens.flatMap((token) => [
      openTokenAccount(maker.address, to, token),
      transferTokens(token, {
        ...{ from: maker.address, to, amount: toRaw(token, SHARE_USD / token.priceUsd) },
      }),
    ]),
  };
}

/** Makes tokens and pools, and hands dollars to traders; four blocks. */
export function buildScene(chain: SolanaChain, seed: string, seconds: number): Scene {
  const scene = describeScene(seed);
  const { wallets, tokens, pools } = scene;
  const { maker, traders, testers } = wallets;
  chain.seal({ seconds });
  for (const spec of TOKENS) send(chain, planMint(chain, seed, spec));
  chain.seal({ seconds });
  for (const pool of pools) {
    const { symbol } = pool.base.symbol === SOL_SYMBOL ? pool.quote : pool.base;
    const depthUsd = TOKENS.find((spec) => spec.symbol === symbol)?.depthUsd ?? 0;
    send(chain, planPool(maker, pool, depthUsd));
    // Each needs what the one before left of the wrapped SOL.
    chain.seal({ seconds });
  }
  send(chain, { payer: maker, instructions: [closeTokenAccount(maker.address, SOL)] });
  const dollars = tokens.filter(({ symbol }) => symbol === USDC);
  for (const { address } of [...traders, ...testers])
    send(chain, planGift(maker, address, dollars));
  chain.seal({ seconds });
  return scene;
}
