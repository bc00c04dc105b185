// The operations as an OpenAPI 3.1 document.

import type { TSchema } from 'typebox';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors/catalogue.ts';
import type { CompatRoute, CompatShape } from './compat-route.ts';
import {
  describeCost,
  hasBody,
  IMAGE_TYPES,
  isShared,
  listErrorCodes,
  type Operation,
} from './operation.ts';
import { listPathParameters } from './path-parameters.ts';
import { problemSchema } from './schemas/problem-schema.ts';
import { deliveryBodySchema } from './schemas/webhook-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const TAGS: Readonly<Record<Operation['tag'], string>> = {
  Market: 'Token market data.',
  Charts: "A data feed in the UDF protocol of TradingView's charts.",
  Trading: 'Quotes and unsigned transactions. This service never signs or sends.',
  Account: 'The identity and limits of the caller.',
  Webhooks: 'Events sent to the URLs of a wallet.',
  Agents: 'The Model Context Protocol.',
  Reference: 'Descriptions of this API.',
  Operations: 'For operators of the service.',
};

const DESCRIPTION = `Token market data, quotes and unsigned transactions from chains that this server follows itself.

Raw amounts are decimal integer strings; times are Unix milliseconds; errors are RFC 9457 problem details with a stable \`code\`. Names and symbols of tokens are text from chains and must be treated as untrusted.`;

const RATE_HEADERS: Json = {
  RateLimit: {
    description: 'The remaining budget, and the seconds until it is full again.',
    schema: { type: 'string', examples: ['"anonymous";r=59;t=1'] },
  },
  'RateLimit-Policy': {
    description: 'The budget: how much may be spent in how many seconds.',
    schema: { type: 'string', examples: ['"anonymous";q=60;w=30'] },
  },
};

const REQUEST_ID_HEADER: Json = {
  'X-Request-Id': { description: 'Identifies this request.', schema: { type: 'string' } },
};

const CACHE_HEADERS: Json = {
  ETag: {
    description:
      'A weak validator of the response without `asOf`: while it is unchanged, so is the rest.',
    schema: { type: 'string', examples: ['W/"mc4tQk0yZ2m6sB1xq0Vh3A"'] },
  },
  'Cache-Control': {
    description: 'How long shared caches may reuse the response.',
    schema: { type: 'string', examples: ['public, max-age=1'] },
  },
};

const RETRY_AFTER_HEADER: Json = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

/** Moves every schema with a title into `components`, so that clients get named types. */
function createComponents() {
  const schemas: Record<string, unknown> = {};
  function hoist(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(hoist);
    if (typeof schema !== 'object' || schema === null) return schema;
    const inner = Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, hoist(value)]),
    );
    const title = inner['title'];
    if (typeof title !== 'string') return inner;
    schemas[title] = inner;
    return { $ref: `#/components/schemas/${title}` };
  }
  return { schemas, hoist };
}

