// What the conformance suite calls by name, as operations, prompts and resources of this server.

import Type from 'typebox';
import { defineOperation, type Operation } from '../../src/contract/operation.ts';
import { emptyInput } from '../../src/contract/schemas/empty-input.ts';
import { AppError } from '../../src/errors/app-error.ts';
import { PROMPTS, type Prompt } from '../../src/mcp/prompts.ts';
import { ERROR_TEMPLATE, type Resource, type ResourceTemplate } from '../../src/mcp/resources.ts';
import type { StartMcpOptions } from './start-mcp.ts';

const CACHE = { ttlMs: 0, scope: 'public' } as const;

function buildOperation(tool: string): Operation {
  return defineOperation({
    ...{ id: tool, method: 'GET', path: `/${tool}`, tag: 'Market', summary: 'Test' },
    ...{ description: 'Test.', cost: 'read', cacheControl: 'no-store', input: emptyInput },
    output: Type.Object({ text: Type.String() }, { additionalProperties: false }),
    example: { input: {}, answer: { text: '' } },
    mcp: { tool, title: 'Test', description: 'Of the conformance suite.' },
  });
}

function buildPrompt(name: string, names: readonly string[]): Prompt {
  return {
    ...{ name, title: name, description: 'Of the conformance suite.', needs: [] },
    arguments: names.map((one) => ({ name: one, description: one, required: true })),
    write: (given) => `This is a prompt for testing: ${JSON.stringify(given)}`,
  };
}

const TEXTS = ['test_simple_text', 'test_logging_tool', 'test_streaming_elicitation'];
const listed = { title: 'Test', description: 'Of the conformance suite.', cache: CACHE };

const TEXT: Resource = {
  ...{ ...listed, uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
  text: 'This is the content of the static text resource.',
};

const TEMPLATE: ResourceTemplate = {
  ...{ ...listed, uriTemplate: 'test://template/{id}/data', name: 'data' },
  mimeType: 'application/json',
  find: (uri) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    return id === undefined ? null : JSON.stringify({ id });
  },
  listValues: () => [],
};

export const CONFORMANCE_FIXTURES: StartMcpOptions = {
  extra: {
    operations: [...TEXTS, 'test_error_handling'].map(buildOperation),
    handlers: {
      ...Object.fromEntries(TEXTS.map((name) => [name, () => ({ text: 'Simple text.' })])),
      test_error_handling: () => {
        throw new AppError('OVERLOADED', {});
      },
    },
  },
  content: {
    prompts: [
      ...PROMPTS,
      buildPrompt('test_simple_prompt', []),
      buildPrompt('test_prompt_with_arguments', ['arg1', 'arg2']),
    ],
    resources: [TEXT],
    templates: [ERROR_TEMPLATE, TEMPLATE],
  },
};
