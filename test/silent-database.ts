// A database that accepts connections and never answers: a start waits for it.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Cleanup } from './start-service-process.ts';

export async function startSilentDatabase(t: Cleanup) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://nobody@127.0.0.1:${port}/none`, sockets };
}
