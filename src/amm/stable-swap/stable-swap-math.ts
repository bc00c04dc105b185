// Curve's StableSwap invariant in the integers of its NG pools. Balances are scaled by their rates
// to 18 decimals. `amp` is A·n times 100, the precision of A.

const PRECISION = 100n;
const STEP_COUNT_MAX = 255;

/** The contract stops when a step is at most 1. */
function isSettled(before: bigint, after: bigint): boolean {
  return after - before <= 1n && before - after <= 1n;
}

/** D of the invariant; null if the contract reverts. */
export function computeStableTotal(balances: readonly bigint[], amp: bigint): bigint | null {
  const count = BigInt(balances.length);
  const sum = balances.reduce((total, balance) => total + balance, 0n);
  if (sum === 0n) return 0n;
  if (balances.some((balance) => balance <= 0n)) return null;
  const weighted = (amp * sum) / PRECISION;
  let total = sum;
  for (let step = 0; step < STEP_COUNT_MAX; step += 1) {
    const before = total;
    let product = total;
    for (const balance of balances) product = (product * total) / balance;
    product /= count ** count;
    total =
      ((weighted + product * count) * total) /
      (((amp - PRECISION) * total) / PRECISION + (count + 1n) * product);
    if (isSettled(before, total)) return total;
  }
  return null;
}

/** The balance at `index` that goes with the others and the total; null if the contract reverts. */
export function findStableBalance(
  balances: readonly bigint[],
  index: number,
  { total, amp }: { readonly total: bigint; readonly amp: bigint },
): bigint | null {
  const count = BigInt(balances.length);
  let [c, others] = [total, 0n];
  for (const [at, balance] of balances.entries()) {
    if (at === index) continue;
    if (balance <= 0n) return null;
    others += balance;
    c = (c * total) / (balance * count);
  }
  c = (c * total * PRECISION) / (amp * count);
  const b = others + (total * PRECISION) / amp;
  let found = total;
  for (let step = 0; step < STEP_COUNT_MAX; step += 1) {
    const before = found;
    const divisor = 2n * found + b - total;
    if (divisor <= 0n) return null;
    found = (found * found + c) / divisor;
    if (isSettled(before, found)) return found;
  }
  return null;
}

/** D^(n+1) / (nⁿ·∏x), the part of the invariant that bends the curve. */
export function computeBend(balances: readonly bigint[], total: bigint): bigint {
  const count = BigInt(balances.length);
  let product = total;
  for (const balance of balances) product = (product * total) / balance;
  return product / count ** count;
}
