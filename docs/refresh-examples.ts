// `npm run examples [-- part of a file's path …]`: puts real responses of the devnet into documents
// and operations.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readCommand } from '../src/cli/read-command.ts';
import { type Operation, toExampleFile } from '../src/contract/operation.ts';
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

async function refreshOperations(scene: DocsScene): Promise<void> {
  for (const operation of operations as readonly Operation[]) {
    const file = toExampleFile(operation.id);
    const isOpen = (operation.output as { additionalProperties?: unknown }).additionalProperties;
    // Only answers of JSON objects can be cut to the shape of the example.
    if (!isWanted(file) || isOpen === true || typeof operation.example.answer !== 'object')
      continue;
    const answer = cutLike(operation.example.answer, await askExample(operation, scene));
    writeFileSync(file, `${JSON.stringify({ ...operation.example, answer }, null, 2)}\n`);
  }
  spawnSync('biome', ['format', '--write', 'src/contract/examples'], { stdio: 'inherit' });
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
