// Values → JSON text by a schema of the contract. Only matching values are sent: undeclared fields
// are dropped, and a value of an undeclared type throws, because that is our bug.
//
// The compiled check costs a few per cent of writing the JSON. A value that passed it has declared
// fields only, so `JSON.stringify` can write it directly.

import type { Static, TObject, TProperties, TSchema } from 'typebox';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Operation } from './operation.ts';

const FAULTS_NAMED_MAX = 5;

/** An answer that does not match its schema. Its message names fields, never their values. */
export class AnswerMismatchError extends Error {
  override readonly name = 'AnswerMismatchError';
}

export function createSerializer<Schema extends TSchema>(
  schema: Schema,
  name = readTitle(schema),
): (value: Static<Schema>) => string {
  const validator = Compile(schema);
  const { mismatch, declaredOf } = createSlowPath(validator, name);
  return (value) => {
    if (validator.Check(value)) return JSON.stringify(value);
    const declared = declaredOf(value);
    if (!validator.Check(declared)) throw mismatch(declared);
    return JSON.stringify(declared);
  };
}

/** For the body of an operation's answer; text of other media types is sent unchanged. */
export function createAnswerSerializer(operation: Operation): (answer: unknown) => string {
  const { id, mediaType, output } = operation;
  if (mediaType === 'application/json') return createSerializer(output, id);
  return (answer) => {
    if (typeof answer === 'string') return answer;
    throw new AnswerMismatchError(`${id} must answer with text`);
  };
}

function readTitle(schema: TSchema & { readonly title?: unknown }): string {
  return typeof schema.title === 'string' ? schema.title : 'a part of a response';
}

function createSlowPath(validator: ReturnType<typeof Compile>, name: string) {
  return {
    /** A copy without undeclared fields. */
    declaredOf: (value: unknown): unknown => validator.Clean(structuredClone(value)),
    mismatch: (value: unknown): AnswerMismatchError => {
      const faults = validator.Errors(value).slice(0, FAULTS_NAMED_MAX);
      const reasons = faults.map(
        ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
      );
      return new AnswerMismatchError(`${name} does not match its schema: ${reasons.join('; ')}`);
    },
  };
}

// A serialiser for cached answers, whose last field is inserted when they are sent.

declare const openBrand: unique symbol;

/** A JSON object without its closing brace. Only a serialiser of the contract creates one. */
export type OpenText = string & { readonly [openBrand]: true };

/**
 * Serialises an object without the field `late`. `lateSchema` is the schema that the inserted field
 * is written by: it must be the one that the object declares.
 */
export function createOpenSerializer<
  Fields extends TProperties,
  Late extends Extract<keyof Fields, string>,
>(
  schema: TObject<Fields>,
  late: Late,
  lateSchema: TSchema,
): (value: Omit<Static<TObject<Fields>>, Late>) => OpenText {
  const { [late]: declared, ...rest } = schema.properties;
  if (declared !== lateSchema) throw new Error(`${late} is declared by another schema`);
  if (Object.keys(rest).length === 0) throw new Error(`${late} is the only field`);
  const title = (schema as { readonly title?: string }).title ?? 'an object';
  const serialize = createSerializer(
    Type.Object(rest, { additionalProperties: false }),
    `${title} without ${late}`,
  );
  return (value) => serialize(value as never).slice(0, -1) as OpenText;
}
