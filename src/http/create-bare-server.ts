// Node's HTTP server with our limits: made, drained, closed; and the one that serves metrics.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { METRICS_CONTENT_TYPE } from '../telemetry/metrics.ts';

// `/metrics` for Prometheus, on a separate port.

export function createMetricsServer(render: () => Promise<string>): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('only GET /metrics\n');
      return;
    }
    render().then(
      (text) => {
        response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE }).end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
}

// Closes a server without waiting for connections that nobody uses.
//
// `server.close` closes those that are idle at that moment, once. A browser's tab has others: the
// connection of a stream, which becomes idle when the stream has ended, and spare ones, on which
// nothing was ever sent: Node counts these as active until the time for a request's head is over.

const LOOK_MS = 50;

/** To be made before the server listens. The result resolves when no connection is left. */
export function createDrain(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeUnused = () => {
    server.closeIdleConnections();
    // No bytes have arrived on an unused connection; if some have, a request's head is on its way.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  return () =>
    new Promise((resolve) => {
      const timer = setInterval(closeUnused, LOOK_MS);
      const finish = () => {
        clearInterval(timer);
        resolve();
      };
      if (server.listening) server.close(finish);
      else finish();
    });
}

// Responses that close the connection. Requests pipelined behind one are not processed: their
// responses could not be sent, and a newly issued key, for example, would be lost.

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

export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a body may take before it needs the minimum rate. */
  readonly bodyMs: number;
  readonly keepAliveMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  bodyMs: 5000,
  // Longer than the idle timeout of common proxies, so that they close first.
  keepAliveMs: 65_000,
};

export const HEADER_BYTES_MAX = 16 * 1024;

export function createBareServer(timeouts = DEFAULT_TIMEOUTS): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    noDelay: true,
    // Requests without a body then have no stream that must end.
    optimizeEmptyRequests: true,
    // We check it ourselves and respond with a problem.
    requireHostHeader: false,
  });
  // Node drops requests of half-closed connections by default, but such a client still reads.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
