// What agents can read beside calling tools: the reference, the errors, the chains.

import { toErrorsText, toErrorText, toLlmsText } from '../contract/llms-text.ts';
import { toOpenapi } from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { ERROR_CODES } from '../errors/catalogue.ts';
import type { CacheHint } from './encode-answer.ts';

export interface ResourceOptions {
  readonly operations: readonly Operation[];
  readonly version: string;
}

export interface Resource {
  readonly uri: string;
  readonly listed: Readonly<Record<string, unknown>>;
  readonly mimeType: string;
  readonly cache: CacheHint;
  /** Its text; null where a tool has to be asked for it. */
  readonly text: string | null;
}

const LASTING: CacheHint = { ttlMs: 300_000, scope: 'public' };
const FRESH: CacheHint = { ttlMs: 1000, scope: 'public' };

export const CHAINS_URI = 'mintwire://chains';
const ERROR_URI = 'mintwire://errors/';

/** One error by its code. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${ERROR_URI}{code}`,
    name: 'error',
    title: 'One error',
    description: 'What an error code means and what to do about it, such as TOKEN_NOT_FOUND.',
    mimeType: 'text/markdown',
  },
] as const;

interface Written {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string | null;
  readonly cache: CacheHint;
}

function toResource({ text, cache, ...listed }: Written): Resource {
  const size = text === null ? {} : { size: Buffer.byteLength(text) };
  const annotations = { audience: ['assistant'], priority: 0.5 };
  const { uri, mimeType } = listed;
  return { uri, mimeType, text, cache, listed: { ...listed, ...size, annotations } };
}

export function createResources({ operations, version }: ResourceOptions): readonly Resource[] {
  return [
    toResource({
      uri: 'mintwire://reference',
      name: 'reference',
      title: 'API reference',
      description: 'Every operation with its fields, an example and its errors; as /v1/llms.txt.',
      mimeType: 'text/markdown',
      text: toLlmsText(operations, { version }),
      cache: LASTING,
    }),
    toResource({
      uri: 'mintwire://openapi',
      name: 'openapi',
      title: 'OpenAPI document',
      description: 'The API as an OpenAPI 3.1 document; as /v1/openapi.json.',
      mimeType: 'application/json',
      text: JSON.stringify(toOpenapi(operations, { version })),
      cache: LASTING,
    }),
    toResource({
      uri: 'mintwire://errors',
      name: 'errors',
      title: 'Error catalogue',
      description: 'Every error code, what it means and what to do about it.',
      mimeType: 'text/markdown',
      text: toErrorsText(),
      cache: LASTING,
    }),
    toResource({
      uri: CHAINS_URI,
      name: 'chains',
      title: 'Followed chains',
      description:
        'The chains that this server follows and how fresh they are; as get_capabilities.',
      mimeType: 'application/json',
      text: null,
      cache: FRESH,
    }),
  ];
}

/** The page of one error; null where the address names none. */
export function findErrorPage(uri: string): string | null {
  if (!uri.startsWith(ERROR_URI)) return null;
  const code = ERROR_CODES.find((one) => one === uri.slice(ERROR_URI.length));
  return code === undefined ? null : toErrorText(code);
}

export const ERROR_PAGE_CACHE = LASTING;
