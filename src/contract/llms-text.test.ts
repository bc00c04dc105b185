// Pins how documents are converted to the text for language models.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toLlmsText } from './llms-text.ts';

function toText(markdown: string): string {
  const guides = [{ id: 'a', title: 'A guide', markdown: `# A guide\n\n${markdown}` }];
  return toLlmsText([], { version: '1', guides });
}

test('default: a guide stands below the title, its headings one level down', () => {
  assert.match(toText('Text.\n\n## Part\n'), /\n## A guide\n\nText\.\n\n### Part\n/);
});

test('behavior: links lead to what can be reached, others are their labels', () => {
  const text = toText('See [limits and\ntiers](limits.md#a) and [MCP](https://mcp.example).\n');
  assert.match(text, /See limits and\ntiers and \[MCP\]\(https:\/\/mcp\.example\)\./);
});

test('behavior: code stays as it is', () => {
  const code = '```js\n# not a heading\nlist[0](1);\n\n\n\nend\n```';
  assert.ok(toText(`Text.\n\n${code}\n\nMore.\n`).includes(code));
});

test('behavior: examples that operations show are left out', () => {
  const text = toText('Before.\n\n```sh\ncurl x\n```\n```json\n{}\n```\n\nAfter.\n');
  assert.match(text, /Before\.\n\nAfter\./);
});
