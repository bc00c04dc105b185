// Sends one request unchanged, odd parts included, and reads its whole response.

import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface FuzzRequest {
  readonly method: string;
  /** The request target as it goes over the wire. */
  readonly target: string;
  /** In order; a name may come several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A response, or why there was none. */
export type Outcome = FuzzAnswer | { readonly failure: string };

const TIMEOUT_MS = 40_000;
/** An event stream is closed after its first events, or after this time. */
const STREAM_MS = 150;

/** What Node's client accepts; the rest is for tests that write to a socket. */
function cleanHeaderValue(text: string): string {
  return Buffer.from(text.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim();
}

/**
 * Non-ASCII bytes stay as they are, but not in a HEAD: the server's parser rejects them before it
 * knows the method, so its response has a body, which no client expects after a HEAD.
 */
function encodeTarget({ method, target }: FuzzRequest): string {
  const odd = method === 'HEAD' ? /[^\x21-\x7e]/g : /[^\x21-\xff]/g;
  return target.replace(odd, (char) => encodeURIComponent(char.toWellFormed()));
}

/** With headers as a list Node adds none itself. */
function buildFlatHeaders(one: FuzzRequest, host: string): string[] {
  const names = new Set(one.headers.map(([name]) => name.toLowerCase()));
  const hasLength = names.has('content-length') || names.has('transfer-encoding');
  const added: [string, string][] = [['Host', host]];
  if (one.body !== null && !hasLength) added.push(['Content-Length', String(one.body.length)]);
  return [...added, ...one.headers].flatMap(([name, value]) => [name, cleanHeaderValue(value)]);
}

/** The body without its compression; throws if it is damaged or of an unknown form. */
function decodeBody(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || body.length === 0) return body;
  if (encoding === 'gzip') return gunzipSync(body);
  if (encoding === 'br') return brotliDecompressSync(body);
  throw new Error(`content-encoding ${encoding} is unknown`);
}

function readAnswer(response: IncomingMessage, done: (outcome: Outcome) => void): void {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  const isStream = status === 200 && headers['content-type']?.startsWith('text/event-stream');
  const finish = () => {
    try {
      const body = decodeBody(Buffer.concat(chunks), headers['content-encoding']);
      done({ status, headers, body });
    } catch (error) {
      done({ failure: `the compressed answer is broken: ${(error as Error).message}` });
    }
  };
  const timer = isStream ? setTimeout(leave, STREAM_MS) : undefined;
  function leave() {
    clearTimeout(timer);
    response.off('data', take);
    finish();
    response.destroy();
  }
  function take(chunk: Buffer) {
    chunks.push(chunk);
    if (isStream && chunk.includes('\ndata: ') && chunk.subarray(-2).toString() === '\n\n') leave();
  }
  response.on('data', take);
  response.on('end', () => {
    clearTimeout(timer);
    finish();
  });
  response.on('error', (error) => done({ failure: `the answer broke off: ${error.message}` }));
}

export interface Sender {
  readonly origin: string;
  readonly agent: Agent;
}

export function sendRequest(sender: Sender, one: FuzzRequest): Promise<Outcome> {
  const { hostname, host, port } = new URL(sender.origin);
  return new Promise((resolve) => {
    const sent = request({
      agent: sender.agent,
      host: hostname,
      port,
      method: one.method,
      path: encodeTarget(one),
      headers: buildFlatHeaders(one, host),
    });
    const timer = setTimeout(() => {
      resolve({ failure: `no answer within ${TIMEOUT_MS / 1000} s` });
      sent.destroy();
    }, TIMEOUT_MS);
    const done = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    sent.on('response', (response) => readAnswer(response, done));
    sent.on('error', (error) => done({ failure: `the connection failed: ${error.message}` }));
    sent.end(one.body ?? undefined);
  });
}
