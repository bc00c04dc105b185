// GET /openapi.json, /docs and /llms.txt: the contract itself, as documents.

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
  summary: 'Give this API as an OpenAPI 3.1 document',
  description: 'Made from the same definitions that check requests and shape answers.',
  output: Type.Object(
    { openapi: Type.String() },
    { title: 'OpenapiDocument', additionalProperties: true },
  ),
  example: { input: {}, answer: { openapi: '3.1.1' } },
});

export const getDocs = defineOperation({
  ...reference,
  id: 'getDocs',
  path: '/docs',
  summary: 'Give the readable reference',
  description: 'One page for people: every operation, error and limit.',
  mediaType: 'text/html',
  output: Type.String(),
  example: { input: {}, answer: '<!doctype html>…' },
});

export const getLlms = defineOperation({
  ...reference,
  id: 'getLlms',
  path: '/llms.txt',
  summary: 'Give the reference for language models',
  description: 'The same reference as plain Markdown text, short enough to read whole.',
  mediaType: 'text/plain',
  output: Type.String(),
  example: { input: {}, answer: '# Mintwire…' },
});
