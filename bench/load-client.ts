// A load generator on raw sockets, light enough that the server is what is measured.

import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly port: number;
  /** Requested in turn, over all connections together. */
  readonly path: string | readonly string[];
  /** The pause between a response and the next request; none by default. */
  readonly pauseMs?: number;
  readonly connections: number;
  readonly durationMs: number;
  /** Also ends after this many requests. */
  readonly requestsMax?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON to post, or several in turn; GET if omitted. */
  readonly body?: string | readonly string[];
  /** The expected status of every response; 200 by default. */
  readonly status?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly elapsedMs: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const READ_BYTES = 256 * 1024;

/** How many bytes follow the head of an answer. */
function readBodyLength(head: string, status: number): number {
  if (!head.startsWith(`HTTP/1.1 ${status}`)) {
    throw new Error(`answer is ${head.split('\r\n', 1)[0]}`);
  }
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('answer has no content-length');
  return Number(length);
}

/**
 * Takes the bytes of one answer after the other, and says when one is complete. Bodies are counted
 * and not kept: a client that copies them is slower than the server it measures.
 */
export function createAnswerCounter(status: number): (bytes: Buffer) => boolean {
  let head: Buffer | null = null;
  let bodyLeft: number | null = null;
  function takeHead(bytes: Buffer): number | null {
    // The bytes are in a buffer that the next read overwrites.
    const known: Buffer = head === null ? bytes : Buffer.concat([head, bytes]);
    const headEnd = known.indexOf(HEAD_END);
    head = headEnd < 0 ? Buffer.from(known) : null;
    if (headEnd < 0) return null;
    const length = readBodyLength(known.toString('latin1', 0, headEnd), status);
    return length - (known.length - headEnd - HEAD_END.length);
  }
  return (bytes) => {
    bodyLeft = bodyLeft === null ? takeHead(bytes) : bodyLeft - bytes.length;
    if (bodyLeft === null || bodyLeft > 0) return false;
    if (bodyLeft < 0) throw new Error('more bytes than the answer has');
    bodyLeft = null;
    return true;
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function buildBodyHeaders(body: string): string[] {
  return ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
}

/** Sequential requests on each connection, for a bounded time, on loopback. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const extra = Object.entries(options.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const paths = typeof options.path === 'string' ? [options.path] : options.path;
  const bodies = Array.isArray(options.body) ? options.body : [options.body];
  const targets = paths.flatMap((path) =>
    bodies.map((body: string | undefined) => ({ path, body })),
  );
  const requests = targets.map(({ path, body }) => {
    const about = body === undefined ? [] : buildBodyHeaders(body);
    const method = body === undefined ? 'GET' : 'POST';
    const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...extra, ...about];
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
  });
  let sent = 0;
  // One for all connections: what is read is taken at once, and the CPU's cache keeps the buffer.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  const untilMs = startedMs + options.durationMs;
  function runConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const isComplete = createAnswerCounter(options.status ?? 200);
      const socket: Socket = connect({
        port: options.port,
        host: '127.0.0.1',
        onread: { buffer, callback: take },
      });
      let sentMs = 0;
      function send() {
        sentMs = performance.now();
        socket.write(requests[sent % requests.length] ?? '');
        sent += 1;
      }
      function take(length: number): boolean {
        try {
          if (isComplete(buffer.subarray(0, length))) next();
        } catch (error) {
          socket.destroy();
          reject(error);
        }
        return true;
      }
      function next() {
        const nowMs = performance.now();
        latenciesMs.push(nowMs - sentMs);
        if (nowMs >= untilMs || sent >= (options.requestsMax ?? Number.POSITIVE_INFINITY)) {
          socket.end();
          return;
        }
        if (options.pauseMs === undefined) send();
        else setTimeout(send, options.pauseMs);
      }
      socket.setNoDelay(true);
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', () => resolve());
    });
  }
  await Promise.all(Array.from({ length: options.connections }, runConnection));
  const elapsedMs = performance.now() - startedMs;
  const sorted = latenciesMs.sort((a, b) => a - b);
  return {
    requests: sorted.length,
    elapsedMs,
    requestsPerSecond: (sorted.length * 1000) / elapsedMs,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}
