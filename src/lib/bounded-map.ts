// A map that forgets what was added longest ago once it is full.

interface BoundedMapOptions<Key, Value> {
  /** What an entry counts towards the bound, the same each time; one unless told. */
  readonly weigh?: (value: Value, key: Key) => number;
  /** Told of what was forgotten for want of room. */
  readonly onEvict?: (key: Key, value: Value) => void;
}

export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #weightMax: number;
  readonly #options: BoundedMapOptions<Key, Value>;
  #weight = 0;

  constructor(weightMax: number, options: BoundedMapOptions<Key, Value> = {}) {
    this.#weightMax = weightMax;
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#options.weigh === undefined ? this.#entries.size : this.#weight;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  keys(): Iterable<Key> {
    return this.#entries.keys();
  }

  entries(): Iterable<[Key, Value]> {
    return this.#entries.entries();
  }

  /** A key that is there already keeps its place. */
  set(key: Key, value: Value): void {
    const { weigh } = this.#options;
    if (weigh !== undefined) {
      this.#unweigh(key);
      this.#weight += weigh(value, key);
    }
    this.#entries.set(key, value);
    if (this.weight > this.#weightMax) this.#makeRoom();
  }

  delete(key: Key): void {
    this.#unweigh(key);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #makeRoom(): void {
    for (const [oldest, value] of this.#entries) {
      this.delete(oldest);
      this.#options.onEvict?.(oldest, value);
      if (this.weight <= this.#weightMax) return;
    }
  }

  #unweigh(key: Key): void {
    const { weigh } = this.#options;
    if (weigh === undefined) return;
    const value = this.#entries.get(key);
    if (value !== undefined) this.#weight -= weigh(value, key);
  }
}
