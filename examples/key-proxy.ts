// A server for a web app: it keeps the API key, and lets pages call what the app needs.
// `MINTWIRE_KEY=mw_live_… PORT=3000 npx node examples/key-proxy.ts`
//
// A key in a page is everybody's key. Here the page calls `/api/token?chain=…&mint=…` of its own
// server, each visitor within a budget, and the key never leaves this process.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
// In your own project: '@mintwire/client'.
import { createClient, MintwireError } from '../sdk/src/client.ts';

const apiKey = process.env['MINTWIRE_KEY'];
if (!apiKey) {
  console.error('usage: MINTWIRE_KEY=mw_live_… PORT=3000 npx node examples/key-proxy.ts');
  process.exit(1);
}
const client = createClient({
  baseUrl: process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1',
  apiKey,
});

/** What pages may ask for, and nothing else. Queries are checked by the service. */
const ROUTES: Readonly<Record<string, (query: never) => Promise<unknown>>> = {
  '/api/search': client.searchTokens,
  '/api/tokens': client.listTokens,
  '/api/token': client.getToken,
  '/api/klines': client.getKlines,
};

const PER_MINUTE = Number(process.env['VISITOR_PER_MINUTE'] ?? 60);
/** How often each visitor has called in this minute. */
const calls = new Map<string, number>();
setInterval(() => calls.clear(), 60_000).unref();

function isWithinBudget(visitor: string): boolean {
  const count = (calls.get(visitor) ?? 0) + 1;
  calls.set(visitor, count);
  return count <= PER_MINUTE;
}

function send(response: ServerResponse, status: number, body: unknown, retryAfterMs?: number) {
  const wait = retryAfterMs ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...wait });
  response.end(JSON.stringify(body));
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const call = ROUTES[pathname];
  if (call === undefined || request.method !== 'GET') return send(response, 404, {});
  if (!isWithinBudget(request.socket.remoteAddress ?? '')) return send(response, 429, {}, 60_000);
  try {
    send(response, 200, await call(Object.fromEntries(searchParams) as never));
  } catch (error) {
    if (!(error instanceof MintwireError)) throw error;
    const { code, title, detail, errors, retryAfterMs } = error;
    // A fault of ours, such as a revoked key, is not the visitor's business.
    const isOurs = error.status === 0 || error.status === 401 || error.status === 403;
    if (isOurs) send(response, 502, { code: 'UNAVAILABLE' });
    else send(response, error.status, { code, title, detail, errors }, retryAfterMs ?? 0);
  }
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/tokens`);
});
process.once('SIGTERM', () => server.close());
