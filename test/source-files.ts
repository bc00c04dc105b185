// Parses imports and exports from the source text.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

interface Import {
  /** As written: `../lib/clock.ts`, `node:fs`. */
  readonly from: string;
  /** The imported names; null for all of them (`import * as`, `import()`). */
  readonly names: readonly string[] | null;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly imports: readonly Import[];
}

const GENERATED = /\.gen\.ts$/;
const STATIC_IMPORT = /^(?:import|export)\b([^;'"]*?)\bfrom\s+['"]([^'"]+)['"]/gm;
const BARE_IMPORT = /^import\s+['"]([^'"]+)['"]/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*['"`]([^'"`]+)['"`]\s*\)(?:\.(\w+))?/g;
const AUGMENTATION = /^declare module ['"]([^'"]+)['"] \{\s*interface (\w+)/gm;
const EXPORT =
  /^export (?:abstract |async )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;

function parseNames(clause: string): string[] | null {
  if (clause.includes('*')) return null;
  const [, list = ''] = /\{([^}]*)\}/.exec(clause) ?? [];
  return list
    .split(',')
    .map(
      (one) =>
        one
          .trim()
          .replace(/^type /, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((name) => name !== '');
}

export function parseSource(path: string, text: string): Source {
  const imports = [
    ...Array.from(text.matchAll(STATIC_IMPORT), ([, clause = '', from = '']) => ({
      from,
      names: parseNames(clause),
    })),
    ...Array.from(text.matchAll(BARE_IMPORT), ([, from = '']) => ({ from, names: [] })),
    ...Array.from(text.matchAll(DYNAMIC_IMPORT), ([, from = '', name]) => ({
      from,
      names: name === undefined || name === 'then' ? null : [name],
    })),
    ...Array.from(text.matchAll(AUGMENTATION), ([, from = '', name = '']) => ({
      from,
      names: [name],
    })),
  ];
  return { path, text, lines: text.split('\n'), imports };
}

export function readSources(patterns: readonly string[]): Source[] {
  return globSync([...patterns], { exclude: ['**/node_modules/**', '**/dist/**'] })
    .filter((path) => !GENERATED.test(path))
    .sort()
    .map((path) => parseSource(path, readFileSync(path, 'utf8')));
}

/** Fails with the list of breaches. */
export function assertNone(breaches: readonly string[]): void {
  assert.deepEqual(breaches, []);
}

export function isTest(source: Source): boolean {
  return source.path.endsWith('.test.ts');
}

/** The files that a file imports, as paths like its own. */
export function* findImportedFiles(source: Source): Generator<string> {
  for (const { from } of source.imports) {
    if (from.startsWith('.')) yield normalize(join(dirname(source.path), from));
  }
}

function isProduction(source: Source): boolean {
  return /^((console|sdk)\/)?src\//.test(source.path) && !isTest(source);
}

/** The paths of all files that import a name from a file, as `path#name` or `path#*` for all. */
function findImporters(sources: readonly Source[]): Map<string, Source[]> {
  const importers = new Map<string, Source[]>();
  for (const source of sources) {
    for (const { from, names } of source.imports) {
      if (!from.startsWith('.')) continue;
      const path = normalize(join(dirname(source.path), from));
      for (const name of names ?? ['*']) {
        const key = `${path}#${name}`;
        importers.set(key, [...(importers.get(key) ?? []), source]);
      }
    }
  }
  return importers;
}

function isUsedInside(source: Source, name: string): boolean {
  const code = source.text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return (code.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1;
}

/**
 * Exports of production files that no other file imports; and those that only tests, benches and
 * documents import while the file itself does not use them, which production could do without.
 */
export function findUnusedExports(sources: readonly Source[]): string[] {
  const importers = findImporters(sources);
  return sources.filter(isProduction).flatMap((source) => {
    const names = Array.from(source.text.matchAll(EXPORT), ([, name = '']) => name);
    return names.flatMap((name) => {
      const users = [name, '*'].flatMap((one) => importers.get(`${source.path}#${one}`) ?? []);
      if (users.length === 0) return [`${source.path}: nothing imports ${name}`];
      if (users.some(isProduction) || isUsedInside(source, name)) return [];
      return [`${source.path}: only tests use ${name}`];
    });
  });
}

/**
 * Groups of files that import each other in a circle, types included: each group is named by its
 * files, and each file is in at most one. (Tarjan's strongly connected components.)
 */
export function findCircles(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((one) => [one.path, [...findImportedFiles(one)]]));
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[] = [];

  function visit(path: string): number {
    const own = order.size;
    order.set(path, own);
    open.push(path);
    let low = own;
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === own) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1 || imports.get(path)?.includes(path)) {
        circles.push(group.toSorted().join(' ↔ '));
      }
    }
    return low;
  }

  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return circles;
}
