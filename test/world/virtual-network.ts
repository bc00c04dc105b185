// The network of a virtual time: HTTP requests, timeouts and waits for other threads end up here
// instead of at sockets and timers. It stands in for what is Node's own, so that all of our code
// runs as it is.

import { EventEmitter } from 'node:events';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';
import type { WireReply } from '../fakes/misbehaving-rpc.ts';
import type { VirtualTime } from './virtual-time.ts';

export type Respond = (body: string) => Promise<WireReply>;

function createFault(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** What `http.request` returns, as far as `src/chains/rpc/http-post.ts` uses it. */
class VirtualRequest extends EventEmitter {
  readonly reusedSocket = false;
  readonly #respond: Respond | undefined;
  #response: Readable | null = null;
  #isOver = false;

  constructor(respond: Respond | undefined, signal: AbortSignal | undefined) {
    super();
    this.#respond = respond;
    const onAbort = () => this.#fail(signal?.reason as Error);
    if (signal?.aborted) queueMicrotask(onAbort);
    else signal?.addEventListener('abort', onAbort, { once: true });
    this.once('over', () => signal?.removeEventListener('abort', onAbort));
  }

  end(body: string): void {
    if (this.#respond === undefined) this.#fail(createFault('ECONNREFUSED'));
    else
      this.#respond(body).then(
        (reply) => this.#receive(reply),
        (error: Error) => this.#fail(error),
      );
  }

  destroy(): void {
    this.#fail(createFault('ECONNRESET'));
  }

  #receive(reply: WireReply): void {
    if (this.#isOver || reply.kind === 'hang') return;
    if (reply.kind === 'close') {
      this.#fail(createFault('ECONNRESET'));
      return;
    }
    const { status: statusCode, headers, text, cutAfter } = reply;
    const isCut = cutAfter !== undefined;
    const bytes = Buffer.from(isCut ? text.slice(0, cutAfter) : text);
    const response = Readable.from([bytes], { objectMode: false });
    this.#response = response;
    Object.assign(response, { statusCode, headers, complete: !isCut });
    this.#end();
    this.emit('response', response);
  }

  #fail(error: Error): void {
    this.#response?.destroy(error);
    if (this.#isOver) return;
    this.#end();
    queueMicrotask(() => this.emit('error', error));
  }

  #end(): void {
    this.#isOver = true;
    this.emit('over');
  }
}

/** Hosts by name, such as `paid.world`; the returned function gives Node's own modules back. */
export function installNetwork(time: VirtualTime, hosts: ReadonlyMap<string, Respond>): () => void {
  const { request } = http;
  const { timeout } = AbortSignal;
  http.request = ((url: URL, options: http.RequestOptions) =>
    new VirtualRequest(hosts.get(url.hostname), options.signal)) as unknown as typeof request;
  // One for all: most deadlines pass when nobody waits any more, and its stack is costly.
  const late = new DOMException('timeout', 'TimeoutError');
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    time.after(ms, () => controller.abort(late));
    return controller.signal;
  };
  const giveBack = installWaits(time);
  syncBuiltinESMExports();
  return () => {
    http.request = request;
    AbortSignal.timeout = timeout;
    giveBack();
    syncBuiltinESMExports();
  };
}

/** One thread waits for what it changes itself: there is no other one. */
function installWaits(time: VirtualTime): () => void {
  const { waitAsync, notify } = Atomics;
  const waiting = new Set<(outcome: 'ok' | 'timed-out') => void>();
  Atomics.waitAsync = ((cells: BigInt64Array, at: number, value: bigint, timeoutMs: number) => {
    if (Atomics.load(cells, at) !== value) return { async: false, value: 'not-equal' };
    const { promise, resolve } = Promise.withResolvers<'ok' | 'timed-out'>();
    const cancel = time.after(timeoutMs, () => settle('timed-out'));
    const settle = (outcome: 'ok' | 'timed-out') => {
      cancel();
      waiting.delete(settle);
      resolve(outcome);
    };
    waiting.add(settle);
    return { async: true, value: promise };
  }) as typeof waitAsync;
  Atomics.notify = (() => {
    const { size } = waiting;
    for (const settle of [...waiting]) settle('ok');
    return size;
  }) as typeof notify;
  return () => Object.assign(Atomics, { waitAsync, notify });
}
