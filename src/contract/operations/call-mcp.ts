// POST /mcp

import Type from 'typebox';
import { defineOperation } from '../operation.ts';

const id = Type.Union([Type.String(), Type.Number()], {
  description: 'Chosen by the client and repeated in the response. Notifications have none.',
});

const jsonrpc = Type.Literal('2.0');

const anyObject = Type.Object({}, { additionalProperties: true });

/** Unknown members of a message are ignored, for newer protocol revisions. */
const requestSchema = Type.Object(
  {
    jsonrpc,
    id: Type.Optional(id),
    method: Type.Optional(
      Type.String({ description: 'Such as `tools/list` or `tools/call`; responses have none.' }),
    ),
    params: Type.Optional(anyObject),
  },
  { title: 'McpMessage', additionalProperties: true },
);

export const mcpErrorSchema = Type.Object(
  {
    jsonrpc,
    id: Type.Union([id, Type.Null()], { description: 'Null if the request could not be parsed.' }),
    error: Type.Object(
      { code: Type.Integer(), message: Type.String(), data: Type.Optional(anyObject) },
      { additionalProperties: false },
    ),
  },
  { title: 'McpError', additionalProperties: false },
);

const resultSchema = Type.Object(
  { jsonrpc, id, result: anyObject },
  { title: 'McpResult', additionalProperties: false },
);

const answerSchema = Type.Union([resultSchema, mcpErrorSchema]);
const message = { jsonrpc, id: Type.Optional(id) };

export const callMcp = defineOperation({
  id: 'callMcp',
  method: 'POST',
  path: '/mcp',
  tag: 'Agents',
  summary: 'Call tools over the Model Context Protocol',
  description:
    'The same reads as tools for agents, over Streamable HTTP with JSON responses and without sessions: protocol revisions 2026-07-28, 2025-11-25, 2025-06-18 and 2025-03-26. Each message costs as much as its HTTP operation. An API key raises the tier; a session token does not work here. An error inside a tool is a tool result with `isError`, not an HTTP error; an invalid message is a JSON-RPC `error`, with status 400 or 404 where the protocol demands it.',
  access: 'key',
  pages: 'own',
  isRaw: true,
  cost: 'read',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      ...message,
      method: Type.String({ description: 'Such as `tools/list` or `tools/call`.' }),
      params: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    { title: 'McpRequest', additionalProperties: false },
  ),
  output: Type.Object(
    {
      ...message,
      result: Type.Optional(Type.Object({}, { additionalProperties: true })),
      error: Type.Optional(
        Type.Object(
          {
            code: Type.Integer(),
            message: Type.String(),
            data: Type.Optional(Type.Object({}, { additionalProperties: true })),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { title: 'McpAnswer', additionalProperties: false },
  ),
  wire: {
    input: Type.Union([
      requestSchema,
      Type.Array(requestSchema, {
        minItems: 1,
        maxItems: 20,
        description: 'A batch: revision 2025-03-26 only.',
      }),
    ]),
    output: Type.Union([
      resultSchema,
      mcpErrorSchema,
      Type.Array(answerSchema, {
        minItems: 1,
        description: 'For a batch: one for each message that expects a response.',
      }),
    ]),
    answers: {
      202: { description: 'Notifications and responses were accepted. No body.', schema: null },
      400: {
        description: 'The message or its headers do not follow the protocol.',
        schema: mcpErrorSchema,
      },
      404: { description: 'Revision 2026-07-28 has no such method.', schema: mcpErrorSchema },
    },
  },
  errors: ['ORIGIN_NOT_ALLOWED'],
});
