// Waiting for a commit to reach what is kept in memory.

/** It is already past the commit that was to be read, or too late: read again at a later one. */
export class BoardPassedError extends Error {}

/** The commit is not there yet, and the caller must not wait for it. */
export class BoardBehindError extends BoardPassedError {
  /** Settles when it is there, or will not come. */
  readonly arrived: Promise<unknown>;

  constructor(arrived: Promise<unknown>) {
    super('The commit has not arrived yet');
    this.arrived = arrived.catch(() => undefined);
  }
}

const heldReaders = new WeakSet<object>();

/** Marks the reader of a snapshot: it holds a connection of the store, so nobody waits with it. */
export function markHeld<T extends object>(reader: T): T {
  heldReaders.add(reader);
  return reader;
}

export function isHeld(reader: object): boolean {
  return heldReaders.has(reader);
}

/** Commits usually arrive within milliseconds of the store's. */
const WAIT_MAX_MS = 5_000;

interface Waiter<T> {
  readonly version: number;
  readonly read: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers that wait until something in memory is at their commit. */
export class CommitWaiters<T> {
  #waiters: Waiter<T>[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  /** Resolves with what `read` returns when it is called, or rejects if that takes too long. */
  wait<Read>(version: number, read: (value: T) => Read): Promise<Read> {
    const { promise, resolve, reject } = Promise.withResolvers<Read>();
    const late = () => waiter.reject(new BoardPassedError('The commit did not arrive in time'));
    const timer = setTimeout(late, WAIT_MAX_MS);
    const end = () => {
      clearTimeout(timer);
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    };
    const waiter: Waiter<T> = {
      version,
      read: (value) => {
        end();
        try {
          resolve(read(value));
        } catch (error) {
          reject(error);
        }
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
    this.#waiters.push(waiter);
    return promise;
  }

  /** Calls those whose commit this is, and rejects those that came too late. */
  serve(version: number, value: T): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.version === version) waiter.read(value);
      else if (waiter.version < version) waiter.reject(new BoardPassedError('It is past it'));
    }
  }

  rejectAll(error: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }
}
