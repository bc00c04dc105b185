// The served OpenAPI document, parsed into what the fuzzer needs: inputs, and allowed responses.

import { Compile, type Validator } from 'typebox/compile';
import type { Json } from '../market-scene.ts';

export type Schema = Readonly<Record<string, Json>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DeclaredAnswer {
  /** Media type → check of its body. */
  readonly content: ReadonlyMap<string, DocumentCheck>;
  /** Names of headers, in lower case. */
  readonly headers: ReadonlySet<string>;
  /** Codes of problems that the description names. */
  readonly codes: ReadonlySet<string>;
}

export interface DocumentOperation {
  readonly id: string;
  readonly method: string;
  /** With the server's prefix. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly answers: ReadonlyMap<number, DeclaredAnswer>;
  readonly isMetered: boolean;
}

export interface ApiDocument {
  readonly operations: readonly DocumentOperation[];
  find(method: string, path: string): DocumentOperation | null;
  hasPath(path: string): boolean;
}

/** What is wrong with a value, or null. */
export type DocumentCheck = (value: unknown) => string | null;

/** Inlines references, so that validators need no other document. */
function createResolver(document: Json): (schema: Json) => Json {
  return function resolve(schema: Json): Json {
    if (Array.isArray(schema)) return schema.map(resolve);
    if (typeof schema !== 'object' || schema === null) return schema;
    if (typeof schema.$ref === 'string') {
      const steps = schema.$ref.replace(/^#\//, '').split('/');
      const target = steps.reduce((at: Json, step: string) => at?.[step], document);
      if (target === undefined) throw new Error(`${schema.$ref} leads nowhere`);
      return resolve(target);
    }
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(value)]));
  };
}

function createCheck(schema: Schema): DocumentCheck {
  // Text of other types than JSON is described, not structured.
  let validator: Validator | null = null;
  return (value) => {
    validator ??= Compile(schema as never);
    if (validator.Check(value)) return null;
    const [error] = validator.Errors(value);
    return error === undefined ? 'does not match' : `${error.instancePath || '/'} ${error.message}`;
  };
}

function readAnswer(response: Json, resolve: (schema: Json) => Json): DeclaredAnswer {
  const content = Object.entries((response.content ?? {}) as Record<string, Json>).map(
    ([mediaType, { schema }]) => [mediaType, createCheck(resolve(schema))] as const,
  );
  const codes = [...String(response.description).matchAll(/`([A-Z][A-Z0-9_]+)`:/g)];
  return {
    content: new Map(content),
    headers: new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())),
    codes: new Set(codes.map((match) => match[1] ?? '')),
  };
}

function readOperation(
  at: { readonly method: string; readonly path: string },
  item: Json,
  resolve: (schema: Json) => Json,
): DocumentOperation {
  const answers = new Map(
    Object.entries(item.responses as Record<string, Json>).map(([status, response]) => [
      Number(status),
      readAnswer(resolve(response), resolve),
    ]),
  );
  const body = item.requestBody?.content['application/json'].schema;
  return {
    id: item.operationId,
    ...at,
    parameters: resolve(item.parameters ?? []),
    body: body === undefined ? null : resolve(body),
    answers,
    isMetered: [...answers].some(([status, one]) => status < 300 && one.headers.has('ratelimit')),
  };
}

function countParameters({ parameters }: DocumentOperation): number {
  return parameters.filter((one) => one.in === 'path').length;
}

/** A parameter of a path is one of its parts, not empty. */
function toPattern(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replace(/[.]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}

export function readDocument(document: Json): ApiDocument {
  const resolve = createResolver(document);
  const prefix: string = document.servers[0].url;
  // Routes in the shape of other APIs are elsewhere, and answer with what this describes nowhere.
  const ours = Object.entries(document.paths as Record<string, Json>).filter(
    ([, item]) => item.servers === undefined,
  );
  const operations = ours.flatMap(([path, item]) =>
    Object.entries(item as Record<string, Json>).map(([method, one]) =>
      readOperation({ method: method.toUpperCase(), path: `${prefix}${path}` }, one, resolve),
    ),
  );
  // Paths without parameters come first, as in the service.
  const ranked = operations.toSorted((a, b) => countParameters(a) - countParameters(b));
  const matchers = ranked.map((operation) => ({ operation, form: toPattern(operation.path) }));
  const list = (path: string) => {
    const first = matchers.find(({ form }) => form.test(path))?.operation.path;
    return ranked.filter((one) => one.path === first);
  };
  return {
    operations,
    find: (method, path) => list(path).find((one) => one.method === method) ?? null,
    hasPath: (path) => list(path).length > 0,
  };
}
