// What agents can read besides calling tools: the reference, the errors, the chains.

import type { ReferenceAbout } from '../contract/guide.ts';
import { renderError, renderErrors, renderLlmsText } from '../contract/llms-text.ts';
import { buildOpenapi } from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { ERROR_CODES } from '../errors/catalogue.ts';
import type { CacheHint } from './encode-answer.ts';

/** Calls a tool on behalf of the reader. */
type AskTool = (name: string) => string | Promise<string>;

interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Of the page of a view. */
  readonly _meta?: { readonly ui: { readonly prefersBorder: boolean } };
}

export interface Resource extends Listed {
  readonly uri: string;
  readonly cache: CacheHint;
  readonly text: string | ((ask: AskTool) => string | Promise<string>);
}

/** Resources whose addresses follow a pattern with one variable. */
export interface ResourceTemplate extends Listed {
  readonly uriTemplate: string;
  readonly cache: CacheHint;
  /** The text at that address; null if there is none. */
  find(uri: string): string | null;
  /** The possible values of the variable. */
  listValues(): readonly string[];
}

const LASTING: CacheHint = { ttlMs: 300_000, scope: 'public' };
const FRESH: CacheHint = { ttlMs: 1000, scope: 'public' };

const ANNOTATIONS = { audience: ['assistant'], priority: 0.5 };

export function toListedResource({ cache: _, text, ...listed }: Resource) {
  const size = typeof text === 'string' ? { size: Buffer.byteLength(text) } : {};
  return { ...listed, ...size, annotations: ANNOTATIONS };
}

export function toListedTemplate(template: ResourceTemplate) {
  const { uriTemplate, name, title, description, mimeType } = template;
  return { uriTemplate, name, title, description, mimeType, annotations: ANNOTATIONS };
}

const ERROR_URI = 'mintwire://errors/';

export const ERROR_TEMPLATE: ResourceTemplate = {
  uriTemplate: `${ERROR_URI}{code}`,
  name: 'error',
  title: 'One error',
  description: 'What an error code means and what to do about it, such as TOKEN_NOT_FOUND.',
  mimeType: 'text/markdown',
  cache: LASTING,
  find: (uri) => {
    const code = ERROR_CODES.find((one) => uri === `${ERROR_URI}${one}`);
    return code === undefined ? null : renderError(code);
  },
  listValues: () => ERROR_CODES,
};

export function createResources(
  operations: readonly Operation[],
  about: ReferenceAbout,
): readonly Resource[] {
  return [
    {
      uri: 'mintwire://reference',
      name: 'reference',
      title: 'API reference',
      description:
        'Every operation with its fields, an example and its errors; the same as /v1/llms.txt.',
      mimeType: 'text/markdown',
      text: renderLlmsText(operations, about),
      cache: LASTING,
    },
    {
      uri: 'mintwire://openapi',
      name: 'openapi',
      title: 'OpenAPI document',
      description: 'The API as an OpenAPI 3.1 document; the same as /v1/openapi.json.',
      mimeType: 'application/json',
      text: JSON.stringify(buildOpenapi(operations, about)),
      cache: LASTING,
    },
    {
      uri: 'mintwire://errors',
      name: 'errors',
      title: 'Error catalogue',
      description: 'Every error code, what it means and what to do about it.',
      mimeType: 'text/markdown',
      text: renderErrors(),
      cache: LASTING,
    },
    {
      uri: 'mintwire://chains',
      name: 'chains',
      title: 'Followed chains',
      description: 'The chains that this server follows, and how fresh their data is.',
      mimeType: 'application/json',
      text: (ask) => ask('get_capabilities'),
      cache: FRESH,
    },
  ];
}
