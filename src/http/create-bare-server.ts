// Node's HTTP server with our limits; nothing answers on it yet.

import { createServer, type Server } from 'node:http';

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
