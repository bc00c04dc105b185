// An API whose answers and stream events a test decides, one by one.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

interface ScriptedRequest {
  readonly query: URLSearchParams;
  readonly lastEventId: string | null;
  answer(body: unknown): void;
  /** Answers with a body that is cut off. */
  breakOff(): void;
  refuse(status: number, code: string, retryAfterSeconds?: number): void;
}

interface ScriptedStream extends ScriptedRequest {
  send(name: string, data: unknown, id?: string): void;
  /** Cuts the connection. */
  cut(): void;
}

interface ScriptedApi {
  readonly origin: string;
  /** The next request to a path below `/v1`; rejects if none comes. */
  next(path: string): Promise<ScriptedStream>;
  /** How many requests to a path wait to be taken. */
  count(path: string): number;
}

/** Long for any machine: a request that has not come by then does not come. */
const REQUEST_WAIT_MS = 30_000;

function toScripted(request: IncomingMessage, response: ServerResponse): ScriptedStream {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const sendJson = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  return {
    query: searchParams,
    lastEventId: request.headers['last-event-id']?.toString() ?? null,
    answer: (body) => sendJson(200, body),
    breakOff: () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"', () => response.destroy());
    },
    refuse: (status, code, retryAfterSeconds) => {
      const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` };
      sendJson(status, { status, code, title: code, detail: code }, wait);
    },
    send: (name, data, id) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      const line = id === undefined ? '' : `id: ${id}\n`;
      response.write(`event: ${name}\n${line}data: ${JSON.stringify(data)}\n\n`);
    },
    cut: () => response.destroy(),
  };
}

export async function startScriptedApi(t: TestContext): Promise<ScriptedApi> {
  const arrived = new Map<string, ScriptedStream[]>();
  const wanted = new Map<string, ((request: ScriptedStream) => void)[]>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v1|\?.*$/g, '');
    const scripted = toScripted(request, response);
    const taker = wanted.get(path)?.shift();
    if (taker !== undefined) taker(scripted);
    else arrived.set(path, [...(arrived.get(path) ?? []), scripted]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: (path) => {
      const waiting = arrived.get(path)?.shift();
      if (waiting !== undefined) return Promise.resolve(waiting);
      return new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`nothing asked for ${path}`));
        const timer = setTimeout(fail, REQUEST_WAIT_MS);
        const take = (request: ScriptedStream) => {
          clearTimeout(timer);
          resolve(request);
        };
        wanted.set(path, [...(wanted.get(path) ?? []), take]);
      });
    },
    count: (path) => arrived.get(path)?.length ?? 0,
  };
}
