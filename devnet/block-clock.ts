// Mines one block per interval, one at a time: on a slow machine blocks come later, but never queue
// up.
//
// The node's own interval mining takes a list of transactions every second and queues the lists. If
// a block takes longer than a second the queue grows without limit: blocks are then made from old
// lists whose transactions are already mined, and a new transaction waits behind all of them.

import type { JsonRpc } from './json-rpc.ts';

export interface BlockClock {
  readonly intervalMs: number;
  /** 0 stops. No block is being mined when it resolves. */
  setInterval(intervalMs: number): Promise<void>;
  /** Runs the work while the clock mines no block. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves with the clock's next block, or on abort. */
  untilBlock(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export interface BlockClockOptions {
  readonly rpc: JsonRpc;
  readonly intervalMs: number;
  /** Called before each block, while nothing else changes the chain. */
  readonly beforeBlock: () => Promise<void>;
  /** Called after each block, in the same way. */
  readonly afterBlock?: () => Promise<void>;
}

/** Even if every block takes longer than the interval, the node has time for other requests. */
const REST_SHARE_MIN = 0.2;

export function startBlockClock(options: BlockClockOptions): BlockClock {
  const { rpc, beforeBlock, afterBlock } = options;
  let { intervalMs } = options;
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const waiting = new Set<() => void>();

  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function mine(): Promise<void> {
    const startedAt = Date.now();
    // A failing block means that the node has ended, which is noticed elsewhere.
    await exclusively(async () => {
      if (stopped || intervalMs === 0) return;
      await beforeBlock();
      await rpc.call('evm_mine');
      await afterBlock?.();
    }).catch(() => undefined);
    for (const end of waiting) end();
    schedule(Math.max(intervalMs * REST_SHARE_MIN, startedAt + intervalMs - Date.now()));
  }

  function schedule(waitMs: number): void {
    clearTimeout(timer);
    if (!stopped && intervalMs > 0) timer = setTimeout(mine, waitMs);
  }

  schedule(intervalMs);
  return {
    get intervalMs() {
      return intervalMs;
    },
    async setInterval(next) {
      intervalMs = next;
      schedule(next);
      await exclusively(async () => undefined);
    },
    exclusively,
    untilBlock(signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = () => {
          signal.removeEventListener('abort', end);
          waiting.delete(end);
          resolve();
        };
        waiting.add(end);
        signal.addEventListener('abort', end);
      });
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await exclusively(async () => undefined);
    },
  };
}
