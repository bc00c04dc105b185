// Names of requests: unique without asking for randomness each time, in the form of a UUID.

import { randomUUID } from 'node:crypto';

/** A random start, different for each process, and a count. */
export function createRequestIds(): () => string {
  const start = randomUUID().slice(0, 24);
  let count = 0;
  return () => {
    count += 1;
    return start + count.toString(16).padStart(12, '0');
  };
}
