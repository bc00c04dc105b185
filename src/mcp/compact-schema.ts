// Schemas as short as they can be for `tools/list`, which every model reads in full.
//
// An output keeps its field names and types; what they mean is in the instructions and in the
// reference. Each value that the full schema accepts is accepted by the short one, too.

import type { TSchema } from 'typebox';

type SchemaObject = Readonly<Record<string, unknown>>;

interface ShortSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ShortSchema>>;
  readonly items?: ShortSchema;
  readonly enum?: readonly unknown[];
}

/** Longer lists of values are in the reference. */
const ENUM_MAX = 4;

function isSchema(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toList(type: string | readonly string[] | undefined): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

/**
 * An object, a list or null keeps its type. A simple value or null is left open, as any other union
 * is: its name tells its type, by the rules in the instructions.
 */
function compactUnion(members: readonly unknown[], hasFields: boolean): ShortSchema {
  const shorts = members.filter(isSchema).map((member) => compact(member, hasFields));
  const [some, ...others] = shorts.filter(({ type }) => type !== 'null');
  if (some === undefined || others.length > 0 || some.enum !== undefined) return {};
  const hasNull = shorts.some(({ type }) => type === 'null');
  if (!hasNull) return some;
  const isSimple = some.type !== 'object' && some.type !== 'array';
  return isSimple ? {} : { ...some, type: [...toList(some.type), 'null'] };
}

function compactEnum(values: readonly unknown[]): ShortSchema {
  const isText = values.every((value) => typeof value === 'string');
  if (values.length > ENUM_MAX) return isText ? { type: 'string' } : {};
  return { enum: values };
}

/** The answer and the rows that it lists show their fields, the objects in them do not. */
function compact(schema: SchemaObject, hasFields: boolean): ShortSchema {
  const { type, anyOf, properties, items, enum: values, const: value } = schema;
  if (Array.isArray(anyOf)) return compactUnion(anyOf, hasFields);
  if (Array.isArray(values)) return compactEnum(values);
  if (value !== undefined) return { enum: [value] };
  if (type === 'array' && isSchema(items)) return { type, items: compact(items, hasFields) };
  if (type !== 'object') return typeof type === 'string' ? { type } : {};
  if (!hasFields || !isSchema(properties)) return { type };
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    isSchema(field) ? compact(field, false) : {},
  ]);
  return { type, properties: Object.fromEntries(fields) };
}

/** The lists of an answer have rows with fields. */
export function compactOutput(schema: TSchema): SchemaObject {
  const whole = schema as unknown as SchemaObject;
  const { type, properties } = compact(whole, true);
  const full = isSchema(whole['properties']) ? whole['properties'] : {};
  const withRows = Object.entries(full).flatMap(([name, field]) =>
    isSchema(field) && field['type'] === 'array' ? [[name, compact(field, true)]] : [],
  );
  return { type, properties: { ...properties, ...Object.fromEntries(withRows) } };
}

/** Fields whose meaning is the same in every tool: the instructions explain them. */
const SHARED_FIELDS = new Set(['chain', 'mint', 'cursor', 'limit', 'startTime', 'endTime']);
/** Checked when a tool is called, and of no use to a model. */
const UNUSED_KEYWORDS = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'title'],
]);
const BOUNDS = new Set(['minimum', 'maximum']);
/** Larger bounds are those of times and of whole numbers at all. */
const SHOWN_BOUND_MAX = 1e6;

export function compactInput(name: string, schema: SchemaObject): SchemaObject {
  const isShared = SHARED_FIELDS.has(name);
  const isUseful = Number(schema['maximum'] ?? 0) <= SHOWN_BOUND_MAX;
  const kept = Object.entries(schema).filter(([keyword]) => {
    if (isShared && keyword === 'description') return false;
    if (BOUNDS.has(keyword) && !isUseful) return false;
    return !UNUSED_KEYWORDS.has(keyword);
  });
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'anyOf' && Array.isArray(value)) {
        return [keyword, value.map((one) => (isSchema(one) ? compactInput(name, one) : one))];
      }
      if (keyword === 'description') return [keyword, pickFirstSentence(String(value))];
      if (!isSchema(value)) return [keyword, value];
      if (keyword === 'items') return [keyword, compactInput(name, value)];
      return [keyword, keyword === 'properties' ? compactFields(value) : value];
    }),
  );
}

/** The rest is in the reference. */
function pickFirstSentence(text: string): string {
  const end = text.indexOf('. ');
  return end < 0 ? text : text.slice(0, end + 1);
}

function compactFields(fields: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isSchema(field) ? compactInput(name, field) : field,
    ]),
  );
}
