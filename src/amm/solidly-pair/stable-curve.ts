// The curve x³y + y³x = k of Solidly's stable pairs, in the contracts' own integers: amounts are
// scaled to 18 decimals, and each product is divided by 1e18 at once.

/**
 * How the contract searches the reserve for an invariant. `settled` (the first Solidly, Camelot):
 * until a step is at most 1. `checked` (Aerodrome, Velodrome V2): until the neighbours show that
 * the result is right.
 */
export type NewtonLoop = 'checked' | 'settled';

const E18 = 10n ** 18n;
const STEP_COUNT_MAX = 255;
/** Of all factors of the largest product, whose fourth power must fit into 256 bits. */
const FACTOR_MAX_TO_FOURTH = 2n ** 255n * E18 * E18;

/** Of reserves with 18 decimals. */
export function computeInvariant(x: bigint, y: bigint): bigint {
  const squares = (x * x) / E18 + (y * y) / E18;
  return (((x * y) / E18) * squares) / E18;
}

/** The same, in the order of divisions of the first Solidly. */
function computeEarlyInvariant(x: bigint, y: bigint): bigint {
  const cubeX = (((x * x) / E18) * x) / E18;
  const cubeY = (((y * y) / E18) * y) / E18;
  return (x * cubeY) / E18 + (cubeX * y) / E18;
}

/** How the invariant grows with y. */
function computeSlope(x: bigint, y: bigint): bigint {
  return (3n * x * ((y * y) / E18)) / E18 + (((x * x) / E18) * x) / E18;
}

/** Whether the contract's products overflow, so that it reverts. */
function isTooLarge(reserve: bigint): boolean {
  return reserve ** 4n > FACTOR_MAX_TO_FOURTH;
}

interface CurveTarget {
  /** The reserve of the input after the swap. */
  readonly x: bigint;
  readonly invariant: bigint;
  /** The reserve of the output before the swap. */
  readonly y: bigint;
}

function searchSettled({ x, invariant, y: start }: CurveTarget): bigint {
  let y = start;
  for (let count = 0; count < STEP_COUNT_MAX; count += 1) {
    const found = computeEarlyInvariant(x, y);
    const slope = computeSlope(x, y);
    if (slope === 0n) return y;
    const isBelow = found < invariant;
    const step = ((isBelow ? invariant - found : found - invariant) * E18) / slope;
    y += isBelow ? step : -step;
    if (step <= 1n) return y;
  }
  return y;
}

/** 10 to the power of the decimals, of token 0 and token 1. */
export type DecimalUnits = readonly [bigint, bigint];

/**
 * The contract scales both reserves by the tokens' decimals a second time here, and takes the
 * decimals in the tokens' order whatever the direction of the swap.
 */
function isAboveScaled(x: bigint, y: bigint, invariant: bigint, units: DecimalUnits): boolean {
  return computeInvariant((x * E18) / units[0], (y * E18) / units[1]) > invariant;
}

/** Null if the contract reverts because it finds nothing. */
function searchChecked(target: CurveTarget, units: DecimalUnits): bigint | null {
  const { x, invariant } = target;
  let { y } = target;
  for (let count = 0; count < STEP_COUNT_MAX; count += 1) {
    const found = computeInvariant(x, y);
    const slope = computeSlope(x, y);
    if (slope === 0n) return null;
    if (found < invariant) {
      const step = ((invariant - found) * E18) / slope;
      if (step === 0n && isAboveScaled(x, y + 1n, invariant, units)) return y + 1n;
      y += step === 0n ? 1n : step;
    } else {
      const step = ((found - invariant) * E18) / slope;
      if (step === 0n && (found === invariant || computeInvariant(x, y - 1n) < invariant)) return y;
      y -= step === 0n ? 1n : step;
    }
  }
  return null;
}

/** The reserve of the output after a swap; null if the contract reverts. */
export function findReserveAfter(
  target: CurveTarget,
  loop: NewtonLoop,
  units: DecimalUnits,
): bigint | null {
  if (isTooLarge(target.x) || isTooLarge(target.y)) return null;
  return loop === 'settled' ? searchSettled(target) : searchChecked(target, units);
}
