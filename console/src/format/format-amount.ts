// Amounts, counts and percentages for people.

import { findMagnitude, groupThousands, roundDecimal } from './round-decimal.ts';

const UNKNOWN = '–';
const UNITS = ['', 'K', 'M', 'B', 'T'] as const;

/** Moves the point to the left. */
function shiftPoint(text: string, places: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const digits = whole.padStart(places + 1, '0');
  const cut = digits.length - places;
  return `${digits.slice(0, cut)}.${digits.slice(cut)}${fraction}`;
}

/** `10283744.2` → `10.3M`; three digits, and a unit for thousands. */
export function formatCompact(text: string | null): string {
  if (text === null) return UNKNOWN;
  if (text.startsWith('-')) return `-${formatCompact(text.slice(1))}`;
  const magnitude = findMagnitude(text);
  if (magnitude === null) return '0';
  if (magnitude <= 0) return magnitude < -1 ? '<0.01' : roundDecimal(text, 2);
  const step = Math.min(UNITS.length - 1, Math.floor((magnitude - 1) / 3));
  const shown = magnitude - step * 3;
  const rounded = roundDecimal(shiftPoint(text, step * 3), Math.max(0, 3 - shown));
  // 999.9K is one million once it is rounded.
  if (rounded === '1000' && step < UNITS.length - 1) return `1.00${UNITS[step + 1]}`;
  return `${groupThousands(rounded)}${UNITS[step]}`;
}

export function formatCompactUsd(text: string | null): string {
  if (text === null) return UNKNOWN;
  const compact = formatCompact(text);
  return compact.startsWith('-') || compact.startsWith('<')
    ? `${compact[0]}$${compact.slice(1)}`
    : `$${compact}`;
}

export function formatCount(count: number | null): string {
  return count === null ? UNKNOWN : groupThousands(String(count));
}

/** Where there is little room: `12.3K`. */
export function formatCompactCount(count: number | null): string {
  return count === null || count < 10_000 ? formatCount(count) : formatCompact(String(count));
}

/** From here on without digits after the point: `133%`, `1.33K%`. */
const PERCENT_WHOLE = 100;

export function formatPercent(value: number | null, digits = 2): string {
  if (value === null) return UNKNOWN;
  const isLarge = Math.abs(value) > PERCENT_WHOLE;
  return `${isLarge ? formatCompact(value.toFixed(0)) : value.toFixed(digits)}%`;
}
