// A bounded queue that serves its callers in turn: however many items one caller adds, the others
// wait for at most one of them.

interface FairQueueLimits {
  readonly lengthMax: number;
  readonly perCallerMax: number;
}

export class FairQueue<Item> {
  readonly #limits: FairQueueLimits;
  /** In the order in which callers are served. */
  readonly #waiting = new Map<string, Item[]>();
  #length = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Adds an item. If the queue is full, returns the item to drop: the newest item of the caller
   * with the most items, so that a few callers cannot block all others, or else this one. Null if
   * nothing is dropped.
   */
  push(caller: string, item: Item): Item | null {
    const { lengthMax, perCallerMax } = this.#limits;
    const items = this.#waiting.get(caller) ?? [];
    if (items.length >= perCallerMax) return item;
    const most = this.#length < lengthMax ? null : this.#findMost();
    if (most !== null && most.length <= items.length + 1) return item;
    items.push(item);
    this.#waiting.set(caller, items);
    const gone = most?.pop() ?? null;
    if (gone === null) this.#length += 1;
    return gone;
  }

  #findMost(): Item[] {
    let most: Item[] = [];
    for (const items of this.#waiting.values()) if (items.length > most.length) most = items;
    return most;
  }

  /** False if the item is no longer in the queue. */
  remove(caller: string, item: Item): boolean {
    const items = this.#waiting.get(caller) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#waiting.delete(caller);
    this.#length -= 1;
    return true;
  }

  /** The next caller's oldest item; undefined if nothing waits. */
  shift(): Item | undefined {
    for (const [caller, items] of this.#waiting) {
      const item = items.shift();
      // A caller with more items goes to the end.
      this.#waiting.delete(caller);
      if (items.length > 0) this.#waiting.set(caller, items);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }
}
