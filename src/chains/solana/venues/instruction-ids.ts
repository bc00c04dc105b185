// Anchor's programs tell instructions apart by the first eight bytes of a hash of their name.

import { createHash } from 'node:crypto';

const ID_BYTES = 8;

/** In hex. */
function findInstructionId(name: string): string {
  return createHash('sha256').update(`global:${name}`).digest().toString('hex', 0, ID_BYTES);
}

/** The names' ids, each with the same value. */
export function listInstructionIds<Value>(
  names: readonly string[],
  value: Value,
): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [findInstructionId(name), value]));
}

/** The names' ids, each with its name. */
export function nameInstructionIds(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [findInstructionId(name), name]));
}
