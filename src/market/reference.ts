// The documents that describe the API, built once at start.

import { createHash } from 'node:crypto';
import { createAnswerSerializer } from '../contract/create-serializer.ts';
import { toDocsPage } from '../contract/docs-page.ts';
import { DOCS_STYLE } from '../contract/docs-style.ts';
import type { ReferenceAbout } from '../contract/guide.ts';
import { toLlmsText } from '../contract/llms-text.ts';
import { toOpenapi } from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { getDocs, getLlms, getOpenapi } from '../contract/operations/reference.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';

function toReadyAnswer(operation: Operation, document: unknown): ReadyAnswer {
  const bytes = Buffer.from(createAnswerSerializer(operation)(document), 'utf8');
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { kind: 'ready', bytes, etag: `W/"${hash}"` };
}

/** The page has no script; its one style sheet is allowed by its hash. */
function toDocsPolicy(): string {
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
    openapi: toReadyAnswer(getOpenapi, toOpenapi(operations, about)),
    docs: {
      ...toReadyAnswer(getDocs, toDocsPage(operations, about)),
      headers: { 'content-security-policy': toDocsPolicy() },
    },
    llms: toReadyAnswer(getLlms, toLlmsText(operations, about)),
  };
}
