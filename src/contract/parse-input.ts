// Untrusted input → the type of an operation's schema, or a list of all its errors.

import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { buildInvalidInputError, type FieldError } from '../errors/app-error.ts';
import { toShownText } from '../lib/clean-text.ts';

const FIELD_ERRORS_MAX = 20;
const UNKNOWN_FIELD = 'is not a known field';

type InputParser = (raw: Readonly<Record<string, unknown>>) => unknown;

type Coerce = (text: string) => unknown;

/** Query parameters are text; the schema says how to convert each. */
function pickCoercion(schema: TSchema & { type?: unknown }): Coerce | null {
  if (schema.type === 'integer') {
    // Above 2^53 digits are lost, but such a number exceeds every maximum anyway.
    return (text) => (/^-?\d{1,30}$/.test(text) ? Number(text) : text);
  }
  if (schema.type === 'boolean') {
    return (text) => (text === 'true' ? true : text === 'false' ? false : text);
  }
  if (schema.type === 'array') {
    return (text) => text.split(',');
  }
  return null;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

const MESSAGES: Readonly<Record<string, (params: Record<string, unknown>) => string>> = {
  type: (params) => `must be ${formatTypeName(params['type'])}`,
  enum: (params) => `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`,
  const: (params) => `must be ${String(params['allowedValue'])}`,
  minimum: (params) => `must be at least ${String(params['limit'])}`,
  maximum: (params) => `must be at most ${String(params['limit'])}`,
  minLength: (params) =>
    params['limit'] === 1 ? 'must not be empty' : `needs at least ${params['limit']} characters`,
  maxLength: (params) => `must have at most ${String(params['limit'])} characters`,
  maxItems: (params) => `must have at most ${String(params['limit'])} entries`,
};

function formatTypeName(type: unknown): string {
  const article = type === 'integer' || type === 'object' || type === 'array' ? 'an' : 'a';
  return type === 'null' ? 'null' : `${article} ${String(type)}`;
}

/** A JSON pointer as a dotted path. */
function toPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function explainError(error: SchemaError): readonly FieldError[] {
  const params = error.params as Record<string, unknown>;
  const base = toPath(error.instancePath);
  const at = (name: string) => (base === '' ? name : `${base}.${name}`);
  if (error.keyword === 'required') {
    const names = params['requiredProperties'] as string[];
    return names.map((name) => ({ path: at(name), message: 'is required' }));
  }
  if (error.keyword === 'additionalProperties') {
    const names = params['additionalProperties'] as string[];
    return names.map((name) => ({ path: at(toShownText(name)), message: UNKNOWN_FIELD }));
  }
  // A field that no schema allows is reported as a schema that is `false`.
  if (error.keyword === 'boolean') return [{ path: toShownText(base), message: UNKNOWN_FIELD }];
  const message = MESSAGES[error.keyword]?.(params) ?? error.message;
  return [{ path: base === '' ? 'body' : toShownText(base), message }];
}

/** The field that was probably meant: one that begins like it, or the other way round. */
function findMeant(path: string, known: readonly string[]): string | undefined {
  const given = path.toLowerCase();
  return known.find((one) => {
    const name = one.toLowerCase();
    return given.length > 1 && (name.startsWith(given) || given.startsWith(name));
  });
}

/** Names the field that was meant, where one of the known ones is close. */
function withAdvice(error: FieldError, known: readonly string[]): FieldError {
  if (error.message !== UNKNOWN_FIELD) return error;
  const meant = findMeant(error.path, known);
  return meant === undefined
    ? error
    : { ...error, message: `${UNKNOWN_FIELD}; did you mean ${meant}?` };
}

/** The first error of each field; if a word was allowed, too, it is named. */
function collectErrors(found: readonly SchemaError[]): ReadonlyMap<string, FieldError> {
  const errors = new Map<string, FieldError>();
  for (const error of found) {
    for (const field of explainError(error)) {
      const { path } = field;
      const known = errors.get(path);
      if (known === undefined) errors.set(path, field);
      else if (error.keyword === 'const') {
        const { allowedValue } = error.params as { readonly allowedValue: unknown };
        errors.set(path, { path, message: `${known.message}, or ${String(allowedValue)}` });
      }
    }
  }
  return errors;
}

/** PostgreSQL cannot store null characters in text, so they are rejected for every engine. */
function assertNoNull(input: Readonly<Record<string, unknown>>): void {
  for (const [path, value] of Object.entries(input)) {
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    throw buildInvalidInputError([{ path, message: 'must not contain null characters' }]);
  }
}

/**
 * A parser for one input schema. With `text`, values are query parameters and are converted by
 * their schema; with `json`, they are parsed JSON.
 */
export function createInputParser(schema: TObject, source: 'text' | 'json'): InputParser {
  const check = Compile(schema);
  const properties = Object.entries(schema.properties as Record<string, TSchema>);
  const coercions = new Map(
    source === 'json'
      ? []
      : properties.flatMap(([name, one]) => {
          const coerce = pickCoercion(one);
          return coerce ? [[name, coerce] as const] : [];
        }),
  );
  const defaults = properties.flatMap(([name, one]) =>
    'default' in one ? [[name, one.default] as const] : [],
  );
  return (raw) => {
    // Without a prototype, so that a field named __proto__ is rejected like any other.
    const value: Record<string, unknown> = Object.create(null);
    for (const [name, one] of Object.entries(raw)) {
      const coerce = coercions.get(name);
      value[name] = coerce && typeof one === 'string' ? coerce(one) : one;
    }
    for (const [name, fallback] of defaults) {
      if (value[name] === undefined) value[name] = fallback;
    }
    if (check.Check(value)) {
      // Queries were checked when they were decoded; a stream's `lastEventId` may be anything.
      if (source === 'json') assertNoNull(value);
      return value;
    }
    const errors = collectErrors(check.Errors(value));
    const known = properties.map(([name]) => name);
    const shown = [...errors.values()].slice(0, FIELD_ERRORS_MAX);
    throw buildInvalidInputError(shown.map((error) => withAdvice(error, known)));
  };
}
