// The head of an answer, written by us: docs/decisions/0008-heads-of-answers.md.
//
// Node checks and joins every header of every answer anew, which takes longer than all that we do
// for a hot read. Where nothing in a head comes from outside there is nothing to check, and it goes
// to Node as the text that Node would have made.

import { type ServerResponse, STATUS_CODES } from 'node:http';

/** What Node keeps the head in until it is sent; it makes none where there is one. */
interface HeadedResponse extends ServerResponse {
  _header: string;
}

/** The lines that Node adds to an answer after which the connection stays. */
export type ConnectionFields = () => string;

/** Made once a second. */
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

/** Names and values in turn, as lines. */
export function toHeaderLines(headers: readonly string[], from = 0): string {
  let lines = '';
  for (let index = from; index < headers.length; index += 2) {
    lines += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  return lines;
}

/** Whether the connection stays as it is after an answer with a body. */
export function mayHead(response: ServerResponse): boolean {
  const { req, shouldKeepAlive } = response;
  return shouldKeepAlive && req.method !== 'HEAD' && req.httpVersionMinor === 1;
}

/** Up to here Node sends head and body faster as one text than as two pieces. */
export const TEXT_BYTES_MAX = 8192;

export function sendHeaded(
  response: ServerResponse,
  head: { readonly status: number; readonly lines: string },
  body: Buffer,
): void {
  response.statusCode = head.status;
  const start = `HTTP/1.1 ${head.status} ${STATUS_CODES[head.status]}\r\n`;
  (response as HeadedResponse)._header = `${start}${head.lines}\r\n`;
  if (body.length > TEXT_BYTES_MAX) response.end(body);
  // A byte to a character and back again: what is sent are the same bytes.
  else response.end(body.toString('latin1'), 'latin1');
}
