// Schemas of MCP results, by method. The result of `tools/call` has that of its operation.

import Type, { type TProperties } from 'typebox';

const closed = { additionalProperties: false } as const;
const anyObject = Type.Object({}, { additionalProperties: true });
const text = Type.Object({ type: Type.Literal('text'), text: Type.String() }, closed);

function result<Fields extends TProperties>(method: string, fields: Fields) {
  return Type.Object(fields, { ...closed, title: `The result of ${method}` });
}

const serverInfo = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    version: Type.String(),
  },
  closed,
);

const greeting = {
  capabilities: Type.Object(
    { tools: anyObject, resources: anyObject, prompts: anyObject, completions: anyObject },
    closed,
  ),
  instructions: Type.String(),
};

const tool = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    inputSchema: anyObject,
    outputSchema: anyObject,
    annotations: Type.Object(
      { readOnlyHint: Type.Boolean(), openWorldHint: Type.Boolean() },
      closed,
    ),
    _meta: Type.Optional(anyObject),
  },
  closed,
);

/** Of the page of a view (MCP Apps). */
const viewMeta = Type.Optional(
  Type.Object({ ui: Type.Object({ prefersBorder: Type.Boolean() }, closed) }, closed),
);

const resource = {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  mimeType: Type.String(),
  annotations: Type.Object(
    { audience: Type.Array(Type.String()), priority: Type.Number({ minimum: 0, maximum: 1 }) },
    closed,
  ),
};

const prompt = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    arguments: Type.Array(
      Type.Object(
        { name: Type.String(), description: Type.String(), required: Type.Boolean() },
        closed,
      ),
    ),
  },
  closed,
);

export const mcpResultSchemas = {
  initialize: result('initialize', { protocolVersion: Type.String(), serverInfo, ...greeting }),
  discover: result('server/discover', {
    supportedVersions: Type.Array(Type.String()),
    ...greeting,
  }),
  tools: result('tools/list', { tools: Type.Array(tool) }),
  toolError: result('tools/call', { content: Type.Array(text), isError: Type.Literal(true) }),
  resources: result('resources/list', {
    resources: Type.Array(
      Type.Object(
        {
          ...{ uri: Type.String(), ...resource, _meta: viewMeta },
          size: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        closed,
      ),
    ),
  }),
  resourceTemplates: result('resources/templates/list', {
    resourceTemplates: Type.Array(Type.Object({ uriTemplate: Type.String(), ...resource }, closed)),
  }),
  resource: result('resources/read', {
    contents: Type.Array(
      Type.Object(
        { uri: Type.String(), mimeType: Type.String(), text: Type.String(), _meta: viewMeta },
        closed,
      ),
    ),
  }),
  prompts: result('prompts/list', { prompts: Type.Array(prompt) }),
  prompt: result('prompts/get', {
    description: Type.String(),
    messages: Type.Array(Type.Object({ role: Type.Literal('user'), content: text }, closed)),
  }),
  completion: result('completion/complete', {
    completion: Type.Object(
      {
        values: Type.Array(Type.String()),
        total: Type.Integer({ minimum: 0 }),
        hasMore: Type.Boolean(),
      },
      closed,
    ),
  }),
};

/** What the stateless revision adds to every result. */
export const statelessMembersSchema = Type.Object(
  {
    ttlMs: Type.Optional(Type.Integer({ minimum: 0 })),
    cacheScope: Type.Optional(Type.Enum(['public', 'private'])),
    resultType: Type.Literal('complete'),
    _meta: Type.Record(Type.String(), serverInfo),
  },
  { ...closed, title: 'The members of every stateless result' },
);
