// Raw units ↔ units, both as text; exact.

/** `1500000`, 6 → `1.5`; null if either is unknown. */
export function formatUnits(raw: string | null, decimals: number | null): string | null {
  if (raw === null || decimals === null) return null;
  const digits = raw.padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const fraction = digits.slice(cut).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, cut) : `${digits.slice(0, cut)}.${fraction}`;
}

/**
 * `1.5`, 6 → `1500000`; null if it is no amount above zero, or has more digits than the token. A
 * comma is a point, except before three digits: `1,500` may mean 1500.
 */
export function parseUnits(text: string, decimals: number): string | null {
  const [, whole, fraction = ''] = /^\s*(\d*)(?:(?:\.|,(?!\d{3}\s*$))(\d*))?\s*$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const raw = `${whole}${fraction.padEnd(decimals, '0')}`.replace(/^0+/, '');
  return raw === '' ? null : raw;
}

const USD_DIGITS = 6;

/** A value for orientation, so a float will do. */
export function estimateUsd(units: string | null, priceUsd: string | null): string | null {
  if (units === null || priceUsd === null) return null;
  return (Number(units) * Number(priceUsd)).toFixed(USD_DIGITS);
}
