// Prices for people: four significant digits, and a count of zeros where there are many.

import { findMagnitude, groupThousands, roundDecimal } from './round-decimal.ts';

const UNKNOWN = '–';
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';
const ZEROS_SHOWN_MAX = 3;
const SIGNIFICANT_DIGITS = 4;

function toSubscript(count: number): string {
  return Array.from(String(count), (digit) => SUBSCRIPTS[Number(digit)]).join('');
}

/** `0.00002924` → `0.0₄2924`; the zeros that are counted are those after the point. */
function formatTiny(text: string, zeros: number): string {
  const rounded = roundDecimal(text, zeros + SIGNIFICANT_DIGITS);
  // Rounding up may have used one of the zeros, or all of them.
  const magnitude = findMagnitude(rounded) ?? 0;
  if (magnitude > 0) return formatPrice(rounded);
  const left = -magnitude;
  const digits = rounded.slice(2 + left).replace(/0+$/, '');
  return left > ZEROS_SHOWN_MAX
    ? `0.0${toSubscript(left)}${digits}`
    : `0.${'0'.repeat(left)}${digits}`;
}

/** A price without its currency; null is unknown. */
export function formatPrice(text: string | null): string {
  if (text === null) return UNKNOWN;
  const magnitude = findMagnitude(text);
  if (magnitude === null) return '0';
  if (magnitude > 0) {
    const digits = Math.max(2, SIGNIFICANT_DIGITS - magnitude);
    return groupThousands(roundDecimal(text, digits));
  }
  return formatTiny(text, -magnitude);
}

/** Below this a cost is as good as none, and its digits say nothing. */
const COST_MIN = '<0.000001';
const COST_MIN_MAGNITUDE = -5;

/** An amount of a coin that is paid as a fee. */
export function formatCost(text: string | null): string {
  const magnitude = text === null ? null : findMagnitude(text);
  return magnitude !== null && magnitude < COST_MIN_MAGNITUDE ? COST_MIN : formatPrice(text);
}

export function formatUsd(text: string | null): string {
  return text === null ? UNKNOWN : `$${formatPrice(text)}`;
}
