// One attempt: a POST to the target, and what it answered.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { findTargetFault, TargetRefusedError, toHost } from './target.ts';

interface Attempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface AttemptOutcome {
  readonly isDelivered: boolean;
  readonly httpStatus: number | null;
  /** The beginning of the answer, cleaned; null if there is none. */
  readonly answer: string | null;
  readonly error: string | null;
  /** As the receiver asks by `Retry-After`. */
  readonly retryAfterMs: number | null;
}

export type SendDelivery = (attempt: Attempt) => Promise<AttemptOutcome>;

interface SenderOptions {
  readonly allowsPrivate: boolean;
  readonly lookup: LookupFunction;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
}

/** What is read of an answer, and what of that is kept. */
const READ_BYTES_MAX = 16 * 1024;
const KEPT_LENGTH_MAX = 1000;

/** Without control, direction and other invisible characters, which change how a text is shown. */
function cleanAnswer(bytes: Buffer): string | null {
  const text = bytes.toString('utf8').replace(/[^\P{C}\n]|[\u2028\u2029]/gu, ' ');
  const kept = text.trim().slice(0, KEPT_LENGTH_MAX).toWellFormed();
  return kept === '' ? null : kept;
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

async function readStart(reply: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= READ_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, READ_BYTES_MAX);
}

function describeError(error: unknown): string {
  if (error instanceof TargetRefusedError) return error.message;
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'no answer in time';
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was reset',
    ENOTFOUND: 'the host name does not exist',
    EAI_AGAIN: 'the host name could not be looked up',
  };
  // A message of Node or OpenSSL, which names at most the host.
  return known[code ?? ''] ?? `${code ?? message}`.slice(0, 200);
}

function fail(error: string): AttemptOutcome {
  return { isDelivered: false, httpStatus: null, answer: null, error, retryAfterMs: null };
}

/** Follows no redirect, and pools no connection: a pool does not know which address was checked. */
export function createSendDelivery(options: SenderOptions): SendDelivery {
  const { allowsPrivate, lookup, timeoutMs, nowMs } = options;
  const open = (attempt: Attempt, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(attempt.url);
      const request = url.protocol === 'http:' ? requestHttp : requestHttps;
      const sent = request(
        url,
        { method: 'POST', headers: attempt.headers, signal, lookup, agent: false },
        resolve,
      );
      // It may fail again after the answer has begun.
      sent.on('error', reject);
      sent.end(attempt.body);
    });
  return async (attempt) => {
    // An address is never looked up, so it is checked here.
    const fault = findTargetFault(attempt.url, allowsPrivate);
    if (fault !== null) return fail(`the URL ${fault}`);
    const signal = AbortSignal.any([attempt.signal, AbortSignal.timeout(timeoutMs)]);
    let reply: IncomingMessage | null = null;
    try {
      reply = await open(attempt, signal);
      const httpStatus = reply.statusCode ?? 0;
      const isDelivered = httpStatus >= 200 && httpStatus < 300;
      const retryAfterMs = parseRetryAfter(reply.headers['retry-after'], nowMs());
      const answer = cleanAnswer(await readStart(reply));
      const error = isDelivered ? null : `the receiver answered ${httpStatus}`;
      return { isDelivered, httpStatus, answer, error, retryAfterMs };
    } catch (error) {
      return fail(describeError(error));
    } finally {
      reply?.destroy();
    }
  };
}

/** The name of the target's host, which limits how many attempts it has at once. */
export function findHost(url: string): string {
  const host = toHost(new URL(url));
  return isIP(host) === 0 ? host.replace(/\.$/, '') : host;
}
