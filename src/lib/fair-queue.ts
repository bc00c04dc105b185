// A bounded queue that serves its callers in turn: however many items one caller adds, the others
// wait for at most one of them. An item is dropped when its caller disconnects.

import { onceAborted } from './once-aborted.ts';

export interface FairQueueLimits {
  readonly lengthMax: number;
  readonly perCallerMax: number;
}

export interface WatchedCaller {
  /** As identified by limits. */
  readonly caller: string;
  /** Called when it begins to wait; the signal aborts when the caller disconnects. */
  readonly watchCaller?: (() => AbortSignal) | undefined;
}

interface Refusable {
  /** Called if there is no room for it, or its caller is gone. */
  refuse(): void;
}

interface WaitingItem<Item> {
  readonly item: Item;
  /** Ends watching the caller. */
  unwatch: () => void;
}

export class FairQueue<Item extends Refusable> {
  readonly #limits: FairQueueLimits;
  /** In the order in which callers are served. */
  readonly #waiting = new Map<string, WaitingItem<Item>[]>();
  #length = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * If the queue is full, the newest item of the caller with the most is refused, so that a few
   * callers cannot block all others, or else this one.
   */
  push({ caller, watchCaller }: WatchedCaller, item: Item): void {
    const waiting: WaitingItem<Item> = { item, unwatch: () => undefined };
    const dropped = this.#add(caller, waiting);
    dropped?.unwatch();
    dropped?.item.refuse();
    if (dropped === waiting) return;
    waiting.unwatch = onceAborted(watchCaller?.(), () => {
      if (this.#remove(caller, waiting)) item.refuse();
    });
  }

  /** The next caller's oldest item, no longer watched; undefined if nothing waits. */
  shift(): Item | undefined {
    for (const [caller, items] of this.#waiting) {
      const next = items.shift();
      // A caller with more items goes to the end.
      this.#waiting.delete(caller);
      if (items.length > 0) this.#waiting.set(caller, items);
      this.#length -= 1;
      next?.unwatch();
      return next?.item;
    }
    return undefined;
  }

  /** The item to drop; null if there is room. */
  #add(caller: string, item: WaitingItem<Item>): WaitingItem<Item> | null {
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

  #findMost(): WaitingItem<Item>[] {
    let most: WaitingItem<Item>[] = [];
    for (const items of this.#waiting.values()) if (items.length > most.length) most = items;
    return most;
  }

  /** False if the item is no longer in the queue. */
  #remove(caller: string, item: WaitingItem<Item>): boolean {
    const items = this.#waiting.get(caller) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#waiting.delete(caller);
    this.#length -= 1;
    return true;
  }
}
