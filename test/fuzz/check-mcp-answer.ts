// Checks of MCP responses beyond the document: whether they match their requests, and internal
// errors.

import type { Json } from '../market-scene.ts';
import type { FuzzAnswer, FuzzRequest } from './send-request.ts';

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function* checkError(error: Json): Generator<string> {
  if (error?.code === -32603) yield `an internal error: ${error.message}`;
}

function* checkResult(message: Json, asked: Json): Generator<string> {
  const { result } = message;
  if (asked?.method !== 'tools/call') return;
  if (!Array.isArray(result?.content)) return yield 'the tool result has no content';
  const [first] = result.content;
  if (first?.type !== 'text' || typeof first.text !== 'string') yield 'the content is no text';
  const code = result.isError === true ? parse(Buffer.from(String(first?.text)))?.code : 'none';
  if (typeof code !== 'string' || code === 'INTERNAL') yield `the tool failed with ${code}`;
}

function* checkMessage(message: Json, asked: Json): Generator<string> {
  if (typeof message !== 'object' || message === null) return yield 'a message is no object';
  if (isId(asked?.id) && message.id !== asked.id) yield 'the id is not that of the request';
  if (!isId(asked?.id) && message.id != null) yield 'an id that nobody gave';
  if ('error' in message) yield* checkError(message.error);
  else yield* checkResult(message, asked);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined if it is not JSON. */
function parse(bytes: Buffer): Json {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

export function* checkMcpAnswer(request: FuzzRequest, answer: FuzzAnswer): Generator<string> {
  const { status, body } = answer;
  if (status === 202) return;
  const said = parse(body);
  // Already reported: the document requires JSON.
  if (said === undefined) return;
  const asked = parse(request.body ?? Buffer.alloc(0));
  if (!Array.isArray(asked)) {
    if (Array.isArray(said)) return yield 'many answers to one message';
    return yield* checkMessage(said, asked);
  }
  // Messages with the same id cannot be distinguished.
  const find = (message: Json) => {
    const [first = null, second] = asked.filter((one: Json) => one?.id === message?.id);
    return second === undefined ? first : { id: message.id };
  };
  if (Array.isArray(said)) {
    for (const message of said) yield* checkMessage(message, find(message));
    return;
  }
  // An invalid batch is rejected as a whole, for one of its messages.
  if (said?.error === undefined) yield 'a batch has a single answer';
  yield* checkMessage(said, find(said));
}
