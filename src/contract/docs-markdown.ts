// Our documents' Markdown → HTML. HTML within a document is text: nothing of it reaches the page.

import { Marked } from 'marked';

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The target of a document's link on the page; null if the page does not have it. */
export type ResolveLink = (target: string) => string | null;

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
