// Holds calls that change the node while it is being replaced; calls that only read pass.

import { setTimeout as sleep } from 'node:timers/promises';
import { DevnetRpcError } from './json-rpc.ts';
import { changesNode } from './rpc-methods.ts';

/** More than this many calls do not wait; they fail. */
const WAITING_MAX = 1_000;
/** As nodes answer when they are asked for too much. */
const LIMIT_EXCEEDED = -32_005;

export class ChangeGate {
  #opened: Promise<void> | null = null;
  #open: () => void = () => undefined;
  #waiting = 0;
  #running = 0;
  #onRest: () => void = () => undefined;

  /** Runs the work; if any of the methods changes the node, only while the gate is open. */
  async pass<T>(methods: readonly string[], work: () => Promise<T>): Promise<T> {
    if (!methods.some(changesNode)) return work();
    while (this.#opened !== null) await this.#wait(this.#opened, methods[0] ?? '');
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onRest();
    }
  }

  /** Closes the gate. False if calls are still running after this time: then it is open again. */
  async close(waitMaxMs: number): Promise<boolean> {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    if (this.#running === 0) return true;
    const atRest = new Promise<true>((resolve) => {
      this.#onRest = () => resolve(true);
    });
    const waited = new AbortController();
    const late = sleep(waitMaxMs, false, { signal: waited.signal }).catch(() => false);
    const isClosed = await Promise.race([atRest, late]);
    waited.abort();
    if (!isClosed) this.open();
    return isClosed;
  }

  open(): void {
    this.#opened = null;
    this.#open();
  }

  async #wait(opened: Promise<void>, method: string): Promise<void> {
    if (this.#waiting >= WAITING_MAX) {
      const message = 'the devnet is replacing its node and too many calls are waiting';
      throw new DevnetRpcError(method, { code: LIMIT_EXCEEDED, message });
    }
    this.#waiting += 1;
    try {
      await opened;
    } finally {
      this.#waiting -= 1;
    }
  }
}
