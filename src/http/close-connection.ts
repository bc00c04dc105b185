// Responses that close the connection. Requests pipelined behind one are not processed: their
// responses could not be sent, and a newly issued key, for example, would be lost.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Late requests stay in memory and cost no budget, so more than this many close the connection. */
const LATE_MAX = 100;

/** How many requests arrived behind the last response of a connection. */
const lateCounts = new WeakMap<Socket, number>();

/** Closes the connection after this response. */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const { socket } = response.req;
  lateCounts.set(socket, lateCounts.get(socket) ?? 0);
}

/** Whether to ignore a request; a client that sends too many of them is disconnected. */
export function isAfterLast(response: ServerResponse): boolean {
  // Only a response that waits for an earlier one has no socket yet.
  if (response.socket !== null) return false;
  const { socket } = response.req;
  const count = lateCounts.get(socket);
  if (count === undefined) return false;
  lateCounts.set(socket, count + 1);
  if (count >= LATE_MAX) socket.destroy();
  return true;
}
