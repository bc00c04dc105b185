// Answers after which the connection closes. A pipelined request behind one is not worked on: its
// answer could not be sent, and a key that it issued, for one, would be lost.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const closing = new WeakSet<Socket>();

/** Closes the connection after this answer. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  closing.add(response.req.socket);
}

export function isAfterLast(response: ServerResponse): boolean {
  // Only a response that waits for one before it has no socket yet.
  return response.socket === null && closing.has(response.req.socket);
}