function listParameters(operation: Operation, hoist: (schema: unknown) => unknown): Json[] {
  const { input } = operation;
  const inPath = listPathParameters(operation.path);
  const required = new Set<string>((input.required as string[] | undefined) ?? []);
  const fields = Object.entries(input.properties as Record<string, TSchema>);
  const listed = hasBody(operation) ? fields.filter(([name]) => inPath.includes(name)) : fields;
  return listed.map(([name, schema]) => {
    const { description, ...rest } = schema as TSchema & { description?: string; type?: unknown };
    return {
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      ...(rest.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: hoist(rest),
    };
  });
}

/** The input without what is in the path. */
function pickBodySchema({ input, path, wire }: Operation): TSchema {
  const inPath = listPathParameters(path);
  if (wire !== null || inPath.length === 0) return wire?.input ?? input;
  const isInBody = (name: string) => !inPath.includes(name);
  const fields = Object.entries(input.properties).filter(([name]) => isInBody(name));
  const required = ((input.required as string[] | undefined) ?? []).filter(isInBody);
  return { ...input, properties: Object.fromEntries(fields), required } as TSchema;
}

const IDEMPOTENCY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A value of your choice that identifies this request for 24 hours: repeating the request with it has no further effect. The response to a repeated request has `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const IF_NONE_MATCH_PARAMETER: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of a response that you have: 304 without a body if it is still current.',
  schema: { type: 'string' },
};

/** Headers that an operation accepts besides its input. */
function listHeaderParameters(operation: Operation): Json[] {
  return [
    ...(operation.takesIdempotencyKey ? [IDEMPOTENCY_PARAMETER] : []),
    ...(isShared(operation) ? [IF_NONE_MATCH_PARAMETER] : []),
  ];
}

const SECURITY_SCHEMES: Json = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (`mw_live_…`) from `POST /keys`. Never put one into a web page.',
  },
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A session token (`mw_sess_…`) from `POST /auth/verify` with `transport: token`.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-mw_session',
    description:
      'Set by `POST /auth/verify` with `transport: cookie`; named `mw_session` on a server without https.',
  },
};

/** Public operations need no credentials; credentials raise the budget. */
function pickSecurity(operation: Operation): readonly Json[] {
  const session = [{ sessionToken: [] }, { sessionCookie: [] }];
  if (operation.access === 'session') return session;
  if (operation.access === 'owner') return [...session, { apiKey: [] }];
  if (operation.access === 'key') return [{}, { apiKey: [] }];
  return operation.cost === 'free' ? [] : [{}, { apiKey: [] }, ...session];
}

function buildProblemResponse(codes: readonly ErrorCode[]): Json {
  const status = codes[0] ? ERROR_CATALOGUE[codes[0]].status : 500;
  const retryable = status === 429 || status === 503;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}.`).join(' '),
    headers: {
      ...REQUEST_ID_HEADER,
      ...(status === 429 ? RATE_HEADERS : {}),
      ...(retryable ? RETRY_AFTER_HEADER : {}),
      ...(status === 401
        ? {
            'WWW-Authenticate': {
              description: 'How to authenticate.',
              schema: { type: 'string' },
            },
          }
        : {}),
    },
    content: {
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  };
}

function buildContent(operation: Operation, hoist: (schema: unknown) => unknown): Json {
  const { mediaType, wire, output, example } = operation;
  const answer = {
    schema: hoist(wire?.output ?? output),
    ...(mediaType === 'application/json'
      ? { examples: { default: { value: example.answer } } }
      : {}),
  };
  const types = mediaType === 'image/*' ? IMAGE_TYPES : [mediaType];
  return Object.fromEntries(types.map((type) => [type, answer]));
}

function buildResponses(operation: Operation, hoist: (schema: unknown) => unknown): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrorCodes(operation)) {
    const status = ERROR_CATALOGUE[code].status;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const problems = [...byStatus.entries()]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [String(status), buildProblemResponse(codes)]);
  const headers = {
    ...REQUEST_ID_HEADER,
    ...(operation.cost === 'free' ? {} : RATE_HEADERS),
    ...(operation.wire === null ? {} : RETRY_AFTER_HEADER),
    ...(isShared(operation) ? CACHE_HEADERS : {}),
  };
  return {
    [String(operation.status)]: {
      description: operation.summary,
      headers,
      content: buildContent(operation, hoist),
    },
    ...(isShared(operation)
      ? {
          304: {
            description: 'The response named in `If-None-Match` is still current. No body.',
            headers,
          },
        }
      : {}),
    ...withWireAnswers(operation, Object.fromEntries(problems), hoist),
  };
}

/** Adds the responses of a protocol within HTTP; some statuses have both forms. */
function withWireAnswers(
  operation: Operation,
  problems: Readonly<Record<string, Json>>,
  hoist: (schema: unknown) => unknown,
): Json {
  const answers = Object.entries(operation.wire?.answers ?? {}).map(([status, answer]) => {
    const problem = problems[status];
    const content = {
      ...(answer.schema === null ? {} : { 'application/json': { schema: hoist(answer.schema) } }),
      ...(problem?.['content'] as Json | undefined),
    };
    const described = [answer.description, problem?.['description']].filter(Boolean).join(' ');
    return [
      status,
      {
        headers: REQUEST_ID_HEADER,
        ...problem,
        description: described,
        ...(Object.keys(content).length === 0 ? {} : { content }),
      },
    ];
  });
  return { ...problems, ...Object.fromEntries(answers) };
}

