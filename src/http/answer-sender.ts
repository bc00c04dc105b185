// What a handler returned → what is sent: serialised by the operation's schema, with its headers.

import buildSerializer from 'fast-json-stringify';
import { type FramedAnswer, isFramedAnswer } from '../contract/framed-answer.ts';
import type { Operation } from '../contract/operation.ts';
import { isReadyAnswer } from '../contract/ready-answer.ts';
import type { Exchange } from './exchange.ts';
import type { SessionCookie } from './session-cookie.ts';

export interface AnswerSenderOptions {
  readonly cookie: SessionCookie;
  readonly nowMs: () => number;
}

/** Declared fields leave, others do not. */
function createSerializer(operation: Operation): (answer: unknown) => string {
  if (operation.mediaType !== 'application/json') return (answer) => String(answer);
  return buildSerializer(operation.output as Parameters<typeof buildSerializer>[0]);
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
  if (session === 'drop') exchange.setHeader('set-cookie', options.cookie.toDropped());
  else if (session) {
    const seconds = Math.floor((session.expiresAtMs - options.nowMs()) / 1000);
    exchange.setHeader('set-cookie', options.cookie.toKept(session.token, seconds));
  }
}

export function createAnswerSender(
  operation: Operation,
  options: AnswerSenderOptions,
): (exchange: Exchange, answer: unknown) => void {
  const serialize = createSerializer(operation);
  const contentType = `${operation.mediaType}; charset=utf-8`;
  return (exchange, answer) => {
    exchange.addHeader('content-type', contentType);
    exchange.addHeader('cache-control', operation.cacheControl);
    if (isReadyAnswer(answer)) {
      exchange.sendReady(operation.status, answer);
      return;
    }
    if (!isFramedAnswer(answer)) {
      exchange.send(operation.status, serialize(answer));
      return;
    }
    addFrame(exchange, answer, options);
    exchange.send(operation.status, serialize(answer.body));
  };
}
