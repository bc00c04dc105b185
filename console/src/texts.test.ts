// The texts are ready for other languages: all of them are in one file, and a second language put
// in its place leaves no English behind.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AnyNode, parse } from 'acorn';
import { transformSync } from 'esbuild';
import { texts } from './texts.ts';

const FOLDER = import.meta.dirname;

function visitNodes(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof child.type === 'string') {
        visitNodes(child, visit);
      }
    }
  }
}

function parseFile(path: string, loader: 'ts' | 'tsx') {
  const { code } = transformSync(readFileSync(path, 'utf8'), { loader, jsx: 'automatic' });
  const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  return { code, tree };
}

/** The file in another language: every text in capitals. Names of properties stay. */
function translate(): string {
  const { code, tree } = parseFile(join(FOLDER, 'texts.ts'), 'ts');
  const places: { readonly start: number; readonly end: number }[] = [];
  visitNodes(tree, (node) => {
    const isText = node.type === 'Literal' && typeof node.value === 'string';
    if (isText || node.type === 'TemplateElement') places.push(node);
  });
  let translated = code;
  for (const { start, end } of places.toSorted((a, b) => b.start - a.start)) {
    const text = translated.slice(start, end);
    if (text === '"en"') continue;
    translated = translated.slice(0, start) + text.toUpperCase() + translated.slice(end);
  }
  return translated;
}

/** Sentences: single words may be names of something else. */
function listSentences(value: unknown): string[] {
  if (typeof value === 'string') return / .* /.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(listSentences)
    : [];
}

test('a build with the texts of another language has no sentence of this one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-texts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'texts-capitals.ts');
  writeFileSync(file, translate());
  const dist = join(folder, 'dist');
  execFileSync(process.execPath, [join(FOLDER, '../build.ts'), dist, file]);
  const built = globSync('**/*.{js,html}', { cwd: dist }).map((name) => {
    return readFileSync(join(dist, name), 'utf8');
  });
  const sentences = listSentences(texts);
  assert.ok(sentences.length > 80, `${sentences.length} sentences`);
  const isBuilt = (text: string) => built.some((one) => one.includes(text));
  assert.deepEqual(sentences.filter(isBuilt), []);
  // The compiler quotes and escapes some characters in its own way.
  const plain = sentences
    .map((text) => text.toUpperCase())
    .filter((text) => /^[\w .,]+$/.test(text));
  assert.deepEqual(
    plain.filter((text) => !isBuilt(text)),
    [],
  );
});

/** What a page shows or reads out. */
const SHOWN = new Set(['children', 'title', 'label', 'alt', 'placeholder', 'aria-label', 'text']);

test('no page has a text of its own', () => {
  const found: string[] = [];
  for (const name of globSync('**/*.tsx', { cwd: FOLDER })) {
    const { tree } = parseFile(join(FOLDER, name), 'tsx');
    visitNodes(tree, (node) => {
      if (node.type !== 'Property') return;
      const key = node.key.type === 'Identifier' ? node.key.name : String(Object(node.key).value);
      if (!SHOWN.has(key)) return;
      const values = node.value.type === 'ArrayExpression' ? node.value.elements : [node.value];
      for (const value of values) {
        const isText = value?.type === 'Literal' && typeof value.value === 'string';
        if (isText && /[a-z]{2}/i.test(String(value.value))) found.push(`${name}: ${value.value}`);
      }
    });
  }
  assert.deepEqual(found, []);
});

test('a language without one of the texts does not compile', () => {
  const { skip: _skip, ...others } = texts;
  // @ts-expect-error: `npm run check` fails here if it compiles
  const language: typeof texts = others;
  assert.ok(!('skip' in language));
});
