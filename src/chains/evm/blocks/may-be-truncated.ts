// Providers that truncate replies do so at round numbers.

const SUSPECT_COUNTS: ReadonlySet<number> = new Set([
  1_000, 2_000, 5_000, 10_000, 20_000, 25_000, 50_000, 100_000, 150_000, 200_000,
]);

/** Whether a reply with this many logs may be only a part of them. */
export function mayBeTruncated(logCount: number): boolean {
  return SUSPECT_COUNTS.has(logCount);
}
