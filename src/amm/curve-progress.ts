// How much of a launchpad's curve is sold.

const STEPS = 10_000n;

/** In per cent, with two decimals; null if a part is unknown. */
export function computeProgressPct(sold: bigint | null, whole: bigint): number | null {
  if (sold === null || whole <= 0n) return null;
  const steps = Number((sold * STEPS) / whole);
  return Math.min(Math.max(steps, 0), Number(STEPS)) / 100;
}
