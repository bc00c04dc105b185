// A price that only an uncertain fee kept from being exact becomes exact if the simulation on its
// block pays the same. A fee that depends on the time must have been charged for the next block's.

import type { BuiltTransactions } from '../../chains/chain-transactions.ts';
import type { PricedTrade } from '../quote/priced-trade.ts';

type TradeSimulation = NonNullable<BuiltTransactions['simulation']>;

/** Whether the simulation took and paid what the price says, to the unit. */
export function paysSame(
  trade: Pick<PricedTrade, 'amountInRaw' | 'amountOutRaw'>,
  simulation: Pick<TradeSimulation, 'amountInRaw' | 'amountOutRaw'>,
): boolean {
  const { amountInRaw = trade.amountInRaw, amountOutRaw } = simulation;
  return amountOutRaw === trade.amountOutRaw && amountInRaw === trade.amountInRaw;
}

/** The simulation must have run on the block of the price. */
export function isSettled(trade: PricedTrade, { simulation }: BuiltTransactions): boolean {
  if (trade.openFee === null || simulation === null || !paysSame(trade, simulation)) return false;
  return trade.openFee === 'silent' || simulation.timeSeconds !== undefined;
}

/** The warning named nothing but the fee. */
export function settleFee(trade: PricedTrade): PricedTrade {
  const warnings = trade.warnings.filter(({ code }) => code !== 'UNCHECKED_POOL');
  return { ...trade, exact: true, openFee: null, warnings };
}
