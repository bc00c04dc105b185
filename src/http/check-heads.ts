// Checks at start whether Node sends our response heads like its own.
//
// `answer-head.ts` uses an undocumented property of Node. If a Node version changes it, that must
// cost some speed, never a broken response: every head then goes through `writeHead`.

import { createServer, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import {
  createConnectionFields,
  sendHeaded,
  TEXT_BYTES_MAX,
  toHeaderLines,
} from './answer-head.ts';

const KEEP_ALIVE_MS = 5000;
/** Everything here happens in this process, so anything slower than this is stuck. */
const TIMEOUT_MS = 2000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const DATE = /\r\nDate: [^\r]+\r\n/;

type Send = (response: ServerResponse, body: Buffer) => void;

/** The bytes that a server sends for one request, over an in-memory connection. */
function readAnswer(send: Send, body: Buffer): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const chunks: Buffer[] = [];
  const connection = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  connection.on('error', () => resolve(null));
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_request, response) => {
    response.on('finish', () => {
      const { headersSent, statusCode } = response;
      const sent = Buffer.concat(chunks).toString('latin1').replace(DATE, '\r\nDate:\r\n');
      resolve(`${headersSent} ${statusCode} ${sent}`);
    });
    try {
      send(response, body);
    } catch {
      resolve(null);
    }
  });
  const timeout = setTimeout(() => resolve(null), TIMEOUT_MS);
  server.emit('connection', connection);
  connection.push(REQUEST);
  return promise.finally(() => {
    clearTimeout(timeout);
    connection.destroy();
    server.close();
  });
}

/** Whether responses with our heads are byte-identical to those with Node's. */
export async function checkHeads(sendOurs: typeof sendHeaded = sendHeaded): Promise<boolean> {
  const fields = createConnectionFields({ nowMs: Date.now, keepAliveMs: KEEP_ALIVE_MS });
  const buildHeaders = (body: Buffer) => ['x-check', 'head', 'content-length', String(body.length)];
  const ours: Send = (response, body) => {
    const lines = `${toHeaderLines(buildHeaders(body))}${fields()}`;
    sendOurs(response, { status: 200, lines }, body);
  };
  const nodes: Send = (response, body) => {
    response.writeHead(200, buildHeaders(body));
    response.end(body);
  };
  for (const length of [1, TEXT_BYTES_MAX + 1]) {
    const body = Buffer.alloc(length, 0xe9);
    const expected = await readAnswer(nodes, body);
    if (expected === null || (await readAnswer(ours, body)) !== expected) return false;
  }
  return true;
}
