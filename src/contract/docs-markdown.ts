// The little Markdown that our documents use → HTML. Everything is escaped before it is marked up.

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Where a link of a document leads on the page; null where the page has no such place. */
export type ResolveLink = (target: string) => string | null;

const NOWHERE: ResolveLink = () => null;

/** Code, links and emphasis within a line. */
export function toInline(text: string, resolve: ResolveLink = NOWHERE): string {
  const codes: string[] = [];
  const kept = text.replace(/`([^`]+)`/g, (_, code: string) => {
    codes.push(`<code>${escapeHtml(code)}</code>`);
    return `\0${codes.length - 1}\0`;
  });
  return escapeHtml(kept)
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, target: string) => {
      const href = resolve(target);
      return href === null ? label : `<a href="${href}">${label}</a>`;
    })
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\0(\d+)\0/g, (_, index: string) => codes[Number(index)] ?? '');
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

export interface MarkdownOptions {
  readonly resolve: ResolveLink;
  /** Anchors of headings begin with it. */
  readonly anchor: string;
  /** Levels that headings go down by, so that the page has one outline. */
  readonly demote: number;
}

interface Block {
  readonly html: string;
  /** Lines that it took. */
  readonly length: number;
}

function takeWhile(lines: readonly string[], from: number, test: (line: string) => boolean) {
  let end = from;
  while (end < lines.length && test(lines[end] ?? '')) end += 1;
  return lines.slice(from, end);
}

function readCode(lines: readonly string[], from: number): Block {
  const body = takeWhile(lines, from + 1, (line) => !line.startsWith('```'));
  const html = `<pre><code>${escapeHtml(body.join('\n'))}</code></pre>`;
  return { html, length: body.length + 2 };
}

/** A cell may hold a bar behind a backslash, or within code. */
function toCells(line: string): string[] {
  const inner = line.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function readTable(
  lines: readonly string[],
  from: number,
  inline: (text: string) => string,
): Block {
  const rows = takeWhile(lines, from, (line) => line.startsWith('|'));
  const [head = '', , ...body] = rows;
  const toRow = (line: string, tag: string) =>
    `<tr>${toCells(line)
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join('')}</tr>`;
  const headers = toCells(head).some((cell) => cell !== '')
    ? `<thead>${toRow(head, 'th')}</thead>`
    : '';
  const cells = body.map((line) => toRow(line, 'td')).join('');
  return {
    html: `<div class="scroll"><table>${headers}<tbody>${cells}</tbody></table></div>`,
    length: rows.length,
  };
}

const ITEM = /^(?:[-*]|\d+\.) +/;

function readList(lines: readonly string[], from: number, inline: (text: string) => string): Block {
  const taken = takeWhile(lines, from, (line) => ITEM.test(line) || /^ {2,}\S/.test(line));
  const items: string[] = [];
  for (const line of taken) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const tag = /^\d/.test(lines[from] ?? '') ? 'ol' : 'ul';
  const html = items.map((item) => `<li>${inline(item)}</li>`).join('');
  return { html: `<${tag}>${html}</${tag}>`, length: taken.length };
}

function readParagraph(
  lines: readonly string[],
  from: number,
  inline: (text: string) => string,
): Block {
  const isText = (line: string) => line.trim() !== '' && !/^(#|```|\|)/.test(line);
  const taken = takeWhile(lines, from, isText);
  return { html: `<p>${inline(taken.join(' '))}</p>`, length: Math.max(1, taken.length) };
}

function readHeading(line: string, options: MarkdownOptions, inline: (text: string) => string) {
  const [, marks = '', text = ''] = /^(#+) +(.*)$/.exec(line) ?? [];
  const level = Math.min(6, marks.length + options.demote);
  const id = `${options.anchor}-${toSlug(text)}`;
  return `<h${level} id="${id}">${inline(text)}</h${level}>`;
}

export function toHtml(markdown: string, options: MarkdownOptions): string {
  const inline = (text: string) => toInline(text, options.resolve);
  const lines = markdown.split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || line.startsWith('<!--')) {
      at += 1;
      continue;
    }
    if (line.startsWith('#')) {
      blocks.push(readHeading(line, options, inline));
      at += 1;
      continue;
    }
    let read = readParagraph;
    if (line.startsWith('```')) read = readCode;
    else if (line.startsWith('|')) read = readTable;
    else if (ITEM.test(line)) read = readList;
    const block = read(lines, at, inline);
    blocks.push(block.html);
    at += block.length;
  }
  return blocks.join('\n');
}
