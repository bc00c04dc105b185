// Responds to requests that Node's HTTP parser rejected: there is no request object, only a socket.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AppError } from '../errors/app-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { HEADER_BYTES_MAX } from './create-bare-server.ts';
import { toParserAppError } from './problem.ts';
import { encodeRawProblem } from './raw-problem.ts';

interface ParserErrorOptions {
  readonly createRequestId: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What Node attaches to the sockets of a server; `_httpMessage` is documented for this use. */
interface ServerSocket extends Socket {
  /** The current response; those of pipelined requests follow in order. */
  _httpMessage?: ServerResponse | null;
  /** `incoming` is the last request whose head was parsed. */
  parser?: { readonly incoming: IncomingMessage | null } | null;
}

/** How long a client may take to read its last answer before the connection is destroyed. */
const LINGER_MS = 2000;

function endSoon(socket: Socket, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Responds to unparsable bytes in turn: earlier requests on the connection are answered first, in
 * order, so that no response is mistaken for another's.
 */
function answerInTurn(socket: ServerSocket, answer: () => void): void {
  if (!socket.writable) return;
  const response = socket._httpMessage;
  if (response == null) {
    const incoming = socket.parser?.incoming;
    // The broken bytes are the rest of a body whose request was answered early with an error.
    if (incoming != null && !incoming.complete) endSoon(socket);
    else answer();
    return;
  }
  // Only streams send their head long before their end, and they never end.
  if (response.headersSent && !response.writableEnded) socket.destroy();
  // The broken bytes are the body of this request.
  else if (!response.headersSent && !response.req.complete) answer();
  else response.once('close', () => answerInTurn(socket, answer));
}

/** A response to HEAD has no body. */
type AnswerRaw = (socket: Socket, error: AppError, isHead?: boolean) => void;

function createProblemWriter(options: ParserErrorOptions): AnswerRaw {
  const meter = options.metrics.forOperation('unparsed');
  return (socket, error, isHead = false) => {
    const requestId = options.createRequestId();
    endSoon(socket, encodeRawProblem(error, requestId, isHead));
    meter.observe(error.status, 0);
    options.logger.request({
      requestId,
      method: '',
      path: '',
      operation: 'unparsed',
      status: error.status,
      ms: 0,
      identity: 'none',
    });
  };
}

/**
 * Writes a problem to a socket without a response object, after the pending responses, and closes
 * the connection.
 */
export function createRawAnswer(options: ParserErrorOptions): AnswerRaw {
  const write = createProblemWriter(options);
  return (socket, error, isHead) => answerInTurn(socket, () => write(socket, error, isHead));
}

/** The parser's error. */
interface ParserError extends Error {
  readonly code?: string;
  /** The last bytes received, and how many of them were parsed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const BLANK_LINE = '\r\n\r\n';

/**
 * Whether the rejected request was a HEAD, as far as can be seen: its first line must be in the
 * same packet as the broken bytes, and a request before it must have had no body.
 */
function isHeadRequest({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (rawPacket === undefined) return false;
  const from = Math.max(0, bytesParsed - HEADER_BYTES_MAX);
  const text = rawPacket.toString('latin1', from, bytesParsed);
  const blank = text.lastIndexOf(BLANK_LINE);
  if (blank < 0) return from === 0 && text.startsWith('HEAD ');
  return text.startsWith('HEAD ', blank + BLANK_LINE.length);
}

export function createParserErrorHandler(answerRaw: AnswerRaw) {
  const broken = new WeakSet<Socket>();
  return (error: ParserError, socket: ServerSocket): void => {
    // Anything after broken bytes is broken too, and was answered with them.
    if (broken.has(socket)) return;
    broken.add(socket);
    // Nobody is left to read a response. Work in progress ends by itself.
    const isGone = error.code === 'HPE_INVALID_EOF_STATE' && socket._httpMessage != null;
    if (error.code === 'ECONNRESET' || !socket.writable || isGone) socket.destroy();
    else answerRaw(socket, toParserAppError(error), isHeadRequest(error));
  };
}
