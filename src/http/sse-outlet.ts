// Writes a stream of events to one connection.
//
// Frames go directly to the socket, each as one HTTP chunk that is framed once for all readers:
// Node's `response.write` costs more than the write itself.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DirectWay, StreamFrame, StreamOutlet } from '../contract/stream-answer.ts';
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

export class SseOutlet implements StreamOutlet {
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
