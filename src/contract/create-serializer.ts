// What a handler returned → JSON text by its operation's schema: declared fields leave, others not.

import buildSerializer from 'fast-json-stringify';
import type { Operation } from './operation.ts';

export function createSerializer(operation: Operation): (answer: unknown) => string {
  if (operation.mediaType !== 'application/json') return (answer) => String(answer);
  return buildSerializer(operation.output as Parameters<typeof buildSerializer>[0]);
}
