// An operation as text and commands, for the generated documents.

import type { TSchema } from 'typebox';
import type { Operation } from './operation.ts';

interface AnySchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly AnySchema[];
  readonly items?: AnySchema;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** A schema's type in a few words. */
function formatType(schema: AnySchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' | ');
  if (schema.type === 'array') return `array of ${formatType(schema.items ?? {})}`;
  return typeof schema.type === 'string' ? schema.type : 'any';
}

interface FieldLine {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** The object in a field, which may be in a list or nullable. */
function findInner(
  field: AnySchema,
): { readonly schema: AnySchema; readonly suffix: string } | null {
  if (field.properties) return { schema: field, suffix: '.' };
  if (field.items?.properties) return { schema: field.items, suffix: '[].' };
  const one = field.anyOf?.find((choice) => choice.properties);
  return one ? { schema: one, suffix: '.' } : null;
}

/** Every field of a schema, nested ones by their path. */
export function listFields(schema: TSchema, prefix = ''): FieldLine[] {
  const object = schema as AnySchema;
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = findInner(field);
    const line: FieldLine = {
      path,
      type: formatType(field),
      // A field with a default is optional.
      required: (object.required?.includes(name) ?? false) && field.default === undefined,
      description: [
        field.description ?? '',
        field.default === undefined ? '' : `Default ${JSON.stringify(field.default)}.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    };
    return [line, ...(inner ? listFields(inner.schema as TSchema, path + inner.suffix) : [])];
  });
}

/** The credentials that the reader needs. */
export function describeAccess(operation: Operation): string {
  if (operation.access === 'session') return 'Needs a wallet session. ';
  return operation.access === 'key'
    ? 'An API key raises the tier; sessions are not accepted. '
    : '';
}

/** In single quotes a shell changes nothing; only single quotes need escaping. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The path and query of an operation's example. */
export function buildExamplePath({ example, path }: Operation): string {
  const query = Object.entries(example.input)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  return `/v1${path}${query === '' ? '' : `?${query}`}`;
}

/** The example as a command, with `$TOKEN` for a session token. */
export function buildCurl(operation: Operation, origin: string): string {
  const { access, example, mediaType, method, path } = operation;
  const credential = access === 'session' ? ' -H "Authorization: Bearer $TOKEN"' : '';
  if (method === 'POST') {
    const body = quote(JSON.stringify(example.input));
    const start = `curl -s ${origin}/v1${path}${credential} -H 'Content-Type: application/json'`;
    return `${start} \\\n  -d ${body}`;
  }
  // `-N` shows events as they arrive.
  const flag = mediaType === 'text/event-stream' ? '-N ' : '';
  const verb = method === 'GET' ? flag : `-X ${method} `;
  const url = quote(`${origin}${buildExamplePath(operation)}`);
  return `curl -s ${verb}${url}${credential}`;
}

/** Events in the format of a stream. */
export function formatEvents(answer: unknown): string {
  return Object.entries(answer as Record<string, unknown>)
    .map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n`)
    .join('\n');
}
