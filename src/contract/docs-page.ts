// The readable reference: one page of plain HTML, no script, made from the operation list.

import type { TSchema } from 'typebox';
import { ERROR_CATALOGUE, ERROR_CODES } from '../errors/catalogue.ts';
import { COSTS, type Operation, toErrorCodes } from './operation.ts';

/** The page's only style sheet; its hash is what the content security policy allows. */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--text:#1c2430;--soft:#5a6675;--line:#d9dee5;--back:#fff;--code:#f4f6f9;--mark:#0b6bcb}
@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--soft:#9aa7b8;--line:#2c3644;--back:#12171f;--code:#1a212c;--mark:#6db3ff}}
*{box-sizing:border-box}body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--back)}
main{max-width:860px;margin:0 auto;padding:2rem 1.25rem 5rem}h1{margin:0 0 .25rem}h2{margin:3rem 0 .5rem}h3{margin:2.25rem 0 .25rem;font-size:1.05rem}
p{margin:.5rem 0}a{color:var(--mark)}nav ul{columns:2;padding-left:1.1rem}.soft{color:var(--soft)}
code,pre{font:13.5px/1.5 ui-monospace,Menlo,Consolas,monospace;background:var(--code);border-radius:5px}code{padding:.1em .35em}
pre{padding:.8rem 1rem;overflow-x:auto}pre code{padding:0;background:none}table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}
.method{font-weight:700;color:var(--mark)}@media(max-width:600px){nav ul{columns:1}}
`;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Escapes, and turns \`code\` marks into elements. */
function toInline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

interface AnySchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly AnySchema[];
  readonly items?: AnySchema;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** A schema's type in a few words. */
export function toTypeText(schema: AnySchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(toTypeText).join(' | ');
  if (schema.type === 'array') return `array of ${toTypeText(schema.items ?? {})}`;
  return typeof schema.type === 'string' ? schema.type : 'any';
}

interface FieldLine {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** Every field of a schema, nested ones by their path. */
export function toFieldLines(schema: TSchema, prefix = ''): FieldLine[] {
  const object = schema as AnySchema;
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = field.type === 'array' ? field.items : field;
    const suffix = field.type === 'array' ? '[].' : '.';
    const line: FieldLine = {
      path,
      type: toTypeText(field),
      required: object.required?.includes(name) ?? false,
      description: [
        field.description ?? '',
        field.default === undefined ? '' : `Default ${JSON.stringify(field.default)}.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    };
    return [line, ...(inner?.properties ? toFieldLines(inner as TSchema, path + suffix) : [])];
  });
}

function toFieldTable(schema: TSchema, heading: string): string {
  const rows = toFieldLines(schema).map(
    (line) =>
      `<tr><td><code>${escapeHtml(line.path)}</code></td><td>${escapeHtml(line.type)}${
        line.required ? '' : ' <span class="soft">(optional)</span>'
      }</td><td>${toInline(line.description)}</td></tr>`,
  );
  if (rows.length === 0) return '';
  return `<table><thead><tr><th>${heading}</th><th>Type</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** What the reader must have in hand. */
export function toAccessText(operation: Operation): string {
  return operation.access === 'session' ? 'Needs a wallet session. ' : '';
}

export function toCurl(operation: Operation, origin: string): string {
  const credential = operation.access === 'session' ? ` -H 'Authorization: Bearer mw_sess_…'` : '';
  if (operation.method === 'POST') {
    const body = JSON.stringify(operation.example.input);
    return `curl -s ${origin}/v1${operation.path}${credential} -H 'Content-Type: application/json' -d '${body}'`;
  }
  const query = Object.entries(operation.example.input)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  const method = operation.method === 'GET' ? '' : `-X ${operation.method} `;
  return `curl -s ${method}'${origin}/v1${operation.path}${query === '' ? '' : `?${query}`}'${credential}`;
}

function toSection(operation: Operation): string {
  const answer =
    operation.mediaType === 'application/json'
      ? JSON.stringify(operation.example.answer, null, 2)
      : String(operation.example.answer);
  const errors = toErrorCodes(operation)
    .map((code) => `<a href="#error-${code}"><code>${code}</code></a>`)
    .join(' ');
  return `<section id="${operation.id}"><h3><span class="method">${operation.method}</span> <code>/v1${operation.path}</code></h3>
<p><strong>${toInline(operation.summary)}.</strong> ${toInline(operation.description)} <span class="soft">${toAccessText(operation)}Cost ${COSTS[operation.cost]}.</span></p>
${toFieldTable(operation.input, operation.method === 'POST' ? 'Body' : 'Query')}
<pre><code>${escapeHtml(`$ ${toCurl(operation, 'http://127.0.0.1:8080')}\n${answer}`)}</code></pre>
${toFieldTable(operation.output, 'Answer')}
<p class="soft">Errors: ${errors}</p></section>`;
}

function toErrorSection(): string {
  const rows = ERROR_CODES.map((code) => {
    const entry = ERROR_CATALOGUE[code];
    return `<tr id="error-${code}"><td>${entry.status}</td><td><code>${code}</code></td><td>${toInline(entry.title)}. ${toInline(entry.help)}</td></tr>`;
  });
  return `<h2 id="errors">Errors</h2><p>Every error is an RFC 9457 problem: <code>application/problem+json</code> with <code>type</code>, <code>title</code>, <code>status</code>, <code>detail</code>, <code>code</code>, <code>requestId</code> and, for bad input, <code>errors</code> with each field. Branch on <code>code</code>.</p>
<table><thead><tr><th>Status</th><th>Code</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

export function toDocsPage(operations: readonly Operation[], about: { version: string }): string {
  const tags = [...new Set(operations.map((operation) => operation.tag))];
  const nav = operations
    .map((op) => `<li><a href="#${op.id}">${op.method} ${op.path}</a></li>`)
    .join('');
  const sections = tags
    .map((tag) => {
      const ofTag = operations.filter((operation) => operation.tag === tag);
      return `<h2>${tag}</h2>${ofTag.map(toSection).join('\n')}`;
    })
    .join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Mintwire API</title><style>${DOCS_STYLE}</style></head><body><main>
<h1>Mintwire API</h1><p class="soft">Version ${escapeHtml(about.version)} · <a href="/v1/openapi.json">OpenAPI 3.1</a> · <a href="/v1/llms.txt">llms.txt</a></p>
<p>Raw amounts are decimal integer strings, times are Unix milliseconds, lists are named arrays. Every metered answer carries <code>RateLimit</code> and <code>RateLimit-Policy</code>; a 429 or 503 carries <code>Retry-After</code>. Unknown parameters are refused. Names and symbols of tokens come from chains: treat them as untrusted text.</p>
<nav><ul>${nav}<li><a href="#errors">Errors</a></li></ul></nav>
${sections}
${toErrorSection()}
</main></body></html>
`;
}
