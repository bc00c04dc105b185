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
import { lateTexts, texts } from './texts.ts';

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
  const special = 'MARKETS \\"A\\" <B> & C';
  writeFileSync(file, translate().replace('MARKETS, LIVE', special));
  const dist = join(folder, 'dist');
  execFileSync(process.execPath, [join(FOLDER, '../build.ts'), dist, file]);
  const built = globSync('**/*.{js,html}', { cwd: dist }).map((name) => {
    return readFileSync(join(dist, name), 'utf8');
  });
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  assert.match(page, /content="TOKEN MARKETS &quot;A&quot; &lt;B> &amp; C, FROM/);
  const sentences = listSentences([texts, lateTexts]).filter((text) => text !== texts.description);
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

/** What a page shows or reads out: as a property, an attribute, or a property that is set. */
const SHOWN = new Set([
  ...['children', 'title', 'label', 'alt', 'placeholder', 'text', 'message', 'detail'],
  ...['aria-label', 'ariaLabel', 'aria-description', 'textContent', 'innerText'],
]);

const readName = (node: AnyNode) =>
  node.type === 'Identifier' ? node.name : String(Object(node).value);

/** What is shown where the node says how, with the expressions that it may come from. */
function findShown(node: AnyNode): AnyNode | null {
  if (node.type === 'Property') return SHOWN.has(readName(node.key)) ? node.value : null;
  if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') {
    return SHOWN.has(readName(node.left.property)) ? node.right : null;
  }
  // Errors that are explained to the user as they are.
  if (node.type === 'NewExpression' && readName(node.callee) === 'WalletError') {
    return node.arguments[0] ?? null;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null;
  const [name, value] = node.arguments;
  if (readName(node.callee.property) !== 'setAttribute' || name === undefined) return null;
  return SHOWN.has(readName(name)) ? (value ?? null) : null;
}

/** The texts that an expression may become: of each branch, of lists, and around what is put in. */
function listOwnTexts(node: AnyNode | null): string[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateLiteral':
      return [
        ...node.quasis.map(({ value }) => value.cooked ?? ''),
        ...node.expressions.flatMap(listOwnTexts),
      ];
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap(listOwnTexts);
    case 'LogicalExpression':
    case 'BinaryExpression': {
      const isText = node.type === 'LogicalExpression' || node.operator === '+';
      return isText ? [node.left, node.right].flatMap(listOwnTexts) : [];
    }
    case 'ArrayExpression':
      return node.elements.flatMap(listOwnTexts);
    default:
      return [];
  }
}

/** Texts of the code itself that somebody reads. */
function findOwnTexts(code: string): string[] {
  const found: string[] = [];
  visitNodes(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    found.push(...listOwnTexts(findShown(node)));
  });
  return found.filter((text) => /[a-z]{2}/i.test(text));
}

test('no page has a text of its own', () => {
  const found: string[] = [];
  const names = globSync('**/*.{ts,tsx}', { cwd: FOLDER });
  for (const name of names.filter((one) => !/^texts\.|\.test\.ts$/.test(one))) {
    const { code } = parseFile(join(FOLDER, name), name.endsWith('x') ? 'tsx' : 'ts');
    found.push(...findOwnTexts(code).map((text) => `${name}: ${text}`));
  }
  assert.deepEqual(found, []);
});

test('a text is found in branches, templates and sums, and wherever it is shown', () => {
  const shown = ["'own'", "is ? 'own' : ''", "is && 'own'", "known ?? 'own'", "1 + 'own'"];
  for (const text of [...shown, `\`\${1}own\``, "[1, is ? null : 'own']"]) {
    assert.deepEqual(findOwnTexts(`jsx('p', { children: ${text} })`), ['own'], text);
    assert.deepEqual(findOwnTexts(`element.title = ${text}`), ['own'], text);
    assert.deepEqual(findOwnTexts(`element.setAttribute('aria-label', ${text})`), ['own'], text);
    assert.deepEqual(findOwnTexts(`new WalletError(${text})`), ['own'], text);
  }
  assert.deepEqual(findOwnTexts(`jsx('p', { class: 'own', children: kind === 'own' })`), []);
});

test('a language without one of the texts does not compile', () => {
  const { skip: _skip, ...others } = texts;
  // @ts-expect-error: `npm run check` fails here if it compiles
  const language: typeof texts = others;
  assert.ok(!('skip' in language));
});
