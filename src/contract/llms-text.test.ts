// Pins how documents are converted to the text for language models.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderLlmsText } from './llms-text.ts';

function renderText(markdown: string): string {
  const guides = [{ id: 'a', title: 'A guide', markdown: `# A guide\n\n${markdown}` }];
  return renderLlmsText([], { version: '1', guides });
}

test('a guide stands below the title, its headings one level down', () => {
  assert.match(renderText('Text.\n\n## Part\n'), /\n## A guide\n\nText\.\n\n### Part\n/);
});

test('links lead to what can be reached, others are their labels', () => {
  const text = renderText('See [limits and\ntiers](limits.md#a) and [MCP](https://mcp.example).\n');
  assert.match(text, /See limits and\ntiers and \[MCP\]\(https:\/\/mcp\.example\)\./);
});

test('code stays as it is', () => {
  const code = '```js\n# not a heading\nlist[0](1);\n\n\n\nend\n```';
  assert.ok(renderText(`Text.\n\n${code}\n\nMore.\n`).includes(code));
});

test('examples that operations show are left out', () => {
  const text = renderText('Before.\n\n```sh\ncurl x\n```\n```json\n{}\n```\n\nAfter.\n');
  assert.match(text, /Before\.\n\nAfter\./);
});
