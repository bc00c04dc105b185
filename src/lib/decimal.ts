// Exact decimals on bigint: prices, values and amounts without floating point.
//
// Text is always in plain notation ("0.00000012", never "1.2e-7") without trailing zeros, so equal
// numbers have equal text. Negative numbers are not supported: amounts and prices have none.

/** `digits × 10^-scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const SIGNIFICANT_DIGITS = 18;

const QUOTIENT_MIN = 10n ** BigInt(SIGNIFICANT_DIGITS - 1);
const QUOTIENT_END = 10n ** BigInt(SIGNIFICANT_DIGITS);
const POWERS: readonly bigint[] = Array.from({ length: 400 }, (_, power) => 10n ** BigInt(power));
const ZERO_CODE = 48;

export function pow10(power: number): bigint {
  return POWERS[power] ?? 10n ** BigInt(power);
}

/** The number of decimal digits of `value`, possibly off by one near a power of ten. */
function estimateDigits(value: bigint): number {
  const approximate = Number(value);
  if (approximate !== Number.POSITIVE_INFINITY) return Math.floor(Math.log10(approximate)) + 1;
  return value.toString().length;
}

function roundHalfEven(ratio: Ratio): bigint {
  const quotient = ratio.numerator / ratio.denominator;
  const rest2 = (ratio.numerator - quotient * ratio.denominator) << 1n;
  if (rest2 < ratio.denominator) return quotient;
  if (rest2 > ratio.denominator || (quotient & 1n) === 1n) return quotient + 1n;
  return quotient;
}

function scaled(ratio: Ratio, scale: number): Ratio {
  if (scale >= 0) {
    return { numerator: ratio.numerator * pow10(scale), denominator: ratio.denominator };
  }
  return { numerator: ratio.numerator, denominator: ratio.denominator * pow10(-scale) };
}

/** A ratio as a decimal of 18 significant digits, half-even. */
function roundRatio(ratio: Ratio): Decimal {
  if (ratio.denominator <= 0n || ratio.numerator < 0n) {
    throw new RangeError(
      'the denominator must be above zero and the numerator must not be negative',
    );
  }
  if (ratio.numerator === 0n) return { digits: 0n, scale: 0 };
  let scale =
    SIGNIFICANT_DIGITS - (estimateDigits(ratio.numerator) - estimateDigits(ratio.denominator));
  for (;;) {
    const atScale = scaled(ratio, scale);
    const digits = roundHalfEven(atScale);
    // At both ends rounding alone may have reached the bound: then the exact quotient decides.
    if (digits <= QUOTIENT_MIN && atScale.numerator < QUOTIENT_MIN * atScale.denominator) {
      scale += 1;
    } else if (digits >= QUOTIENT_END && atScale.numerator >= QUOTIENT_END * atScale.denominator) {
      scale -= 1;
    } else {
      return { digits, scale };
    }
  }
}

/** A ratio as text of 18 significant digits, half-even. */
export function ratioToText(ratio: Ratio): string {
  return decimalToText(roundRatio(ratio));
}

/** 1e-18 USD as text of 18 significant digits. */
export function toUsdText(usdE18: bigint): string;
export function toUsdText(usdE18: bigint | null): string | null;
export function toUsdText(usdE18: bigint | null): string | null {
  return usdE18 === null ? null : ratioToText({ numerator: usdE18, denominator: pow10(18) });
}

/** The exact text of a decimal. */
export function decimalToText(decimal: Decimal): string {
  if (decimal.digits === 0n) return '0';
  const digits = decimal.digits.toString();
  if (decimal.scale <= 0) return digits + '0'.repeat(-decimal.scale);
  let end = digits.length;
  const pointAt = digits.length - decimal.scale;
  const fractionStart = Math.max(pointAt, 0);
  while (end > fractionStart && digits.charCodeAt(end - 1) === ZERO_CODE) end -= 1;
  if (pointAt <= 0) return `0.${'0'.repeat(-pointAt)}${digits.slice(0, end)}`;
  if (end === pointAt) return digits.slice(0, pointAt);
  return `${digits.slice(0, pointAt)}.${digits.slice(pointAt, end)}`;
}

/** Parses text that this file wrote; anything else is our own bug. */
export function textToDecimal(text: string): Decimal {
  const pointAt = text.indexOf('.');
  if (pointAt === -1) return { digits: BigInt(text), scale: 0 };
  return {
    digits: BigInt(text.slice(0, pointAt) + text.slice(pointAt + 1)),
    scale: text.length - pointAt - 1,
  };
}

/** A raw amount in units of its token, exact. */
export function toUnits(amountRaw: bigint, decimals: number): string {
  return decimalToText({ digits: amountRaw, scale: decimals });
}

/** Rounded to 18 significant digits, half-even. */
export function roundText(text: string): string {
  return text.length <= SIGNIFICANT_DIGITS ? text : ratioToText(toRatio(textToDecimal(text)));
}

export function toRatio(decimal: Decimal): Ratio {
  return decimal.scale >= 0
    ? { numerator: decimal.digits, denominator: pow10(decimal.scale) }
    : { numerator: decimal.digits * pow10(-decimal.scale), denominator: 1n };
}

/** The exact sum. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  if (left.scale === right.scale) {
    return { digits: left.digits + right.digits, scale: left.scale };
  }
  return left.scale > right.scale
    ? {
        digits: left.digits + right.digits * pow10(left.scale - right.scale),
        scale: left.scale,
      }
    : {
        digits: left.digits * pow10(right.scale - left.scale) + right.digits,
        scale: right.scale,
      };
}

function integerLength(text: string): number {
  const pointAt = text.indexOf('.');
  return pointAt === -1 ? text.length : pointAt;
}

/**
 * Compares two texts numerically without parsing them: negative, zero or positive, as for `sort`.
 */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  const byLength = integerLength(left) - integerLength(right);
  if (byLength !== 0) return byLength;
  // With integer parts of equal length, text order is numeric order.
  return left < right ? -1 : 1;
}
