// The result of a verification: counts of compared rows, and a line for each difference.

/**
 * Further differences are only counted, so that a completely wrong store does not fill the memory.
 */
const LINE_COUNT_MAX = 10_000;

export class VerifyReport {
  readonly checked = new Map<string, number>();
  readonly lines: string[] = [];
  #differenceCount = 0;

  get differenceCount(): number {
    return this.#differenceCount;
  }

  count(what: string, number = 1): void {
    this.checked.set(what, (this.checked.get(what) ?? 0) + number);
  }

  add(line: string): void {
    this.#differenceCount += 1;
    if (this.lines.length < LINE_COUNT_MAX) this.lines.push(line);
  }

  /** Compares two rows of one key field by field; null is a missing row. */
  compare(
    what: string,
    rows: { readonly stored: object | null; readonly expected: object | null },
  ): void {
    const { stored, expected } = rows;
    if (stored === null && expected === null) return;
    if (expected === null) {
      this.add(`${what}: stored, but not on the chain`);
      return;
    }
    if (stored === null) {
      this.add(`${what}: missing from the store`);
      return;
    }
    for (const [field, value] of Object.entries(expected)) {
      const own: unknown = Reflect.get(stored, field);
      if (own === value || (field.endsWith('Ms') && isSameSecond(own, value))) continue;
      const [text, expectedText] = [toText(own), toText(value)];
      if (text !== expectedText) {
        this.add(`${what}: ${field} is ${text}, should be ${expectedText}`);
      }
    }
  }
}

/** Of two nodes one may tell the time of a block in seconds only. */
function isSameSecond(own: unknown, other: unknown): boolean {
  if (typeof own !== 'number' || typeof other !== 'number') return false;
  const isWhole = own % 1000 === 0 || other % 1000 === 0;
  return isWhole && Math.floor(own / 1000) === Math.floor(other / 1000);
}

function toText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value, (_, inner: unknown) =>
    // Stores need not keep the order of a candle's four prices.
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
