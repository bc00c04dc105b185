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
  example: {
    input: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tokens', arguments: { q: 'wire', limit: 1, fields: 'all' } },
    },
    answer: {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [
          {
            type: 'text',
            text: '{"tokens":[{"chain":"devnet","mint":"0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7","symbol":"WIRE","name":"Wire","decimals":18,"logoUrl":"http://127.0.0.1:8080/v1/token/logo?chain=devnet&mint=0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7","verified":["Devnet"],"links":{"website":"https://wire.example/","x":null,"telegram":null},"launchpad":null,"priceUsd":"0.426208879329284736","priceNative":"0.000142142465876172663","marketCapUsd":"42620887.9329284736","liquidityUsd":"6283550.60488712445","volume24hUsd":"535665.837180220405","priceChange24hPct":1.055642,"trades24h":187,"holders":41,"createdAt":1794731708000,"topPool":{"address":"0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2","venue":"uniswap-v3"},"match":"symbol"}],"nextCursor":"LWtxUHQ1a2JxcFEydgzSAEI","asOf":{"devnet":{"block":89,"blockHash":"0x0892ac603fe7a1acb63ac6c20397f7485d129967c826446ba9238f32928ce533","timestamp":1794818232000,"finalizedBlock":25}}}',
          },
        ],
        structuredContent: {
          tokens: [
            {
              chain: 'devnet',
              mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7',
              symbol: 'WIRE',
              name: 'Wire',
              decimals: 18,
              logoUrl:
                'http://127.0.0.1:8080/v1/token/logo?chain=devnet&mint=0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7',
              verified: [],
              links: { website: 'https://wire.example/', x: null, telegram: null },
              launchpad: null,
              priceUsd: '0.426208879329284736',
              priceNative: '0.000142142465876172663',
              marketCapUsd: '42620887.9329284736',
              liquidityUsd: '6283550.60488712445',
              volume24hUsd: '535665.837180220405',
              priceChange24hPct: 1.055642,
              trades24h: 187,
              holders: 41,
              createdAt: 1794731708000,
              topPool: {
                address: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2',
                venue: 'uniswap-v3',
              },
              match: 'symbol',
              warnings: [],
            },
          ],
          nextCursor: 'LWtxUHQ1a2JxcFEydgzSAEI',
          asOf: {
            devnet: {
              block: 89,
              blockHash: '0x0892ac603fe7a1acb63ac6c20397f7485d129967c826446ba9238f32928ce533',
              timestamp: 1794818232000,
              finalizedBlock: 25,
            },
          },
        },
      },
    },
  },
});
