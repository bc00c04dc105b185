// A coin's launch on a curve, and its move to a pool of its own.

import { CPMM_CONFIG } from './genesis.ts';
import {
  describeCpmmPool,
  findTokenAccount,
  initializeCpmm,
  openTokenAccount,
  SOL,
  setComputeLimit,
  syncNative,
  transferLamports,
} from './instructions.ts';
import {
  type CurveCoin,
  createCurve,
  describeCurve,
  findCreatorVault,
  migrateCurve,
  tradeCurve,
} from './pump-instructions.ts';
import type { SolanaChain } from './solana-chain.ts';
import type { SigningKey, TransactionPlan } from './wire-transaction.ts';

const LAUNCH_UNITS = 500_000;
const MIGRATION_UNITS = 700_000;

/** The curve, the creator's account for fees if it is missing, and a first buy. */
export function planLaunch(
  chain: SolanaChain,
  launch: {
    readonly creator: SigningKey;
    readonly key: SigningKey;
    readonly texts: { readonly name: string; readonly symbol: string };
    readonly lamports: bigint;
    readonly feeRecipient: string;
  },
): TransactionPlan {
  const { creator, key, texts, lamports, feeRecipient } = launch;
  const coin = describeCurve(key.address, creator.address);
  const vault = findCreatorVault(creator.address);
  const rent = chain.svm.findRent(0);
  const isMissing = chain.read(vault) === null;
  const order = { kind: 'buy_exact_sol_in', lamports, leastTokens: 1n } as const;
  return {
    ...{ payer: creator, signers: [key] },
    instructions: [
      setComputeLimit(LAUNCH_UNITS),
      ...(isMissing ? [transferLamports(creator.address, vault, rent)] : []),
      createCurve(creator.address, coin, { ...texts, uri: '' }),
      openTokenAccount(creator.address, creator.address, coin),
      tradeCurve(creator.address, { coin, feeRecipient, order }),
    ],
  };
}

export function planMigration(
  authority: SigningKey,
  coin: CurveCoin,
  { tokens, lamports }: { readonly tokens: bigint; readonly lamports: bigint },
): TransactionPlan {
  const { address } = authority;
  const pool = describeCpmmPool(CPMM_CONFIG, coin, SOL);
  const isCoinFirst = pool.token0.mint === coin.mint;
  const [amount0, amount1] = isCoinFirst ? [tokens, lamports] : [lamports, tokens];
  return {
    payer: authority,
    instructions: [
      setComputeLimit(MIGRATION_UNITS),
      openTokenAccount(address, address, coin),
      openTokenAccount(address, address, SOL),
      migrateCurve(address, coin, pool.pool),
      transferLamports(address, findTokenAccount(address, SOL), lamports),
      syncNative(address),
      initializeCpmm(address, pool, { amount0, amount1 }),
    ],
  };
}
