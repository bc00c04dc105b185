// Powers of numbers with 18 decimals as Balancer's contracts compute them: by logarithm and
// exponential, whose series are cut off at fixed terms and rounded toward zero.

const E18 = 10n ** 18n;
const E20 = 10n ** 20n;
const E36 = 10n ** 36n;

/** Exponents and their powers of e that are split off before the series. */
interface SplitPower {
  readonly exponent: bigint;
  readonly power: bigint;
}

/** With 18 decimals; the powers are whole numbers. */
const LARGE_POWERS: readonly SplitPower[] = [
  {
    exponent: 128n * E18,
    power: 38877084059945950922200000000000000000000000000000000000n,
  },
  { exponent: 64n * E18, power: 6235149080811616882910000000n },
];

/** With 20 decimals: e to the power of 32, 16, … 1/16. */
const SMALL_POWERS: readonly SplitPower[] = [
  { exponent: 32n * E20, power: 7896296018268069516100000000000000n },
  { exponent: 16n * E20, power: 888611052050787263676000000n },
  { exponent: 8n * E20, power: 298095798704172827474000n },
  { exponent: 4n * E20, power: 5459815003314423907810n },
  { exponent: 2n * E20, power: 738905609893065022723n },
  { exponent: E20, power: 271828182845904523536n },
  { exponent: E20 / 2n, power: 164872127070012814685n },
  { exponent: E20 / 4n, power: 128402541668774148407n },
  { exponent: E20 / 8n, power: 113314845306682631683n },
  { exponent: E20 / 16n, power: 106449445891785942956n },
];

/** The exponential uses the powers down to 1/4, the logarithm all of them. */
const EXPONENTIAL_POWERS = SMALL_POWERS.slice(0, 8);
const EXPONENTIAL_TERMS = 12n;
const LOGARITHM_TERM_LAST = 11n;
/** Near 1 the logarithm has 36 decimals and two more terms. */
const NEAR_ONE_TERM_LAST = 15n;
const NEAR_ONE = E18 / 10n;
const EXPONENT_MAX = 130n * E18;
const EXPONENT_MIN = -41n * E18;

/** 2·artanh(z) = 2·(z + z³/3 + z⁵/5 …), with `one` as the unit of z. */
function sumLogarithm(z: bigint, one: bigint, termLast: bigint): bigint {
  const square = (z * z) / one;
  let [power, sum] = [z, z];
  for (let term = 3n; term <= termLast; term += 2n) {
    power = (power * square) / one;
    sum += power / term;
  }
  return 2n * sum;
}

function computeLogarithmNearOne(value: bigint): bigint {
  const wide = value * E18;
  return sumLogarithm(((wide - E36) * E36) / (wide + E36), E36, NEAR_ONE_TERM_LAST);
}

function computeLogarithm(value: bigint): bigint {
  if (value < E18) return -computeLogarithm((E18 * E18) / value);
  let [rest, sum] = [value, 0n];
  for (const { exponent, power } of LARGE_POWERS) {
    if (rest < power * E18) continue;
    rest /= power;
    sum += exponent;
  }
  rest *= 100n;
  sum *= 100n;
  for (const { exponent, power } of SMALL_POWERS) {
    if (rest < power) continue;
    rest = (rest * E20) / power;
    sum += exponent;
  }
  const series = sumLogarithm(((rest - E20) * E20) / (rest + E20), E20, LOGARITHM_TERM_LAST);
  return (sum + series) / 100n;
}

function computeExponential(exponent: bigint): bigint {
  if (exponent < 0n) return (E18 * E18) / computeExponential(-exponent);
  const large = LARGE_POWERS.find((split) => exponent >= split.exponent);
  let rest = (exponent - (large?.exponent ?? 0n)) * 100n;
  let product = E20;
  for (const split of EXPONENTIAL_POWERS) {
    if (rest < split.exponent) continue;
    rest -= split.exponent;
    product = (product * split.power) / E20;
  }
  let [term, sum] = [rest, E20 + rest];
  for (let index = 2n; index <= EXPONENTIAL_TERMS; index += 1n) {
    term = (term * rest) / E20 / index;
    sum += term;
  }
  return (((product * sum) / E20) * (large?.power ?? 1n)) / 100n;
}

/** `base` to the power of `exponent`, all with 18 decimals; null if the contract reverts. */
export function computePower(base: bigint, exponent: bigint): bigint | null {
  if (exponent === 0n) return E18;
  if (base === 0n) return 0n;
  let product: bigint;
  if (base > E18 - NEAR_ONE && base < E18 + NEAR_ONE) {
    const logarithm = computeLogarithmNearOne(base);
    product = (logarithm / E18) * exponent + ((logarithm % E18) * exponent) / E18;
  } else {
    product = computeLogarithm(base) * exponent;
  }
  product /= E18;
  if (product < EXPONENT_MIN || product > EXPONENT_MAX) return null;
  return computeExponential(product);
}
