// Sends what a handler returned: serialised by the operation's schema, with its headers.

import { createHash } from 'node:crypto';
import { createAnswerSerializer } from '../contract/create-serializer.ts';
import { type FramedAnswer, isFramedAnswer } from '../contract/framed-answer.ts';
import { isOnceAnswer } from '../contract/once-answer.ts';
import { isShared, mayCompress, type Operation } from '../contract/operation.ts';
import { isReadyAnswer, type ReadyAnswer } from '../contract/ready-answer.ts';
import type { Exchange } from './exchange.ts';
import type { SessionCookie } from './session-cookie.ts';

interface AnswerSenderOptions {
  readonly cookie: SessionCookie;
  readonly nowMs: () => number;
}

function createWriter(operation: Operation): (answer: unknown) => Buffer {
  const serialize = createAnswerSerializer(operation);
  const toBytes = (answer: unknown) => Buffer.from(serialize(answer), 'utf8');
  const written = new WeakMap<object, Buffer>();
  return (answer) => {
    // Only frozen answers are cached, because they cannot change.
    if (typeof answer !== 'object' || !Object.isFrozen(answer) || answer === null) {
      return toBytes(answer);
    }
    const known = written.get(answer);
    if (known !== undefined) return known;
    const bytes = toBytes(answer);
    written.set(answer, bytes);
    return bytes;
  };
}

function buildReadyAnswer(bytes: Buffer): ReadyAnswer {
  const hash = createHash('sha1').update(bytes).digest('base64url').slice(0, 22);
  return { kind: 'ready', bytes, etag: `W/"${hash}"` };
}

function addFrame(
  exchange: Exchange,
  answer: FramedAnswer<unknown>,
  options: AnswerSenderOptions,
): void {
  const { session } = answer;
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    exchange.setHeader(name.toLowerCase(), value);
  }
  if (session === 'drop') exchange.setHeader('set-cookie', options.cookie.buildDropped());
  else if (session) {
    const seconds = Math.floor((session.expiresAtMs - options.nowMs()) / 1000);
    exchange.setHeader('set-cookie', options.cookie.buildKept(session.token, seconds));
  }
}

/** Sends an answer; the promise is for a response that takes a while to compress. */
type SendAnswer = (exchange: Exchange, answer: unknown) => void | Promise<void>;

export function createAnswerSender(operation: Operation, options: AnswerSenderOptions): SendAnswer {
  const { status } = operation;
  const write = createWriter(operation);
  const contentType = `${operation.mediaType}; charset=utf-8`;
  const isNamed = isShared(operation);
  const isCompressed = mayCompress(operation);
  return (exchange, answer) => {
    exchange.addHeader('content-type', contentType);
    exchange.addHeader('cache-control', operation.cacheControl);
    if (isCompressed) exchange.addHeader('vary', 'Accept-Encoding');
    if (isReadyAnswer(answer)) return exchange.sendReady(status, answer, isCompressed);
    if (!isFramedAnswer(answer)) {
      const bytes = write(isOnceAnswer(answer) ? answer.take() : answer);
      if (isNamed) return exchange.sendReady(status, buildReadyAnswer(bytes), isCompressed);
      if (isCompressed) return exchange.sendBody(status, { bytes });
      exchange.send(status, bytes);
      return;
    }
    addFrame(exchange, answer, options);
    exchange.send(status, write(answer.body));
  };
}
