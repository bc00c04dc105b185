// The documents that describe the API, built once at start.

import { createHash } from 'node:crypto';
import { createAnswerSerializer } from '../contract/create-serializer.ts';
import { renderDocsPage } from '../contract/docs-page.ts';
import { DOCS_STYLE } from '../contract/docs-style.ts';
import type { ReferenceAbout } from '../contract/guide.ts';
import { renderLlmsText } from '../contract/llms-text.ts';
import { buildOpenapi } from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { getDocs, getLlms, getOpenapi } from '../contract/operations/reference.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';

function buildReadyAnswer(operation: Operation, document: unknown): ReadyAnswer {
  const bytes = Buffer.from(createAnswerSerializer(operation)(document), 'utf8');
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { kind: 'ready', bytes, etag: `W/"${hash}"` };
}

/** The page has no script; its one style sheet is allowed by its hash. */
function buildDocsPolicy(): string {
  const hash = createHash('sha256').update(DOCS_STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

interface ReferenceDocuments {
  readonly openapi: ReadyAnswer;
  readonly docs: ReadyAnswer;
  readonly llms: ReadyAnswer;
}

export function createReference(
  operations: readonly Operation[],
  about: ReferenceAbout,
): ReferenceDocuments {
  return {
    openapi: buildReadyAnswer(getOpenapi, buildOpenapi(operations, about)),
    docs: {
      ...buildReadyAnswer(getDocs, renderDocsPage(operations, about)),
      headers: { 'content-security-policy': buildDocsPolicy() },
    },
    llms: buildReadyAnswer(getLlms, renderLlmsText(operations, about)),
  };
}
