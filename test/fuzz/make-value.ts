// Makes a value for a schema and a name: valid, nearly valid, or hostile.

import type { Json } from '../market-scene.ts';
import type { Dice } from './dice.ts';
import { HOSTILE_JSON, HOSTILE_NUMBERS, HOSTILE_TEXTS } from './hostile-values.ts';
import type { KnownValues } from './known-values.ts';
import { mutateText } from './mutate-text.ts';
import type { Schema } from './openapi-document.ts';

export type Quality = 'valid' | 'near' | 'hostile';

export interface ValueSource {
  readonly operationId: string;
  readonly known: KnownValues;
  readonly dice: Dice;
  /** Host and port of the page that may use sessions. */
  readonly domain: string;
}

const CHAINS = [
  [60, 'devnet'],
  [4, 'eip155:1337'],
  [3, 'base'],
  [2, 'solana'],
  [1, 'ethereum'],
] as const;

const WORDS = ['wire', 'e', 'usd', 'WETH', '0x', 'et her', 'wrie', '🚀', 'a b c d'];

function makeAmount({ dice }: ValueSource): string {
  return String(BigInt(1 + dice.below(9)) * 10n ** BigInt(dice.below(24)));
}

/** Inputs whose format is not in their schema. */
const BY_NAME: Readonly<Record<string, (source: ValueSource) => string>> = {
  chain: ({ dice }) => dice.weigh(CHAINS),
  domain: ({ domain }) => domain,
  exchange: ({ dice }) => dice.weigh(CHAINS),
  q: ({ dice }) => dice.pick(WORDS),
  amountInRaw: makeAmount,
  amountOutRaw: makeAmount,
  minUsd: ({ dice }) => dice.pick(['0', '1', '0.5', '1000000']),
  'Idempotency-Key': ({ dice }) => `word-${dice.below(50)}`,
};

function makeInteger(schema: Schema, { dice }: ValueSource): number {
  const { minimum = 0, maximum = 1_000_000 } = schema;
  return (
    minimum + dice.below(Math.min(maximum - minimum, dice.pick([3, 3, 50, 50, 2000, 1e9])) + 1)
  );
}

function makeText(name: string, schema: Schema, source: ValueSource): string {
  const { dice, known, operationId } = source;
  const make = BY_NAME[name];
  const real = known.listFor(operationId, name);
  if (real.length > 0 && (make === undefined || dice.chance(0.7))) return dice.pick(real);
  if (make !== undefined) return make(source);
  return dice.pick(WORDS).padEnd(Number(schema['minLength'] ?? 0), 'x');
}

function makeObject(schema: Schema, source: ValueSource): Json {
  const { properties = {}, required = [] } = schema;
  const entries = Object.entries(properties as Record<string, Schema>).filter(
    ([name]) => required.includes(name) || source.dice.chance(0.3),
  );
  return Object.fromEntries(entries.map(([name, one]) => [name, makeValid(name, one, source)]));
}

/** A value that the schema accepts, as far as the schema says. */
export function makeValid(name: string, schema: Schema, source: ValueSource): Json {
  const { dice, known, operationId } = source;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (alternatives) return makeValid(name, dice.pick(alternatives) as Schema, source);
  if (schema['enum']) return dice.pick(schema['enum']);
  if ('const' in schema) return schema['const'];
  if (schema['type'] === 'array') {
    const { minItems = 0, items = {} } = schema;
    const count = minItems + dice.below(3);
    return Array.from({ length: count }, () => makeValid(name, items, source));
  }
  if (schema['type'] === 'object') return makeObject(schema, source);
  if (schema['type'] === 'boolean') return dice.chance(0.5);
  if (schema['type'] === 'null') return null;
  if (schema['type'] === 'integer' || schema['type'] === 'number') {
    const real = known.listFor(operationId, name);
    return real.length > 0 ? Number(dice.pick(real)) : makeInteger(schema, source);
  }
  return makeText(name, schema, source);
}

/** One step from an accepted value. */
function makeNear(name: string, schema: Schema, source: ValueSource): Json {
  const { dice } = source;
  const value = makeValid(name, schema, source);
  if (typeof value === 'number') {
    const { minimum = 0, maximum = 2 ** 53 } = schema;
    const steps = [minimum - 1, minimum, maximum, maximum + 1, value + 0.5, -value, String(value)];
    return dice.pick(steps);
  }
  if (typeof value === 'boolean') return dice.pick([String(value), Number(value), null]);
  if (Array.isArray(value)) {
    return dice.pick([
      [],
      [...value, ...value, ...value, ...value],
      [...value, null],
      value[0] ?? null,
    ]);
  }
  if (typeof value !== 'string') return dice.pick(HOSTILE_JSON);
  const wrong = dice.pickAny(source.known.listAll()) ?? '';
  const long = value.padEnd(Number(schema['maxLength'] ?? 64) + 1, value || 'x');
  const makes = [() => mutateText(value, dice), () => wrong, () => long, () => value.trim()];
  return dice.weigh([
    [6, makes[0]],
    [2, makes[1]],
    [1, makes[2]],
    [1, makes[3]],
  ])?.();
}

export function makeHostile(dice: Dice): Json {
  return dice.weigh<() => Json>([
    [6, () => dice.pick(HOSTILE_TEXTS)],
    [2, () => dice.pick(HOSTILE_NUMBERS)],
    [1, () => dice.pick(HOSTILE_JSON)],
  ])();
}

export function makeValue(
  quality: Quality,
  name: string,
  schema: Schema,
  source: ValueSource,
): Json {
  if (quality === 'valid') return makeValid(name, schema, source);
  return quality === 'near' ? makeNear(name, schema, source) : makeHostile(source.dice);
}
