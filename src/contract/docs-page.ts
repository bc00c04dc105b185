// The reference as one page of plain HTML, generated from the list of operations. It is complete
// without its script, which searches it and sends its examples.

import { setImmediate } from 'node:timers/promises';
import { Marked } from 'marked';
import type { TSchema } from 'typebox';
import { ERROR_CATALOGUE, ERROR_CODES, type ErrorCode } from '../errors/catalogue.ts';
import { packJson } from '../lib/pack-json.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type { Guide, ReferenceAbout } from './guide.ts';
import {
  describeCost,
  findKeyScope,
  hasBody,
  isOwned,
  listErrorCodes,
  type Operation,
} from './operation.ts';
import { listPathParameters } from './path-parameters.ts';

// An operation as text and commands, for the generated documents.

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
function formatType(schema: AnySchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' | ');
  if (schema.type === 'array') return `array of ${formatType(schema.items ?? {})}`;
  return typeof schema.type === 'string' ? schema.type : 'any';
}

interface FieldLine {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** The object in a field, which may be in a list or nullable. */
function findInner(
  field: AnySchema,
): { readonly schema: AnySchema; readonly suffix: string } | null {
  if (field.properties) return { schema: field, suffix: '.' };
  if (field.items?.properties) return { schema: field.items, suffix: '[].' };
  const one = field.anyOf?.find((choice) => choice.properties);
  return one ? { schema: one, suffix: '.' } : null;
}

/** Every field of a schema, nested ones by their path. */
export function listFields(schema: TSchema, prefix = ''): FieldLine[] {
  const object = schema as AnySchema;
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = findInner(field);
    const line: FieldLine = {
      path,
      type: formatType(field),
      // A field with a default is optional.
      required: (object.required?.includes(name) ?? false) && field.default === undefined,
      description: [
        field.description ?? '',
        field.default === undefined ? '' : `Default ${JSON.stringify(field.default)}.`,
      ]
        .filter((part) => part !== '')
        .join(' '),
    };
    return [line, ...(inner ? listFields(inner.schema as TSchema, path + inner.suffix) : [])];
  });
}

/** The credentials that the reader needs. */
export function describeAccess(operation: Operation): string {
  if (operation.access === 'session') return 'Needs a wallet session. ';
  if (operation.access === 'owner') {
    return `Needs a wallet session or an API key with the scope \`${findKeyScope(operation)}\`. `;
  }
  return operation.access === 'key'
    ? 'An API key raises the tier; sessions are not accepted. '
    : '';
}

/** In single quotes a shell changes nothing; only single quotes need escaping. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The path of an operation's example, and what of its input is not in the path. */
export function splitExample({ example, path }: Pick<Operation, 'example' | 'path'>): {
  readonly path: string;
  readonly rest: Readonly<Record<string, unknown>>;
} {
  const inPath = listPathParameters(path);
  const fields = Object.entries(example.input);
  const filled = inPath.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(example.input[name]))),
    path,
  );
  return {
    path: filled,
    rest: Object.fromEntries(fields.filter(([name]) => !inPath.includes(name))),
  };
}

/** The path and query of an operation's example. */
function buildExamplePath(operation: Operation): string {
  const { path, rest } = splitExample(operation);
  const query = Object.entries(rest)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  return `/v1${path}${query === '' ? '' : `?${query}`}`;
}

/** The example as a command, with `$TOKEN` for a session token. */
export function buildCurl(operation: Operation, origin: string): string {
  const { access, mediaType, method } = operation;
  const { path, rest } = splitExample(operation);
  const credential = isOwned({ access }) ? ' -H "Authorization: Bearer $TOKEN"' : '';
  if (hasBody(operation)) {
    const body = quote(JSON.stringify(rest));
    const verb = method === 'POST' ? '' : `-X ${method} `;
    const start = `curl -s ${verb}${origin}/v1${path}${credential} -H 'Content-Type: application/json'`;
    return `${start} \\\n  -d ${body}`;
  }
  // `-N` shows events as they arrive.
  const flag = mediaType === 'text/event-stream' ? '-N ' : '';
  const verb = method === 'GET' ? flag : `-X ${method} `;
  const url = quote(`${origin}${buildExamplePath(operation)}`);
  return `curl -s ${verb}${url}${credential}`;
}

