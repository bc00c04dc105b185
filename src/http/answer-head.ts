// Writes response heads ourselves: docs/decisions/0008-heads-of-answers.md.
//
// Node validates and joins every header of every response, which takes longer than all our work for
// a hot read. If no value in a head comes from outside there is nothing to validate, and Node gets
// the same text that it would have made.

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Node keeps the head in `_header` until it is sent, and makes no head if it is set. */
interface HeadedResponse extends ServerResponse {
  _header: string;
  _headerSent: boolean;
}

/** The lines that Node adds to a response on a keep-alive connection. */
export type ConnectionFields = () => string;

/** Rebuilt once a second. */
export function createConnectionFields(options: {
  readonly nowMs: () => number;
  readonly keepAliveMs: number;
}): ConnectionFields {
  const timeoutSeconds = Math.floor(options.keepAliveMs / 1000);
  const stays = `Connection: keep-alive\r\nKeep-Alive: timeout=${timeoutSeconds}\r\n`;
  let second = -1;
  let fields = '';
  return () => {
    const current = Math.floor(options.nowMs() / 1000);
    if (current !== second) {
      second = current;
      fields = `Date: ${new Date(current * 1000).toUTCString()}\r\n${stays}`;
    }
    return fields;
  };
}

/** Alternating names and values, as header lines. */
export function toHeaderLines(headers: readonly string[], from = 0): string {
  let lines = '';
  for (let index = from; index < headers.length; index += 2) {
    lines += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  return lines;
}

/** Whether the connection stays open after a response with a body. */
export function mayHead(response: ServerResponse): boolean {
  const { req, shouldKeepAlive } = response;
  return shouldKeepAlive && req.method !== 'HEAD' && req.httpVersionMinor === 1;
}

/** Up to this size Node sends head and body faster as one string than as two pieces. */
export const TEXT_BYTES_MAX = 8192;

export function sendHeaded(
  response: ServerResponse,
  head: { readonly status: number; readonly lines: string },
  body: Buffer,
): void {
  response.statusCode = head.status;
  const start = `HTTP/1.1 ${head.status} ${STATUS_CODES[head.status]}\r\n`;
  const headed = response as HeadedResponse;
  headed._header = `${start}${head.lines}\r\n`;
  // Latin-1 maps bytes to characters one to one, so the same bytes are sent.
  if (body.length <= TEXT_BYTES_MAX) headed.end(body.toString('latin1'), 'latin1');
  // A response that waits for an earlier one has no socket yet; Node knows what to do, too, where
  // the connection was ended meanwhile.
  else if (!headed.socket?.writable) headed.end(body);
  else sendBuffers(headed, headed.socket, body);
}

/** Node would copy the body to join it to a head that is a string; buffers are sent as they are. */
function sendBuffers(response: HeadedResponse, socket: Socket, body: Buffer): void {
  response._headerSent = true;
  socket.cork();
  socket.write(Buffer.from(response._header, 'latin1'));
  socket.write(body);
  socket.uncork();
  response.end();
}
