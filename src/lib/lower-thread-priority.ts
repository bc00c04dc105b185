// Lets other threads of the process go first where there are more of them than cores.

import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** A third of the share of a thread at 0, where both want the same core. */
const NICENESS = 5;

/**
 * For a thread that works on its own: the one that answers requests then gets the larger share of a
 * core; see `pauseThread` for how soon. On Linux a priority belongs to a thread; elsewhere, and
 * where it is not allowed, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    // The link is read by this very thread, so it names it: `<process>/task/<thread>`.
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    if (getPriority(thread) < NICENESS) setPriority(thread, NICENESS);
  } catch {
    // It is slower for clients, and right.
  }
}
