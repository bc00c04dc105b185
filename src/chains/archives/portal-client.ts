// SQD Portal's HTTP interface: one POST answers with blocks, one a line, for as long as it has any.
// It may end after any line, and nothing says whether that was all: the caller asks again from the
// next block on. (subsquid/sqd-portal spec/14-interface-binding.md, as facts.)

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parseRetryAfterMs } from '../rpc/http-post.ts';
import { ArchiveError } from './archive-error.ts';

interface PortalClientOptions {
  /** Of a dataset, such as https://portal.sqd.dev/datasets/base-mainnet. A key is its user name. */
  readonly url: string;
  /** How long the archive may send nothing. */
  readonly silenceMs: number;
}

/** Unpacked and not yet asked for: so much is read while blocks are proved. */
const AHEAD_BYTES = 8 * 1024 * 1024;
/** A block of a busy chain with all its logs has some megabytes. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;
const ERROR_BYTES_MAX = 4096;
const LINE_FEED = 10;

const BUSY: ReadonlySet<number> = new Set([429, 529, 503]);
const DENIED: ReadonlySet<number> = new Set([401, 403, 404]);

export class PortalClient {
  /** The host: safe to show. */
  readonly name: string;
  readonly #url: URL;
  readonly #key: string;
  readonly #agent: HttpAgent;
  readonly #silenceMs: number;

  constructor({ url, silenceMs }: PortalClientOptions) {
    const parsed = new URL(url);
    this.#key = decodeURIComponent(parsed.password || parsed.username);
    parsed.username = '';
    parsed.password = '';
    parsed.pathname = parsed.pathname.replace(/\/$/, '');
    this.#url = parsed;
    this.name = parsed.hostname;
    this.#silenceMs = silenceMs;
    this.#agent =
      parsed.protocol === 'https:'
        ? new HttpsAgent({ keepAlive: true })
        : new HttpAgent({ keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Each line as JSON has it. Throws an `ArchiveError`; what came before it is whole. */
  async *readFinal(query: object, signal: AbortSignal): AsyncGenerator<unknown, void> {
    const response = await this.#post('finalized-stream', JSON.stringify(query), signal);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw await this.#readError(response);
    try {
      yield* readLines(unpack(response), this.name);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ArchiveError) throw error;
      const reason = error instanceof SyntaxError ? 'sent a line that is no JSON' : 'was cut off';
      throw new ArchiveError('failed', `${this.name} ${reason}`);
    } finally {
      response.destroy();
    }
  }

  #post(path: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = new URL(`${this.#url.pathname}/${path}${this.#url.search}`, this.#url);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, {
      method: 'POST',
      agent: this.#agent,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'gzip',
        ...(this.#key === '' ? {} : { 'x-api-key': this.#key }),
      },
    });
    request.setTimeout(this.#silenceMs, () => request.destroy(new Error('silent')));
    request.once('error', (error) => {
      if (signal.aborted) reject(signal.reason);
      else reject(new ArchiveError('failed', `${this.name} ${describeFault(error)}`));
    });
    request.once('response', resolve);
    request.end(body);
    return promise;
  }

  async #readError(response: IncomingMessage): Promise<ArchiveError> {
    const { statusCode: status = 0 } = response;
    const { name } = this;
    const retryAfterMs = parseRetryAfterMs(response.headers['retry-after']);
    const text = await readStart(response);
    response.destroy();
    if (status === 204) return new ArchiveError('dry', `${name} has no such block yet`);
    if (status === 409) return new ArchiveError('failed', `${name} is on another fork`);
    if (BUSY.has(status)) {
      return new ArchiveError('failed', `${name} is busy (${status})`, { retryAfterMs });
    }
    if (DENIED.has(status)) return new ArchiveError('refused', `${name} denies access (${status})`);
    if (status !== 400) return new ArchiveError('failed', `${name} failed (${status})`);
    const column = /column '(\w{1,60})' is not found/.exec(text)?.[1];
    if (column !== undefined) {
      return new ArchiveError('refused', `${name} has no column ${column}`, { column });
    }
    // The only other requests of ours that it calls wrong begin before its first block.
    return new ArchiveError('dry', `${name} refuses the range`);
  }
}

function describeFault(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return error.message === 'silent' ? 'sent nothing' : `could not be reached (${code ?? 'cut'})`;
}

function unpack(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  // Of streams in general, which the types of zlib leave out.
  const options = { chunkSize: 256 * 1024, readableHighWaterMark: AHEAD_BYTES };
  const unpacked = createGunzip(options);
  // A connection that is cut errors on the response, not on what it is piped into.
  response.once('error', (error) => unpacked.destroy(error));
  response.once('aborted', () => unpacked.destroy(new Error('cut')));
  return response.pipe(unpacked);
}

async function readStart(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of unpack(response)) {
      text += chunk;
      if (text.length > ERROR_BYTES_MAX) break;
    }
  } catch {
    // The status says enough.
  }
  return text;
}

async function* readLines(stream: Readable, name: string): AsyncGenerator<unknown, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      parts.push(chunk.subarray(start, end));
      const line = Buffer.concat(parts);
      parts = [];
      bytes = 0;
      start = end + 1;
      if (line.length > 0) yield JSON.parse(line.toString());
    }
    const rest = chunk.subarray(start);
    bytes += rest.length;
    if (bytes > LINE_BYTES_MAX) throw new ArchiveError('failed', `${name} sent an endless line`);
    if (rest.length > 0) parts.push(rest);
  }
  // A stream ends with a whole line: without its end the last one was cut.
  const last = Buffer.concat(parts);
  if (last.length > 0) yield JSON.parse(last.toString());
}
