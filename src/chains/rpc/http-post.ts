// One POST over a kept-alive connection, with a deadline for the whole of it and a bound on what
// comes back.

import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createGunzip } from 'node:zlib';
import { RpcError } from './rpc-error.ts';

interface HttpPost {
  readonly url: URL;
  readonly agent: Agent;
  /** The endpoint's redacted name, for errors. */
  readonly name: string;
  readonly body: string;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly body: Buffer;
  /** The length of the body as it came, compressed or not. */
  readonly wireBytes: number;
  /** The length of the body once unpacked. */
  readonly bytes: number;
}

/** `Retry-After` in seconds or as a date; nonsense and waits beyond an hour are ignored. */
export function parseRetryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms >= 0 && ms <= 3_600_000 ? ms : null;
}

async function readBody(
  response: IncomingMessage,
  post: HttpPost,
): Promise<Pick<HttpReply, 'body' | 'wireBytes' | 'bytes'>> {
  const gzipped = response.headers['content-encoding'] === 'gzip';
  let wireBytes = 0;
  if (gzipped) {
    response.on('data', (chunk: Buffer) => {
      wireBytes += chunk.length;
    });
  }
  const stream = gzipped ? response.pipe(createGunzip()) : response;
  // A connection that is cut mid-body errors on the response, not on what it is piped into.
  if (gzipped) response.once('error', (error) => stream.destroy(error));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > post.bytesMax) {
      response.destroy();
      throw new RpcError('replyTooLarge', `${post.name}: reply exceeds ${post.bytesMax} bytes`, {
        endpoint: post.name,
      });
    }
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error('connection cut');
  const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  return { body, wireBytes: gzipped ? wireBytes : bytes, bytes };
}

interface Attempt {
  readonly reply: Promise<HttpReply>;
  /** Whether the connection had been used before, and so may have been closed under us. */
  isReused(): boolean;
}

function send(post: HttpPost, signal: AbortSignal): Attempt {
  const request = (post.url.protocol === 'https:' ? requestHttps : requestHttp)(post.url, {
    method: 'POST',
    agent: post.agent,
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'content-length': Buffer.byteLength(post.body),
    },
  });
  const reply = new Promise<HttpReply>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      readBody(response, post).then((read) => {
        const retryAfterMs = parseRetryAfterMs(response.headers['retry-after']);
        resolve({ status: response.statusCode ?? 0, retryAfterMs, ...read });
      }, reject);
    });
    request.end(post.body);
  });
  return { reply, isReused: () => request.reusedSocket };
}

/** The server may close an idle connection just as it is reused; that does not count as failure. */
async function sendTwice(post: HttpPost, signal: AbortSignal): Promise<HttpReply> {
  const first = send(post, signal);
  try {
    return await first.reply;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (signal.aborted || code !== 'ECONNRESET' || !first.isReused()) throw error;
    return await send(post, signal).reply;
  }
}

/** Redirects are not followed: they would take a URL with a key in it elsewhere. */
export async function postHttp(post: HttpPost): Promise<HttpReply> {
  const deadline = AbortSignal.timeout(post.timeoutMs);
  const signal = post.signal === undefined ? deadline : AbortSignal.any([deadline, post.signal]);
  try {
    return await sendTwice(post, signal);
  } catch (error) {
    post.signal?.throwIfAborted();
    if (error instanceof RpcError) throw error;
    const reason = deadline.aborted
      ? `no reply within ${post.timeoutMs} ms`
      : `connection failed (${(error as NodeJS.ErrnoException).code ?? 'cut'})`;
    // The cause is left out: its message may hold the address that was connected to.
    throw new RpcError('network', `${post.name}: ${reason}`, {
      endpoint: post.name,
      ambiguous: deadline.aborted,
    });
  }
}
