// Writes a stream of events to one connection.
//
// Frames go to the socket as they are, each as one HTTP chunk that is framed once for all readers:
// what Node does for every write of a response costs more than the write itself.

import type { ServerResponse } from 'node:http';
import type { StreamFrame, StreamOutlet } from '../contract/stream-answer.ts';

let lastFrame: StreamFrame | null = null;
let lastChunk = Buffer.alloc(0);

/** The same frame is written to many readers in a row. */
function toChunk(frame: StreamFrame): Buffer {
  if (frame !== lastFrame) {
    const head = Buffer.from(`${frame.bytes.length.toString(16)}\r\n`, 'latin1');
    lastChunk = Buffer.concat([head, frame.bytes, Buffer.from('\r\n', 'latin1')]);
    lastFrame = frame;
  }
  return lastChunk;
}

export class SseOutlet implements StreamOutlet {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get waitingBytes(): number {
    return this.#response.socket?.writableLength ?? this.#response.writableLength;
  }

  write(frame: StreamFrame): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return true;
    const { socket } = response;
    // A pipelined request before this one still has the socket: Node keeps what is written.
    if (socket === null) return response.write(frame.bytes);
    return socket.write(response.chunkedEncoding ? toChunk(frame) : frame.bytes);
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}
