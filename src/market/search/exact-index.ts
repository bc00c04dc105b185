// Finds equal texts by hash, in order.

export interface ExactArrays {
  /** Hashes of the texts, ascending. */
  readonly hashes: Uint32Array;
  /** The text of each hash; ascending among equal hashes. */
  readonly positions: Uint32Array;
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function buildExactIndex(texts: readonly string[]): ExactArrays {
  // One 53-bit number sorts by hash and then by position.
  const keys = Float64Array.from(texts, (text, position) => hashText(text) * 2 ** 21 + position);
  if (texts.length > 2 ** 21) return buildLargeIndex(texts);
  keys.sort();
  return {
    hashes: Uint32Array.from(keys, (key) => Math.floor(key / 2 ** 21)),
    positions: Uint32Array.from(keys, (key) => key % 2 ** 21),
  };
}

/** Above two million texts the positions do not fit beside the hash. */
function buildLargeIndex(texts: readonly string[]): ExactArrays {
  const hashes = Uint32Array.from(texts, hashText);
  const order = Uint32Array.from(texts, (_, position) => position);
  order.sort((a, b) => (hashes[a] ?? 0) - (hashes[b] ?? 0) || a - b);
  return { hashes: order.map((position) => hashes[position] ?? 0), positions: order };
}

/** Positions of texts with the same hash, in order: nearly always the equal ones. */
export function* findCandidates(arrays: ExactArrays, text: string): Generator<number> {
  const { hashes, positions } = arrays;
  const wanted = hashText(text);
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hashes[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  for (; hashes[low] === wanted; low += 1) yield positions[low] ?? 0;
}
