// Lets only few requests with long searches work at once; the others wait before they begin.
//
// A request that waits with its work half done is moved to V8's old heap, and with it all that its
// promises get later: a route with a hundred legs, its price and its answer. Copying those took 5
// of the 8 ms that a read had to wait for. A request that has not begun holds next to nothing.

import { nextTurn } from '../../lib/next-turn.ts';
import { CallerQueue, type WatchedCaller } from './caller-queue.ts';
import { buildOverloadedError } from './overloaded-error.ts';

interface WaitingSearch {
  begin(): void;
  refuse(): void;
}

interface LongSearchSlotsOptions {
  /** How many may work at once. */
  readonly countMax: number;
  readonly queue: { readonly lengthMax: number; readonly perCallerMax: number };
}

export class LongSearchSlots {
  readonly #countMax: number;
  readonly #queue: CallerQueue<WaitingSearch>;
  #count = 0;

  constructor({ countMax, queue }: LongSearchSlotsOptions) {
    this.#countMax = countMax;
    this.#queue = new CallerQueue(queue);
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * `work` may leave its place before it ends. Rejects with `OVERLOADED` if the queue is full or
   * the caller disconnects before its turn.
   */
  async run<T>(caller: WatchedCaller, work: (leave: () => void) => Promise<T>): Promise<T> {
    const isFull = this.#count >= this.#countMax;
    if (isFull) await this.#wait(caller);
    else this.#count += 1;
    let isInside = true;
    const leave = () => {
      if (isInside) this.#passOn();
      isInside = false;
    };
    try {
      // The one before is being answered: reads come between that and this.
      if (isFull) await nextTurn();
      return await work(leave);
    } finally {
      leave();
    }
  }

  /** The next one takes the place, so that nobody else can come in between. */
  #passOn(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#count -= 1;
    else next.begin();
  }

  #wait(caller: WatchedCaller): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => {
        reject(buildOverloadedError());
      };
      this.#queue.push(caller, { begin: resolve, refuse });
    });
  }
}
