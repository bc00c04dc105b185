// A receiver that takes everything, in its own process.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let events = 0;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    events += JSON.parse(Buffer.concat(chunks).toString()).data.events.length;
    response.writeHead(204).end();
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
/** What came since the last call. */
process.on('message', () => {
  process.send?.({ events });
  events = 0;
});
process.on('disconnect', () => process.exit(0));
