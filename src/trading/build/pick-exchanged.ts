// What the sender of a transaction paid and received in its trades.

import type { BalanceChange } from '../../chains/chain-transactions.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';

interface ExchangedAmounts {
  readonly paid: BalanceChange | null;
  readonly received: BalanceChange | null;
}

/**
 * Only what the trades are about counts: anybody may have sent other tokens along. Of several the
 * one is meant that is only an end of the trades, as a hop may leave a rest of what is between.
 */
function pickOne(
  changes: readonly BalanceChange[],
  { own, other }: { readonly own: ReadonlySet<Address>; readonly other: ReadonlySet<Address> },
  toAsset: (token: Address) => Address,
): BalanceChange | null {
  const traded = changes.filter(({ token }) => own.has(toAsset(token)));
  const ends = traded.filter(({ token }) => !other.has(toAsset(token)));
  const [one, ...more] = traded.length > 1 ? ends : traded;
  return one === undefined || more.length > 0 ? null : one;
}

/** An amount is null if the changes do not tell it. `toAsset` takes the native coin as wrapped. */
export function pickExchanged(
  changes: readonly BalanceChange[],
  trades: readonly Pick<TradeRecord, 'side' | 'token' | 'quoteToken'>[],
  toAsset: (token: Address) => Address,
): ExchangedAmounts {
  const inputs = new Set<Address>();
  const outputs = new Set<Address>();
  for (const { side, token, quoteToken } of trades) {
    inputs.add(toAsset(side === 'buy' ? quoteToken : token));
    outputs.add(toAsset(side === 'buy' ? token : quoteToken));
  }
  const losses = changes.filter(({ deltaRaw }) => deltaRaw < 0n);
  const gains = changes.filter(({ deltaRaw }) => deltaRaw > 0n);
  return {
    paid: pickOne(losses, { own: inputs, other: outputs }, toAsset),
    received: pickOne(gains, { own: outputs, other: inputs }, toAsset),
  };
}
