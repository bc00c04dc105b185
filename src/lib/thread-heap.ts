// The memory of a thread.

/** For new objects: two halves of 8 MB, and as much for large ones. They would grow to 64 each. */
export const YOUNG_HEAP = { maxYoungGenerationSizeMb: 24 } as const;
