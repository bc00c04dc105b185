// Figures as the GeckoTerminal API writes them: decimals in strings, with a point and no exponent.

import { ratioToText, textToDecimal, toRatio } from '../../lib/decimal.ts';

/** `1` is `1.0` there. */
export function toFigure(text: string): string {
  return text.includes('.') ? text : `${text}.0`;
}

export function toFigureOrNull(text: string | null | undefined): string | null {
  return text == null ? null : toFigure(text);
}

/** Per cent with up to three decimals; zero is `0`. */
export function toChange(pct: number | null): string {
  const rounded = Number((pct ?? 0).toFixed(3));
  // Above that a double would be written with an exponent.
  return Math.abs(rounded) >= 1e21 ? BigInt(Math.round(rounded)).toString() : String(rounded);
}

/** Null for an unknown price, or one of nothing. */
export function invert(text: string | null): string | null {
  if (text === null || Number(text) === 0) return null;
  const { numerator, denominator } = toRatio(textToDecimal(text));
  return ratioToText({ numerator: denominator, denominator: numerator });
}

/** `2026-05-28T04:04:11Z`. */
export function toIso(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** Addresses of EVM chains are in lower case there; those of Solana differ by case. */
export function toGtAddress(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}
