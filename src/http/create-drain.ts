// Closes a server without waiting for connections that nobody uses.
//
// `server.close` closes those that are idle at that moment, once. A browser's tab has others: the
// connection of a stream, which becomes idle when the stream has ended, and spare ones, on which
// nothing was ever sent: Node counts these as active until the time for a request's head is over.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
