// JSON-RPC 2.0 as an answer of the MCP endpoint must keep to it, batch or not.

import type { Json } from '../market-scene.ts';
import type { FuzzAnswer, FuzzRequest } from './send-request.ts';

const STATUSES = new Set([200, 202, 400, 404]);

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function* checkError(error: Json): Generator<string> {
  if (typeof error !== 'object' || error === null) return yield 'the error is no object';
  if (!Number.isInteger(error.code)) yield 'the error has no whole number as code';
  if (typeof error.message !== 'string') yield 'the error has no message';
  if (error.code === -32603) yield `an internal error: ${error.message}`;
}

function* checkResult(message: Json, asked: Json): Generator<string> {
  const { result } = message;
  if (typeof result !== 'object' || result === null) return yield 'the result is no object';
  if (asked?.method !== 'tools/call') return;
  if (!Array.isArray(result.content)) return yield 'the tool result has no content';
  const [first] = result.content;
  if (first?.type !== 'text' || typeof first.text !== 'string') yield 'the content is no text';
  const code = result.isError === true ? parse(Buffer.from(String(first?.text)))?.code : 'none';
  if (typeof code !== 'string' || code === 'INTERNAL') yield `the tool failed with ${code}`;
}

function* checkMessage(message: Json, asked: Json): Generator<string> {
  if (typeof message !== 'object' || message === null) return yield 'a message is no object';
  if (message.jsonrpc !== '2.0') yield 'jsonrpc is not 2.0';
  const hasError = 'error' in message;
  if (hasError === 'result' in message) yield 'not one of result and error';
  if (isId(asked?.id) && message.id !== asked.id) yield 'the id is not that of the request';
  if (!isId(asked?.id) && message.id != null) yield 'an id that nobody gave';
  if (hasError) yield* checkError(message.error);
  else yield* checkResult(message, asked);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined where it is not JSON. */
function parse(bytes: Buffer): Json {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

export function* checkMcpAnswer(request: FuzzRequest, answer: FuzzAnswer): Generator<string> {
  const { status, headers, body } = answer;
  if (!STATUSES.has(status)) return yield `${status} is no status of the protocol`;
  if (status === 202) {
    if (body.length > 0) yield '202 has a body';
    return;
  }
  if (!headers['content-type']?.startsWith('application/json')) yield 'the answer is not JSON';
  const said = parse(body);
  if (said === undefined) return yield 'the body is not JSON';
  const asked = parse(request.body ?? Buffer.alloc(0));
  if (!Array.isArray(asked)) {
    if (Array.isArray(said)) return yield 'many answers to one message';
    return yield* checkMessage(said, asked);
  }
  // Of several messages with one id none can be told apart.
  const find = (message: Json) => {
    const [first = null, second] = asked.filter((one: Json) => one?.id === message?.id);
    return second === undefined ? first : { id: message.id };
  };
  if (Array.isArray(said)) {
    for (const message of said) yield* checkMessage(message, find(message));
    return;
  }
  // A batch that cannot be read is refused as a whole, for one of its messages.
  if (said?.error === undefined) yield 'a batch has a single answer';
  yield* checkMessage(said, find(said));
}