function buildPathItem(operation: Operation, hoist: (schema: unknown) => unknown): Json {
  const parameters = [...listParameters(operation, hoist), ...listHeaderParameters(operation)];
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\nCost: ${describeCost(operation)}.`,
    security: pickSecurity(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody(operation)
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: hoist(pickBodySchema(operation)) },
            },
          },
        }
      : {}),
    responses: buildResponses(operation, hoist),
  };
}

/** Answers are described where the other API describes them; ours are its shapes. */
function buildCompatItem({ tag }: CompatShape, route: CompatRoute): Json {
  const { id, asks, parameters, summary } = route;
  const ofBody = parameters.filter((one) => one.in === 'body');
  const cost = asks === null ? '1' : `that of \`${asks.id}\``;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `Unknown parameters are ignored. Cost: ${cost}, and of what else it asks.`,
    security: asks === null ? [{}, { apiKey: [] }] : pickSecurity(asks),
    parameters: parameters
      .filter((one) => one.in !== 'body')
      .map(({ name, in: place, description, isRequired }) => ({
        ...{ name, in: place, description },
        required: place === 'path' || isRequired === true,
        schema: { type: 'string' },
      })),
    ...(ofBody.length === 0
      ? {}
      : { requestBody: { required: true, content: { 'application/json': buildBody(ofBody) } } }),
    responses: {
      200: {
        description: summary,
        headers: { ...REQUEST_ID_HEADER, ...RATE_HEADERS },
        content: { 'application/json': { schema: {} } },
      },
      '4XX': { description: 'Refused, in the form of that API.', headers: REQUEST_ID_HEADER },
    },
  };
}

function buildBody(parameters: CompatRoute['parameters']): Json {
  const required = parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  const properties = parameters.map(({ name, description }) => [name, { description }]);
  return { schema: { type: 'object', required, properties: Object.fromEntries(properties) } };
}

function addCompatPaths(paths: Record<string, unknown>, shapes: readonly CompatShape[]): void {
  for (const shape of shapes) {
    for (const route of shape.routes) {
      const method = route.method.toLowerCase();
      const servers = [{ url: '/', description: 'This server, beside `/v1`.' }];
      paths[`${shape.prefix}${route.path}`] = { servers, [method]: buildCompatItem(shape, route) };
    }
  }
}

/** What is sent to the URLs of webhooks. */
function buildDelivery(hoist: (schema: unknown) => unknown): Json {
  const header = (name: string, description: string): Json => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } };
  };
  return {
    operationId: 'webhookDelivery',
    tags: ['Webhooks'],
    summary: 'Events of a webhook',
    description:
      'Sent to the URL of a webhook, as Standard Webhooks 1.0.0 says: any 2xx acknowledges it, everything else is sent again, 410 disables the webhook.',
    security: [],
    parameters: [
      header('webhook-id', 'The id of the last event; the same in every attempt.'),
      header('webhook-timestamp', 'When this attempt was signed: Unix seconds.'),
      header(
        'webhook-signature',
        '`v1,` and `v1a,` signatures of `id.timestamp.body`, separated by spaces.',
      ),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: hoist(deliveryBodySchema) } },
    },
    responses: { '2XX': { description: 'The receiver has the events.' } },
  };
}

interface OpenapiAbout {
  readonly version: string;
  readonly compat?: readonly CompatShape[];
}

export function buildOpenapi(operations: readonly Operation[], about: OpenapiAbout): Json {
  const { compat = [] } = about;
  const components = createComponents();
  components.hoist(problemSchema);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = buildPathItem(operation, components.hoist);
    paths[operation.path] = item;
  }
  addCompatPaths(paths, compat);
  const tags = [...new Set(operations.map((operation) => operation.tag))];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Mintwire',
      version: about.version,
      summary: 'Token market data, quotes and unsigned transactions.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1', description: 'This server.' }],
    tags: [
      ...tags.map((name) => ({ name, description: TAGS[name] })),
      ...compat.map(({ tag: name, description }) => ({ name, description })),
    ],
    paths,
    webhooks: { delivery: { post: buildDelivery(components.hoist) } },
    components: { schemas: components.schemas, securitySchemes: SECURITY_SCHEMES },
  };
}
