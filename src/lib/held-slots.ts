// A bounded number of things that callers hold: connections, bodies that are not read yet, requests
// that wait or work.

interface Held {
  readonly free: () => void;
  readonly drop: (() => void) | null;
}

interface SlotLimits {
  readonly totalMax: number;
  readonly perHolderMax: number;
}

/**
 * A holder at its own limit is refused. If all slots are taken, the holder with the most loses its
 * oldest, so that nobody is refused for what others hold.
 */
export class HeldSlots {
  readonly #limits: SlotLimits;
  /** Each holder's slots in the order in which they were taken. */
  readonly #byHolder = new Map<string, Set<Held>>();
  #count = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  countOf(holder: string): number {
    return this.#byHolder.get(holder)?.size ?? 0;
  }

  /**
   * Returns a function that frees the slot, or null if it is refused. `drop` is called if the slot
   * is taken away; null if it cannot be, so that one too many is refused. A holder of null has no
   * limit of its own and loses nothing.
   */
  take(holder: string | null, drop: (() => void) | null): (() => void) | null {
    const { totalMax, perHolderMax } = this.#limits;
    const own = holder === null ? undefined : this.#byHolder.get(holder);
    if (own !== undefined && own.size >= perHolderMax) return null;
    if (this.#count >= totalMax && !this.#dropOldest()) return null;
    this.#count += 1;
    if (holder === null) return once(() => (this.#count -= 1));
    return this.#hold(holder, drop);
  }

  #hold(holder: string, drop: Held['drop']): () => void {
    const free = once(() => {
      this.#count -= 1;
      const own = this.#byHolder.get(holder);
      own?.delete(held);
      if (own?.size === 0) this.#byHolder.delete(holder);
    });
    const held: Held = { free, drop };
    const own = this.#byHolder.get(holder);
    if (own === undefined) this.#byHolder.set(holder, new Set([held]));
    else own.add(held);
    return free;
  }

  /** Takes the oldest slot of the largest holder; false if nobody can lose one. */
  #dropOldest(): boolean {
    let largest: Set<Held> | null = null;
    for (const own of this.#byHolder.values()) {
      if (largest === null || own.size > largest.size) largest = own;
    }
    const [oldest] = largest ?? [];
    if (oldest === undefined || oldest.drop === null) return false;
    oldest.free();
    oldest.drop();
    return true;
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
