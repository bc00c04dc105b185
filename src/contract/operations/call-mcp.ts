// POST /mcp

import Type from 'typebox';
import { defineOperation } from '../operation.ts';

const id = Type.Union([Type.String(), Type.Integer()], {
  description: 'A word of yours for this request; its answer has it, too. Notifications have none.',
});

const message = { jsonrpc: Type.Literal('2.0'), id: Type.Optional(id) };

export const callMcp = defineOperation({
  id: 'callMcp',
  method: 'POST',
  path: '/mcp',
  tag: 'Agents',
  summary: 'Speak the Model Context Protocol',
  description:
    'The same reads as tools for agents, over Streamable HTTP with JSON answers and no session: protocol revisions 2026-07-28, 2025-11-25, 2025-06-18 and 2025-03-26. Each message is charged as its HTTP twin. An API key raises the tier; a session token does not work here. What goes wrong within a tool is told as a tool result with `isError`, not as an HTTP error.',
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
  errors: ['ORIGIN_NOT_ALLOWED'],
  example: {
    input: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tokens', arguments: { q: 'wire', limit: 1 } },
    },
    answer: {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [
          {
            type: 'text',
            text: '{"tokens":[{"chain":"devnet","mint":"0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7","symbol":"WIRE","name":"Wire","decimals":18,"logoUrl":null,"priceUsd":"0.419216924653595009","priceNative":"0.000141149335446816607","marketCapUsd":"41921692.4653595009","liquidityUsd":"6444172.62091812864","volume24hUsd":"97607.3717383143897","priceChange24hPct":-0.60143,"trades24h":24,"holders":40,"createdAt":1794709934000,"topPool":{"address":"0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2","venue":"uniswap-v3"},"match":"symbol"}],"nextCursor":"LWtxUHQ1a2JxcFEydgzSAEI","asOf":{"devnet":{"block":17,"blockHash":"0x449f75fe7c7f05c21de2110632a1e3b74117fbe852116e25763550753d0277cf","timestamp":1794720850000,"finalizedBlock":0}}}',
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
              logoUrl: null,
              priceUsd: '0.419216924653595009',
              priceNative: '0.000141149335446816607',
              marketCapUsd: '41921692.4653595009',
              liquidityUsd: '6444172.62091812864',
              volume24hUsd: '97607.3717383143897',
              priceChange24hPct: -0.60143,
              trades24h: 24,
              holders: 40,
              createdAt: 1794709934000,
              topPool: {
                address: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2',
                venue: 'uniswap-v3',
              },
              match: 'symbol',
            },
          ],
          nextCursor: 'LWtxUHQ1a2JxcFEydgzSAEI',
          asOf: {
            devnet: {
              block: 17,
              blockHash: '0x449f75fe7c7f05c21de2110632a1e3b74117fbe852116e25763550753d0277cf',
              timestamp: 1794720850000,
              finalizedBlock: 0,
            },
          },
        },
      },
    },
  },
});
