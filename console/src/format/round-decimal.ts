// Rounds decimal strings without going through floating point.

interface DecimalParts {
  readonly sign: '' | '-';
  readonly whole: string;
  readonly fraction: string;
}

function splitDecimal(text: string): DecimalParts {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  return { sign: sign === '-' ? '-' : '', whole: whole.replace(/^0+(?=\d)/, ''), fraction };
}

/** To this many digits after the point, half away from zero; zeros at the end are kept. */
export function roundDecimal(text: string, fractionDigits: number): string {
  const { sign, whole, fraction } = splitDecimal(text);
  const kept = `${whole}${fraction.slice(0, fractionDigits).padEnd(fractionDigits, '0')}`;
  const isUp = (fraction[fractionDigits] ?? '0') >= '5';
  const digits = (BigInt(kept) + (isUp ? 1n : 0n)).toString().padStart(fractionDigits + 1, '0');
  const cut = digits.length - fractionDigits;
  const rounded = `${digits.slice(0, cut)}${fractionDigits > 0 ? `.${digits.slice(cut)}` : ''}`;
  return /[1-9]/.test(rounded) ? `${sign}${rounded}` : rounded;
}

/** Where the first digit other than zero is: 3 for 123.4, 1 for 1.5, 0 for 0.5, -2 for 0.005. */
export function findMagnitude(text: string): number | null {
  const { whole, fraction } = splitDecimal(text);
  if (whole !== '0') return whole.length;
  const at = fraction.search(/[1-9]/);
  return at < 0 ? null : -at;
}

/** `1234567.89` → `1,234,567.89` */
export function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
