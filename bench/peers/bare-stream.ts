// The peer of the stream benchmarks: a bare loop that writes the same bytes to every socket.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buildTimedHash } from '../stream-market.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';

export interface BareCommand {
  readonly blocksPerSecond: number;
  /** The bytes per block. */
  readonly bytes: number;
}

const sockets = new Set<Socket>();
const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', () => {
    socket.write(HEAD);
    sockets.add(socket);
  });
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => undefined);
});

let timer: NodeJS.Timeout | null = null;
process.on('message', ({ blocksPerSecond, bytes }: BareCommand) => {
  if (timer) clearInterval(timer);
  timer = null;
  if (blocksPerSecond === 0) return;
  timer = setInterval(() => {
    const chunk = Buffer.alloc(bytes, ' ');
    chunk.write(`"txHash":"${buildTimedHash(0)}"`);
    for (const socket of sockets) socket.write(chunk);
  }, 1000 / blocksPerSecond);
});
process.on('disconnect', () => process.exit(0));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
