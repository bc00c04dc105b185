// Renders `src/contract.gen.ts`: the contract's types, and what a client must know of an operation.

import { buildOpenapi } from '../src/contract/openapi.ts';
import type { Operation } from '../src/contract/operation.ts';
import { ERROR_CODES } from '../src/errors/catalogue.ts';

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** An input may leave out what has a default; an answer always has it. */
type Direction = 'input' | 'answer';

const PLAIN_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const LINE_MAX = 96;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

function renderComment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return '';
  const safe = text.replaceAll('*/', '* /');
  const short = `${indent}/** ${safe} */`;
  if (short.length <= LINE_MAX && !safe.includes('\n')) return `${short}\n`;
  const lines: string[] = [];
  for (const paragraph of safe.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && indent.length + 3 + line.length + 1 + word.length > LINE_MAX) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...body, `${indent} */`, ''].join('\n');
}

function renderObject(schema: JsonSchema, direction: Direction, indent: string): string {
  const entries = Object.entries(schema.properties ?? {});
  const isOpen = schema.additionalProperties === true;
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values !== undefined) return `{ [name: string]: ${renderType(values, direction, indent)} }`;
  if (entries.length === 0) return isOpen ? '{ [name: string]: unknown }' : 'Record<string, never>';
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const lines = entries.map(([name, field]) => {
    const mayLack = !required.has(name) || (direction === 'input' && field.default !== undefined);
    const key = IDENTIFIER.test(name) ? name : `'${name}'`;
    const type = renderType(field, direction, inner);
    // An input may also say so by `undefined`.
    const none = mayLack && direction === 'input' ? ' | undefined' : '';
    return `${renderComment(describe(field), inner)}${inner}${key}${mayLack ? '?' : ''}: ${type}${none};\n`;
  });
  const rest = isOpen ? `${inner}[name: string]: unknown;\n` : '';
  return `{\n${lines.join('')}${rest}${indent}}`;
}

function describe({ description, default: value }: JsonSchema): string | undefined {
  if (value === undefined) return description;
  return `${description ?? ''} Default: \`${String(value)}\`.`.trim();
}

function renderType(schema: JsonSchema, direction: Direction, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => renderType(one, direction, indent)).join(' | ');
  }
  if (schema.type === 'object') return renderObject(schema, direction, indent);
  if (schema.type === 'array') {
    const item = renderType(schema.items ?? {}, direction, indent);
    const whole = item.includes(' | ') && !item.startsWith('{') ? `(${item})` : item;
    return `${direction === 'input' ? 'readonly ' : ''}${whole}[]`;
  }
  return PLAIN_TYPES[schema.type ?? ''] ?? 'unknown';
}

function renderNamed([name, schema]: readonly [string, JsonSchema]): string {
  const type = renderType(schema, 'answer');
  const comment = renderComment(schema.description, '');
  const isInterface = schema.type === 'object' && type.startsWith('{\n');
  return isInterface
    ? `${comment}export interface ${name} ${type}\n`
    : `${comment}export type ${name} = ${type};\n`;
}

const ANSWER_KINDS: Readonly<Record<string, string>> = {
  'text/html': 'text',
  'text/plain': 'text',
  'text/markdown': 'text',
  'image/*': 'blob',
  'text/event-stream': 'events',
};

const ANSWER_TYPES: Readonly<Record<string, string>> = { text: 'string', blob: 'Blob' };

/** Reads, whatever their method: asking twice changes nothing. */
function isRepeatable({ method, tag }: Operation): boolean {
  return method === 'GET' || tag === 'Market' || tag === 'Trading';
}

/** What is as usual is left out, which keeps the client small. */
function renderTraits(operation: Operation): string {
  const { method, path, access, pages, mediaType } = operation;
  const kind = ANSWER_KINDS[mediaType];
  const traits = [
    `path: '${path}'`,
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(access === 'public' ? [] : [`access: '${access}'`]),
    ...(pages === 'own' && access !== 'session' ? ['isOwn: true'] : []),
    ...(method !== 'GET' && isRepeatable(operation) ? ['isRepeatable: true'] : []),
    ...(kind === undefined ? [] : [`answer: '${kind}'`]),
  ];
  return `  ${operation.id}: { ${traits.join(', ')} },\n`;
}

interface Hoisted {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>
    >
  >;
}

function findAnswer(document: Hoisted, { path, method, status }: Operation): JsonSchema {
  const responses = document.paths[path]?.[method.toLowerCase()]?.responses;
  const response = responses?.[String(status)] as
    | { readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>> }
    | undefined;
  return Object.values(response?.content ?? {})[0]?.schema ?? {};
}

function renderOperation(document: Hoisted, operation: Operation): string {
  const { summary, description, mediaType, input } = operation;
  const kind = ANSWER_KINDS[mediaType] ?? 'json';
  const answer = findAnswer(document, operation);
  const output =
    ANSWER_TYPES[kind] ??
    (kind === 'events' ? 'StreamEvents' : renderType(answer, 'answer', '    '));
  const comment = renderComment(`${summary}. ${description}`, '  ');
  const fields = renderType(input as JsonSchema, 'input', '    ');
  return `${comment}  ${operation.id}: {\n    input: ${fields};\n    output: ${output};\n  };\n`;
}

export function renderContract(operations: readonly Operation[]): string {
  const document = buildOpenapi(operations, { version: '0.0.0' }) as unknown as Hoisted;
  const schemas = Object.entries(document.components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const codes = ERROR_CODES.map((code) => `  | '${code}'\n`).join('');
  return `// Generated by \`npm run generate\` from the contract. Edit src/contract, not this file.

${schemas.map(renderNamed).join('\n')}
/** What happened, for programs. Codes are permanent. */
export type ${'ErrorCode'} =
${codes.trimEnd()};

/** The input and the answer of each operation. */
export interface Operations {
${operations.map((one) => renderOperation(document, one)).join('\n')}}

/** How each operation is called: GET, open to everyone, answered with JSON, unless it says so. */
export const OPERATIONS = {
${operations.map(renderTraits).join('')}} as const;
`;
}
