// Compares a trade with the one that the user reviewed.

interface BoundTrade {
  readonly quote: {
    readonly input: { readonly maxAmountRaw?: string };
    readonly output: { readonly minAmountRaw?: string };
  };
}

/** Whether a trade built now pays at least, or costs at most, what was reviewed as its limit. */
export function isAsGood(reviewed: BoundTrade, fresh: BoundTrade): boolean {
  const maximum = reviewed.quote.input.maxAmountRaw;
  if (maximum !== undefined) {
    const now = fresh.quote.input.maxAmountRaw;
    return now !== undefined && BigInt(now) <= BigInt(maximum);
  }
  const minimum = BigInt(reviewed.quote.output.minAmountRaw ?? 0);
  return BigInt(fresh.quote.output.minAmountRaw ?? 0) >= minimum;
}
