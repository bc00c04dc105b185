// A Portal on loopback, on a thread of its own, with the limit that the public one documents. Its
// answers are packed beforehand, so that it takes next to no CPU from what is measured.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../src/lib/clock.ts';

/** Blocks one after the other, compressed together: gzip may consist of several such parts. */
export interface PackedBlocks {
  readonly blocksPerPart: number;
  readonly parts: readonly Uint8Array[];
}

/** 20 requests in 10 seconds (beta.docs.sqd.dev). */
const REQUESTS_MAX = 20;
const WINDOW_MS = 10_000;
/** An answer may have 92 MB (../shared/ARCHIVES.md A); this is less. */
const PARTS_MAX = 40;

const { blocksPerPart, parts } = workerData as PackedBlocks;
const served: number[] = [];
let requests = 0;
const server = createServer(async (request, response) => {
  requests += 1;
  let body = '';
  for await (const chunk of request) body += chunk;
  const nowMs = systemClock.monotonicMs();
  while ((served[0] ?? nowMs) <= nowMs - WINDOW_MS) served.shift();
  if (served.length >= REQUESTS_MAX) {
    response.writeHead(429, { 'retry-after': '1' }).end();
    return;
  }
  served.push(nowMs);
  const { fromBlock } = JSON.parse(body) as { fromBlock: number };
  const first = Math.floor(fromBlock / blocksPerPart);
  if (first * blocksPerPart !== fromBlock || first >= parts.length) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, { 'content-encoding': 'gzip' });
  for (const part of parts.slice(first, first + PARTS_MAX)) response.write(part);
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
parentPort?.on('message', () => {
  parentPort?.postMessage(requests);
  server.closeAllConnections();
  server.close();
  parentPort?.close();
});
