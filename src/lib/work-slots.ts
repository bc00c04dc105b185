// So much work at once: what finds no place waits for one in a fair queue, before it begins.

import { FairQueue, type FairQueueLimits, type WatchedCaller } from './fair-queue.ts';

interface WaitingWork {
  begin(): void;
  refuse(): void;
}

interface WorkSlotsOptions {
  readonly countMax: number;
  /** Without it nothing is refused: for work that something else limits. */
  readonly queue?: FairQueueLimits;
  /** Of work that finds no room in the queue, or whose caller is gone. */
  readonly buildError?: () => Error;
  /** Between the end of one and the begin of the next that waited; none if absent. */
  readonly pause?: () => Promise<void>;
}

const UNLIMITED = { lengthMax: Number.POSITIVE_INFINITY, perCallerMax: Number.POSITIVE_INFINITY };
const ANYONE: WatchedCaller = { caller: '' };

export class WorkSlots {
  readonly #options: WorkSlotsOptions;
  readonly #queue: FairQueue<WaitingWork>;
  #count = 0;

  constructor(options: WorkSlotsOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.queue ?? UNLIMITED);
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** `work` may leave its place before it ends. Rejects if it is refused. */
  async run<T>(work: (leave: () => void) => Promise<T>, caller?: WatchedCaller): Promise<T> {
    const leave = await this.enter(caller);
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }

  /** Resolves when work may begin, with what gives its place to the next; that counts once. */
  async enter(caller = ANYONE): Promise<() => void> {
    if (this.#count < this.#options.countMax) this.#count += 1;
    else {
      await this.#wait(caller);
      await this.#options.pause?.();
    }
    let isInside = true;
    return () => {
      if (isInside) this.#passOn();
      isInside = false;
    };
  }

  /** The next one takes the place, so that nobody else can come in between. */
  #passOn(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#count -= 1;
    else next.begin();
  }

  #wait(caller: WatchedCaller): Promise<void> {
    const { buildError = () => new Error('too much work waits') } = this.#options;
    return new Promise((resolve, reject) => {
      this.#queue.push(caller, { begin: resolve, refuse: () => reject(buildError()) });
    });
  }
}
