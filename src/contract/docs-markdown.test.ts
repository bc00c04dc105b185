// Pins the supported Markdown, and that nothing in a document becomes raw markup.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MarkdownOptions, renderInline, renderMarkdown } from './docs-page.ts';

const OPTIONS: MarkdownOptions = {
  resolve: (target) => (target.startsWith('#') ? `#here-${target.slice(1)}` : null),
  anchor: 'here',
  demote: 1,
};

test('headings, paragraphs, lists, tables and code', () => {
  const html = renderMarkdown(
    [
      '## Two words',
      '',
      'One line',
      'and its **rest**.',
      '',
      '- first',
      '  goes on',
      '- second',
      '',
      '1. one',
      '',
      '| a | b |',
      '|---|---|',
      '| `x \\| y` | 2 |',
      '',
      '```sh',
      'echo "<b>"',
      '```',
    ].join('\n'),
    OPTIONS,
  );
  assert.deepEqual(html.split('\n'), [
    '<h3 id="here-two-words">Two words</h3>',
    '<p>One line',
    'and its <strong>rest</strong>.</p>',
    '<ul>',
    '<li>first',
    'goes on</li>',
    '<li>second</li>',
    '</ul>',
    '<ol>',
    '<li>one</li>',
    '</ol>',
    '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x | y</code></td><td>2</td></tr></tbody></table></div>',
    '<pre tabindex="0"><code>echo &quot;&lt;b&gt;&quot;</code></pre>',
    '',
  ]);
});

test('markup in the source is escaped', () => {
  const html = renderMarkdown('<script>alert(1)</script> & `<img>`', OPTIONS);
  const text = '&lt;script&gt;alert(1)&lt;/script&gt; &amp; <code>&lt;img&gt;</code>';
  assert.equal(html, `<p>${text}</p>\n`);
  assert.equal(
    renderInline('a <b onclick="x">c</b>'),
    'a &lt;b onclick=&quot;x&quot;&gt;c&lt;/b&gt;',
  );
  assert.equal(renderInline('![<b>](https://example.com/x.png)'), '&lt;b&gt;');
});

test('links lead where the page has a place, and are plain text elsewhere', () => {
  const inline = (text: string) =>
    renderMarkdown(text, OPTIONS).trim().slice('<p>'.length, -'</p>'.length);
  assert.equal(inline('[a](#b)'), '<a href="#here-b">a</a>');
  assert.equal(inline('[a](#"b)'), '<a href="#here-&quot;b">a</a>');
  assert.equal(inline('[a](other.md)'), 'a');
  assert.equal(inline('[a](javascript:alert)'), 'a');
  assert.equal(inline('[a][b]\n\n[b]: javascript:alert'), 'a');
  assert.equal(inline('<javascript:alert>'), '&lt;javascript:alert&gt;');
  assert.equal(inline('https://example.com'), 'https://example.com');
  assert.equal(inline('`[a](#b) **c**`'), '<code>[a](#b) **c**</code>');
});

test('rendering terminates for any text', () => {
  for (const text of ['```\nopen', '| a', '- ', '#', '####### deep', '1.', '**', '`']) {
    assert.equal(typeof renderMarkdown(text, OPTIONS), 'string', text);
  }
});
