// What a wallet was worth: its amounts now, taken back trade by trade, at the prices of each time.
// What came or went without a trade is not known here, and counts as always held.

interface HeldAmount {
  readonly asset: string;
  readonly amount: number;
  /** Now. */
  readonly priceUsd: number;
}

/** What a trade moved: the amount of each asset that the wallet has more since. */
interface TradedAmounts {
  readonly timeMs: number;
  readonly moved: readonly { readonly asset: string; readonly amount: number }[];
}

interface TimedPrice {
  readonly timeMs: number;
  readonly priceUsd: number;
}

interface WalletHistory {
  readonly held: readonly HeldAmount[];
  readonly trades: readonly TradedAmounts[];
  /** Of each asset, oldest first; assets without any keep the price that they have now. */
  readonly prices: ReadonlyMap<string, readonly TimedPrice[]>;
}

export interface ValuePoint {
  readonly timeMs: number;
  readonly valueUsd: number;
}

/** The last price until a time; before the first one, the first. */
function findPrice(prices: readonly TimedPrice[], timeMs: number): number | null {
  const before = prices.findLast((price) => price.timeMs <= timeMs);
  return (before ?? prices[0])?.priceUsd ?? null;
}

/** `times` ascend; what is held is valued at the last one. */
export function buildValueSeries(
  { held, trades, prices }: WalletHistory,
  times: readonly number[],
): ValuePoint[] {
  const now = new Map(held.map(({ asset, priceUsd }) => [asset, priceUsd]));
  const amounts = new Map(held.map(({ asset, amount }) => [asset, amount]));
  const newestFirst = trades.toSorted((a, b) => b.timeMs - a.timeMs);
  const points: ValuePoint[] = [];
  let undone = 0;
  for (const [back, timeMs] of times.toReversed().entries()) {
    for (; (newestFirst[undone]?.timeMs ?? 0) > timeMs; undone += 1) {
      for (const { asset, amount } of newestFirst[undone]?.moved ?? []) {
        amounts.set(asset, (amounts.get(asset) ?? 0) - amount);
      }
    }
    let valueUsd = 0;
    for (const [asset, amount] of amounts) {
      const past = findPrice(prices.get(asset) ?? [], timeMs);
      const price = back === 0 ? (now.get(asset) ?? past) : (past ?? now.get(asset));
      valueUsd += amount * (price ?? 0);
    }
    // Amounts that came without a trade may have been sold before: that is no debt.
    points.push({ timeMs, valueUsd: Math.max(0, valueUsd) });
  }
  return points.reverse();
}
