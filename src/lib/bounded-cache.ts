// A map that forgets what was not used lately, but only when told to: rows that are being changed
// stay until they are safely stored.

/** Two generations: what is used moves to the young one, and the old one is dropped as a whole. */
export class BoundedCache<Key, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** Holds at most `sizeMax` entries after each `trim`. */
  constructor(sizeMax: number) {
    this.#generationMax = Math.floor(sizeMax / 3);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.#young.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
  }

  /** Forgets the old generation once the young one is full. */
  trim(): void {
    if (this.#young.size <= this.#generationMax) return;
    this.#old = this.#young.size <= 2 * this.#generationMax ? this.#young : new Map();
    this.#young = new Map();
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
  }
}
