// Binds a streaming operation to a route: admission, input, handler, events.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamHandler } from '../contract/handler.ts';
import type { Operation } from '../contract/operation.ts';
import type {
  DirectWay,
  StreamAnswer,
  StreamFrame,
  StreamOutlet,
} from '../contract/stream-answer.ts';
import { AppError } from '../errors/app-error.ts';
import { admit, type BindOptions, type ExchangeHandler, readPassage, withTimeout } from './bind.ts';
import { closeAfter } from './create-bare-server.ts';
import type { Exchange } from './exchange.ts';
import { createInputReader } from './read-input.ts';
import { chargeReturned, createWorkContext } from './request-context.ts';
import { readOrigin } from './response-headers.ts';
import type { WatchedQueue } from './send-queue-watch.ts';

let lastFrame: StreamFrame | null = null;
let lastChunk = Buffer.alloc(0);

/** Cached, because the same frame is written to many readers in a row. */
function encodeChunk(frame: StreamFrame): Buffer {
  if (frame !== lastFrame) {
    const head = Buffer.from(`${frame.bytes.length.toString(16)}\r\n`, 'latin1');
    lastChunk = Buffer.concat([head, frame.bytes, Buffer.from('\r\n', 'latin1')]);
    lastFrame = frame;
  }
  return lastChunk;
}

/** HTTP/1.0 clients, which do not support chunked encoding. */
function readBytes(frame: StreamFrame): Buffer {
  return frame.bytes;
}

/**
 * Writes a stream of events to one connection. Frames go directly to the socket, each as one HTTP
 * chunk that is framed once for all readers: Node's `response.write` costs more than the write.
 */
class SseOutlet implements StreamOutlet {
  readonly #response: ServerResponse;
  /** Null while an earlier pipelined request still has the socket. */
  #socket: Socket | null;
  readonly #toBytes: DirectWay['toBytes'];
  readonly #sendQueue: WatchedQueue;
  #isOver = false;

  /** Requires that the head has been sent. */
  constructor(response: ServerResponse, sendQueue: WatchedQueue) {
    this.#response = response;
    this.#sendQueue = sendQueue;
    this.#socket = response.socket;
    this.#toBytes = response.chunkedEncoding ? encodeChunk : readBytes;
  }

  get direct(): DirectWay | null {
    return this.#socket && { sink: this.#socket, toBytes: this.#toBytes };
  }

  get waitingBytes(): number {
    return this.#socket?.writableLength ?? this.#response.writableLength;
  }

  get takenBytes(): number {
    return this.#socket === null ? 0 : this.#socket.bytesWritten - this.#socket.writableLength;
  }

  get stalledMs(): number {
    return this.#sendQueue.stalledMs;
  }

  write(frame: StreamFrame): boolean {
    if (this.#isOver) return true;
    const socket = this.#socket;
    if (socket === null) return this.#writeEarly(frame);
    return socket.write(this.#toBytes(frame));
  }

  end(): void {
    this.#isOver = true;
    if (!this.#response.writableEnded) this.#response.end();
  }

  cut(): void {
    this.#isOver = true;
    this.#response.destroy();
  }

  /** Node buffers what is written until the socket is free. */
  #writeEarly(frame: StreamFrame): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return true;
    this.#socket = response.socket;
    return this.#socket === null ? response.write(frame.bytes) : this.write(frame);
  }
}

/** A peer that vanished without closing is detected within a few minutes. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/** Charges an open stream for further work; returns how long to wait if the budget is too small. */
function createSpend(exchange: Exchange, options: BindOptions) {
  const { identity } = exchange;
  const addressGroup = options.readAddressGroup(exchange.request);
  return (cost: number): number => {
    if (identity === null) return 0;
    try {
      options.gate.chargeMore({ identity, addressGroup }, { cost, isRequest: false });
      // The stream itself was counted when it began.
      exchange.countPart({ operation: exchange.operation, cost, status: 200, isMore: true });
      return 0;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
      return (error.retryAfterSeconds ?? 1) * 1000;
    }
  };
}

function stream(exchange: Exchange, answer: StreamAnswer, options: BindOptions): void {
  const { request, response } = exchange;
  const { socket } = request;
  if (!exchange.isOpen || request.method === 'HEAD') {
    answer.cancel();
    exchange.send(200, null);
    return;
  }
  // A client that closed its sending side has most likely left; a stream must not wait for a write
  // to fail.
  const leave = () => response.destroy();
  if (socket.readableEnded) {
    answer.cancel();
    leave();
    return;
  }
  socket.once('end', leave);
  exchange.sendHead(200);
  response.socket?.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  const sendQueue = options.sendQueues.watch(socket);
  const reader = answer.start(new SseOutlet(response, sendQueue));
  const onDrain = () => reader.onDrain();
  const listen = (socket: Socket) => socket.on('drain', onDrain);
  if (response.socket !== null) listen(response.socket);
  else {
    // An earlier pipelined request still has the socket; Node buffers what is written until then.
    response.once('socket', (socket: Socket) => {
      listen(socket);
      process.nextTick(onDrain);
    });
  }
  response.on('close', () => {
    sendQueue.forget();
    socket.off('end', leave);
    socket.off('drain', onDrain);
    reader.onClose();
  });
}

export function bindStreamOperation(
  operation: Operation,
  handler: StreamHandler,
  options: BindOptions,
): ExchangeHandler {
  const passage = readPassage(operation);
  const readInput = createInputReader(operation);
  async function work(exchange: Exchange): Promise<void> {
    await admit(exchange, passage, options);
    const { identity, request } = exchange;
    if (identity === null) throw new Error(`${operation.id} was called without a caller`);
    const input = await readInput(exchange);
    const lastEventId = request.headers['last-event-id'];
    const answer = await handler(input, {
      identity,
      requestId: exchange.id,
      addressGroup: options.readAddressGroup(request),
      origin: readOrigin(exchange),
      idempotencyKey: null,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : null,
      spend: createSpend(exchange, options),
      ...createWorkContext(exchange, options),
    });
    chargeReturned(exchange, options);
    exchange.addHeader('content-type', `${operation.mediaType}; charset=utf-8`);
    exchange.addHeader('cache-control', operation.cacheControl);
    // Tells buffering proxies to forward events immediately.
    exchange.addHeader('x-accel-buffering', 'no');
    stream(exchange, answer, options);
  }
  return (exchange) => {
    closeAfter(exchange.response);
    return withTimeout(work(exchange), exchange, options.timeoutMs);
  };
}
