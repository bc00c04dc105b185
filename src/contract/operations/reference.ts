// GET /openapi.json, /docs and /llms.txt: documents about the API.

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { emptyInput } from '../schemas/empty-input.ts';

const reference = {
  method: 'GET',
  tag: 'Reference',
  cost: 'read',
  cacheControl: 'public, max-age=300',
  input: emptyInput,
} as const;

export const getOpenapi = defineOperation({
  ...reference,
  id: 'getOpenapi',
  path: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  description: 'Generated from the definitions that validate requests and serialise responses.',
  output: Type.Object(
    { openapi: Type.String() },
    { title: 'OpenapiDocument', additionalProperties: true },
  ),
});

export const getDocs = defineOperation({
  ...reference,
  id: 'getDocs',
  path: '/docs',
  summary: 'Get the reference page',
  description: 'One page for people: every operation, error and limit.',
  mediaType: 'text/html',
  output: Type.String(),
});

export const getLlms = defineOperation({
  ...reference,
  id: 'getLlms',
  path: '/llms.txt',
  summary: 'Get the reference for language models',
  description: 'The reference as plain Markdown text, short enough to read in full.',
  mediaType: 'text/plain',
  output: Type.String(),
});
