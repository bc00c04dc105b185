// Waiting for a commit to reach what is kept in memory.

/** It is already past the commit that was to be read, or too late: read again at a later one. */
export class StatsPassedError extends Error {}

/** The commit is not there yet, and the caller must not wait for it. */
export class StatsBehindError extends StatsPassedError {
  /** Settles when it is there, or will not come. */
  readonly arrived: Promise<unknown>;

  constructor(arrived: Promise<unknown>) {
    super('The commit has not arrived yet');
    this.arrived = arrived.catch(() => undefined);
  }
}

const snapshotReaders = new WeakSet<object>();

/** Marks the reader of a snapshot: it holds a connection of the store, so nobody waits with it. */
export function markInSnapshot<T extends object>(reader: T): T {
  snapshotReaders.add(reader);
  return reader;
}

export function isInSnapshot(reader: object): boolean {
  return snapshotReaders.has(reader);
}
