// A pool's terms and state as text: fields in a fixed order, separated by commas, empty for null.

export function encodeFields(fields: readonly (bigint | number | string | null)[]): string {
  return fields.map((field) => field ?? '').join(',');
}

/**
 * The fields in order. Throws if their number is none of those that are allowed, because the text
 * is then corrupt.
 */
export function decodeFields(text: string, ...counts: readonly number[]): (string | null)[] {
  const fields = text.split(',');
  if (!counts.includes(fields.length)) {
    throw new RangeError(`${JSON.stringify(text)} does not have ${counts.join(' or ')} fields`);
  }
  return fields.map((field) => (field === '' ? null : field));
}

export function toBigint(field: string | null | undefined): bigint | null {
  return field == null ? null : BigInt(field);
}

export function toNumber(field: string | null | undefined): number | null {
  return field == null ? null : Number(field);
}
