// `npm run examples [-- part of a file's path …]`: puts real responses of the devnet into documents
// and operations.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';
import { readCommand } from '../src/cli/read-command.ts';
import type { Operation } from '../src/contract/operation.ts';
import { operations } from '../src/contract/operations.ts';
import { packJson } from '../src/lib/pack-json.ts';
import { type DocsScene, startReaderScene } from '../test/docs-scene.ts';
import { askExample } from '../test/operation-examples.ts';
import { SOLANA_PAGE, startSolanaDocsScene } from '../test/solana-docs-scene.ts';
import {
  cutLike,
  type ExampleSetting,
  readDocumentedExamples,
  runExample,
} from './documented-examples.ts';

const command = readCommand(process.argv.slice(2), {
  name: 'npm run examples',
  help: `usage: npm run examples [-- part of a file's path …]

Puts real answers of the devnet into documents and operations: all of them, or those of the files
whose path holds one of the arguments.
`,
  flags: {},
  takesAnyArgs: true,
});
if (command === null) process.exit();
const filters = command.args;
const isWanted = (file: string) =>
  filters.length === 0 || filters.some((filter) => file.includes(filter));

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Replaces texts from the last to the first, so that the other positions stay valid. */
function replaceSpans(file: string, texts: readonly (Span & { readonly text: string })[]): void {
  let source = readFileSync(file, 'utf8');
  for (const { start, end, text } of [...texts].sort((a, b) => b.start - a.start)) {
    source = source.slice(0, start) + text + source.slice(end);
  }
  writeFileSync(file, source);
}

async function refreshDocuments(scene: DocsScene, solana: ExampleSetting): Promise<void> {
  const byFile = new Map<string, (Span & { text: string })[]>();
  for (const example of readDocumentedExamples()) {
    if (!isWanted(example.file)) continue;
    const setting = example.file === SOLANA_PAGE ? solana : scene;
    const real = cutLike(example.shown, await runExample(example, setting));
    const span = { start: example.start, end: example.end };
    const texts = byFile.get(example.file) ?? [];
    byFile.set(example.file, [...texts, { ...span, text: `${packJson(real)}\n` }]);
  }
  for (const [file, texts] of byFile) replaceSpans(file, texts);
}

type ObjectNode = Extract<AnyNode, { type: 'ObjectExpression' }>;

function findProperty(node: AnyNode | undefined, name: string): AnyNode | undefined {
  if (node?.type !== 'ObjectExpression') return undefined;
  for (const property of (node as ObjectNode).properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
    if (property.key.name === name) return property.value;
  }
  return undefined;
}

function* walk(node: AnyNode): Generator<AnyNode> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof child.type === 'string') yield* walk(child);
    }
  }
}

/** Examples that use variables are left to people. */
function isPlain(node: AnyNode): boolean {
  if (node.type === 'Property') return isPlain(node.value);
  if (node.type === 'ObjectExpression') return node.properties.every(isPlain);
  if (node.type === 'ArrayExpression') return node.elements.every((one) => one && isPlain(one));
  return node.type === 'Literal' || node.type === 'UnaryExpression';
}

/** Where the answers are in a file, by operation id. */
function findAnswers(file: string): Map<string, Span> {
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
  const answers = new Map<string, Span>();
  for (const node of walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
    const id = findProperty(node, 'id');
    const answer = findProperty(findProperty(node, 'example'), 'answer');
    if (id?.type !== 'Literal' || answer?.type !== 'ObjectExpression') continue;
    if (isPlain(answer)) answers.set(String(id.value), { start: answer.start, end: answer.end });
  }
  return answers;
}

async function refreshOperations(scene: DocsScene): Promise<void> {
  const byId = new Map((operations as readonly Operation[]).map((one) => [one.id, one]));
  for (const file of globSync('src/contract/operations/*.ts').filter(isWanted)) {
    const texts: (Span & { text: string })[] = [];
    for (const [id, span] of findAnswers(file)) {
      const operation = byId.get(id);
      if (operation === undefined) continue;
      const { answer } = operation.example;
      const isOpen = (operation.output as { additionalProperties?: unknown }).additionalProperties;
      if (isOpen === true) continue;
      const real = cutLike(answer, await askExample(operation, scene));
      texts.push({ ...span, text: JSON.stringify(real) });
    }
    if (texts.length > 0) replaceSpans(file, texts);
  }
  spawnSync('biome', ['format', '--write', 'src/contract/operations'], { stdio: 'inherit' });
}

const cleanups: (() => unknown)[] = [];
try {
  const t = { after: (work: () => unknown) => cleanups.unshift(work) };
  const scene = await startReaderScene(t);
  await refreshDocuments(scene, await startSolanaDocsScene(t));
  await refreshOperations(scene);
} finally {
  for (const work of cleanups) await work();
}
