// Answers after which the connection closes. A pipelined request behind one is not worked on: its
// answer could not be sent, and a key that it issued, for one, would be lost.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that came too late stay in memory, and cost no budget: more than so many cut it. */
const LATE_MAX = 100;

/** How many requests came behind the last answer of a connection. */
const lateCounts = new WeakMap<Socket, number>();

/** Closes the connection after this answer. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const { socket } = response.req;
  lateCounts.set(socket, lateCounts.get(socket) ?? 0);
}

/** Whether a request is to be ignored; a client that sends very many of them is cut off. */
export function isAfterLast(response: ServerResponse): boolean {
  const { socket } = response.req;
  const count = lateCounts.get(socket);
  // Only a response that waits for one before it has no socket yet.
  if (response.socket !== null || count === undefined) return false;
  lateCounts.set(socket, count + 1);
  if (count >= LATE_MAX) socket.destroy();
  return true;
}
