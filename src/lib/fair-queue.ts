// A bounded queue that serves its callers in turn: however much one of them brings, the others wait
// for one of its items at most.

export interface FairQueueLimits {
  readonly lengthMax: number;
  readonly perCallerMax: number;
}

export class FairQueue<Item> {
  readonly #limits: FairQueueLimits;
  /** In the order in which callers are served next. */
  readonly #waiting = new Map<string, Item[]>();
  #length = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /** False where there is no room for it. */
  push(caller: string, item: Item): boolean {
    const items = this.#waiting.get(caller);
    const { lengthMax, perCallerMax } = this.#limits;
    if (this.#length >= lengthMax || (items?.length ?? 0) >= perCallerMax) return false;
    if (items === undefined) this.#waiting.set(caller, [item]);
    else items.push(item);
    this.#length += 1;
    return true;
  }

  /** The next caller's oldest item; undefined where nothing waits. */
  shift(): Item | undefined {
    for (const [caller, items] of this.#waiting) {
      const item = items.shift();
      // Who has more to come goes to the end.
      this.#waiting.delete(caller);
      if (items.length > 0) this.#waiting.set(caller, items);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }
}
