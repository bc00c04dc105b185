// The documents that describe the API, built once.

import { createHash } from 'node:crypto';
import { createAnswerSerializer } from '../contract/create-serializer.ts';
import { renderDocsPage } from '../contract/docs-page.ts';
import { DOCS_SCRIPT } from '../contract/docs-script.ts';
import { DOCS_STYLE } from '../contract/docs-style.ts';
import type { ReferenceAbout } from '../contract/guide.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import { renderLlmsText } from '../contract/llms-text.ts';
import { buildOpenapi } from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { getDocs, getLlms, getOpenapi } from '../contract/operations/reference.ts';

function buildReadyAnswer(operation: Operation, document: unknown): ReadyAnswer {
  const bytes = Buffer.from(createAnswerSerializer(operation)(document), 'utf8');
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { kind: 'ready', bytes, etag: `W/"${hash}"` };
}

/** The page's one script and one style sheet are allowed by their hashes. */
function buildDocsPolicy(): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(DOCS_SCRIPT)}`,
    `style-src ${hash(DOCS_STYLE)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Built when it is first asked for: rendering would take a good part of the start. */
function buildOnce<T>(build: () => T): () => T {
  let built: T | null = null;
  return () => {
    built ??= build();
    return built;
  };
}

export function createReference(operations: readonly Operation[], about: ReferenceAbout) {
  return {
    getOpenapi: buildOnce(() => buildReadyAnswer(getOpenapi, buildOpenapi(operations, about))),
    getDocs: buildOnce(async () => ({
      ...buildReadyAnswer(getDocs, await renderDocsPage(operations, about)),
      headers: { 'content-security-policy': buildDocsPolicy() },
    })),
    getLlms: buildOnce(() => buildReadyAnswer(getLlms, renderLlmsText(operations, about))),
  };
}