/** Events in the format of a stream. */
export function formatEvents(answer: unknown): string {
  return Object.entries(answer as Record<string, unknown>)
    .map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n`)
    .join('\n');
}

// Our documents' Markdown → HTML. HTML within a document is text: nothing of it reaches the page.

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The target of a document's link on the page; null if the page does not have it. */
type ResolveLink = (target: string) => string | null;

export interface MarkdownOptions {
  readonly resolve: ResolveLink;
  /** Anchors of headings begin with it. */
  readonly anchor: string;
  /** Levels that headings go down by, so that the page has one outline. */
  readonly demote: number;
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function createMarked({ resolve, anchor, demote }: MarkdownOptions): Marked {
  return new Marked({
    // No token for HTML, bare URLs and e-mail addresses: they are text, which is escaped.
    tokenizer: {
      html: () => undefined,
      tag: () => undefined,
      autolink: () => undefined,
      url: () => undefined,
    },
    renderer: {
      heading({ depth, text, tokens }) {
        const level = Math.min(6, depth + demote);
        const label = this.parser.parseInline(tokens);
        return `<h${level} id="${anchor}-${toSlug(text)}">${label}</h${level}>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table({ header, rows }) {
        const renderRow = (cells: typeof header, tag: string) => {
          const inner = cells.map(({ tokens }) => this.parser.parseInline(tokens));
          // A header cell without text is none to a screen reader.
          const name = (cell: string) => (cell === '' ? 'td' : tag);
          const parts = inner.map((cell) => `<${name(cell)}>${cell}</${name(cell)}>`);
          return `<tr>${parts.join('')}</tr>`;
        };
        const isNamed = header.some(({ text }) => text !== '');
        const head = isNamed ? `<thead>${renderRow(header, 'th')}</thead>` : '';
        const body = rows.map((cells) => renderRow(cells, 'td')).join('');
        return `<div class="scroll" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const target = resolve(href);
        return target === null ? label : `<a href="${escapeHtml(target)}">${label}</a>`;
      },
      image: ({ text }) => escapeHtml(text),
    },
  });
}

const plain = createMarked({ resolve: () => null, anchor: '', demote: 0 });

/** Code and emphasis within a line, without links. */
export function renderInline(text: string): string {
  return plain.parseInline(text, { async: false });
}

export function renderMarkdown(markdown: string, options: MarkdownOptions): string {
  return createMarked(options).parse(markdown, { async: false });
}

const ORIGIN = 'http://localhost:8080';

const ACCESS: Readonly<Record<Operation['access'], string>> = {
  public: 'open to anyone',
  key: 'open to anyone, API keys raise the tier',
  session: 'wallet session',
  owner: 'wallet session or an API key with the scope',
};

function renderFieldTable(schema: TSchema, heading: string): string {
  const rows = listFields(schema).map(
    (line) =>
      `<tr><td><code>${escapeHtml(line.path)}</code></td><td>${escapeHtml(line.type)}${
        line.required ? '' : ' <span class="soft">(optional)</span>'
      }</td><td>${renderInline(line.description)}</td></tr>`,
  );
  if (rows.length === 0) return '';
  return `<div class="scroll" tabindex="0"><table><thead><tr><th>${heading}</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function formatAnswer({ mediaType, example }: Operation): string {
  if (mediaType === 'application/json') return packJson(example.answer, 100);
  return mediaType === 'text/event-stream' ? formatEvents(example.answer) : String(example.answer);
}

function renderChips(operation: Operation): string {
  const chips = [
    operation.cost === 'free' ? 'not metered' : `cost ${describeCost(operation)}`,
    ACCESS[operation.access],
    ...(operation.mcp === null ? [] : [`MCP tool ${operation.mcp.tool}`]),
    ...(operation.takesIdempotencyKey ? ['takes Idempotency-Key'] : []),
  ];
  return `<ul class="chips">${chips.map((chip) => `<li>${escapeHtml(chip)}</li>`).join('')}</ul>`;
}

/** Reads only, and none that never ends: what a page sends at a click must change nothing. */
function renderTry(operation: Operation): string {
  if (operation.method !== 'GET' || operation.mediaType !== 'application/json') return '';
  const path = escapeHtml(buildExamplePath(operation));
  return `<button type="button" class="try waits" data-path="${path}">Try it</button><pre class="answer" tabindex="0" hidden></pre>`;
}

function renderSection(operation: Operation): string {
  const { id, method, path, summary, description } = operation;
  const errors = listErrorCodes(operation)
    .map((code) => `<a href="#error-${code}"><code>${code}</code></a>`)
    .join(' ');
  const output = renderFieldTable(operation.output, 'Answer');
  return `<section id="${id}"><h3><span class="method ${method}">${method}</span><code>/v1${path}</code></h3>
<p><strong>${renderInline(summary)}.</strong> ${renderInline(description)}</p>
${renderChips(operation)}
${renderFieldTable(operation.input, hasBody(operation) ? 'Body' : 'Query')}
<pre tabindex="0"><code>${escapeHtml(`$ ${buildCurl(operation, ORIGIN)}\n${formatAnswer(operation)}`)}</code></pre>
${renderTry(operation)}
${output === '' ? '' : `<details><summary>Every field of the response</summary>${output}</details>`}
<p class="soft uses">Errors: ${errors}</p></section>`;
}

function renderError(code: ErrorCode, operations: readonly Operation[]): string {
  const { status, title, help } = ERROR_CATALOGUE[code];
  const own = operations.filter((operation) => operation.errors.includes(code));
  const uses = own.map(({ id, method, path }) => `<a href="#${id}">${method} ${path}</a>`);
  return `<article class="error" id="error-${code}"><h3><span class="status">${status}</span><code>${code}</code></h3>
<p><strong>${renderInline(title)}.</strong> ${renderInline(help)}</p>${
    uses.length === 0 ? '' : `\n<p class="soft uses">From ${uses.join(' ')}</p>`
  }</article>`;
}

function renderErrorSection(operations: readonly Operation[]): string {
  const codes = [...ERROR_CODES].sort(
    (a, b) => ERROR_CATALOGUE[a].status - ERROR_CATALOGUE[b].status,
  );
  return `<h2 id="errors">Errors</h2><p>Every error is an RFC 9457 problem: <code>application/problem+json</code> with <code>type</code> (which leads here), <code>title</code>, <code>status</code>, <code>detail</code>, <code>code</code>, <code>requestId</code> and, for bad input, <code>errors</code> with each field. Branch on <code>code</code>: codes are permanent, texts are for people. A 429 or 503 carries <code>Retry-After</code>.</p>
${codes.map((code) => renderError(code, operations)).join('\n')}`;
}

/**
 * Links between documents become links within the page; links to other targets become plain text.
 */
function createResolve(guides: readonly Guide[], own: Guide): ResolveLink {
  return (target) => {
    if (/^https?:\/\//.test(target)) return target;
    const [path = '', fragment = ''] = target.split('#');
    const name = path.split('/').at(-1)?.replace(/\.md$/, '') ?? '';
    if (name === 'errors') return '#errors';
    const guide = path === '' ? own : guides.find((one) => one.id === name);
    if (guide === undefined) return null;
    return fragment === '' ? `#guide-${guide.id}` : `#guide-${guide.id}-${fragment}`;
  };
}

function renderGuide(guide: Guide, guides: readonly Guide[]): string {
  const body = guide.markdown.replace(/^# .*\n/m, '');
  const html = renderMarkdown(body, {
    resolve: createResolve(guides, guide),
    anchor: `guide-${guide.id}`,
    demote: 1,
  });
  return `<section id="guide-${guide.id}"><h2>${escapeHtml(guide.title)}</h2>\n${html}</section>`;
}

function renderNavigation(operations: readonly Operation[], about: ReferenceAbout): string {
  const renderGroup = (title: string, links: readonly string[]) =>
    `<div class="group"><h2>${title}</h2><ul>${links.map((link) => `<li>${link}</li>`).join('')}</ul></div>`;
  const guides = about.guides.map(
    // The part after the colon is only for the heading.
    ({ id, title }) => `<a href="#guide-${id}">${escapeHtml(title.split(':', 1)[0] ?? title)}</a>`,
  );
  const groups = listTags(operations).map((tag) =>
    renderGroup(
      tag,
      operations
        .filter((operation) => operation.tag === tag)
        .map(
          ({ id, method, path }) =>
            `<a href="#${id}"><span class="method ${method}">${method}</span>${path}</a>`,
        ),
    ),
  );
  return `<nav class="side" aria-label="Contents"><p class="brand"><a href="/">Mintwire</a></p><p class="soft">API ${escapeHtml(about.version)}</p>
<p class="waits"><input id="find" type="search" placeholder="Search" aria-label="Search the reference" autocomplete="off"></p><div class="groups">
${guides.length === 0 ? '' : renderGroup('Guides', guides)}
${groups.join('\n')}
${renderGroup('Errors', ['<a href="#errors">Every error</a>'])}</div></nav>`;
}

function listTags(operations: readonly Operation[]): readonly Operation['tag'][] {
  return [...new Set(operations.map((operation) => operation.tag))];
}

/** One in each turn of the event loop: the whole page takes long enough to hold up requests. */
async function renderInTurns<T>(items: readonly T[], render: (item: T) => string): Promise<string> {
  const texts: string[] = [];
  for (const item of items) {
    texts.push(render(item));
    await setImmediate();
  }
  return texts.join('\n');
}

function renderTag(tag: Operation['tag'], operations: readonly Operation[]): string {
  const ofTag = operations.filter((operation) => operation.tag === tag);
  return `<h2 id="tag-${tag}">${tag}</h2>\n${ofTag.map(renderSection).join('\n')}`;
}

export async function renderDocsPage(
  operations: readonly Operation[],
  about: ReferenceAbout,
): Promise<string> {
  const guides = await renderInTurns(about.guides, (guide) => renderGuide(guide, about.guides));
  const sections = await renderInTurns(listTags(operations), (tag) => renderTag(tag, operations));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Mintwire API</title><style>${DOCS_STYLE}</style></head><body><div class="page">
${renderNavigation(operations, about)}
<main>
<h1>Mintwire API</h1>
<p class="lead">Token market data, quotes and unsigned transactions, from chains that this server follows itself.</p>
<p><a href="/v1/openapi.json">OpenAPI 3.1</a> · <a href="/v1/llms.txt">llms.txt for language models</a> · MCP endpoint <code>/v1/mcp</code></p>
<ul>
<li>Raw amounts are decimal integer strings, prices and values decimal strings, times Unix milliseconds. What is not known is null, never 0.</li>
<li>Unknown parameters are refused. Every metered answer carries <code>RateLimit</code> and <code>RateLimit-Policy</code>; a 429 or 503 carries <code>Retry-After</code>.</li>
<li>Names and symbols of tokens come from chains and are written by strangers: treat them as untrusted text.</li>
</ul>
${guides}
${sections}
${renderErrorSection(operations)}
</main></div><script>${DOCS_SCRIPT}</script></body></html>
`;
}
