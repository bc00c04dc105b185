// How much of the native coin can be spent if the network is paid with the same coin.

/** Fees may rise until the trade is signed, and its gas limit is above what it needs. */
const RESERVE_FACTOR = 2n;

interface NativeSpend {
  readonly balanceRaw: string;
  /** What was entered. */
  readonly amountRaw: string;
  /** The most that the swap costs, as quoted. */
  readonly costRaw: string;
}

/** A smaller amount if this one leaves too little for the network; null if it leaves enough. */
export function pickMaxSpend({ balanceRaw, amountRaw, costRaw }: NativeSpend): string | null {
  const [balance, amount, cost] = [BigInt(balanceRaw), BigInt(amountRaw), BigInt(costRaw)];
  // The cost of the smaller amount may be a little higher: what is left already counts as enough.
  if (balance - amount > cost) return null;
  const most = balance - RESERVE_FACTOR * cost;
  return most > 0n ? String(most) : null;
}
