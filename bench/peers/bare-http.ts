// The peer of the serving benchmarks: bare node:http that sends the same bytes for any request.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

process.once('message', ({ body, headers }: { body: string; headers: Record<string, string> }) => {
  const bytes = Buffer.from(body, 'utf8');
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(bytes);
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
});
process.on('disconnect', () => process.exit(0));
