// Limits that follow a simulation which is better than the price: what the price model did not see
// must not be left to whoever moves the pools before the trade.

import type { BuiltTransactions } from '../../chains/chain-transactions.ts';
import { maxOf, minOf } from '../../lib/bigint-bounds.ts';
import type { PricedTrade } from '../quote/priced-trade.ts';
import { computeMaximum, computeMinimum } from '../quote/trade-amounts.ts';
import { computeExecutionPrice } from '../routing/trade-prices.ts';

type Simulated = NonNullable<BuiltTransactions['simulation']>;

/** Whether the router is told what to spend; otherwise it is told what to pay. */
function isInputFixed({ request, isInputGiven }: PricedTrade): boolean {
  return request.fixed === 'input' || isInputGiven;
}

type Followed = Pick<
  PricedTrade,
  'amountInRaw' | 'amountOutRaw' | 'maxAmountInRaw' | 'minAmountOutRaw' | 'modelRaw'
>;

function raiseMinimum(trade: PricedTrade, { amountOutRaw }: Simulated): Followed | null {
  if (amountOutRaw <= trade.amountOutRaw) return null;
  const minimum = computeMinimum(amountOutRaw, trade.slippageBps);
  const minAmountOutRaw = maxOf(trade.minAmountOutRaw, minimum);
  return { ...trade, amountOutRaw, minAmountOutRaw, modelRaw: trade.amountOutRaw };
}

function lowerMaximum(trade: PricedTrade, { amountInRaw }: Simulated): Followed | null {
  if (amountInRaw === undefined || amountInRaw >= trade.amountInRaw) return null;
  const maximum = computeMaximum(amountInRaw, trade.slippageBps);
  const maxAmountInRaw = minOf(trade.maxAmountInRaw, maximum);
  return { ...trade, amountInRaw, maxAmountInRaw, modelRaw: trade.amountInRaw };
}

/** Null if the simulation is no better than the price, whose limits are then the tighter ones. */
export function followSimulation(
  trade: PricedTrade,
  { simulation }: BuiltTransactions,
): PricedTrade | null {
  if (simulation === null) return null;
  const followed = isInputFixed(trade)
    ? raiseMinimum(trade, simulation)
    : lowerMaximum(trade, simulation);
  if (followed === null) return null;
  const executionPrice = computeExecutionPrice(
    { in: followed.amountInRaw, out: followed.amountOutRaw },
    {
      side: trade.request.side,
      decimalsIn: trade.tokenIn.decimals,
      decimalsOut: trade.tokenOut.decimals,
    },
  );
  return { ...trade, ...followed, executionPrice };
}
