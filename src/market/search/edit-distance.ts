// The number of typos between two texts: letters changed, missing, added or swapped.

/** Texts have at most 64 characters, but some grow when they are folded. */
const LENGTH_MAX = 512;

/** The three rows of the algorithm; it is synchronous, so one set can be reused. */
const ROWS = [0, 1, 2].map(() => new Uint8Array(LENGTH_MAX + 1)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/**
 * The edit distance with transpositions (a swap of neighbours counts as one); anything above `max`
 * is returned as `max + 1`. Only a band around the diagonal is computed.
 */
export function computeEditDistance(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  max: number,
): number {
  const tooMany = max + 1;
  if (Math.abs(a.length - b.length) > max || b.length > LENGTH_MAX) return tooMany;
  let [before, last, row] = ROWS;
  for (let j = 0; j <= b.length; j += 1) last[j] = Math.min(j, tooMany);
  for (let i = 1; i <= a.length; i += 1) {
    const start = Math.max(1, i - max);
    const end = Math.min(b.length, i + max);
    // The cells beside the band are read as neighbours.
    row[start - 1] = i <= max ? i : tooMany;
    let best = row[start - 1] ?? tooMany;
    for (let j = start; j <= end; j += 1) {
      let edits = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      edits = Math.min(edits, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      }
      row[j] = Math.min(edits, tooMany);
      best = Math.min(best, edits);
    }
    if (end < b.length) row[end + 1] = tooMany;
    if (best > max) return tooMany;
    [before, last, row] = [last, row, before];
  }
  return last[b.length] ?? tooMany;
}

/** A bit mask of a text's letters; several letters share each bit. */
export function computeLetterMask(points: ArrayLike<number>): number {
  let mask = 0;
  for (let index = 0; index < points.length; index += 1) mask |= 1 << ((points[index] ?? 0) & 31);
  return mask;
}

/**
 * Whether texts can be this few edits apart, by their letters: an edit changes at most two bits.
 */
export function mayBeWithin(maskA: number, maskB: number, edits: number): boolean {
  let differing = maskA ^ maskB;
  let count = 0;
  for (; differing !== 0; differing &= differing - 1) {
    count += 1;
    if (count > 2 * edits) return false;
  }
  return true;
}

/** The number of typos that a query of this length allows. */
export function pickEditsAllowed(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}
