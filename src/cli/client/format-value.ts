// Figures for a person: few digits, large numbers shortened. Files and programs get the JSON.

import { toUnits } from '../../lib/decimal.ts';

const NONE = '-';
const DIGITS = 5;
const PLACES_MAX = 40;
const UNITS = [
  { least: 1e12, letter: 'T' },
  { least: 1e9, letter: 'B' },
  { least: 1e6, letter: 'M' },
] as const;

/** About five digits, without an exponent. */
export function formatNumber(value: string | number | null): string {
  const number = value === null ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return NONE;
  if (number === 0) return '0';
  const size = Math.abs(number);
  const unit = UNITS.find(({ least }) => size >= least);
  if (unit !== undefined) return `${(number / unit.least).toFixed(2)}${unit.letter}`;
  const places = DIGITS - 1 - Math.floor(Math.log10(size));
  return number.toFixed(Math.min(PLACES_MAX, Math.max(0, places)));
}

/** Of whole things. */
export function formatCount(value: number | null): string {
  return value === null || value >= 1e6 ? formatNumber(value) : String(value);
}

export function formatPct(value: number | null): string {
  return value === null ? NONE : `${value > 0 ? '+' : ''}${value.toFixed(2)}%`;
}

/** `2026-11-16 10:44:35`, in UTC as all of the API. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** `2026-11-16 10:44` */
export function formatMinute(ms: number): string {
  return formatTime(ms).slice(0, 16);
}

/** An amount in units with its symbol; in raw units where the decimals are not known. */
export function formatAmount(
  amountRaw: string,
  { decimals, symbol }: { readonly decimals: number | null; readonly symbol: string | null },
): string {
  if (decimals === null) return `${amountRaw} raw units`;
  return `${formatUnits(toUnits(BigInt(amountRaw), decimals))} ${symbol ?? ''}`.trim();
}

/** Every digit of a number that people compare, in groups of three: `1,234.5`. */
function formatUnits(text: string): string {
  const [whole = '', part] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** Long ids in the middle of a line. */
export function shorten(text: string): string {
  return text.length <= 14 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
