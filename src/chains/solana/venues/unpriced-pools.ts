// Pools whose trades are stored, and whose swaps are not computed; among them launchpads' curves,
// which are paid in lamports, without a transfer of tokens.

import { WRAPPED_SOL } from '../data/solana-ids.ts';
import type { ProgramCall } from '../data/transaction-calls.ts';
import type { AccountReadingOf, PoolAccounts } from '../tokens/pool-accounts.ts';
import type { KindFolds, SwapInstruction } from './solana-venue.ts';

export const UNPRICED_FOLDS: KindFolds = {
  kind: 'tradesOnly',
  stale: { poolKind: 'tradesOnly', set: {} },
  foldSwap({ amountIn, amountOut }, _pool, isZeroIn) {
    const [last0, last1] = isZeroIn ? [amountIn, amountOut] : [amountOut, amountIn];
    return { poolKind: 'tradesOnly', set: { last0, last1 } };
  },
};

interface CurvePlaces {
  readonly mint: number;
  readonly curve: number;
  readonly tokenAccount: number;
  readonly user: number;
  /** The account that holds what was paid. */
  readonly lamports: number;
}

export function describeCurveSwap(name: string, places: CurvePlaces): SwapInstruction {
  return {
    name,
    findSites(call: ProgramCall) {
      const [mint, pool] = [call.account(places.mint), call.account(places.curve)];
      const [tokenAccount, user] = [call.account(places.tokenAccount), call.account(places.user)];
      const lamports = call.account(places.lamports);
      if (mint === null || pool === null || tokenAccount === null) return null;
      if (user === null || lamports === null) return null;
      const ownVault = { mint, quoteMint: WRAPPED_SOL, lamports };
      return [{ pool, vaults: [tokenAccount, pool], user, ownVault }];
    },
  };
}

/** The account does not name its coin: the query must. */
export function readUnpricedCurve({
  pool,
  mint,
}: PoolAccounts): AccountReadingOf<'tradesOnly'> | null {
  if (mint === undefined) return null;
  return {
    ...{ kind: 'tradesOnly', token0: mint, token1: WRAPPED_SOL, vault0: pool, vault1: pool },
    ...{ feePips: 0, terms: null, state: { last0: null, last1: null }, ticks: [] },
  };
}
