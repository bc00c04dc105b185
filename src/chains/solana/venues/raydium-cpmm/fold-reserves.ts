// The reserves after a swap, for venues whose events have those before it.

import { divideUp } from '../../../../amm/divide-up.ts';
import type { PoolChange, PoolDescription, PoolDescriptionOf } from '../../../../model/pool.ts';
import type { FoldedTrade } from '../solana-venue.ts';

const PIPS = 1_000_000n;

type CeiledDescription = PoolDescriptionOf<'ceiledProduct'>;

/** The parts of the trade fee that leave the pool: each is rounded down on its own. */
function findLeaving({ terms }: CeiledDescription, tradeFee: bigint): bigint {
  const { protocolSharePips, fundSharePips } = terms;
  return [protocolSharePips, fundSharePips].reduce(
    (sum, share) => sum + (tradeFee * BigInt(share)) / PIPS,
    0n,
  );
}

/** A pool whose creator takes a fee needs the event, which has it. */
function foldAmounts(
  description: CeiledDescription,
  { amountIn, amountOut }: Pick<FoldedTrade, 'amountIn' | 'amountOut'>,
  isZeroIn: boolean,
): PoolChange | null {
  if (description.terms.creatorFeePips > 0) return null;
  const tradeFee = divideUp(amountIn * BigInt(description.feePips), PIPS);
  const kept = amountIn - findLeaving(description, tradeFee);
  const [reserve0, reserve1] = isZeroIn ? [kept, -amountOut] : [-amountOut, kept];
  return { poolKind: 'ceiledProduct', set: {}, add: { reserve0, reserve1 } };
}

/**
 * Null if the pool is of another kind, or if there is no event. An older event does not have the
 * reserves: they move by what the vaults got and paid, without the parts of the fee that leave the
 * pool.
 */
export function foldReserves(
  trade: FoldedTrade,
  description: PoolDescription,
  isZeroIn: boolean,
): PoolChange | null {
  const { before, amountIn, amountOut, source } = trade;
  if (description.kind !== 'ceiledProduct' || source !== 'event') return null;
  if (before === null) return foldAmounts(description, { amountIn, amountOut }, isZeroIn);
  const leaves = findLeaving(description, before.tradeFee) + before.creatorFeeIn;
  const afterIn = before.reserveIn + amountIn - leaves;
  const afterOut = before.reserveOut - amountOut - before.creatorFeeOut;
  const [reserve0, reserve1] = isZeroIn ? [afterIn, afterOut] : [afterOut, afterIn];
  return { poolKind: 'ceiledProduct', set: { reserve0, reserve1 } };
}
