// A queue of work: callers are served in turn, and work is dropped when its caller disconnects.

import { AppError } from '../../errors/app-error.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { onceAborted } from '../../lib/once-aborted.ts';

// The error of a search that finds no room.

const RETRY_AFTER_SECONDS = 1;

export function buildOverloadedError(cause?: Error): AppError {
  return new AppError('OVERLOADED', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
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

export interface WatchedCaller {
  /** As identified by limits. */
  readonly caller: string;
  /** Called when it begins to wait; the signal aborts when the caller disconnects. */
  readonly watchCaller?: (() => AbortSignal) | undefined;
}

export class CallerQueue<Item extends Refusable> {
  readonly #queue: FairQueue<WaitingItem<Item>>;

  constructor(limits: ConstructorParameters<typeof FairQueue>[0]) {
    this.#queue = new FairQueue(limits);
  }

  get length(): number {
    return this.#queue.length;
  }

  push({ caller, watchCaller }: WatchedCaller, item: Item): void {
    const waiting: WaitingItem<Item> = { item, unwatch: () => {} };
    const dropped = this.#queue.push(caller, waiting);
    dropped?.unwatch();
    dropped?.item.refuse();
    if (dropped === waiting) return;
    waiting.unwatch = onceAborted(watchCaller?.(), () => {
      if (this.#queue.remove(caller, waiting)) item.refuse();
    });
  }

  /** The next one, whose caller is no longer watched; undefined if nothing waits. */
  shift(): Item | undefined {
    const waiting = this.#queue.shift();
    waiting?.unwatch();
    return waiting?.item;
  }
}
